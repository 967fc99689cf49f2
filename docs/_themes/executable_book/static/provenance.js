/* Where a number comes from: its expression, the cell that computed it, the source of what that cell calls.
   Without this file each number is a plain link to its cell. */
{
  const make = (tag, attributes, ...inside) => {
    const made = Object.assign(document.createElement(tag), attributes)
    made.append(...inside)
    return made
  }
  const list = (text) => (text ? text.split(";") : [])
  const links = document.querySelectorAll(".bd-article a.from")

  // ---- the window

  const sheet = make("div", { id: "where-from", popover: "auto", role: "dialog", ariaLabel: "Where this comes from" })
  let asked

  const leads = (cell) => {
    const [id, ...names] = cell.split(" ")
    const link = make("a", { href: "#" + id }, "The cell that computed " + (names.join(" ") || "it"))
    link.onclick = () => sheet.hidePopover() // folds.js opens what the cell is in
    return make("p", {}, link)
  }

  const fill = (link) => {
    const href = link.getAttribute("href")
    const cells = link.dataset.cells ? list(link.dataset.cells) : href.startsWith("#cell-") ? [href.slice(1)] : []
    const sources = new Map(list(link.dataset.source).map((one) => one.split(" ").reverse()))
    for (const cell of cells)
      for (const below of document.querySelectorAll(`#${cell.split(" ")[0]} .cell-source a`))
        sources.set(below.getAttribute("href"), below.textContent)
    const names = [...sources].map(([href, name]) => make("a", { href }, name))
    sheet.replaceChildren(
      make("code", {}, link.title.slice(link.title.indexOf(": ") + 2)),
      ...cells.map(leads),
      ...(names.length ? [make("p", {}, "Source: ", ...names)] : []),
      make("button", { type: "button", ariaLabel: "Close", onclick: () => sheet.hidePopover() }, "×"),
    )
  }

  const put = (link) => {
    const number = link.getBoundingClientRect()
    placeWindow(sheet, number, { left: number.left, gap: 6 })
  }

  const ask = (event) => {
    const link = event.target.closest("a.from[title]")
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    asked = link
    link.focus({ preventScroll: true }) // where the window gives the focus back
    fill(link)
    sheet.showPopover()
    put(link)
    sheet.querySelector("a, button").focus({ preventScroll: true })
  }

  sheet.onbeforetoggle = ({ newState }) => asked.setAttribute("aria-expanded", newState === "open")
  sheet.onkeydown = ({ key }) => {
    if (key === "Escape") sheet.hidePopover()
  }

  // ---- one switch lets Tab stop at the links of a page

  const button = make("button", { type: "button", className: "numbers-focus" }, "Let numbers take focus")
  const turn = (on) => {
    button.ariaPressed = on
    for (const link of links) link.tabIndex = on ? 0 : -1
  }
  button.onclick = () => {
    turn(button.ariaPressed !== "true")
    try {
      sessionStorage.numbersFocus = button.ariaPressed
    } catch {} // some browsers are told to store nothing
  }

  if (links.length && sheet.showPopover) {
    turn(false)
    try {
      turn(sessionStorage.numbersFocus === "true")
    } catch {}
    document.querySelector(".bd-article").prepend(button)
    document.body.append(sheet)
    document.addEventListener("click", ask)
  }
}
