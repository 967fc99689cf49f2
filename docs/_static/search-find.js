/* The search itself: loaded with search-index.js when somebody opens it. No part of it asks another host. */
window.peFind = (() => {
  // ---- words: letters of any case, Greek by name, symbols without their underscores, plurals as singulars

  const GREEK = Object.fromEntries(
    ("α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma " +
      "τ tau φ phi χ chi ψ psi ω omega")
      .split(" ")
      .flatMap((one, at, all) => (at % 2 ? [] : [[one, all[at + 1]]])),
  )
  const WORD = /\d+(?:[.,]\d+)*|[\p{L}][\p{L}\p{N}]*(?:[_.]+[\p{L}\p{N}]+)*/gu
  const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
  const greek = (text) => text.replace(/[α-ω]/g, (letter) => GREEK[letter] ?? letter)
  const whole = (text) => greek(fold(text)).replace(/[_.]/g, "")
  const singular = (word) =>
    word.length < 5 ? word : word.replace(/([^aeiou])ies$/, "$1y").replace(/ices$/, "ix").replace(/([^sui])s$/, "$1")
  const key = (text) => greek(fold(text)).replace(/[^\p{L}\p{N}.]|\.(?!\d)/gu, "") // of a name, typed one way or another

  // a word as written, as it is looked up, and the parts of a name that are words too
  function* words(text) {
    for (const { 0: written, index } of text.matchAll(WORD)) {
      if (/^\d/.test(written)) {
        const number = /^\d{1,3}(,\d{3})+$/.test(written) ? written.replaceAll(",", "") : written
        yield { written, index, word: number, parts: number.includes(",") ? number.split(",") : [] }
      } else {
        const camel = /\p{Ll}\p{Lu}/u.test(written) ? written.match(/\p{Lu}?[\p{Ll}\p{N}]+/gu) ?? [] : []
        const split = /[_.]/.test(written) ? written.split(/[_.]+/).map((part) => greek(fold(part))) : []
        const parts = [...split.filter((part) => part.length > 1), ...camel.map(fold).filter((part) => part.length > 3)]
        yield { written, index, word: singular(whole(written)), parts: [...new Set(parts.map(singular))] }
      }
    }
  }

  // at most `most` letters wrong, missing, surplus or swapped with their neighbour
  const near = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1
    let before = []
    let row = Array.from({ length: b.length + 1 }, (_, at) => at)
    for (let i = 1; i <= a.length; i++) {
      const next = [i]
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]))
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1)
      }
      if (Math.min(...next) > most) return most + 1
      ;[before, row] = [row, next]
    }
    return row[b.length]
  }

  // ---- the index: which entries have a word, and how much it weighs there

  const FIELDS = { title: 5, names: 5, text: 1, code: 0.5 }
  // what one wants of things that match equally well
  const KIND = {
    Function: 1.5, Class: 1.5, Term: 1.5, Chapter: 1.4, Theorem: 1.3, Definition: 1.3, Lemma: 1.15, Corollary: 1.15, Section: 1.1,
    Equation: 1, Example: 1, Remark: 1, Figure: 1, Table: 1, Exercise: 0.8, Source: 0.7,
  } // prettier-ignore
  const INNER = 0.7 // a function that one has to import from its module
  const TWIN = 0.7 // the definition comes before its twin for tensors
  const EXACT = { Function: 1000, Class: 1000, Term: 900, Chapter: 800 }

  const build = ({ pages, entries, aliases }) => {
    const found = new Map() // word: entry: weight
    const names = new Map() // key of a name: entries
    entries = entries.map(([kind, page, anchor, number, title, also, text, code], id) => {
      const entry = { id, kind, page: pages[page][1], address: pages[page][0] + (anchor && "#" + anchor), number, title, text }
      const long = 1 + text.length / 3000 // a word weighs less in a long text
      const fields = { title, names: [number, kind, ...also].join(" "), text, code }
      for (const [field, weight] of Object.entries(fields).map(([field]) => [field, FIELDS[field]]))
        for (const { word, parts } of words(fields[field]))
          for (const [one, share] of [[word, 1], ...parts.map((part) => [part, 0.6])]) {
            if (!found.has(one)) found.set(one, new Map())
            const had = found.get(one).get(id) ?? 0
            const more = (weight * share) / (field === "title" || field === "names" ? 1 + title.length / 200 : long)
            found.get(one).set(id, Math.max(had, more) + Math.min(had, more) * 0.2)
          }
      const numbered = number && `${kind} ${number.replace(/[()]/g, "")}`
      const defined = anchor.startsWith("pe_book.") ? anchor : ""
      entry.names = [number, numbered, title, defined, ...also].filter(Boolean)
      for (const name of new Set(entry.names.map(key))) names.set(name, [...(names.get(name) ?? []), entry])
      return entry
    })
    const meant = new Map() // an alias of the field: the others of its group
    for (const group of aliases) for (const one of group) meant.set(key(one), group.filter((other) => other !== one))
    return { entries, found, names, meant, vocabulary: [...found.keys()] }
  }

  // ---- a question: each of its words by itself, by how it begins, by how it sounds

  const matches = ({ found, vocabulary }, { word, parts }) => {
    const good = new Map([[word, 1]].filter(([one]) => found.has(one)))
    if (word.length > 1 && !/^\d/.test(word))
      for (const one of vocabulary)
        if (one !== word && one.startsWith(word)) good.set(one, (0.3 + 0.5 * word.length) / one.length)
    if (!good.size && parts.length) for (const part of parts) if (found.has(part)) good.set(part, 0.5)
    const most = word.length > 8 ? 2 : 1
    if (!good.size && word.length > 3 && !/^\d/.test(word))
      for (const one of vocabulary) {
        const off = near(word, one, most)
        if (off <= most) good.set(one, 0.5 / off)
      }
    return good
  }

  // entries that have all words, or, where none has, those that have the most
  const score = (index, asked) => {
    const sums = new Map()
    for (const one of asked) {
      const best = new Map()
      for (const [word, quality] of matches(index, one)) {
        const entries = index.found.get(word)
        const rare = Math.log(1 + index.entries.length / entries.size)
        for (const [id, weight] of entries) {
          const worth = quality * rare * (weight / (weight + 1.5))
          if (worth > (best.get(id)?.worth ?? 0)) best.set(id, { worth, word })
        }
      }
      for (const [id, { worth, word }] of best) {
        const sum = sums.get(id) ?? { worth: 0, count: 0, marked: new Set() }
        sums.set(id, { worth: sum.worth + worth, count: sum.count + 1, marked: sum.marked.add(word) })
      }
    }
    const most = Math.max(0, ...[...sums.values()].map(({ count }) => count))
    return [...sums].filter(([, { count }]) => count === most).map(([id, sum]) => ({ id, ...sum, share: most / asked.length }))
  }

  const find = (index, text) => {
    const asked = [...words(text)]
    if (!asked.length) return []
    const ways = [[asked, 1]]
    const joined = asked.map(({ word }) => word).join("")
    if (asked.length > 1 && asked.length < 5 && index.found.has(joined)) ways.push([[{ word: joined, parts: [] }], 0.9])
    for (const other of index.meant.get(key(text)) ?? []) ways.push([[...words(other)], 0.8])
    if (asked.length > 1)
      asked.forEach(({ written }, at) => {
        for (const other of index.meant.get(key(written)) ?? [])
          ways.push([[...asked.slice(0, at), ...words(other), ...asked.slice(at + 1)], 0.8])
      })
    const hits = new Map()
    for (const [way, trust] of ways)
      for (const { id, worth, share, marked } of score(index, way)) {
        const { kind, title } = index.entries[id]
        const wanted = (KIND[kind] ?? 1) * (title.startsWith("pe_book.") ? INNER : title.startsWith("pe.nn.") ? TWIN : 1)
        const points = (worth / way.length) * share * share * trust * wanted
        const hit = hits.get(id)
        if (!hit || points > hit.points) hits.set(id, { points, marked })
      }
    const strength = Math.max(0, ...ways.map(([way]) => way.length === asked.length))
    for (const [group, trust] of [[[text], 1], [index.meant.get(key(text)) ?? [], 0.5]])
      for (const name of group)
        for (const entry of index.names.get(key(name)) ?? []) {
          const same = entry.names.some((one) => fold(one) === fold(name.trim())) // as typed, brackets and all
          const hit = hits.get(entry.id) ?? { points: 0, marked: new Set() }
          hits.set(entry.id, { ...hit, points: hit.points + strength * trust * ((EXACT[entry.kind] ?? 500) + 200 * same) })
        }
    return [...hits]
      .map(([id, { points, marked }]) => ({ ...index.entries[id], points, marked }))
      .sort((a, b) => b.points - a.points || a.id - b.id)
  }

  // ---- what is shown of a hit

  const marks = (text, marked) =>
    [...words(text)]
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
    const link = make(
      "a",
      "search-hit",
      make("span", "search-kind", hit.kind === "Chapter" || !hit.number ? hit.kind : `${hit.kind} ${hit.number}`),
      make("span", "search-title", emphasised(hit.title, hit.marked)),
      ...(hit.page === hit.title ? [] : [make("span", "search-where", hit.page)]),
      ...(hit.text ? [make("span", "search-excerpt", emphasised(excerpt(hit.text, hit.marked), hit.marked))] : []),
    )
    link.href = (document.documentElement.dataset.content_root ?? "./") + hit.address
    return make("li", "", link)
  }

  // ---- the box: an input, a count, a list of links

  const SHOWN = 40
  const NOTHING = "Nothing found. Try one word, a symbol such as T_k, a name such as encode, or a number such as 10000."
  let index

  const attach = (form, asked) => {
    index ??= build(window.peSearchIndex)
    const [input, status, list] = ["input", "[role=status]", "ol"].map((css) => form.querySelector(css))
    const links = () => [...list.querySelectorAll("a")]
    const show = () => {
      const text = input.value.trim()
      const hits = text ? find(index, text) : []
      const more = hits.length > SHOWN ? `, the best ${SHOWN} are shown` : ""
      status.textContent = !text ? "" : hits.length ? `${hits.length} ${hits.length === 1 ? "hit" : "hits"}${more}` : NOTHING
      list.replaceChildren(...hits.slice(0, SHOWN).map(row))
      asked?.(text)
    }
    form.onsubmit = (event) => {
      event.preventDefault()
      show()
      links()[0]?.click()
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

  return { attach, find: (text) => find((index ??= build(window.peSearchIndex)), text) }
})()
