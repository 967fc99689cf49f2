// Runs before a page does: notes what the policy refuses and what moves without being asked to.
window.audited = {refused: [], shifts: []}
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
