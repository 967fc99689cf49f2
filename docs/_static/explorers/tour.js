// <pe-tour>: one text inside trained decoders: a word's row, its position's, their sum, attention, output.
const STEPS = { word: "1 Row of the word", position: "2 Row of its position", sum: "3 Their sum", "layer 1": "4 Attention, layer 1", "layer 2": "4 Attention, layer 2", output: "5 Output" }
const BRIGHT = 2 // entries of this size or more have the full colour

const numbers = (line) => line.split(" ").map((one) => one / 1000)

class Tour extends Explorer {
  build() {
    const { text: letters, lengths, n, word, decoders } = this.given
    const named = (list, name) => Object.fromEntries(list.map((one) => [one, name(one)]))
    this.question.textContent = "Find a word that is answered wrongly. What does attention do there?"
    this.step = this.choice("step", "Step", STEPS)
    this.long = this.choice("n", "Text", named(lengths, (one) => `${one} words`))
    this.long.value = n
    this.model = this.choice("model", "Model", named(Object.keys(decoders), (one) => one))
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
    this.row = part("div", { className: "mark" })
    this.asked = part("div", { className: "mark asked-for" })
    this.map = part("div", { className: "table" }, this.table, this.row, this.asked)
    this.letters = part("p", { className: "letters", ariaHidden: true })
    this.legend = part("p", { className: "legend" })
    this.bars = Array.from("ABCDEFGHIJKLMNOP", (letter, i) => {
      const bar = shape("rect", { x: 27 + 18 * i, width: 12 })
      return { bar, all: shape("g", {}, bar, text(33 + 18 * i, 121, letter)) }
    })
    this.odds = drawing(312, 126, "odds")
    this.odds.append(shape("path", { class: "axis", d: "M22 8V108H310" }), text(18, 12, 1, "end"), text(18, 108, 0, "end"), ...this.bars.map(({ all }) => all))
    this.live.append(this.letters, this.map, this.odds, this.legend, this.said)
  }

  update() {
    const { text: letters, trained, back, positions, slowest, decoders } = this.given
    const { width, words, weights, output } = decoders[this.model.value]
    this.step.options[4].disabled = weights.length < 2
    if (this.step.selectedOptions[0].disabled) this.step.value = "layer 1"
    const [step, n] = [this.step.value, +this.long.value]
    this.word.max = n - 1
    const p = +this.word.value
    const code = (i) => letters.charCodeAt(i) - 65
    const asked = p - back

    this.letters.replaceChildren(
      ...Array.from(letters.slice(0, n), (letter, i) => part("span", { className: i === p ? "here" : i === asked ? "back" : i < trained ? "" : "new" }, letter)),
    )
    const [row, place] = [(i) => numbers(words[code(i)]), (i) => numbers(positions[width][i])]
    const of = {
      word: row,
      position: place,
      sum: (i) => row(i).map((one, c) => one + place(i)[c]),
      output: () => [0],
    }[step]
    const layer = of ? 0 : step.at(-1) - 1
    const shown = of
      ? (i) => of(i).map((one) => Math.min(Math.max(one / BRIGHT, -1), 1))
      : (i) => numbers(weights[layer][i]).concat(Array(n - 1 - i).fill(0)).map((one) => -one) // in blue
    this.paint(this.table, Array.from({ length: n }, (_, i) => shown(i)))
    const columns = of ? width : n
    const at = (mark, left, top, wide) => Object.assign(mark.style, { left: `${(100 * left) / columns}%`, top: `${(100 * top) / n}%`, width: `${(100 * wide) / columns}%`, height: `${100 / n}%` })
    at(this.row, 0, p, columns)
    at(this.asked, asked, p, 1)
    this.asked.hidden = of || asked < 0
    this.map.hidden = step === "output"
    this.odds.toggleAttribute("hidden", step !== "output")
    this.legend.textContent = of ? `positions down, ${width} columns across; −${BRIGHT} is blue, ${BRIGHT} orange` : "queries down, keys across; the stronger the colour, the more weight"
    if (step === "output") this.legend.textContent = "probability of each symbol; orange is the one that is asked"

    const odds = numbers(output[p])
    this.bars.forEach(({ bar, all }, i) => {
      bar.setAttribute("y", (108 - 100 * odds[i]).toFixed(2))
      bar.setAttribute("height", (100 * odds[i]).toFixed(2))
      all.classList.toggle("asked-for", asked >= 0 && i === code(asked))
    })
    const best = odds.indexOf(Math.max(...odds))
    const right = best === code(asked)
    const given = weights.map((one) => numbers(one[p])[asked])
    const none = `No word is asked for before word ${back}.`
    const said = {
      word: `Word ${p} is ${letters[p]}. Every ${letters[p]} of the text has this row, wherever it stands.`,
      position: `Position ${p} has this row under every word. The first two columns turn once in ${written(2 * Math.PI, 1)} tokens, the last two in ${slowest[width].toLocaleString("en")}.`,
      sum: `The sum is all that layer 1 gets of word ${p}: what stands there and where, in ${width} numbers.`,
      output: asked < 0 ? none : `At word ${p} the answer is ${"ABCDEFGHIJKLMNOP"[best]}, with probability ${written(odds[best])}. ${letters[asked]} is asked: ${right ? "right" : "wrong"}.`,
    }[step]
    const look = asked < 0 ? none : `Layer ${layer + 1}: word ${p} gives ${written(given[layer])} of its weight to ${letters[asked]}, the word ${back} back.`
    const most = `${given.length > 1 ? "at most " : ""}${written(Math.max(...given))}`
    const why = `past the ${trained} words of training the word ${back} back gets ${most} of the weight.`
    this.say(said ?? look, asked >= 0 && !right && (step === "output" || !of) && why)
  }
}

customElements.define("pe-tour", Tour)
