/* Where a number comes from: its expression, the cell that computed it, the source of what that cell calls.
   Without this file each number is a plain link to its cell. */
{
  const make = (tag, attributes, ...inside) => {
    const made = Object.assign(document.createElement(tag), attributes)
    made.append(...inside)
    return made
  }
  const narrow = matchMedia("(max-width: 600px)")
  const list = (text, between) => (text ? text.split(between) : [])

  // ---- a cell that is led to is open, whatever folds it is in

  const reveal = () => {
    const cell = location.hash.startsWith("#cell-") && document.getElementById(location.hash.slice(1))
    if (!cell) return
    for (let up = cell; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true
      if (up.classList.contains("toggle-hidden")) up.querySelector(".toggle-button")?.click()
    }
    cell.tabIndex = -1
    cell.focus({ preventScroll: true })
    cell.scrollIntoView()
  }
  addEventListener("hashchange", reveal)
  addEventListener("load", reveal)

  // ---- the window

  const sheet = make("div", { id: "where-from", popover: "auto", role: "dialog", ariaLabel: "Where this comes from" })
  let asked

  const fill = (link) => {
    const [address, ...others] = link.dataset.cells
      ? list(link.dataset.cells, ";")
      : [link.getAttribute("href").slice(1)]
    const cells = link.hash.startsWith("#cell-") && link.pathname === location.pathname ? [address, ...others] : []
    const sources = new Map(list(link.dataset.source, ";").map((one) => one.split(" ").reverse()))
    for (const cell of cells) {
      const below = document.getElementById(cell.split(" ")[0])?.querySelectorAll(".cell-source a") ?? []
      for (const source of below) sources.set(source.getAttribute("href"), source.textContent)
    }
    const steps = cells.map((cell) => {
      const [id, ...names] = cell.split(" ")
      const words = names.length ? `The cell that computed ${names.join(" ")}` : "The cell that computed it"
      const step = make("a", { href: "#" + id }, words)
      step.onclick = () => {
        sheet.hidePopover()
        if (location.hash === "#" + id) reveal()
      }
      return make("p", {}, step)
    })
    const names = [...sources].map(([href, name]) => make("a", { href }, name))
    const close = make("button", { type: "button", ariaLabel: "Close", onclick: () => sheet.hidePopover() }, "×")
    sheet.replaceChildren(
      make("code", {}, link.title.slice(link.title.indexOf(": ") + 2)),
      ...steps,
      ...(names.length ? [make("p", {}, "Source: ", ...names)] : []),
      close,
    )
  }

  const put = (link) => {
    const number = link.getBoundingClientRect()
    const own = sheet.getBoundingClientRect()
    if (narrow.matches) {
      scrollBy({ top: Math.max(0, number.bottom + 16 - own.top), behavior: "instant" })
      return
    }
    const right = document.documentElement.clientWidth - own.width - 16
    const above = number.bottom + own.height + 8 > innerHeight && number.top > own.height + 8
    sheet.style.left = `${scrollX + Math.max(16, Math.min(number.left, right))}px`
    sheet.style.top = `${scrollY + (above ? number.top - own.height - 6 : number.bottom + 6)}px`
  }

  const ask = (event) => {
    const link = event.target.closest("a.from[title]")
    if (!link || !sheet.showPopover || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    asked = link
    link.focus({ preventScroll: true }) // where the window gives the focus back
    fill(link)
    sheet.showPopover()
    put(link)
    sheet.querySelector("a").focus({ preventScroll: true })
  }

  sheet.addEventListener("toggle", (event) => asked?.setAttribute("aria-expanded", event.newState === "open"))
  sheet.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !sheet.contains(relatedTarget)) sheet.hidePopover()
  })

  // ---- one switch lets Tab stop at the links of a page

  const links = document.querySelectorAll(".bd-article a.from")
  if (links.length) {
    const button = make("button", { type: "button", className: "numbers-focus" }, "Let numbers take focus")
    const set = (on) => {
      button.setAttribute("aria-pressed", on)
      for (const link of links) link.tabIndex = on ? 0 : -1
    }
    const remembered = (...value) => {
      try {
        return value.length ? sessionStorage.setItem("numbers-focus", value) : sessionStorage.getItem("numbers-focus")
      } catch {
        return null // storage is refused to some pages
      }
    }
    button.onclick = () => {
      const on = button.getAttribute("aria-pressed") !== "true"
      set(on)
      remembered(on)
    }
    set(remembered() === "true")
    document.querySelector(".bd-article").prepend(button)
    document.body.append(sheet)
    document.addEventListener("click", ask)
  }
}
