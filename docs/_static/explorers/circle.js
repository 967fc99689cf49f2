// <pe-circle>: a word moves the hand of one pair, and the hand draws a sine and a cosine.
class Circle extends Explorer {
  build() {
    const { width, base, bases, word, last, asked, samples } = this.given
    this.question.textContent = `Which pair needs the most words for one turn? And where does the hand of pair 0 stand at word ${asked}?`
    this.word = this.slider("p", "Word", [0, word, last], (value) => `word ${value}`)
    this.player(this.word)
    this.pair = this.slider("i", "Pair", [0, 0, width / 2 - 1], (value) => `pair ${value}`)
    this.base = this.choice("base", "Base", Object.fromEntries(bases.map((one) => [one, one])))
    this.base.value = base
    this.steps = Array.from({ length: samples * last + 1 }, (_, i) => i / samples)

    const line = (name) => shape("line", { class: name })
    const dot = (name) => shape("circle", { r: 4, class: name })
    this.marks = { across: line("sine"), up: line("cosine"), level: line("level"), hand: line("hand") }
    this.dots = { sine: dot("sine"), cosine: dot("cosine"), tip: dot("tip") }
    this.curves = { sine: shape("path", { class: "sine" }), cosine: shape("path", { class: "cosine" }) }
    const axes = [shape("path", { class: "axis", d: "M4 68H112M58 14V122M136 68H308M136 14V122" }), shape("circle", { r: 50, cx: 58, cy: 68, class: "axis" })]
    const names = [text(58, 10, "cos"), text(120, 72, "sin"), text(136, 138, "word 0", "start"), text(308, 138, `word ${last}`, "end")]
    this.picture = drawing(312, 144, "wave")
    this.picture.append(...axes, ...names, ...Object.values(this.curves), ...Object.values(this.marks), ...Object.values(this.dots))
    this.entries = ["sine", "cosine"].map((name) => part("span", { className: name }))
    this.live.append(this.picture, part("p", { className: "entries" }, ...this.entries), this.said)
  }

  /** Where a word stands on the curves, and how high a value is. */
  across(word) {
    return 136 + (172 * word) / this.given.last
  }

  update() {
    const [word, pair] = [this.word.valueAsNumber, this.pair.valueAsNumber]
    const { width, asked } = this.given
    const frequencies = sinusoid.frequencies(width, +this.base.value)
    const rate = frequencies[pair]
    const down = (value) => 68 - 50 * value
    const at = (position, name) => sinusoid.entry(position, 2 * pair + (name === "cosine"), frequencies)
    const [sine, cosine] = ["sine", "cosine"].map((name) => at(word, name))
    const [x, y] = [58 + 50 * sine, down(cosine)]
    const place = (mark, x1, y1, x2, y2) =>
      Object.entries({ x1, y1, x2, y2 }).forEach(([name, value]) => mark.setAttribute(name, value.toFixed(2)))
    place(this.marks.hand, 58, 68, x, y)
    place(this.marks.across, 58, 68, x, 68)
    place(this.marks.up, x, 68, x, y)
    place(this.marks.level, x, y, this.across(word), y)
    const spots = { sine: [this.across(word), down(sine)], cosine: [this.across(word), y], tip: [x, y] }
    for (const [name, [cx, cy]] of Object.entries(spots)) {
      this.dots[name].setAttribute("cx", cx.toFixed(2))
      this.dots[name].setAttribute("cy", cy.toFixed(2))
    }
    for (const [name, curve] of Object.entries(this.curves))
      curve.setAttribute("d", pathOf(this.steps.map((step) => [this.across(step), down(at(step, name))])))

    const entries = [sine, cosine]
    this.entries.forEach((entry, i) => (entry.textContent = `column ${2 * pair + i}, ${["sine", "cosine"][i]}: ${written(entries[i], 4)}`))
    const turn = written((2 * Math.PI) / rate, 1)
    const degrees = written((word * rate * 180) / Math.PI, 1)
    const said = `The angle is ${word} / ${written(1 / rate, 2)} = ${written(word * rate, 4)} radians, ${degrees}°. One turn takes ${turn} words.`
    const slowest = pair === width / 2 - 1 && `pair ${pair} needs the most, ${turn} words.`
    const stands = pair === 0 && word === asked && `at word ${word} it has turned ${degrees}°, nearly once round.`
    this.say(said, slowest || stands)
  }
}

customElements.define("pe-circle", Circle)
