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

  // Fonts, before a layout asks for them: one that comes late moves what stands around it.
  if (location.protocol !== "file:") // there they are at hand, and may not be asked for
    for (const file of root.dataset.fonts?.split(" ") ?? []) {
      const href = `${root.dataset.content_root}_static/${file}`
      document.head.append(Object.assign(document.createElement("link"), {
        rel: "preload", as: "font", type: "font/woff2", crossOrigin: "anonymous", href,
      }))
    }
}
