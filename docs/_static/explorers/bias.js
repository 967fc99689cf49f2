// <pe-bias>: equal words under a slope, a table or a window; weights, points by distance, and the last word.
const KINDS = { slope: "ALiBi, a slope", table: "T5, a table", window: "A window" }

class Bias extends Explorer {
  build() {
    const { words, heads, head, most, window, sinks } = this.given
    this.question.textContent = "Let the last word look at the first one as much as at itself."
    this.kinds = this.choice("kind", "Added to scores", KINDS)
    const inWords = (value) => `${value} words`
    this.sliders = {
      heads: this.slider("heads", "Heads", [1, heads, most], (value) => `${value} heads`),
      head: this.slider("head", "Head", [1, head, heads], (value) => `${value} of ${this.sliders.heads.value}`),
      window: this.slider("window", "Words in the window", [1, window, words], inWords),
      sinks: this.slider("sinks", "First words kept", [0, sinks, 4], inWords),
    }
    this.picture = drawing(312, 158, "biases")
    this.cells = Array.from({ length: words }, (_, i) =>
      Array.from({ length: i + 1 }, (_, j) => shape("rect", { x: 20 + 12 * j, y: 18 + 12 * i, width: 11, height: 11 })),
    )
    this.dots = Array.from({ length: words }, () => shape("circle", { r: 3.5 }))
    this.across = (distance) => 186 + (114 * distance) / (words - 1)
    this.down = (points) => 24 + (114 * (3 - points)) / 11 // from 3 points to −8
    const axes = [shape("path", { class: "axis", d: `M180 ${this.down(0)}H306` }), shape("path", { class: "axis", d: "M180 18V140" })]
    const ticks = [2, 0, -4, -8].map((points) => text(176, this.down(points) + 4, written(points, 0), "end"))
    const names = [text(80, 11, "weights"), text(80, 152, "key"), text(243, 11, "points added"), text(243, 152, "distance, last word")]
    this.picture.append(...this.cells.flat(), ...axes, ...ticks, ...names, ...this.dots)
    const row = (name, label) => {
      const cells = Array.from({ length: words }, () => part("td", { className: name }))
      this[name] = cells
      return [part("tr", {}, part("th", { colSpan: words, scope: "rowgroup" }, label)), part("tr", {}, ...cells)]
    }
    const rows = [...row("keys", "Keys of the last word"), ...row("points", "points added"), ...row("weights", "weights")]
    this.live.append(this.said, this.picture, part("table", { className: "last" }, part("tbody", {}, ...rows)))
    this.keys.forEach((cell, j) => (cell.textContent = j))
  }

  update() {
    const { words } = this.given
    const kind = this.kinds.value
    const { heads, head, window, sinks } = this.sliders
    head.max = heads.value
    const used = { slope: ["heads", "head"], table: [], window: ["window", "sinks"] }[kind]
    for (const name in this.sliders) this.sliders[name].parentNode.hidden = !used.includes(name)
    const slope = biases.slopes(heads.valueAsNumber)[head.value - 1]
    const setting = { ...this.given, slope, window: window.valueAsNumber, sinks: sinks.valueAsNumber }
    const rows = this.cells.map((_, i) => biases.row(kind, setting, i))
    this.cells.forEach((cells, i) => cells.forEach((cell, j) => cell.setAttribute("fill-opacity", rows[i].weights[j].toFixed(4))))
    const { points, weights } = rows[words - 1]
    points.forEach((added, j) => {
      this.points[j].textContent = added === -Infinity ? "−∞" : written(added, 1)
      this.weights[j].textContent = written(weights[j])
      const dot = this.dots[words - 1 - j]
      dot.toggleAttribute("hidden", added === -Infinity)
      dot.setAttribute("cx", this.across(words - 1 - j).toFixed(2))
      dot.setAttribute("cy", this.down(Math.max(added, -8)).toFixed(2))
    })
    const top = Math.max(...weights)
    const most = weights.flatMap((weight, j) => (weight === top ? [words - 1 - j] : [])).reverse() // how far back they stand
    const listed = most.join(", ").replace(/, (\d+)$/, " and $1")
    const seen = weights.filter((weight) => weight > 0).length
    const said = {
      slope: `Head ${head.value} of ${heads.value}: slope ${written(slope, 4)}, so a weight halves every ${written(Math.LN2 / slope, 1)} tokens.`,
      table: `The last word looks most at the word${most[1] ? "s" : ""} ${listed} back, with weight ${written(top)}${most[1] ? " each" : ""}.`,
      window: `The last word sees ${seen} of ${words} words, each with weight ${written(top)}.`,
    }[kind]
    const even = weights[0] >= weights[words - 1] * (1 - 1e-12)
    this.say(said, even && `both have weight ${written(weights[0])}.`)
  }
}

customElements.define("pe-bias", Bias)
