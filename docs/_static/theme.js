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
}
