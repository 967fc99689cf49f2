// What the shell does: light or dark, and which section the reader is in. Pages read the same without it.
{
  const root = document.documentElement
  const button = document.querySelector(".theme-button")
  const say = () => button.setAttribute("aria-pressed", root.dataset.theme === "dark")
  new MutationObserver(say).observe(root, { attributeFilter: ["data-theme"] })
  say()
  button.onclick = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
    try {
      localStorage.theme = root.dataset.theme
    } catch {} // some browsers are told to store nothing
  }
}

// the section that crosses a line at a quarter of the window is the one being read; of nested ones the inner
{
  const sections = new Map()
  for (const link of document.querySelectorAll(".bd-toc a")) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)))?.closest("section")
    if (section) sections.set(section, link)
  }
  const crossing = new Set()
  let marked
  const mark = (changes) => {
    for (const { target, isIntersecting } of changes) crossing[isIntersecting ? "add" : "delete"](target)
    const link = [...sections].filter(([section]) => crossing.has(section)).at(-1)?.[1]
    if (link === marked) return
    marked?.removeAttribute("aria-current")
    marked = link
    if (!link) return
    link.setAttribute("aria-current", "location")
    const list = link.closest(".bd-toc")
    if (list.scrollHeight > list.clientHeight) list.scrollTop = link.offsetTop - list.clientHeight / 2
  }
  const watch = new IntersectionObserver(mark, { rootMargin: "-25% 0px -75%" })
  for (const section of sections.keys()) watch.observe(section)
}

// sections that have not been laid out have a supposed height: once they are, stay where the address points
{
  const settle = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (target) requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()))
  }
  addEventListener("hashchange", settle)
  addEventListener("load", () => {
    if (performance.getEntriesByType("navigation")[0]?.type === "navigate") settle()
  })
}
