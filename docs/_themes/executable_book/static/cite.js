/* How to cite a page, a theorem, a figure, an exercise: the # beside it leads there, and opens a small window with
   its reference in four forms. What stands below a figure can be copied. Without this file the # is a plain link. */

/** What a thing is called, as the page counts it and with its name: "Theorem 2.3.1 (Shift)", a section by its heading;
    nothing without a number. */
const nameOf = (thing) => {
  if (thing.matches("section")) return madePlain(thing.querySelector("h1, h2, h3, h4, h5").cloneNode(true)).textContent.trim()
  const equation = thing.querySelector(":scope > .eqno")
  if (equation) return "Equation " + madePlain(equation.cloneNode(true)).textContent.trim()
  const number = thing.querySelector(".caption-number")?.textContent.trim()
  const title = number && thing.querySelector(":scope > .admonition-title")?.cloneNode(true)
  if (!title || thing.matches(".claim")) return number
  for (const beside of title.querySelectorAll(".caption-number, .before-mark, .exercise-mark")) beside.remove()
  const name = madePlain(title).textContent.replace(/\s+/g, " ").trim().replace(/^\((.*)\)$/, "$1")
  return number + (name && ` (${name})`)
}

{
  const record = JSON.parse(document.querySelector('meta[name="citation"]')?.content ?? "null")
  const home = document.querySelector('link[rel="canonical"]')?.href
  const sheet = Object.assign(document.createElement("div"), { id: "cite-window", popover: "auto", role: "dialog" })
  let asked

  const entry = (kind, key, fields) => {
    const lines = Object.entries(fields).filter(([, value]) => value)
    return [`@${kind}{${key},`, ...lines.map(([field, value]) => `  ${field} = {${value}},`), "}"].join("\n")
  }

  const forms = (id, number) => {
    const { authors, title, version, year } = record
    const key = "pe_book-" + id.replace(/^equation-/, "").replaceAll(":", "-")
    const url = home && `${home}#${id}`
    const forTex = (words) => `{${words.replace(/[&%$#_{}]/g, "\\$&")}}`
    const given = { author: authors.map(forTex).join(" and "), title: forTex(title), year }
    const printed = number.replace(/\$[^$]*\$|[&%#_]/g, (found) => (found[1] ? found : "\\" + found)) // formulas stay
    const told = `Version ${version}${year ? "" : ", not yet released"}`
    const edition = `version ${version} (${year || "not yet released"})`
    return {
      text: `${authors.join(", ")}. ${title}, ${edition}. ${number}.${url ? " " + url : ""}`,
      BibTeX: entry("misc", key, { ...given, note: `${told}. ${printed}`, url }),
      biblatex: entry(url ? "online" : "misc", key, { ...given, version, note: `${printed}${year ? "" : ". Not yet released"}`, url }),
      LaTeX: `\\cite{${key}}`,
    }
  }

  const copier = (name, text) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: `Copy ${name}` })
    button.onclick = async () => {
      await copyText(text)
      button.textContent = "Copied"
      setTimeout(() => (button.textContent = `Copy ${name}`), 2000)
    }
    return button
  }

  const row = ([name, text]) => {
    const code = Object.assign(document.createElement("pre"), { textContent: text, tabIndex: 0, ariaLabel: name })
    code.role = "group"
    const label = Object.assign(document.createElement("p"), { textContent: name })
    return [label, copier(name, text), code]
  }

  const show = (link, thing, number) => {
    asked = link
    sheet.ariaLabel = `Cite ${number}`
    const close = Object.assign(document.createElement("button"), { type: "button", textContent: "×", ariaLabel: "Close" })
    close.className = "close"
    close.onclick = () => sheet.hidePopover()
    const head = Object.assign(document.createElement("p"), { textContent: `Cite ${number}` })
    const report = Object.assign(document.createElement("button"), { type: "button", textContent: "Report an error" })
    report.className = "report"
    sheet.replaceChildren(head, close, ...Object.entries(forms(thing.id, number)).flatMap(row), report)
    sheet.showPopover()
    const box = link.getBoundingClientRect()
    placeWindow(sheet, box, { left: box.left, gap: 6 })
    close.focus({ preventScroll: true })
  }

  sheet.onkeydown = ({ key }) => {
    if (key === "Escape") sheet.hidePopover()
  }
  let inside // whether the focus is in the window as it closes: then the # gets it back
  sheet.onbeforetoggle = () => {
    inside = sheet.contains(document.activeElement) // not returned: a handler that returns false forbids
  }
  sheet.ontoggle = ({ newState }) => {
    if (newState === "closed" && inside) asked.focus({ preventScroll: true })
  }

  const offerCopies = ({ target }) => {
    if (!target.matches(".data-twin[open]") || target.querySelector("button")) return
    for (const words of target.querySelectorAll("dd")) {
      const copied = document.createElement("dd")
      copied.append(copier(words.previousElementSibling.textContent.toLowerCase(), words.textContent))
      words.after(copied)
    }
  }
  document.addEventListener("toggle", offerCopies, true)

  if (record && sheet.showPopover) {
    document.body.append(sheet)
    document.addEventListener("click", (event) => {
      const link = event.target.closest(".bd-article a.headerlink")
      const thing = link && document.getElementById(decodeURIComponent(link.hash.slice(1)))
      const number = thing && !link.closest("h2, h3, h4, h5, dt") && nameOf(thing)
      if (!number || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      requestAnimationFrame(() => requestAnimationFrame(() => show(link, thing, number))) // where the address led
    })
  }
}
