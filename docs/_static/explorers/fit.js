// <pe-fit>: a matrix that Python fitted to the first rows of a table, and how far beyond them it is right.
class Fit extends Explorer {
  build() {
    const { width, base, k, last, fits } = this.given
    this.frequencies = sinusoid.frequencies(width, base)
    this.matrices = { ...fits, all: sinusoid.shift(k, this.frequencies) }
    this.question.textContent = "At which position does each fit first miss more than a tenth of a row?"
    const fitted = Object.keys(fits).map((n) => [n, `fit to ${n} rows`])
    this.rows = this.choice("rows", "Matrix", Object.fromEntries([...fitted, ["all", "closed form"]]))
    this.place = this.slider("p", "Position", [0, 0, last], (value) => `position ${value}`)

    this.seen = shape("rect", { class: "seen", x: 24, y: 8, height: 92 })
    this.curve = shape("path", { class: "curve" })
    this.dot = shape("circle", { r: 4 })
    const axes = shape("path", { class: "axis", d: "M24 8V100H308M24 91H308" })
    const names = [text(20, 12, "1", "end"), text(20, 104, "0", "end"), text(24, 114, "position 0", "start"), text(308, 114, `position ${last}`, "end")]
    this.picture = drawing(312, 118, "missed")
    this.picture.append(this.seen, axes, ...names, this.curve, this.dot)
    this.cells = Array.from({ length: width }, () => Array.from({ length: width }, () => part("td")))
    this.name = part("caption")
    const body = part("tbody", {}, ...this.cells.map((cells) => part("tr", {}, ...cells)))
    this.live.append(this.picture, part("table", { className: "matrix" }, this.name, body), this.said)
  }

  update() {
    const [name, p] = [this.rows.value, this.place.valueAsNumber]
    const { k, last } = this.given
    const matrix = this.matrices[name]
    const errors = Array.from({ length: last + 1 }, (_, at) => sinusoid.missed(matrix, at, k, this.frequencies))
    const [across, down] = [(at) => 24 + (284 * at) / last, (error) => 100 - 92 * error]
    this.curve.setAttribute("d", pathOf(errors.map((error, at) => [across(at), down(error)])))
    this.dot.setAttribute("cx", across(p).toFixed(2))
    this.dot.setAttribute("cy", down(errors[p]).toFixed(2))
    const count = name === "all" ? 0 : +name
    this.seen.setAttribute("width", count ? (across(count - 1) - 24).toFixed(2) : 0)
    this.cells.forEach((cells, i) => cells.forEach((cell, j) => {
      const own = Math.floor(i / 2) === Math.floor(j / 2)
      cell.textContent = written(matrix[i][j], 3)
      cell.className = own ? "own" : ""
    }))
    this.name.textContent = count ? `What least squares finds on positions 0 to ${count - 1}` : `The matrix of the shift by ${k}`
    const first = errors.findIndex((error) => error > 0.1)
    const whose = count === 0 ? "The closed form" : `The fit to ${count} rows`
    const said = `${whose} misses ${written(errors[p], 4)} of a row at position ${p}${p < count ? ", which it was fitted to" : ""}.`
    this.say(said, p === first && `position ${p} is the first at which it misses more than a tenth.`)
  }
}

customElements.define("pe-fit", Fit)
