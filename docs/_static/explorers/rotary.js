// <pe-rotary>: a query at m and a key at n, pair by pair, and their score over n − m in two pairings.
const WAYS = { neighbours: "neighbours", halves: "halves", moved: "halves, columns moved" }

class Rotary extends Explorer {
  build() {
    const { m, n, most, frequencies } = this.given
    this.m = this.slider("m", "Query at m", m, most)
    this.n = this.slider("n", "Key at n", n, most)
    const both = (by, label) => part("button", { type: "button", onclick: () => this.moveBoth(by) }, label)
    this.both = [both(-1, "Both one back"), both(1, "Both one on")]
    this.live.append(part("div", { className: "both" }, ...this.both))

    const word = (name) => part("b", { className: name }, name)
    const words = ["Pairs of ", word("query"), " and ", word("key"), ", the angle from query to key, and what each adds:"]
    this.dials = frequencies.map(() => ({
      query: shape("line", { class: "query" }),
      key: shape("line", { class: "key" }),
      columns: part("small"),
      angle: part("small", { className: "angle" }),
      product: part("span", { className: "number" }),
    }))
    const faces = this.dials.map(({ query, key, columns, angle, product }) => {
      const rim = shape("circle", { r: 1 })
      const face = shape("svg", { viewBox: "-1.1 -1.1 2.2 2.2", "aria-hidden": true }, rim, key, query)
      return part("div", {}, face, columns, angle, product)
    })
    this.live.append(part("p", {}, ...words), part("div", { className: "dials" }, ...faces))

    this.across = (difference) => 24 + (280 * (difference + most)) / (2 * most)
    this.down = (score) => 76 - (66 * score) / this.bound
    const text = (x, y, words, anchor = "middle") => shape("text", { x, y, "text-anchor": anchor }, words)
    const axis = (y) => shape("path", { class: "axis", d: `M24 ${y}H304` })
    const ends = [-most, 0, most].map((end) => text(this.across(end), 159, written(end, 0)))
    this.sides = [10, 76, 142].map((y) => text(20, y + 4, "", "end"))
    this.curves = ["neighbours", "halves"].map((way) => {
      const [curve, point] = [shape("path", {}), shape("circle", { r: 4 })]
      return { way, curve, point, all: shape("g", { class: `in-${way}` }, curve, point) }
    })
    const axes = [axis(76), shape("path", { class: "axis", d: "M24 10V142" }), ...ends, ...this.sides]
    this.picture = shape("svg", { viewBox: "0 0 312 178", "aria-hidden": true, class: "curves" })
    this.picture.append(...axes, text(164, 174, "n − m"), ...this.curves.map(({ all }) => all))
    this.said = part("p", { role: "status", className: "said" })
    this.live.append(this.said, this.picture)
    this.ways = this.choice("way", "Who turns with whom, and the score", WAYS)
    this.live.append(part("div", { className: "fields" }, ...["query", "key"].map((name) => this.row(name))))
    this.wrong = part("p", { role: "status", className: "wrong" })
    this.live.append(this.wrong)
    this.draw()
  }

  /** A field with the numbers of a row, which can be edited. */
  row(name) {
    const value = this.given[name].map((x) => written(x, 0)).join(", ")
    const read = () => {
      const numbers = input.value.replaceAll("−", "-").split(/[\s,;]+/).filter(Boolean).map(Number)
      const fits = numbers.length === this.given[name].length && numbers.every((x) => Math.abs(x) <= 100)
      const wants = `The ${name} wants ${this.given[name].length} numbers between −100 and 100, with commas between them.`
      input.setCustomValidity(fits ? "" : wants)
      const slips = [...this.live.querySelectorAll("[type=text]")].map((field) => field.validationMessage)
      this.wrong.textContent = slips.filter(Boolean).join(" ")
      if (!fits) return
      this.given[name] = numbers
      this.draw()
      this.update()
    }
    const input = part("input", { type: "text", value, spellcheck: false, oninput: read })
    return part("label", {}, `Numbers of the ${name}`, input)
  }

  /** The curves of the two rows; the largest score that any turn could give is at the top. */
  draw() {
    const { most } = this.given
    const sizes = (way) => {
      const [rows, layout] = this.rows(way)
      const of = (row) => rotary.pairs(row.length, layout).map(([a, b]) => Math.hypot(row[a], row[b]))
      return of(rows[0]).reduce((sum, size, i) => sum + size * of(rows[1])[i], 0)
    }
    this.bound = +Math.max(...["neighbours", "halves"].map(sizes)).toFixed(9) || 1
    const ends = [this.bound, 0, -this.bound]
    this.sides.forEach((side, i) => (side.textContent = written(ends[i], Math.abs(this.bound % 1) < 1e-9 ? 0 : 1)))
    const points = Array.from({ length: 2 * most + 1 }, (_, i) => i - most)
    for (const { way, curve } of this.curves) {
      const at = (r) => `${this.across(r).toFixed(2)} ${this.down(this.score(way, Math.max(-r, 0), Math.max(r, 0))).toFixed(2)}`
      curve.setAttribute("d", `M${points.map(at).join("L")}`)
    }
  }

  moveBoth(by) {
    const [m, n] = [this.m, this.n].map((slider) => slider.valueAsNumber + by)
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
    this.both[0].disabled = Math.min(m, n) === 0
    this.both[1].disabled = Math.max(m, n) === this.given.most
    for (const number of this.ways.querySelectorAll(".number"))
      number.textContent = written(this.score(number.dataset.of, m, n))

    const hands = { query: rotary.turned(query, m, frequencies, layout), key: rotary.turned(key, n, frequencies, layout) }
    const pairs = rotary.pairs(query.length, layout)
    const products = rotary.products(query, key, m, n, frequencies, layout)
    this.dials.forEach((dial, i) => {
      for (const name of ["query", "key"]) {
        const [a, b] = hands[name][i]
        const length = Math.hypot(a, b) || 1
        dial[name].setAttribute("x2", (a / length).toFixed(4))
        dial[name].setAttribute("y2", (-b / length).toFixed(4))
      }
      dial.angle.textContent = `${written(rotary.between(hands.query[i], hands.key[i]), 0).replace("−180", "180")}°`
      dial.columns.textContent = pairs[i].join(" and ")
      dial.product.textContent = written(products[i])
    })

    for (const curve of this.curves) {
      curve.point.setAttribute("cx", this.across(n - m).toFixed(2))
      curve.point.setAttribute("cy", this.down(this.score(curve.way, m, n)).toFixed(2))
      curve.all.classList.toggle("faint", curve.way !== (way === "halves" ? "halves" : "neighbours"))
    }
    const score = written(this.score(way, m, n))
    this.said.textContent = `At n − m = ${written(n - m, 0)} the score is ${score} (${WAYS[way]}).`
  }
}

customElements.define("pe-rotary", Rotary)
