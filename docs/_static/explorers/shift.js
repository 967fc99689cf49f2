// <pe-shift>: each dial turns by its own angle; the matrix of a shift, and one shift after another.
class Shift extends Explorer {
  build() {
    const { width, base, position, k, then, most } = this.given
    this.question.textContent = "Which second shift undoes the first?"
    const tokens = (value) => `${written(+value, 0)} tokens`
    const seen = (value) => written(+value, 0)
    this.places = {
      p: this.slider("p", "Position", [0, position, most], (value) => `position ${value}`),
      k: this.slider("k", "Shift by", [-most, k, most], tokens, seen),
      then: this.slider("then", "Then by", [-most, then, most], tokens, seen),
    }
    this.frequencies = sinusoid.frequencies(width, base)
    this.dials = this.frequencies.map((_, i) => {
      const x = 52 + 104 * i
      const hands = ["before", "middle", "after"].map((name) => shape("line", { class: name, x1: x, y1: 44 }))
      return { x, hands, angle: text(x, 104, "") }
    })
    this.picture = drawing(312, 108, "shifted")
    this.picture.append(...this.dials.flatMap(({ x, hands, angle }) => [shape("circle", { class: "axis", r: 38, cx: x, cy: 44 }), ...hands, angle]))
    const hands = [["before", "at first"], ["middle", "after one"], ["after", "after both"]]
    const key = hands.map(([className, words]) => part("span", { className }, words))
    this.cells = Array.from({ length: width }, () => Array.from({ length: width }, () => part("td")))
    const body = part("tbody", {}, ...this.cells.map((cells) => part("tr", {}, ...cells)))
    this.name = part("caption")
    this.live.append(this.picture, part("p", { className: "hands" }, ...key), part("table", { className: "matrix" }, this.name, body), this.said)
  }

  update() {
    const [p, k, l] = ["p", "k", "then"].map((name) => this.places[name].valueAsNumber)
    const rows = [p, p + k, p + k + l].map((position) => sinusoid.row(position, this.frequencies))
    this.dials.forEach(({ x, hands, angle }, i) => {
      hands.forEach((hand, n) => {
        hand.setAttribute("x2", (x + 38 * rows[n][2 * i]).toFixed(2))
        hand.setAttribute("y2", (44 - 38 * rows[n][2 * i + 1]).toFixed(2))
      })
      const turned = ((k + l) * this.frequencies[i] * 180) / Math.PI
      angle.textContent = `pair ${i}: ${written(turned, 1)}°`
    })
    const both = sinusoid.product(sinusoid.shift(l, this.frequencies), sinusoid.shift(k, this.frequencies))
    this.cells.forEach((cells, i) => cells.forEach((cell, j) => {
      const [own, value] = [Math.floor(i / 2) === Math.floor(j / 2), written(both[i][j], 3)]
      cell.textContent = own ? value : "0"
      cell.className = own ? "own" : ""
    }))
    const [second, sum] = [l, k + l].map((tokens) => written(tokens, 0))
    this.name.textContent = `The matrix of both shifts, by ${sum} tokens`
    const said = `Position ${p} goes to ${written(p + k, 0)} and on to ${written(p + k + l, 0)}. Both shifts together are the shift by ${sum}.`
    this.say(said, k !== 0 && k + l === 0 && `a shift by ${second}, and the matrix is the identity.`)
  }
}

customElements.define("pe-shift", Shift)
