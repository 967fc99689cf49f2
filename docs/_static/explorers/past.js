// <pe-past>: a text that is longer than its table, and which row each position reads by one of four rules.
const RULES = { refuse: "Refuse", clamp: "Clamp", interpolate: "Interpolate", wrap: "Wrap" }

class Past extends Explorer {
  build() {
    const { rows, length, most, rule } = this.given
    this.question.textContent = `Give each of ${length} words a row that no other word has. What is lost?`
    this.rule = this.choice("rule", "Rule", RULES)
    this.rule.value = rule
    this.words = this.slider("words", "Words", [1, length, most], (value) => `${value} words`)
    this.pitch = 312 / most
    const size = { width: this.pitch - 4, height: 22 }
    const box = (i, y, name) => shape("rect", { x: (this.pitch * i + 2).toFixed(2), y, ...size, class: name })
    this.picture = drawing(312, 148, "reads")
    this.picture.append(text(2, 11, "rows of the table", "start"), text(2, 144, "positions of the text: the row that each one reads", "start"))
    for (let row = 0; row < rows; row++) this.picture.append(box(row, 18, "row"), text(this.across(row), 33, row))
    this.boxes = Array.from({ length: most }, (_, position) => {
      const parts = [shape("line", { x1: this.across(position), y1: 106, y2: 40 }), box(position, 106, ""), text(this.across(position), 121, "")]
      return shape("g", {}, ...parts)
    })
    this.picture.append(...this.boxes)
    this.live.append(this.picture, this.said)
  }

  /** The middle of a box, or a place between two. */
  across(place) {
    return (this.pitch * (place + 0.5)).toFixed(2)
  }

  update() {
    const { rows, length } = this.given
    const words = this.words.valueAsNumber
    const rule = this.rule.value
    const places = past.places(rule, rows, words)
    const refused = places[0] === null
    this.boxes.forEach((group, position) => {
      group.toggleAttribute("hidden", position >= words)
      if (position >= words) return
      const [line, , number] = group.children
      const place = places[position]
      group.setAttribute("class", refused ? "none" : place === position ? "own" : "another")
      line.toggleAttribute("hidden", refused)
      if (!refused) line.setAttribute("x2", this.across(place))
      number.textContent = refused ? "×" : written(place, Number.isInteger(place) ? 0 : 1)
    })
    const last = words - 1
    const gone = last > rows ? `Positions ${rows} to ${last}` : `Position ${rows}`
    const it = last > rows ? "their own order is lost" : "the two cannot be told apart"
    const over = words - rows
    const said = {
      refuse: `The text is refused: ${gone.toLowerCase()} ${last > rows ? "have" : "has"} no row.`,
      clamp: `${gone} read${last > rows ? "" : "s"} row ${rows - 1}, as position ${rows - 1} does: ${it}.`,
      interpolate: `All ${words} rows differ. Of the first ${rows} positions, ${rows - 1} no longer read the row that was trained.`,
      wrap: last > rows ? `${gone} read from row 0 on again: these ${over} cannot be told from earlier ones.` : `${gone} reads row 0, as position 0 does: ${it}.`,
    }[rule]
    const answer = rule === "interpolate" && words === length && `interpolation does it, and only position 0 keeps its row.`
    if (words <= rows) this.say(`The text fits, and every position reads its own row.`)
    else this.say(said, answer)
  }
}

customElements.define("pe-past", Past)
