/* What a glossary term means, where it is used: with the mouse on it, with the focus on it, or at the first tap.
   Escape closes; a second tap follows the link. Without this file a term is a plain link to the glossary. */
{
  const WAIT = 300 // ms, so that a mouse that passes by opens nothing
  const root = document.documentElement.dataset.content_root ?? "./"
  const sheet = Object.assign(document.createElement("div"), { id: "meaning-window", popover: "manual", role: "tooltip" })
  let shown, wanted, timer, pointer, loaded

  const termAt = (target) => {
    const link = target.closest?.(".bd-article a")
    return link?.querySelector(":scope > .std-term") && link
  }
  const load = () =>
    (loaded ??= new Promise((done) => {
      const script = Object.assign(document.createElement("script"), { src: `${root}_static/glossary.js`, onload: done })
      document.head.append(script)
    }))

  const styled = (href) =>
    new Promise((done) => {
      document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done }))
    })

  const hide = () => {
    clearTimeout(timer)
    shown?.removeAttribute("aria-describedby")
    shown = wanted = undefined
    if (sheet.matches(":popover-open")) sheet.hidePopover()
  }

  const show = async (link) => {
    clearTimeout(timer)
    if (shown === link) return
    wanted = link
    await load()
    const definition = window.peTerms[decodeURIComponent(link.hash.slice(1))]
    if (!definition || wanted !== link) return
    if (definition.includes('class="katex') && !document.querySelector("link[href*='katex.min.css']"))
      await styled(`${root}_static/katex/katex.min.css`) // a page without formulas has not loaded it
    hide()
    shown = link
    sheet.ariaLive = pointer === "touch" ? "polite" : "off" // otherwise it is read as the description of the link
    sheet.innerHTML = definition
    link.setAttribute("aria-describedby", sheet.id)
    sheet.showPopover()
    put(link)
  }

  const put = (link) => {
    const [{ left }] = link.getClientRects() // of its first line
    placeWindow(sheet, link.getBoundingClientRect(), { left, gap: 4 })
  }

  const later = (what) => {
    clearTimeout(timer)
    timer = setTimeout(what, WAIT)
  }

  if (sheet.showPopover && document.querySelector(".bd-article .std-term")) {
    document.body.append(sheet)
    addEventListener("pointerover", ({ target, pointerType }) => {
      if (pointerType === "touch") return
      const link = termAt(target)
      if (link && link !== shown) later(() => show(link))
      else if (link || sheet.contains(target)) clearTimeout(timer) // the mouse may rest on the window
      else if (shown && shown !== document.activeElement) later(hide)
      else if (!shown) clearTimeout(timer)
    })
    addEventListener("pointerdown", ({ target, pointerType }) => {
      pointer = pointerType
      if (shown && shown !== termAt(target) && !sheet.contains(target)) hide()
    })
    addEventListener("focusin", ({ target }) => {
      const link = termAt(target)
      if (link?.matches(":focus-visible")) show(link)
    })
    addEventListener("focusout", ({ target }) => {
      if (target === shown && pointer !== "touch") hide()
    })
    addEventListener("keydown", ({ key }) => {
      pointer = "keys"
      if (key === "Escape") hide()
    })
    addEventListener("click", (event) => {
      const link = termAt(event.target)
      if (!link || pointer !== "touch" || link === shown) return
      event.preventDefault()
      show(link)
    })
  }
}
