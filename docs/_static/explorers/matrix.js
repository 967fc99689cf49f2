// <pe-matrix>: the table as a picture; a cell with its formula, its column as a curve, its row as dials.
const DIALS = 8

class Matrix extends Explorer {
  build() {
    const { n, width, base, bases, longest, widest, quiet } = this.given
    this.question.textContent = `From which column on do all columns move by less than ${quiet}?`
    this.length = this.slider("n", "Words", [2, n, longest], (value) => `${value} words`)
    this.width = this.slider("d", "Width", [2, width, widest], (value) => `${value} columns`)
    this.width.step = 2
    this.width.value = width
    this.base = this.choice("base", "Base", Object.fromEntries(bases.map((one) => [one, one])))
    this.base.value = base
    this.cell = [0, 0] // word and column
    const held = (i) => ({
      get: () => `${this.cell[i]}`,
      set: (value) => (this.cell[i] = Math.trunc(+value) || 0),
    })
    for (const [i, name] of ["p", "c"].entries())
      this.controls[name] = Object.defineProperty({}, "value", held(i))

    const choose = (column, word) => {
      this.cell = [word, column]
      this.moved()
    }
    this.table = this.canvas("The table: arrow keys choose a word and a column", choose)
    this.table.onkeydown = (event) => {
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -1e3], End: [0, 1e3], PageUp: [-10, 0], PageDown: [10, 0] }[event.key]
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return
      event.preventDefault()
      choose(this.cell[1] + by[1], this.cell[0] + by[0])
    }
    this.mark = part("div", { className: "mark" })
    this.legend = part("p", { className: "legend" })
    this.curve = shape("path", { class: "curve" })
    this.dot = shape("circle", { r: 4 })
    this.ends = [text(24, 64, "word 0", "start"), text(304, 64, "", "end")]
    this.dials = Array.from({ length: DIALS }, (_, i) => {
      const [hand, name] = [shape("line", { class: "hand" }), text(24 + 38 * i, 122, "")]
      const all = shape("g", {}, shape("circle", { class: "axis", r: 16, cx: 24 + 38 * i, cy: 92 }), hand, name)
      return { x: 24 + 38 * i, hand, name, all }
    })
    this.picture = drawing(312, 126, "column")
    const sides = [1, -1].map((value) => text(20, 30 - 19 * value, written(value, 0), "end"))
    this.picture.append(shape("path", { class: "axis", d: "M24 26H304M24 4V48" }), ...sides, ...this.ends, this.curve, this.dot, ...this.dials.map(({ all }) => all))
    this.live.append(part("div", { className: "table" }, this.table, this.mark), this.legend, this.picture, this.said)
  }

  update() {
    const [n, width, base] = [this.length, this.width, this.base].map(({ value }) => +value)
    const limit = (value, count) => Math.min(Math.max(value, 0), count - 1)
    this.cell = [limit(this.cell[0], n), limit(this.cell[1], width)]
    const [word, column] = this.cell
    const frequencies = sinusoid.frequencies(width, base)
    const rows = Array.from({ length: n }, (_, position) => sinusoid.row(position, frequencies))
    this.paint(this.table, rows)
    const share = (part, all) => `${(100 * part) / all}%`
    Object.assign(this.mark.style, { left: share(column, width), top: share(word, n), width: share(1, width), height: share(1, n) })
    this.legend.textContent = `columns 0 to ${width - 1}, words 0 to ${n - 1}; −1 is blue, 1 orange`

    this.captioned(n, width)

    const down = (value) => 26 - 22 * value
    const across = (position) => 24 + (280 * position) / (n - 1)
    this.curve.setAttribute("d", pathOf(rows.map((row, position) => [across(position), down(row[column])])))
    this.dot.setAttribute("cx", across(word).toFixed(2))
    this.dot.setAttribute("cy", down(rows[word][column]).toFixed(2))
    this.ends[1].textContent = `word ${n - 1}, column ${column}`
    const last = frequencies.length - 1
    this.dials.forEach(({ x, hand, name, all }, i) => {
      all.toggleAttribute("hidden", i > last)
      if (i > last) return
      const pair = last < DIALS ? i : Math.round((i * last) / (DIALS - 1))
      const ends = { x1: x, y1: 92, x2: x + 16 * rows[word][2 * pair], y2: 92 - 16 * rows[word][2 * pair + 1] }
      for (const end in ends) hand.setAttribute(end, ends[end].toFixed(2))
      name.textContent = i ? pair : `pair ${pair}`
    })

    const pair = Math.floor(column / 2)
    const ranges = sinusoid.ranges(rows)
    const quiet = ranges.findLastIndex((range) => range >= this.given.quiet) + 1
    const value = written(rows[word][column], 4)
    const formula = `${column % 2 ? "cos" : "sin"}(${word} / ${base}^(${2 * pair}/${width}))`
    const said = `Word ${word}, column ${column}: ${formula} = ${value}. The column moves by ${written(ranges[column], 4)}.`
    this.say(said, column === quiet && `from column ${column} on.`)
  }
}

customElements.define("pe-matrix", Matrix)
