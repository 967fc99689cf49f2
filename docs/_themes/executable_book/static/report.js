/* Report an error: a new issue with page, place, quotation and version filled in, where pyproject.toml says where
   issues go; elsewhere the same text is copied. A claim is disputed in the same way. */
{
  const record = JSON.parse(document.querySelector('meta[name="citation"]')?.content ?? "null")
  const article = document.querySelector(".bd-article")
  const NUMBERED = ".proof[id], .exercise[id], figure[id], table[id], div.math[id]"
  const LONGEST = 1000 // characters of a quotation: an address has an end

  const thingAt = (node) => {
    const element = node?.closest ? node : node?.parentElement
    return element?.closest(NUMBERED) ?? element?.closest(".bd-article section[id]:not([id$='-content'])")
  }

  /** What is selected in the text, and where it begins. */
  const selected = () => {
    const selection = getSelection()
    if (selection.isCollapsed || !article.contains(selection.anchorNode)) return
    const words = madePlain(takenFrom(selection)).textContent.replaceAll("\u2060", "")
    return { node: selection.getRangeAt(0).startContainer, words }
  }

  /** What an address within the page leads to. */
  const led = (hash = location.hash) => {
    try {
      return thingAt(document.getElementById(decodeURIComponent(hash.slice(1))))
    } catch {} // an address that somebody has cut
  }

  /** Beside the text: what the address leads to while it is in view, or the section that the contents mark. */
  const read = () => {
    const thing = led()
    const { top, bottom } = thing?.getBoundingClientRect() ?? {}
    return top < innerHeight && bottom > 0 ? thing : led(document.querySelector(".bd-toc [aria-current]")?.hash)
  }

  /** Title and text of a report on one thing, or else on what is marked, led to, or the page. */
  const report = (own, marked, seen) => {
    if (own && !own.contains(marked?.node)) marked = undefined
    const { page, version, year } = record
    const thing = own ?? (marked ? thingAt(marked.node) : seen)
    const claim = thing?.matches(".claim")
    const place = thing && nameOf(thing)
    const url = document.querySelector('link[rel="canonical"]')?.href
    const said = claim && madePlain(thing.querySelector(".admonition-title").cloneNode(true)).textContent
    const words = (marked?.words || said || "").replace(/\s+/g, " ").trim()
    const lines = [
      `Page: ${page}`,
      thing && `Place: ${thing.id}, ${place}`,
      url && `Address: ${url}${thing ? "#" + thing.id : ""}`,
      `Version: ${version}${year ? "" : ", not yet released"}`,
      words && `\n> ${words.length > LONGEST ? words.slice(0, LONGEST) + "…" : words}`,
      `\nWhat is wrong${claim ? ", or what speaks against the verdict" : ""}:\n`,
    ]
    return { title: `Error: ${place ?? page}`, body: lines.filter(Boolean).join("\n") }
  }

  let marked // a press takes the selection away before it becomes a click
  addEventListener("pointerdown", ({ target }) => (marked = target.closest(".report") && selected()), true)

  document.addEventListener("click", async (event) => {
    const control = event.target.closest(".report")
    if (!control) return
    event.preventDefault()
    const own = control.closest("#cite-window") ? led() : control.closest(".proof.claim")
    const { title, body } = report(own, marked ?? selected(), control.closest(".bd-toc") ? read() : led())
    if (record.issues) return open(`${record.issues}?${new URLSearchParams({ title, body })}`, "_blank", "noopener")
    await copyText(`${title}\n\n${body}`)
    const words = control.textContent
    control.textContent = "Copied: send it to whoever publishes this site"
    setTimeout(() => (control.textContent = words), 5000)
  })
}

/* The whole site as one file, where whoever hosts it says so (driver/archive.py). */
{
  const link = document.querySelector("a.archive")
  const offer = ({ file, bytes }) => {
    if (!file) return
    Object.assign(link, { href: file, hidden: false, textContent: `The whole site, ${Math.ceil(bytes / 1e6)} MB` })
  }
  if (link && location.protocol !== "file:") fetch("archive.json").then((answer) => answer.json()).then(offer, () => {})
}
