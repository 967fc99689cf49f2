// What a reader takes along and reaches: code without prompts and outputs, formulas as LaTeX, and by keyboard
// whatever scrolls. Pages read the same without it.

/** A copy of what is selected, of formulas the whole. */
const takenFrom = (selection) => {
  const formula = (node) => (node.closest ? node : node.parentElement).closest(".katex")
  const taken = document.createElement("div")
  for (let i = 0; i < selection.rangeCount; i++) {
    const range = selection.getRangeAt(i).cloneRange()
    const [first, last] = [formula(range.startContainer), formula(range.endContainer)]
    if (first) range.setStartBefore(first)
    if (last) range.setEndAfter(last)
    taken.append(range.cloneContents())
  }
  return taken
}

/** A copy of a part of the page as it is written down: formulas as LaTeX, and nothing to press. */
const madePlain = (copy) => {
  for (const formula of copy.querySelectorAll(".katex")) {
    const tex = formula.querySelector("annotation").textContent.trim()
    formula.replaceWith(formula.querySelector("math[display]") ? `$$${tex}$$` : `$${tex}$`)
  }
  for (const unread of copy.querySelectorAll(".headerlink, button, .visually-hidden")) unread.remove()
  return copy
}

{
  const article = document.querySelector(".bd-article")

  // ---- fonts of formulas further down, which the browser would ask for as they come into view

  addEventListener("load", () => {
    for (const font of (document.documentElement.dataset.laterFonts ?? "").split(",").filter(Boolean))
      document.fonts.load(font)
  })

  // ---- sections that the first paint left for later (shell.css): one after the other, so that the scroll bar is right.
  // Until then each is as high as its words and figures make likely: to measure it, or innerWidth, would be to lay it out

  let wide = 320 // px, like what follows
  while (wide < 1024 && matchMedia(`(min-width: ${wide + 4}px)`).matches) wide += 4
  const column = Math.min(wide - 36, 624)
  const [line, letter] = wide < 768 ? [27.2, 8.3] : [30.4, 9.2]
  const [lineOfCode, letterOfCode] = wide <= 600 ? [18.6, 7.2] : [20.15, 7.8]
  const UNSEEN = ".katex-mathml, [hidden], .visually-hidden, details:not([open])"
  const WORDS = "p, dt, h2, h3, h4, summary, figcaption, caption, label, tr, li:not(:has(p))"
  const BESIDE = { P: 4, H2: 28, H3: 28, DL: 16, FIGURE: 28, TABLE: 35, "PE-ANSWER": 82 } // beside its lines, margins too

  const linesOf = (letters, width, each) => Math.ceil((letters * each) / width)
  const likely = (node, width = column) => {
    if (node.matches("button, template, [hidden]")) return 0
    if (node.matches("details:not([open])")) return 66
    if (node.matches(".katex-display")) return 70
    if (node.matches("pre")) {
      const lengths = node.textContent.trimEnd().split("\n").map(({ length }) => length || 1)
      const lines = lengths.reduce((sum, length) => sum + linesOf(length, column - 32, letterOfCode), 0)
      return lines * lineOfCode + (node.closest(".cell_output") ? 18 : 54)
    }
    if (node.matches(".panels")) {
      const sizes = [...node.querySelectorAll("svg, img")].map((panel) => {
        const [, , across, down] = (panel.getAttribute("viewBox") ?? "0 0 1 0").split(" ")
        const own = Math.min(parseFloat(panel.style.width) || column, column)
        return [own, (own * down) / across]
      })
      const rows = Math.ceil(sizes.reduce((sum, [own]) => sum + own, -1) / column)
      return rows * Math.max(0, ...sizes.map(([, high]) => high))
    }
    const beside = (BESIDE[node.tagName] ?? 0) + (node.matches(".admonition") ? 28 : 0)
    if (node.matches(WORDS) || !node.firstElementChild) {
      const unseen = [...node.querySelectorAll(UNSEEN)]
      const letters = unseen.reduce((sum, one) => sum - one.textContent.length, node.textContent.trim().length)
      const folds = unseen.filter((one) => one.tagName === "DETAILS").length
      return letters > 0 ? linesOf(letters, width, letter) * line + beside + folds * 66 : folds * 66
    }
    const inner = width - (node.matches("dd, li, .admonition") ? 18 : 0)
    return [...node.children].reduce((sum, child) => sum + likely(child, inner), beside)
  }

  const later = [...article.querySelectorAll(":scope > section > section")]
  for (const section of later.filter(({ children }) => wide < 1024 && children.length > 6))
    section.style.containIntrinsicBlockSize = `auto ${likely(section) + 60}px`
  const layOutNext = () => {
    const section = later.find((one) => getComputedStyle(one).contentVisibility === "auto")
    if (!section) return
    section.style.contentVisibility = "visible"
    void section.offsetHeight // each in a task of its own: a finger need not wait for all
    setTimeout(layOutNext)
  }
  requestAnimationFrame(() => setTimeout(layOutNext))

  // ---- the button of a block of code

  const ICON = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7 7h9v10H7zM13 7V3H4v10h3"/></svg>'
  const DONE = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M4 11l4 4 8-9"/></svg>'

  /** The code of a block as one would type it. */
  const typed = (pre) => {
    const copy = pre.cloneNode(true)
    for (const output of copy.querySelectorAll(".go, .gt")) {
      if (output.nextSibling?.nodeType === Node.TEXT_NODE) output.nextSibling.data = output.nextSibling.data.replace("\n", "")
      output.remove()
    }
    for (const prompt of copy.querySelectorAll(".gp, .linenos")) prompt.remove()
    return copy.textContent.replace(/^\n+/, "").replace(/\n{3,}/g, "\n\n").trimEnd()
  }

  const say = (button, icon, name) => {
    button.innerHTML = icon
    button.ariaLabel = name
    button.classList.toggle("done", icon === DONE)
  }

  const offered = Object.assign(document.createElement("button"), { type: "button", className: "copy" })
  say(offered, ICON, "Copy code")
  for (const pre of article.querySelectorAll(".cell_input pre, .doctest pre, .highlight pre")) {
    if (pre.closest(".cell_output")) continue
    const button = offered.cloneNode(true)
    button.onclick = async () => {
      await copyText(typed(pre))
      say(button, DONE, "Copied")
      setTimeout(() => say(button, ICON, "Copy code"), 2000)
    }
    pre.after(button)
  }

  // ---- formulas are copied as LaTeX, and text with formulas in it, too

  document.addEventListener("copy", (event) => {
    const selection = getSelection()
    if (selection.isCollapsed || !event.clipboardData) return
    const taken = takenFrom(selection)
    if (!taken.querySelector("annotation")) return
    madePlain(taken)
    taken.className = "taken"
    article.append(taken) // the line breaks of what is copied are those of its layout
    const text = taken.innerText.replace(/\u2060/g, "").trim()
    taken.remove()
    event.clipboardData.setData("text/plain", text)
    event.clipboardData.setData("text/html", taken.innerHTML)
    event.preventDefault()
  })

  // ---- what scrolls takes the focus, and says what it is

  const KINDS = { PRE: "Code", SPAN: "Formula", DIV: "Table" }
  const mark = (target, scrolls) => {
    if (scrolls === target.hasAttribute("role")) return
    if (scrolls) Object.assign(target, { tabIndex: 0, role: "group", ariaLabel: KINDS[target.tagName] })
    else for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name)
  }
  const judge = (boxes) => {
    const found = boxes.map((b) => b.scrollWidth > b.clientWidth || b.scrollHeight > b.clientHeight + 1)
    for (const [n, target] of boxes.entries()) mark(target, found[n])
  }
  const boxes = [...article.querySelectorAll("pre, .katex-display, .pst-scrollable-table-container, .scrolls")]
  const judged = new Set()
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) judged.add(target)
    judge(entries.map(({ target }) => target))
  })
  document.fonts.onloadingdone = () => judge([...judged]) // a formula in its own letters is wider; its box is not
  // to ask what is far down is to lay it out: until that is done, or somebody goes on by Tab, it may scroll
  for (const box of boxes) {
    mark(box, true)
    watch.observe(box)
  }
  let width = 0
  const judgeAll = (event) => {
    if (event.key !== "Tab" || width === innerWidth) return
    width = innerWidth
    judge(boxes)
  }
  addEventListener("keydown", judgeAll, true)
}
