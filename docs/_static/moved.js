/* An old address opens the thing where it stands now. Without this file its line with a link is what opens. */
{
  const follow = () => {
    let id = ""
    try {
      id = decodeURIComponent(location.hash.slice(1))
    } catch {} // an address that somebody has cut
    const line = [...document.querySelectorAll(".moved li[id]")].find((one) => one.id === id)
    const link = (line ?? document).querySelector(line ? "a" : ".moved a.whole")
    if (link) location.replace(link.href)
  }
  addEventListener("hashchange", follow)
  follow()
}
