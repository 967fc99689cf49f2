/* The box of the search: an input, a count, a list of links. No part of it asks another host. */
window.peFind = (() => {
  // ---- what is shown of a hit

  const marks = (text, marked) =>
    [...window.peWords.words(text)]
      .filter(({ word, parts }) => marked.has(word) || parts.some((part) => marked.has(part)))
      .map(({ index, written }) => [index, index + written.length])

  const excerpt = (text, marked, room = 160) => {
    const first = marks(text, marked)[0]?.[0] ?? 0
    let start = first > room / 2 ? text.lastIndexOf(" ", first - room / 3) + 1 : 0
    const end = text.length > start + room ? text.lastIndexOf(" ", start + room) : text.length
    return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "")
  }

  const emphasised = (text, marked) => {
    const made = document.createDocumentFragment()
    let at = 0
    for (const [from, to] of marks(text, marked)) {
      const mark = document.createElement("mark")
      mark.textContent = text.slice(from, to)
      made.append(text.slice(at, from), mark)
      at = to
    }
    made.append(text.slice(at))
    return made
  }

  const make = (tag, className, ...inside) => {
    const made = Object.assign(document.createElement(tag), { className })
    made.append(...inside)
    return made
  }

  const row = (hit) => {
    const { text, rows, marked } = hit
    const told = rows && marks(rows, marked).length && !marks(text, marked).length ? rows : text // where the words stand
    const link = make(
      "a",
      "search-hit",
      make("span", "search-kind", hit.kind === "Chapter" || !hit.number ? hit.kind : `${hit.kind} ${hit.number}`),
      make("span", "search-title", emphasised(hit.title, hit.marked)),
      ...([hit.title, hit.kind].includes(hit.page) ? [] : [make("span", "search-where", hit.page)]),
      ...(told ? [make("span", "search-excerpt", emphasised(excerpt(told, marked), marked))] : []),
    )
    link.href = (document.documentElement.dataset.content_root ?? "./") + hit.address
    return make("li", "", link)
  }

  // ---- the box: an input, a count, a list of links

  const SHOWN = 40
  const HOW = "Try one word, a symbol such as T_k, a name such as encode, or a number such as 10000."
  const NEAREST = 5
  let index

  // what the book does not have is said, and by its words where it is they
  const said = (text, hits) => {
    const unknown = window.peRank.unknown(ready(), text).map((word) => `“${word}”`)
    const words = unknown.length > 3 ? "most of these words" : unknown.join(" or ")
    const why = words ? `no page speaks of ${words}` : "no page has these words together"
    if (!hits.length) return `Nothing found: ${why}. ${HOW}`
    if (hits[0].near) return `Nothing on this in the book: ${why}.`
    const count = hits.length > SHOWN ? `${SHOWN} hits, the best of ${hits.length}` : `${hits.length} ${hits.length === 1 ? "hit" : "hits"}`
    return words ? `${count}; ${why}.` : count
  }

  const ready = () => (index ??= window.peRank.build(window.peSearchIndex))
  const find = (text) => window.peRank.find(ready(), text)

  const attach = (form, asked) => {
    ready()
    const [input, status, list] = ["input", "[role=status]", "ol"].map((css) => form.querySelector(css))
    const beside = make("p", "search-nearest", "The nearest to it")
    beside.id = "search-nearest"
    const links = () => [...list.querySelectorAll("a")]
    const show = () => {
      const text = input.value.trim()
      const hits = text ? find(text) : []
      const covered = hits.length && !hits[0].near
      status.textContent = text && said(text, hits)
      list.replaceChildren(...hits.slice(0, covered ? SHOWN : NEAREST).map(row))
      if (hits.length && !covered) {
        list.before(beside)
        list.setAttribute("aria-labelledby", beside.id)
      } else {
        beside.remove()
        list.removeAttribute("aria-labelledby")
      }
      asked?.(text)
    }
    form.onsubmit = (event) => {
      event.preventDefault()
      show()
      if (!beside.isConnected) links()[0]?.click()
    }
    form.onkeydown = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      const stops = [input, ...links()]
      const to = stops[stops.indexOf(document.activeElement) + step]
      if (!step || !to) return
      event.preventDefault()
      to.focus()
      to.scrollIntoView({ block: "nearest" })
    }
    input.oninput = show
    show()
  }

  return { attach, find, said }
})()
