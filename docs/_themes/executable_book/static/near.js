/* What takes part in a page, an explorer or a field, is built as the reader comes near its section or goes on by
   Tab: a browser lays out at once whatever holds a control, however far down it stands. Who has stayed for a while
   has them all, so that a screen reader can list them. */
const nearby = (() => {
  const STAYED = 10_000 // ms
  const waiting = new Map() // elements by section
  const known = new WeakSet() // one that is moved comes again
  const begin = (section) => {
    const elements = waiting.get(section) ?? []
    waiting.delete(section)
    watch.unobserve(section)
    for (const element of elements) queueMicrotask(() => element.start()) // one that fails takes no other with it
  }
  const near = (entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => begin(target))
  const watch = new IntersectionObserver(near, { rootMargin: "200% 0px" }) // it grows before it is seen
  const byTab = ({ key }) => key === "Tab" && [...waiting.keys()].forEach(begin)
  addEventListener("keydown", byTab, true)
  const idle = window.requestIdleCallback ?? setTimeout // Safari has none
  const next = () => {
    const [section] = waiting.keys()
    if (!section) return
    begin(section)
    idle(next)
  }
  addEventListener("load", () => setTimeout(() => idle(next), STAYED))
  return (element) => {
    if (known.has(element)) return
    known.add(element)
    const section = element.closest("section") ?? element
    waiting.set(section, [...(waiting.get(section) ?? []), element])
    watch.observe(section)
  }
})()
