/* What a link leads to is open, whatever folds it is in. Without this file browsers open some folds by themselves. */
{
  const reveal = () => {
    let target
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    } catch {} // an address that somebody has cut
    if (!target) return
    let opened = false
    for (let up = target; up; up = up.parentElement)
      if (up.tagName === "DETAILS" && !up.open) opened = up.open = true
    const cell = target.id.startsWith("cell-")
    if (cell) {
      target.tabIndex = -1
      target.focus({ preventScroll: true })
    }
    if (opened || cell) target.scrollIntoView()
  }
  addEventListener("hashchange", reveal)
  addEventListener("load", reveal)
  document.addEventListener("click", ({ target }) => {
    const link = target.closest("a[href*='#']")
    if (link?.href === location.href) setTimeout(reveal) // no change of address, no event
  })
}
