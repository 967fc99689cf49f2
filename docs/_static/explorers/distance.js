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
    this.curve = shape("path", { class: "curve" })
    this.up = shape("path", { class: "up" })
    this.dot = shape("circle", { r: 4.5 })
    this.name = text(0, 0, "first rise", "start")
    this.zero = shape("path", { class: "axis" })
    this.least = text(20, 138, "", "end")
    const axis = shape("path", { class: "axis", d: "M24 18V134" })
    const names = [text(24, 150, "offset 0", "start"), text(308, 150, `offset ${reach}`, "end"), text(20, 22, "1", "end"), text(24, 10, "cosine of the angle", "start")]
    this.picture = drawing(312, 154, "alike")
    this.picture.append(axis, this.zero, this.least, ...names, this.curve, this.up, this.dot, this.name)
    this.live.append(this.picture, this.said)
  }

  update() {
    const { reach, asked, latest } = this.given
    const [width, base] = [+this.width.value, +this.base.value]
    const frequencies = sinusoid.frequencies(width, base)
    const cosines = Array.from({ length: reach + 1 }, (_, k) => sinusoid.alike(k, frequencies))
    const least = Math.floor(2 * Math.min(0, ...cosines)) / 2
    const down = (cosine) => 18 + (116 * (1 - cosine)) / (1 - least)
    this.least.textContent = written(least, least % 1 ? 1 : 0)
    this.zero.setAttribute("d", `M24 ${down(0)}H308`)
    const points = cosines.map((cosine, k) => [this.across(k), down(cosine)])
    const steps = cosines.slice(0, -1).flatMap((cosine, k) => (cosines[k + 1] > cosine ? [k] : []))
    const rise = steps[0]
    this.curve.setAttribute("d", pathOf(points))
    this.up.setAttribute("d", steps.map((k) => pathOf([points[k], points[k + 1]])).join(""))
    const [x, y] = points[rise]
    this.dot.setAttribute("cx", x.toFixed(2))
    this.dot.setAttribute("cy", y.toFixed(2))
    this.name.setAttribute("x", (x + 8).toFixed(2))
    this.name.setAttribute("y", (y - 8).toFixed(2))
    const said = `After offset ${rise} similarity first rises, at a cosine of ${written(cosines[rise], 3)}. Of ${reach} steps, ${steps.length} rise.`
    this.say(said, width === asked && base === latest && `base ${latest}; with every other base here it comes sooner.`)
  }
}

customElements.define("pe-near", Near)
