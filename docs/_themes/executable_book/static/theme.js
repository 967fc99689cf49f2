// Light or dark, before the first paint: what the reader chose, else what the system says.
{
  const root = document.documentElement
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const chosen = () => {
    try {
      return localStorage.theme
    } catch {} // some browsers are told to store nothing
  }
  const apply = () => (root.dataset.theme = chosen() || (dark.matches ? "dark" : "light"))
  dark.addEventListener("change", apply)
  addEventListener("storage", apply)
  apply()

  // Fonts, before a layout asks for them: one that comes late moves what stands around it. So the page is shown
  // when they are there, or after a tenth of a second.
  const wanted = location.protocol === "file:" ? [] : root.dataset.fonts?.split(" ") ?? [] // files are at hand
  const asked = wanted.map((file) => {
    const href = `${root.dataset.content_root}_static/${file}`
    const link = document.createElement("link")
    Object.assign(link, {rel: "preload", as: "font", type: "font/woff2", crossOrigin: "anonymous", href})
    document.head.append(link)
    return new Promise((done) => (link.onload = link.onerror = done))
  })
  if (asked.length) {
    root.style.visibility = "hidden"
    const later = new Promise((done) => setTimeout(done, 100))
    Promise.race([Promise.all(asked), later]).then(() => root.style.removeProperty("visibility"))
  }
}
