// <pe-order>: words that are moved by buttons or by hand; what attention returns for each, masked or not, with
// positions or without.
const SLIDE = { duration: 250, easing: "ease-out" }

class Order extends Explorer {
  build() {
    const { words, layers, masked } = this.given
    const explorer = this
    this.question.textContent = masked ? "Swap the first two words. Does the last one notice?" : "Move a word. Which numbers change?"
    this.order = [...words]
    this.controls.order = {
      get value() {
        return explorer.order.join(" ")
      },
      set value(order) {
        const asked = order.split(" ")
        if (asked.length === words.length && words.every((word) => asked.includes(word))) explorer.order = asked
      },
    }
    const slots = (name) => words.map(() => part(name))
    this.words = slots("th")
    this.words.forEach((cell, place) => this.draggable(cell, place))
    this.swaps = this.words.slice(1).map((_, place) =>
      part("button", { type: "button", className: "swap", onclick: () => this.swap(place) }, "⇄"),
    )
    const between = (cells, gap) => cells.flatMap((cell, i) => (i ? [part("td", {}, gap?.[i - 1] ?? ""), cell] : [cell]))
    this.rows = Object.entries(layers).map(([name, numbers]) => ({ name, numbers, cells: slots("td"), count: part("span", { className: "count" }) }))
    const rows = this.rows.flatMap(({ name, cells, count }) => [
      part("tr", {}, part("th", { colSpan: 2 * cells.length - 1, scope: "rowgroup" }, name, count)),
      part("tr", { className: "numbers" }, ...between(cells)),
    ])
    const moved = part("tr", { className: "words" }, ...between(this.words, this.swaps))
    const boxes = part("div", { className: "boxes" }, this.box("mask", "Causal mask", masked), this.box("place", "Positions", false))
    this.live.append(part("table", { className: "orders" }, part("tbody", {}, moved, ...rows)), boxes, this.said)
  }

  box(name, label, checked) {
    const input = part("input", { type: "checkbox", name, checked, onchange: () => this.moved() })
    this.controls[name] = {
      get value() {
        return input.checked ? "on" : "off"
      },
      set value(value) {
        input.checked = value === "on"
      },
    }
    return part("label", {}, input, ` ${label}`)
  }

  /** All cells of a column. */
  column(place) {
    return [this.words[place], ...this.rows.map(({ cells }) => cells[place])]
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
    const [mask, place] = ["mask", "place"].map((name) => this.controls[name].value === "on")
    const state = mask && place ? "both" : mask ? "mask" : place ? "place" : ""
    this.order.forEach((word, place) => {
      this.words[place].replaceChildren(part("span", { className: "word" }, word))
      for (const cell of this.column(place)) cell.dataset.word = words.indexOf(word)
    })
    this.swaps.forEach((button, place) => (button.ariaLabel = `Swap ${this.order[place]} and ${this.order[place + 1]}`))
    const changed = this.rows.map(({ numbers, cells, count }) => {
      const [began, now] = [words, this.order].map((order) => numbers[state][order.join(" ")])
      const each = cells.map((cell, place) => {
        const before = began[words.indexOf(this.order[place])]
        const others = now[place].map((number, i) => written(number) !== written(before[i]))
        cell.replaceChildren(...now[place].map((number, i) => part("span", { className: others[i] ? "other" : "" }, written(number))))
        return others.filter(Boolean).length
      })
      const all = each.reduce((sum, one) => sum + one)
      count.textContent = `${all} of ${2 * words.length} changed`
      return { all, last: each.at(-1) }
    })
    this.tell(changed, mask, place)
  }

  /** What has changed since the words stood in their first order. */
  tell(changed, mask, place) {
    const { words } = this.given
    const how = `${mask ? "With the mask" : "Without a mask"} and ${place ? "with" : "without"} positions`
    const last = this.order.at(-1)
    const heard = ({ last }) => (last ? "has other numbers" : "has the same numbers")
    if (this.order.every((word, i) => word === words[i])) this.say(`Drag a word, or swap two. What changes is compared with “${words.join(" ")}”.`)
    else if (changed.length > 1 && last === words.at(-1))
      this.say(
        `${how}, “${last}” ${heard(changed[0])} after one layer, and ${heard(changed[1])} after two.`,
        mask && !place && "not after one layer, but after two.",
      )
    else
      this.say(
        `${how}, ${changed.map(({ all }) => all).join(" and then ")} of ${2 * words.length} numbers change.`,
        !mask && !place && changed.length === 1 && "none does; each word takes its numbers along.",
      )
  }
}

customElements.define("pe-order", Order)
