// <pe-ladders>: wavelengths under each method
const FIELDS = {
  width: ["Columns that turn", even],
  base: ["Base", above],
  trained: ["Trained length", whole],
  asked: ["Asked length", whole],
  factor: ["Factor", growth],
}
const FATES = { round: "gone round", old: "no new angle", new: "new angles: bars" }

const grouped = (x, most = 1e9) =>
  x.toLocaleString("en", { maximumFractionDigits: 0, notation: x >= most ? "compact" : "standard" })

class Ladders extends Explorer {
  build() {
    this.question.textContent = "Which method leaves no pair in new angles?"
    this.times = this.slider("times", "Asked / trained", [1, 1, 64], (value) => value)
    delete this.controls.times // the asked length says it
    this.times.oninput = () => {
      this.fields.asked.value = this.fields.trained.value * this.times.value
      this.moved()
    }
    const area = part("textarea", { rows: 4, spellcheck: false, ariaLabel: "Text of a config.json" })
    const length = part("input", { name: "length", inputMode: "text", placeholder: "as the file says", autocomplete: "off" })
    const button = part("button", { type: "button", disabled: true, onclick: () => this.paste(area.value, length.value) }, "Read it")
    const ask = part("div", { className: "ask" }, part("label", {}, "Tokens to read", length), button)
    this.read = part("div", { role: "status", className: "answer" })
    area.oninput = length.oninput = () => {
      this.read.textContent = ""
      button.disabled = !area.value.trim()
    }
    const explorer = this
    this.pasted = ""
    this.controls.config = {
      get value() {
        return explorer.pasted
      },
      set value(text) {
        explorer.config = text ? readConfig(text, explorer.given) : undefined
        if (!text) explorer.read.textContent = ""
        explorer.pasted = text
      },
    }
    this.fields = {}
    const fields = Object.entries(FIELDS).map(([name, [label]]) => {
      const input = part("input", { type: "number", name, step: "any", value: this.given[name] ?? "", oninput: () => this.moved() })
      this.controls[name] = this.fields[name] = input
      return part("label", {}, label, input)
    })
    this.ways = this.choice("method", "Method", this.given.ways)
    const fold = (name, ...children) => part("details", { name: `${this.ways.id}s` }, part("summary", {}, name), ...children)
    const folds = [fold("Another head", part("div", { className: "fields" }, ...fields)), fold("Read a config.json", area, ask, this.read)]
    this.picture = drawing(312, 176)
    const key = Object.entries(FATES).map(([className, words]) => part("span", { className }, words))
    this.live.append(part("div", { className: "folds" }, ...folds), this.said, this.picture, part("p", { className: "fates" }, ...key))
    this.pair = this.slider("pair", "Look at pair", [0, 0, 1], (value) => `pair ${value}`)
    this.picture.onclick = ({ clientX }) => {
      const { left, width } = this.picture.getBoundingClientRect()
      this.pair.value = Math.floor(((((clientX - left) * 312) / width - 32) / 272) * (+this.pair.max + 1))
      this.moved()
    }
    this.arc = shape("path", { class: "arc" })
    this.hand = shape("line", { class: "asked-hand" })
    this.dial = shape("svg", { viewBox: "-1.1 -1.1 2.2 2.2", "aria-hidden": true, class: "dial" }, shape("circle", { r: 1 }), this.arc, this.hand)
    this.told = part("p", { role: "status", className: "told" })
    this.live.append(part("div", { className: "pair" }, this.dial, this.told))
  }

  /** What each method comes to, or what is wrong. */
  found({ fields, method, options }) {
    for (const [name, [label, check]] of Object.entries(FIELDS))
      if (name !== "factor" || fields.factor !== undefined) check(fields[name], label)
    const { trained, asked } = fields
    const lengths = { trained, asked, factor: fields.factor ?? Math.max(1, asked / trained) }
    const omega = ladders.trained(fields.width, fields.base)
    const rows = {}
    for (const way in this.given.ways) {
      const [name, own] = way === "config" ? [method, options] : [way]
      if (!name) continue
      const scaled = ladders.scaled(name, omega, lengths, own)
      const ends = ladders.ends(omega, scaled, trained)
      const fates = ends.map((end) => (end === Infinity ? "round" : asked > end * (1 + 1e-9) ? "new" : "old"))
      const count = (fate) => fates.filter((one) => one === fate).length
      rows[way] = { scaled, fates, count, reach: Math.min(...ends) }
    }
    return { omega, rows, ...lengths }
  }

  /** Reads a config and answers to a length; where that is refused, nothing of another model stays. */
  paste(text, length) {
    this.take(this.first)
    try {
      const config = readConfig(text, this.given)
      const { fields, notes } = config
      fields.trained ??= this.fields.trained.valueAsNumber
      fields.asked = typedLength(length) ?? fields.asked ?? fields.trained
      this.found(config)
      const answer = answered(config, fields.asked, this.given)
      this.controls.config.value = JSON.stringify(JSON.parse(text))
      for (const name in fields) this.fields[name].value = fields[name] ?? ""
      this.ways.value = "config"
      const told = [...answer, `${["The box looks for no mistakes in the file", ...notes].join("; ")}.`]
      this.read.replaceChildren(...told.map((words) => part("p", {}, words)))
      this.moved()
    } catch (error) {
      this.live.classList.add("refused")
      this.read.textContent = `Nothing is taken. ${error.message}`
    }
  }

