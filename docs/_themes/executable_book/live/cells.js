/* Cells that run where they stand. What a cell is, its code and what it printed, is read off the page. */

{
  const { Bar, Code, output, wrongWith, leftOut } = live
  const WIDTH = /,?\s*dtype=int64/g // whole numbers of Python have 32 bits in a browser, and numpy says where it has 64
  const WORDS = {
    same: "As printed.",
    width: "As printed, but for the width that whole numbers have in a browser.",
    other: "Not what is printed; Reset shows that.",
    own: "Your version.",
  }

  const lines = (text) => text.trimEnd().split("\n").map((line) => line.trimEnd()).join("\n")
  const squeezed = (text) => text.replace(WIDTH, "").replace(/\s+/g, " ").trim()
  // same, or width: but for the width of whole numbers; or other
  const compared = (came, due) => (lines(came) === lines(due) ? "same" : squeezed(came) === squeezed(due) ? "width" : "other")

  const cells = []
  let busy
  let computing

  // one thing at a time: the button that began it stops it
  const occupied = async (one, name, does) => {
    if (busy) return one.bar.say("Something else is running: wait for it, or stop it.")
    const { press, bar } = one
    const before = { textContent: press.textContent, ariaLabel: press.ariaLabel }
    const memory = python.small()
    busy = one
    Object.assign(press, { textContent: "Stop", ariaLabel: `Stop ${name}` })
    try {
      await does()
    } catch (why) {
      bar.say(why + memory, "wrong")
    } finally {
      busy = computing = undefined
      Object.assign(press, before)
    }
  }
  // what was stopped is not begun again for the sake of a cell below it
  const pressed = (one, does) => () => {
    if (busy !== one) return does()
    if (computing) computing.stopped = computing.last
    python.end("Stopped.")
  }

  class Cell {
    constructor(node, number) {
      Object.assign(this, { node, number, ran: undefined, at: 0, how: "" })
      this.fold = node.closest("details")
      this.stored = node.querySelector(":scope > .cell_output")
      this.due = [...(this.stored?.querySelectorAll("pre") ?? [])].map((pre) => pre.textContent).join("")
    }

    start() {
      if (this.bar) return
      const block = this.node.querySelector(".cell_input > [class*=highlight-]")
      this.code = new Code(block, `Code of cell ${this.number}`, () => this.bar.say("Changed, not run yet."), () => this.run())
      this.bar = new Bar(block)
      this.press = this.bar.button("Run", pressed(this, () => this.run()))
      this.press.ariaLabel = `Run cell ${this.number}`
      this.change = this.bar.button("Edit", () => this.edit())
      this.back = this.bar.button("Reset", () => this.reset(), true)
      if (this === cells[0] && cells.length > 1) this.bar.button(`Run all ${cells.length}`, all)
    }

    get agrees() {
      return this.how === "same" || this.how === "width"
    }

    get fresh() {
      return this.at === python.times() && python.runs() && this.ran === this.code.text
    }

    edit() {
      this.code.edit()
      Object.assign(this.change, { hidden: true })
      this.back.hidden = false
      this.code.area.focus()
    }

    reset() {
      this.code.reset()
      this.clear()
      this.how = ""
      this.stopped = undefined
      this.bar.say("")
      this.change.hidden = false
      this.back.hidden = true
      this.change.focus()
    }

    clear() {
      this.out?.box.remove()
      this.out = undefined
      if (this.stored) this.stored.hidden = false
    }

    // what this cell stands on: cells above it, and of a fold only those of its own
    above() {
      return cells.slice(0, cells.indexOf(this)).filter(({ fold }) => !fold || fold.contains(this.node))
    }

    run(asked = this.above()) {
      return occupied(this, `cell ${this.number}`, async () => {
        const before = python.times()
        for (const one of asked) one.start()
        const halted = asked.find((one) => one.stopped === one.code.text)
        if (halted) {
          this.bar.say(`Cell ${halted.number} above was stopped, so this one did not run. Change that one, or press its Reset.`, "wrong")
          return
        }
        const stale = asked.findIndex((one) => !one.fresh)
        for (const one of [...(stale < 0 ? [] : asked.slice(stale)), this]) {
          const done = await one.once(this.bar)
          if (done.error && one !== this) {
            this.bar.say(`Cell ${one.number} above ended in an error, so this one did not run: ${wrongWith(done)}`, "wrong")
            return
          }
        }
        if (before && before < python.times()) this.bar.add("Python began anew, and the cells above ran again.")
      })
    }

    // this cell alone; the bar of the one that was pressed hears how far it is
    async once(bar) {
      const text = this.code.text
      const out = output("Computed in your browser")
      if (this.last !== text) for (const one of cells.slice(this.number)) one.ran = undefined // they stood on other values
      Object.assign(this, { ran: undefined, last: text, how: "" })
      computing = this
      const show = () => {
        if (this.out === out) return
        this.clear()
        this.out = out
        ;(this.stored ?? this.node.lastElementChild).after(out.box)
        if (this.stored) this.stored.hidden = true
        this.back.hidden = false
      }
      const heard = { wait: (...told) => bar.wait(...told), print: (more) => (show(), out.print(more)) }
      const done = await python.run(text, { name: `<cell ${this.number}>`, names: "page", ...heard })
      this.stopped = computing = undefined
      this.ran = done.error ? undefined : text
      this.at = python.times()
      show()
      if (done.value) out.print(`${done.value}\n`)
      if (done.error) out.error(done.error)
      out.close()
      const own = text !== this.code.printed
      this.how = done.error ? "wrong" : own ? "own" : compared(out.text(), this.due)
      this.bar.say(`${WORDS[this.how] ?? wrongWith(done)}${leftOut(done)} ${standing()}`, this.how)
      return done
    }
  }

  const standing = () => `${cells.filter((one) => one.agrees).length} of ${cells.length} cells agree with what is printed.`

  const all = () =>
    occupied(cells[0], "all cells", async () => {
      const { bar } = cells[0]
      for (const one of cells) {
        one.start()
        const done = await one.once(bar)
        if (done.error) return bar.say(`Cell ${one.number} ended in an error: ${wrongWith(done)}`, "wrong")
      }
      bar.say(standing(), cells.every((one) => one.agrees) ? "same" : "other")
    })

  const found = [...document.querySelectorAll("div.cell")].filter((node) => node.querySelector(":scope > .cell_input"))
  cells.push(...found.map((node, place) => new Cell(node, place + 1)))
  for (const cell of cells) {
    cell.node.start = () => cell.start()
    nearby(cell.node)
  }
  Object.assign(live, { occupied, pressed, cells, all })
}
