/* What takes part in a page, an explorer or a field, is built as the reader comes near it or goes on by Tab: a
   browser lays out at once whatever holds a control, however far down it stands. */
const nearby = (() => {
  const waiting = new Map()
  const begin = (element) => {
    watch.unobserve(element)
    const build = waiting.get(element)
    waiting.delete(element)
    build?.()
  }
  const near = (entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => begin(target))
  const watch = new IntersectionObserver(near, { rootMargin: "100% 0px" }) // a screen before it is seen
  const byTab = ({ key }) => key === "Tab" && [...waiting.keys()].forEach(begin)
  addEventListener("keydown", byTab, true)
  return (element, build) => {
    waiting.set(element, build)
    watch.observe(element)
  }
})()