  update() {
    this.live.classList.remove("refused")
    try {
      const fields = {}
      for (const [name, input] of Object.entries(this.fields))
        if (input.value || input.validity.badInput) fields[name] = input.valueAsNumber
      this.draw(this.found({ ...this.config, fields }))
    } catch (error) {
      this.say(error.message)
    }
  }

  draw({ omega, rows, trained, asked, factor }) {
    const times = `${+(asked / trained).toPrecision(3)}`
    this.fields.factor.placeholder = +factor.toPrecision(6)
    this.times.value = times
    this.times.ariaValueText = this.times.nextSibling.textContent = `${times} times`
    if (!rows[this.ways.value]) this.ways.value = "none"
    for (const option of this.ways.options) {
      const row = rows[option.value]
      option.hidden = option.disabled = !row
      const named = [this.given.ways[option.value]]
      if (row && option.value === "config") named.push(this.config.called)
      if (row) named.push(`${row.count("new")} beyond ${grouped(row.reach)}`)
      option.textContent = named.join(": ")
    }
    const { scaled, fates, count, reach } = rows[this.ways.value]
    const round = `${count("round")} of ${omega.length} pairs have gone round in ${grouped(trained)} tokens`
    const met = `${count("new")} meet new angles in ${grouped(asked)}`
    const first = count("new") ? `, the first beyond ${grouped(reach)}` : ""
    const free = asked > trained && !count("new")
    this.say(`${round}; ${met}${first}.`, free && "this one does.")

    this.look(omega, scaled, trained, asked)
    this.captioned(2 * omega.length, grouped(trained), times)

    const wave = (rate) => Math.log10((2 * Math.PI) / rate)
    const most = Math.max(Math.log10(asked), ...Object.values(rows).map((row) => wave(Math.min(...row.scaled))))
    const down = (power) => (144 - (134 * Math.max(power - 0.5, 0)) / (most - 0.5)).toFixed(2)
    const places = (ladder) => ladder.map((rate, i) => `${(32 + (272 * (i + 0.5)) / omega.length).toFixed(2)} ${down(wave(rate))}`)
    const path = (name, d) => shape("path", { class: name, d })
    const parts = [path("axis", "M32 8V144H304"), text(32, 158, "pair 0", "start"), text(304, 158, `pair ${omega.length - 1}`, "end")]
    for (let ten = 1; ten < most; ten += Math.ceil(most / 8))
      parts.push(text(28, +down(ten) + 4, grouped(10 ** ten, 100), "end"))
    for (const [name, tokens, by] of [["trained", trained, 12], ["asked", asked, -4]]) {
      const y = down(Math.log10(tokens))
      parts.push(path(name, `M32 ${y}H304`), text(36, +y + by, `${name} ${grouped(tokens)}`, "start"))
    }
    parts.push(text(168, 172, "tokens in a turn, by pair; line: as trained"), path("before", `M${places(omega).join("L")}`))
    const at = 32 + (272 * (this.pair.valueAsNumber + 0.5)) / omega.length
    parts.push(path("chosen", `M${at.toFixed(2)} 8V144`))
    for (const fate in FATES) {
      const marks = places(scaled).filter((_, i) => fates[i] === fate)
      parts.push(path(fate, marks.map((mark) => `M${mark}${fate === "new" ? "v-6" : "h0"}`).join("")))
    }
    this.picture.replaceChildren(...parts)
  }
}

/** One pair: its wavelength, how far training took it round, and where it stands at the asked length. */
Ladders.prototype.look = function (omega, scaled, trained, asked) {
  this.pair.max = omega.length - 1
  const i = this.pair.valueAsNumber
  const [met, stands] = [turns(omega, trained)[i], turns(scaled, asked)[i]]
  const round = (x) => (x < 10 ? +x.toPrecision(3) : grouped(x))
  const wave = (rate) => round((2 * Math.PI) / rate)
  this.told.textContent =
    `Pair ${i}: one turn in ${wave(omega[i])} tokens as trained, in ${wave(scaled[i])} now. ` +
    `Training took it ${round(met)} times round, ${grouped(asked)} tokens take it ${round(stands)} times.`
  const point = (turn) => `${Math.cos(2 * Math.PI * turn).toFixed(4)} ${(-Math.sin(2 * Math.PI * turn)).toFixed(4)}`
  const steps = Array.from({ length: 61 }, (_, k) => point((Math.min(met, 1) * k) / 60))
  this.arc.setAttribute("d", `M${steps.join("L")}`)
  const [x, y] = point(stands % 1).split(" ")
  this.hand.setAttribute("x2", x)
  this.hand.setAttribute("y2", y)
}

customElements.define("pe-ladders", Ladders)
