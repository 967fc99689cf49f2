// <pe-attempts>: codes of positions, measured by Python in texts of several lengths; which demand fails, and its number.
class Attempts extends Explorer {
  build() {
    const { lengths, demands, attempts } = this.given
    this.question.textContent = "Which attempts fail nothing, and in texts of up to how many words?"
    this.attempt = this.choice("attempt", "Attempt", Object.fromEntries(Object.keys(attempts).map((name) => [name, name])))
    const words = (place) => `${lengths[place].toLocaleString("en")} words`
    this.place = this.slider("n", "Words", [0, 5, lengths.length - 1], words, (place) => lengths[place].toLocaleString("en"))

    this.across = (place) => 108 + 24 * place
    const down = (i) => 4 + 18 * i
    this.picture = drawing(312, 166, "failing")
    this.cells = lengths.map((_, place) => demands.map((_, i) => shape("rect", { x: this.across(place), y: down(i), width: 20, height: 14 })))
    this.column = shape("rect", { class: "column", y: 1, width: 24, height: 146 })
    this.values = demands.map((_, i) => text(310, down(i) + 11, "", "end"))
    const names = demands.map((name, i) => text(102, down(i) + 11, name, "end"))
    const ends = [0, lengths.length - 1].map((place) => text(this.across(place) + 10, 162, lengths[place]))
    this.picture.append(...names, ...this.cells.flat(), this.column, ...this.values, ...ends, text(this.across(3) + 10, 162, "words"))
    this.live.append(this.picture, this.said)
  }

  update() {
    const [name, place] = [this.attempt.value, this.place.valueAsNumber]
    const { lengths, demands, attempts } = this.given
    const measured = attempts[name]
    this.cells.forEach((cells, at) => cells.forEach((cell, i) => cell.setAttribute("class", measured[at].failed[i] ? "fails" : "passes")))
    this.column.setAttribute("x", this.across(place) - 2)
    const { failed, values } = measured[place]
    this.values.forEach((value, i) => (value.textContent = `${failed[i] ? "✗ " : ""}${values[i]}`))
    const missed = demands.flatMap((demand, i) => (failed[i] ? [`${demand} (${values[i]})`] : []))
    const said = `In a text of ${lengths[place].toLocaleString("en")} words, “${name}” fails ${missed.length ? `${missed.length}: ${missed.join("; ")}` : "nothing"}.`
    const last = measured.findLastIndex((one) => !one.failed.includes(true))
    this.say(said, place === last && `of these lengths, ${lengths[last]} is the longest at which it fails nothing.`)
  }
}

customElements.define("pe-attempts", Attempts)
