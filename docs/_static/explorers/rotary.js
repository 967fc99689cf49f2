// <pe-rotary>: a query at m and a key at n, pair by pair, and their score over m − n in two pairings.
const WAYS = { neighbours: "neighbours", halves: "halves", moved: "halves, columns moved" }

class Rotary extends Explorer {
  build() {
    const { m, n, most, frequencies, query } = this.given
    this.m = this.slider("m", "Query at m", m, most)
    this.n = this.slider("n", "Key at n", n, most)
    const both = (by, label) => part("button", { type: "button", onclick: () => this.moveBoth(by) }, label)
    this.live.append(part("div", { className: "both" }, both(-1, "Both one back"), both(1, "Both one on")))
    this.ways = this.choice("way", "Who turns with whom, and the score", WAYS)

    const word = (name) => part("b", { className: name }, name)
    const words = ["Pairs of ", word("query"), " and ", word("key"), ", and what each adds:"]
    this.dials = frequencies.map(() => ({
      query: shape("line", { class: "query" }),
      key: shape("line", { class: "key" }),
      columns: part("small"),
      product: part("span", { className: "number" }),
    }))
    const faces = this.dials.map(({ query, key, columns, product }) => {
      const rim = shape("circle", { r: 1 })
      const face = shape("svg", { viewBox: "-1.1 -1.1 2.2 2.2", "aria-hidden": true }, rim, key, query)
      return part("div", {}, face, columns, product)
    })
    this.live.append(part("p", {}, ...words), part("div", { className: "dials" }, ...faces))

    this.across = (difference) => 24 + (280 * (difference + most)) / (2 * most)
    this.down = (score) => 76 - (66 * score) / query.length
    const text = (x, y, words, anchor = "middle") => shape("text", { x, y, "text-anchor": anchor }, words)
    const axis = (y) => shape("path", { class: "axis", d: `M24 ${y}H304` })
    const ends = [-most, 0, most].map((end) => text(this.across(end), 159, written(end, 0)))
    const sides = [-query.length, 0, query.length].map((end) => text(20, this.down(end) + 4, written(end, 0), "end"))
    this.curves = ["neighbours", "halves"].map((way) => {
      const points = Array.from({ length: 2 * most + 1 }, (_, i) => i - most)
      const at = (r) => `${this.across(r).toFixed(2)} ${this.down(this.score(way, Math.max(r, 0), Math.max(-r, 0))).toFixed(2)}`
      const curve = shape("path", { d: `M${points.map(at).join("L")}` })
      const point = shape("circle", { r: 4 })
      return { way, point, all: shape("g", { class: `in-${way}` }, curve, point) }
    })
    const axes = [axis(this.down(0)), shape("path", { class: "axis", d: "M24 10V142" }), ...ends, ...sides]
    this.picture = shape("svg", { viewBox: "0 0 312 178", "aria-hidden": true, class: "curves" })
    this.picture.append(...axes, text(164, 174, "m − n"), ...this.curves.map(({ all }) => all))
    this.said = part("p", { role: "status" })
    this.live.append(this.said, this.picture)
  }

  moveBoth(by) {
    const [m, n] = [this.m, this.n].map((slider) => slider.valueAsNumber + by)
    if (Math.min(m, n) < 0 || Math.max(m, n) > this.given.most) return
    this.m.value = m
    this.n.value = n
    this.update()
  }

  /** Query, key and layout of one of the ways. */
  rows(way) {
    const rows = [this.given.query, this.given.key]
    return [way === "moved" ? rows.map(rotary.moved) : rows, way === "neighbours" ? "interleaved" : "halves"]
  }

  score(way, m, n) {
    const [[query, key], layout] = this.rows(way)
    return rotary.score(query, key, m, n, this.given.frequencies, layout)
  }

  update() {
    const [m, n] = [this.m.valueAsNumber, this.n.valueAsNumber]
    const { frequencies } = this.given
    const way = this.ways.querySelector(":checked").value
    const [[query, key], layout] = this.rows(way)
    this.m.tell()
    this.n.tell()
    for (const number of this.ways.querySelectorAll(".number"))
      number.textContent = written(this.score(number.dataset.of, m, n))

    const hands = { query: rotary.turned(query, m, frequencies, layout), key: rotary.turned(key, n, frequencies, layout) }
    const pairs = rotary.pairs(query.length, layout)
    const products = rotary.products(query, key, m, n, frequencies, layout)
    this.dials.forEach((dial, i) => {
      for (const name of ["query", "key"]) {
        const [a, b] = hands[name][i]
        dial[name].setAttribute("x2", (a / Math.hypot(a, b)).toFixed(4))
        dial[name].setAttribute("y2", (-b / Math.hypot(a, b)).toFixed(4))
      }
      dial.columns.textContent = pairs[i].join(" and ")
      dial.product.textContent = written(products[i])
    })

    for (const curve of this.curves) {
      curve.point.setAttribute("cx", this.across(m - n).toFixed(2))
      curve.point.setAttribute("cy", this.down(this.score(curve.way, m, n)).toFixed(2))
      curve.all.classList.toggle("faint", curve.way !== (way === "halves" ? "halves" : "neighbours"))
    }
    const score = written(this.score(way, m, n))
    this.said.textContent = `At m − n = ${written(m - n, 0)} the score is ${score} (${WAYS[way]}).`
  }
}

customElements.define("pe-rotary", Rotary)
