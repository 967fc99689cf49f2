// What the shell does: light or dark, and which section the reader is in. Pages read the same without it.
{
  const root = document.documentElement
  const button = document.querySelector(".theme-button")
  button.hidden = false
  button.onclick = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
    try {
      localStorage.theme = root.dataset.theme
    } catch {} // some browsers are told to store nothing
  }

  const links = new Map([...document.querySelectorAll(".bd-toc a")].map((link) => [link.hash.slice(1), link]))
  const follow = () => {
    let current
    for (const [id, link] of links) {
      link.removeAttribute("aria-current")
      if (document.getElementById(id)?.getBoundingClientRect().top < innerHeight / 4) current = link
    }
    current?.setAttribute("aria-current", "true")
  }
  if (links.size) addEventListener("scroll", follow, { passive: true })
}
