// <pe-tour>: one text inside trained decoders: a word's row, its position's, their sum, attention, output.
const STEPS = { word: "1 Row of the word", position: "2 Row of its position", sum: "3 Their sum", "layer 1": "4 Attention, layer 1", "layer 2": "4 Attention, layer 2", output: "5 Output" }
const SYMBOLS = "ABCDEFGHIJKLMNOP"
const BRIGHT = 2 // entries of this size or more have the full colour

const numbers = (line) => line.split(" ").map((one) => one / 1000)

class Tour extends Explorer {
  build() {
    const { text: letters, lengths, n, word, decoders } = this.given
    const named = (list, unit = "") => Object.fromEntries(list.map((one) => [one, `${one}${unit}`]))
    this.question.textContent = "Find a word that is answered wrongly. What does attention do there?"
    this.step = this.choice("step", "Step", STEPS)
    this.long = this.choice("n", "Text", named(lengths, " words"))
    this.long.value = n
    this.model = this.choice("model", "Model", named(Object.keys(decoders)))
    this.word = this.slider("word", "Word", [0, word, n - 1], (p) => `word ${p}, ${letters[p]}`, (p) => `${p}: ${letters[p]}`)
    const go = (p) => {
      this.word.value = p
      this.moved()
    }
    this.table = this.canvas("The rows: the keys up and down choose a word", (_, p) => go(p))
    this.table.onkeydown = (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
      if (!by) return
      event.preventDefault()
      go(+this.word.value + by)
    }
    this.marks = ["mark", "mark asked-for"].map((className) => part("div", { className }))
    this.map = part("div", { className: "table" }, this.table, ...this.marks)
    this.letters = part("p", { className: "letters", ariaHidden: true })
    this.legend = part("p", { className: "legend" })
    this.bars = Array.from(SYMBOLS, (letter, i) => shape("g", {}, shape("rect", { x: 27 + 18 * i, width: 12 }), text(33 + 18 * i, 121, letter)))
    this.odds = drawing(312, 126, "odds")
    this.odds.append(shape("path", { class: "axis", d: "M22 8V108H310" }), text(18, 12, 1, "end"), text(18, 108, 0, "end"), ...this.bars)
    this.live.append(this.letters, this.map, this.odds, this.legend, this.said)
  }

  update() {
    const { text: letters, trained, back, positions, slowest, decoders } = this.given
    const { width, words, weights, output } = decoders[this.model.value]
    this.step.options[4].disabled = weights.length < 2
    if (this.step.selectedOptions[0].disabled) this.step.value = "layer 1"
    const [step, n] = [this.step.value, +this.long.value]
    this.word.max = n - 1
    const [p, asked] = [+this.word.value, this.word.value - back]
    const layer = weights[step.at(-1) - 1] // none at other steps than the fourth

    const kind = (i) => (i === p ? "here" : i === asked ? "back" : i < trained ? "" : "new")
    this.letters.replaceChildren(...Array.from(letters.slice(0, n), (letter, i) => part("span", { className: kind(i) }, letter)))
    const [row, place] = [(i) => numbers(words[SYMBOLS.indexOf(letters[i])]), (i) => numbers(positions[width][i])]
    const entries = { word: row, position: place, sum: (i) => row(i).map((one, c) => one + place(i)[c]), output: place }[step]
    const cells = layer
      ? (i) => Array.from({ length: n }, (_, key) => -(numbers(layer[i])[key] ?? 0)) // in blue
      : (i) => entries(i).map((one) => Math.min(Math.max(one / BRIGHT, -1), 1))
    this.paint(this.table, Array.from({ length: n }, (_, i) => cells(i)))
    const columns = layer ? n : width
    for (const [i, [left, wide]] of [[0, columns], [asked, 1]].entries())
      Object.assign(this.marks[i].style, { left: `${(100 * left) / columns}%`, top: `${(100 * p) / n}%`, width: `${(100 * wide) / columns}%`, height: `${100 / n}%` })
    this.marks[1].hidden = !layer || asked < 0
    this.map.hidden = step === "output"
    this.odds.toggleAttribute("hidden", step !== "output")

    const odds = numbers(output[p])
    this.bars.forEach((bar, i) => {
      bar.firstChild.setAttribute("y", (108 - 100 * odds[i]).toFixed(2))
      bar.firstChild.setAttribute("height", (100 * odds[i]).toFixed(2))
      bar.setAttribute("class", SYMBOLS[i] === letters[asked] ? "asked-for" : "")
    })
    const best = odds.indexOf(Math.max(...odds))
    const right = SYMBOLS[best] === letters[asked]
    const given = weights.map((one) => numbers(one[p])[asked] ?? 0)
    const colours = `positions down, ${width} columns across; −${BRIGHT} is blue, ${BRIGHT} orange`
    const [legend, said] = {
      word: [colours, `Word ${p} is ${letters[p]}. Every ${letters[p]} of the text has this row, wherever it stands.`],
      position: [colours, `Position ${p} has this row under every word. The first two columns turn once in ${written(2 * Math.PI, 1)} tokens, the last two in ${slowest[width].toLocaleString("en")}.`],
      sum: [colours, `The sum is all that layer 1 gets of word ${p}: what stands there and where, in ${width} numbers.`],
      output: ["probability of each symbol; orange is the one that is asked", `At word ${p} the answer is ${SYMBOLS[best]}, with probability ${written(odds[best])}. ${letters[asked]} is asked: ${right ? "right" : "wrong"}.`],
    }[step] ?? ["queries down, keys across; more colour, more weight", `L${step.slice(1)}: word ${p} gives ${written(given[weights.indexOf(layer)])} of its weight to ${letters[asked]}, the word ${back} back.`]
    this.legend.textContent = legend
    const most = `${given.length > 1 ? "at most " : ""}${written(Math.max(...given))}`
    const why = `past the ${trained} words of training the word ${back} back gets ${most} of the weight.`
    const answers = layer || step === "output"
    if (answers && asked < 0) this.say(`No word is asked for before word ${back}.`)
    else this.say(said, answers && !right && why)
  }
}

customElements.define("pe-tour", Tour)
