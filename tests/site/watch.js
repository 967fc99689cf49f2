// Runs before a page does: notes what the policy refuses and what moves without being asked to.
window.audited = {refused: [], shifts: []}
addEventListener("load", () => (audited.loaded = document.scrollingElement.scrollHeight))
// reading.js lays out one section after the other: what it has left after two seconds it leaves
audited.heights = async () => {
  const left = (one) => getComputedStyle(one).contentVisibility === "auto"
  for (let k = 0; k < 100 && [...document.querySelectorAll("section")].some(left); k++)
    await new Promise((done) => setTimeout(done, 20))
  return [audited.loaded, document.scrollingElement.scrollHeight]
}
audited.scroll = async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))
  const root = document.scrollingElement
  for (let y = 0; y < root.scrollHeight; y += innerHeight * 0.9) {
    scrollTo({top: y, behavior: "instant"})
    await frame()
  }
}
document.addEventListener("securitypolicyviolation", (event) =>
  audited.refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`.trim()))
{
  const name = (node) => {
    const element = node instanceof Element ? node : node?.parentElement
    if (!element) return "something that is gone"
    const classes = [...element.classList].map((own) => "." + own).join("")
    return element.tagName.toLowerCase() + (element.id ? "#" + element.id : classes)
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput)
        audited.shifts.push({value: entry.value, what: entry.sources.map((source) => name(source.node))})
  }).observe({type: "layout-shift", buffered: true})
}
