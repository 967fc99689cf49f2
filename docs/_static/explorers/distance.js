// <pe-near>: the similarity of two rows over their offset, for a width and a base, and where it first rises.
class Near extends Explorer {
  build() {
    const { width, widths, base, bases, reach, asked } = this.given
    this.question.textContent = `Which base makes the first rise come latest at width ${asked}?`
    const named = (sizes) => Object.fromEntries(sizes.map((one) => [one, one.toLocaleString("en")]))
    this.width = this.choice("d", "Width", named(widths))
    this.width.value = width
    this.base = this.choice("base", "Base", named(bases))
    this.base.value = base

    this.across = (offset) => 24 + (284 * offset) / reach
    this.down = (cosine) => 68 - 58 * cosine
    this.curve = shape("path", { class: "curve" })
    this.up = shape("path", { class: "up" })
    this.dot = shape("circle", { r: 4.5 })
    this.name = text(0, 0, "first rise", "start")
    const axes = shape("path", { class: "axis", d: `M24 8V128M24 ${this.down(0)}H308` })
    const ticks = [1, 0, -1].map((value) => text(20, this.down(value) + 4, written(value, 0), "end"))
    const names = [text(24, 142, "offset 0", "start"), text(308, 142, `offset ${reach}`, "end"), text(30, 12, "cosine of the angle", "start")]
    this.picture = drawing(312, 146, "alike")
    this.picture.append(axes, ...ticks, ...names, this.curve, this.up, this.dot, this.name)
    this.live.append(this.picture, this.said)
  }

  update() {
    const { reach, asked, latest } = this.given
    const [width, base] = [+this.width.value, +this.base.value]
    const frequencies = sinusoid.frequencies(width, base)
    const cosines = Array.from({ length: reach + 1 }, (_, k) => sinusoid.alike(k, frequencies))
    const points = cosines.map((cosine, k) => [this.across(k), this.down(cosine)])
    const steps = cosines.slice(0, -1).flatMap((cosine, k) => (cosines[k + 1] > cosine ? [k] : []))
    const rise = steps[0]
    this.curve.setAttribute("d", pathOf(points))
    this.up.setAttribute("d", steps.map((k) => pathOf([points[k], points[k + 1]])).join(""))
    const [x, y] = points[rise]
    this.dot.setAttribute("cx", x.toFixed(2))
    this.dot.setAttribute("cy", y.toFixed(2))
    this.name.setAttribute("x", (x + 8).toFixed(2))
    this.name.setAttribute("y", (cosines[rise] < 0 ? y + 12 : y - 8).toFixed(2))
    const said = `After offset ${rise} similarity first rises, from ${written(cosines[rise], 3)} to ${written(cosines[rise + 1], 3)}. Of ${reach} steps, ${steps.length} rise.`
    this.say(said, width === asked && base === latest && `base ${latest}; with every other base here it comes sooner.`)
  }
}

customElements.define("pe-near", Near)
