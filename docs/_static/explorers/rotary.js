// <pe-rotary>: a query at m and a key at n; first one pair with its angle, then all, and their score over n − m.
const WAYS = { neighbours: "neighbours", halves: "halves", moved: "halves, columns moved" }
const STAGES = {
  one: "One pair",
  neighbours: "All pairs: neighbours",
  halves: "All pairs: halves",
  moved: "All pairs: halves, columns moved",
}

class Rotary extends Explorer {
  build() {
    const { m, n, most, frequencies } = this.given
    this.question.textContent = `Which other places have the score of m = ${m} and n = ${n}?`
    const place = (name, label, value) => {
      const slider = this.slider(name, label, [0, value, most], (value) => `position ${value}`)
      slider.parentNode.className += ` is-${name}`
      return slider
    }
    this.m = place("m", "Query at m", m)
    this.n = place("n", "Key at n", n)
    this.stage = this.choice("show", "Show", STAGES)
    const both = (by, label) => part("button", { type: "button", onclick: () => this.moveBoth(by) }, label)
    this.both = [both(-1, "Both one back"), both(1, "Both one on")]
    this.live.append(part("div", { className: "both" }, ...this.both))

    this.dials = frequencies.map(() => ({
      query: shape("line", { class: "query" }),
      key: shape("line", { class: "key" }),
      columns: part("small"),
      angle: part("small", { className: "angle" }),
      product: part("span", { className: "number" }),
    }))
    const faces = this.dials.map(({ query, key, columns, angle, product }) => {
      const face = shape("svg", { viewBox: "-1.1 -1.1 2.2 2.2", "aria-hidden": true }, shape("circle", { r: 1 }), key, query)
      return part("div", {}, face, columns, part("small", {}, angle), part("small", {}, "adds ", product))
    })
    this.live.append(part("div", { className: "dials" }, ...faces), this.said)

    this.across = (difference) => 24 + (280 * (difference + most)) / (2 * most)
    this.down = (score) => 54 - (46 * score) / this.bound
    const axis = (y) => shape("path", { class: "axis", d: `M24 ${y}H304` })
    const ends = [-most, 0, most].map((end) => text(this.across(end), 114, end ? written(end, 0) : "n − m = 0"))
    this.sides = [8, 54, 100].map((y) => text(20, y + 4, "", "end"))
    this.curves = ["neighbours", "halves"].map((way) => {
      const [curve, point] = [shape("path", {}), shape("circle", { r: 4 })]
      return { way, curve, point, all: shape("g", { class: `in-${way}` }, curve, point) }
    })
    const axes = [axis(54), shape("path", { class: "axis", d: "M24 8V100" }), ...ends, ...this.sides]
    this.picture = drawing(312, 118, "curves")
    this.picture.append(...axes, ...this.curves.map(({ all }) => all))
    this.scores = Object.keys(WAYS).map((way) => part("b", { className: `number in-${way}` }))
    const scores = Object.keys(WAYS).map((way, i) => part("span", {}, `${way} `, this.scores[i]))
    this.live.append(part("p", { className: "scores" }, ...scores), this.picture)
    this.fields = ["query", "key"].map((name) => {
      const value = this.given[name].map((x) => written(x, 0)).join(", ")
      const input = part("input", { type: "text", name, value, spellcheck: false, oninput: () => this.moved() })
      return (this.controls[name] = input)
    })
    const labels = ["query", "key"].map((name, i) => part("label", {}, `Numbers of the ${name}`, this.fields[i]))
    this.wrong = part("p", { role: "status", className: "wrong" })
    const fold = part("details", {}, part("summary", {}, "Other numbers"), part("div", { className: "fields" }, ...labels), this.wrong)
    this.live.append(fold)
  }

  /** The numbers of query and key as they were typed, or as they stood before a slip. */
  read() {
    const slips = ["query", "key"].map((name, i) => {
      const numbers = this.fields[i].value.replaceAll("−", "-").split(/[\s,;]+/).filter(Boolean).map(Number)
      const count = this.given.frequencies.length * 2
      const fits = numbers.length === count && numbers.every((x) => Math.abs(x) <= 100)
      if (fits) this.given[name] = numbers
      const slip = fits ? "" : `The ${name} wants ${count} numbers between −100 and 100, with commas between them.`
      this.fields[i].setCustomValidity(slip)
      return slip
    })
    this.wrong.textContent = slips.filter(Boolean).join(" ")
  }

  /** The curves of the two rows; the largest score that any turn could give is at the top. */
  draw(m, n, shown) {
    const { most } = this.given
    const sizes = (way) => {
      const [rows, layout] = this.rows(way)
      const of = (row) => rotary.pairs(row.length, layout).map(([a, b]) => Math.hypot(row[a], row[b]))
      return of(rows[0]).reduce((sum, size, i) => sum + size * of(rows[1])[i], 0)
    }
    this.bound = +Math.max(...["neighbours", "halves"].map(sizes)).toFixed(9) || 1
    const ends = [this.bound, 0, -this.bound]
    this.sides.forEach((side, i) => (side.textContent = written(ends[i], Math.abs(this.bound % 1) < 1e-9 ? 0 : 1)))
    const differences = Array.from({ length: 2 * most + 1 }, (_, i) => i - most)
    for (const { way, curve, point, all } of this.curves) {
      const at = (r) => [this.across(r), this.down(this.score(way, Math.max(-r, 0), Math.max(r, 0)))]
      curve.setAttribute("d", pathOf(differences.map(at)))
      point.setAttribute("cx", this.across(n - m).toFixed(2))
      point.setAttribute("cy", this.down(this.score(way, m, n)).toFixed(2))
      all.classList.toggle("faint", way !== shown)
    }
  }

  moveBoth(by) {
    const places = [this.m, this.n].map((slider) => slider.valueAsNumber + by)
    this.m.value = places[0]
    this.n.value = places[1]
    this.moved()
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

  /** What becomes of the angle between the hands of the first pair. */
  ofOne(before, after, product, difference) {
    const degrees = (x, digits = 0) => `${written(x, digits)}°`
    const rate = (this.given.frequencies[0] * 180) / Math.PI
    const turn = `n − m = ${written(difference, 0)} tokens turn it by ${degrees(difference * rate)} (${degrees(rate, 1)} each)`
    return `From query to key it was ${degrees(before)}. ${turn}. Without whole turns it is ${after} now, and the pair adds ${product}.`
  }

  update() {
    this.read()
    const [m, n] = [this.m.valueAsNumber, this.n.valueAsNumber]
    const { frequencies, most } = this.given
    const one = this.stage.value === "one"
    const way = one ? "neighbours" : this.stage.value
    const [[query, key], layout] = this.rows(way)
    this.both[0].disabled = Math.min(m, n) === 0
    this.both[1].disabled = Math.max(m, n) === most
    Object.keys(WAYS).forEach((way, i) => (this.scores[i].textContent = written(this.score(way, m, n))))

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
    this.draw(m, n, way === "halves" ? way : "neighbours")

    this.live.classList.toggle("one", one)
    const [{ angle, product }] = this.dials
    const before = rotary.between(...[query, key].map((row) => pairs[0].map((column) => row[column])))
    const score = written(this.score(way, m, n))
    const said = one ? this.ofOne(before, angle.textContent, product.textContent, n - m) : `At n − m = ${written(n - m, 0)} the score is ${score}.`
    const asked = [this.first.m, this.first.n]
    const answer = n - m === asked[1] - asked[0] && m !== +asked[0]
    this.say(said, answer && `any two with n − m = ${written(n - m, 0)}.`)
  }
}

customElements.define("pe-rotary", Rotary)
