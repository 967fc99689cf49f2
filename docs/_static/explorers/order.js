// <pe-order>: words that are moved by buttons or by hand; numbers of each word alone, and told its place.
const SLIDE = { duration: 250, easing: "ease-out" }
const HEADINGS = { alone: "Attention alone", placed: "Each word told its place" }

class Order extends Explorer {
  build() {
    this.question.textContent = "Move a word. Which numbers change?"
    const explorer = this
    this.order = [...this.given.words]
    this.controls.order = {
      get value() {
        return explorer.order.join(" ")
      },
      set value(order) {
        if (order in explorer.given.alone) explorer.order = order.split(" ")
      },
    }
    const slots = (name) => this.given.words.map(() => part(name))
    this.words = slots("th")
    this.words.forEach((cell, place) => this.draggable(cell, place))
    this.swaps = this.words.slice(1).map((_, place) =>
      part("button", { type: "button", className: "swap", onclick: () => this.swap(place) }, "⇄"),
    )
    const between = (cells, gap) => cells.flatMap((cell, i) => (i ? [part("td", {}, gap?.[i - 1] ?? ""), cell] : [cell]))
    this.rows = { alone: slots("td"), placed: slots("td") }
    this.heads = {}
    const rows = Object.entries(this.rows).flatMap(([kind, cells]) => {
      this.heads[kind] = part("span", { className: "count" })
      const head = part("th", { colSpan: 2 * cells.length - 1, scope: "rowgroup" }, HEADINGS[kind], this.heads[kind])
      return [part("tr", {}, head), part("tr", { className: "numbers" }, ...between(cells))]
    })
    const words = part("tr", { className: "words" }, ...between(this.words, this.swaps))
    this.live.append(part("table", { className: "orders" }, part("tbody", {}, words, ...rows)), this.said)
  }

  /** All cells of a column. */
  column(place) {
    return [this.words[place], this.rows.alone[place], this.rows.placed[place]]
  }

  /** A word changes places with the next; whatever is not held slides. */
  swap(place, held) {
    const gap = this.words[place + 1].offsetLeft - this.words[place].offsetLeft
    ;[this.order[place], this.order[place + 1]] = [this.order[place + 1], this.order[place]]
    this.moved()
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return
    for (const [at, from] of [[place, gap], [place + 1, -gap]])
      if (at !== held)
        for (const cell of this.column(at)) cell.animate([{ transform: `translateX(${from}px)` }, { transform: "none" }], SLIDE)
  }

  /** A word follows the finger, and takes the place over which it is. */
  draggable(cell, place) {
    let at = null
    let from = 0
    const shift = (by) => this.column(at).forEach((one) => (one.style.transform = by && `translateX(${by}px)`))
    cell.onpointerdown = (event) => {
      at = place
      from = event.clientX
      cell.setPointerCapture(event.pointerId)
    }
    cell.onpointermove = ({ clientX }) => {
      if (at === null) return
      const next = at + Math.sign(clientX - from)
      const gap = this.words[next] ? this.words[next].offsetLeft - this.words[at].offsetLeft : 0
      if (gap && Math.abs(clientX - from) > Math.abs(gap) / 2) {
        shift("")
        this.swap(Math.min(at, next), next)
        at = next
        from += gap
      }
      shift(clientX - from)
    }
    cell.onpointerup = cell.onpointercancel = () => {
      if (at !== null) shift("")
      at = null
    }
  }

  update() {
    const { words } = this.given
    const changed = {}
    this.order.forEach((word, place) => {
      this.words[place].replaceChildren(part("span", { className: "word" }, word))
      for (const cell of this.column(place)) cell.dataset.word = words.indexOf(word)
    })
    this.swaps.forEach((button, place) => (button.ariaLabel = `Swap ${this.order[place]} and ${this.order[place + 1]}`))
    for (const [kind, cells] of Object.entries(this.rows)) {
      const [began, now] = [words, this.order].map((order) => this.given[kind][order.join(" ")])
      changed[kind] = 0
      cells.forEach((cell, place) => {
        const before = began[words.indexOf(this.order[place])]
        const numbers = now[place].map((number, i) => {
          const other = written(number) !== written(before[i])
          changed[kind] += other
          return part("span", { className: other ? "other" : "" }, written(number))
        })
        cell.replaceChildren(...numbers)
      })
      this.heads[kind].textContent = `${changed[kind]} of ${2 * words.length} changed`
    }
    if (this.order.every((word, i) => word === words[i])) this.say(`Drag a word, or swap two. What changes is compared with “${words.join(" ")}”.`)
    else
      this.say(
        `Alone, ${changed.alone} numbers change; told their places, ${changed.placed} do.`,
        !changed.alone && changed.placed && "alone, each word takes its numbers along.",
      )
  }
}

customElements.define("pe-order", Order)
