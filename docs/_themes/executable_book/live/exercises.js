/* Exercises in code: what a reader writes is checked by the stub's own check, and stays in this browser. */

{
  const { Bar, Code, output, make, textOf, wrongWith, leftOut, occupied, pressed } = live
  const UNFILLED = /^.*raise NotImplementedError\(.*\)$/gm // of a stub; what follows the last is the check
  const OF_PACKAGE = /\bpe\.[\w.]+|^.*\bpe_book\b.*$/gm

  const kept = (key, text) => {
    try {
      if (text === undefined) return localStorage.getItem(key) ?? undefined
      if (text === null) localStorage.removeItem(key)
      else localStorage.setItem(key, text)
    } catch {} // a browser that keeps nothing
  }
  const keyOf = (id) => `answer ${location.pathname}#${id}`
  const known = []

  class Exercise {
    constructor(box) {
      Object.assign(this, { box, id: box.id, block: box.querySelector(".stub") })
      this.stub = textOf(this.block.querySelector("pre"))
      const places = [...this.stub.matchAll(UNFILLED)]
      const [last] = places.slice(-1)
      this.given = this.stub.slice(0, places[0].index)
      this.check = this.stub.slice(last.index + last[0].length).trim()
    }

    start() {
      if (this.bar) return
      this.code = new Code(this.block, "Your answer", () => {
        kept(keyOf(this.id), this.code.text)
        this.bar.say("Kept in this browser, not checked yet.")
        this.save.hidden = !known.notebook
        this.sure = false
      }, () => this.judge())
      this.bar = new Bar(this.block)
      this.change = this.bar.button("Answer here", () => this.edit())
      this.press = this.bar.button("Check", pressed(this, () => this.judge()))
      this.back = this.bar.button("Reset", () => this.asked(), true)
      this.save = this.bar.button("Save as notebook", () => save(this.bar), true)
      const before = kept(keyOf(this.id))
      if (before !== undefined) {
        this.open(before)
        this.bar.say("As you left it.")
      }
    }

    // the check stands below what is written, where nobody changes it by accident
    answered(text) {
      return text.endsWith(this.check) ? text.slice(0, -this.check.length).trimEnd() : text.trimEnd()
    }

    whole(text) {
      return `${this.answered(text)}\n\n\n${this.check}`
    }

    open(text) {
      this.code.edit(this.answered(text ?? this.stub))
      this.below ??= make("details", { className: "live-check" }, make("summary", {}, "The check"), make("pre", { tabIndex: 0, role: "group", ariaLabel: "The check" }, this.check))
      this.code.area.after(this.below)
      this.change.hidden = true
      this.back.hidden = false
      this.save.hidden = !known.notebook || text === undefined
    }

    edit() {
      this.open()
      const { area } = this.code
      area.focus({ preventScroll: true })
      area.scrollIntoView({ block: "nearest" })
      const [place] = area.value.matchAll(UNFILLED)
      area.setSelectionRange(place.index + place[0].search(/\S/), place.index + place[0].length)
    }

    asked() {
      if (this.sure || kept(keyOf(this.id)) === undefined) return this.reset()
      this.sure = true
      this.bar.say("Press Reset once more, and what you wrote is gone.")
    }

    reset() {
      kept(keyOf(this.id), null)
      this.sure = false
      this.code.reset()
      this.below?.remove()
      this.out?.box.remove()
      this.bar.say("")
      this.change.hidden = false
      this.back.hidden = this.save.hidden = true
      this.change.focus()
    }

    // what the answer has of the package, and neither stub nor solution has
    borrowed(answer) {
      const solution = document.getElementById(this.id.replace("exr:", "sol:"))?.querySelector(".cell_input pre")
      const shown = solution ? textOf(solution).replace(this.check, "") : answer
      const used = (text) => (text.match(OF_PACKAGE) ?? []).map((one) => one.trim())
      const fair = new Set(used(this.given + shown))
      return [...new Set(used(answer))].filter((one) => !fair.has(one))
    }

    judge() {
      return occupied(this, "the check", async () => {
        const text = this.whole(this.code.text)
        this.out?.box.remove()
        const out = output("Computed in your browser")
        const heard = { wait: (...told) => this.bar.wait(...told), print: (more) => out.print(more) }
        const done = await python.run(text, { name: "<answer>", names: "", ...heard })
        const said = done.type.slice(done.type.indexOf(": ") + 2)
        const asserted = done.type.startsWith("AssertionError: ")
        if (done.error && !asserted && !done.type.startsWith("NotImplementedError")) out.error(done.error)
        if (done.value) out.print(done.value)
        out.close()
        if (out.box.textContent !== "Computed in your browser") this.bar.box.after(out.box)
        this.out = out
        this.bar.say(this.verdict(done, said, asserted, text) + leftOut(done), done.error ? "wrong" : "same")
        linked(this.bar.said)
        this.bar.box.scrollIntoView({ block: "nearest" })
      })
    }

    verdict(done, said, asserted, text) {
      if (asserted) return `Not yet: ${said}`
      if (done.type.startsWith("NotImplementedError")) return "Nothing is filled in yet."
      if (done.error) return wrongWith(done)
      const borrowed = this.borrowed(text.slice(0, -this.check.length))
      return `Right: it passes all checks.${borrowed.length ? ` It takes ${borrowed.join(", ")} from the package, which the solution writes itself.` : ""}`
    }
  }

  // a section that a message names is one press away
  const linked = (said) => {
    const [, title] = said.textContent.match(/see "(.+?)"/) ?? []
    const named = ({ textContent }) => textContent.replace(/^[\d.]+\s*/, "").startsWith(title)
    const heading = title && [...document.querySelectorAll("section > :is(h2, h3)")].find(named)
    if (!heading) return
    const [before, after] = said.textContent.split(title)
    said.replaceChildren(before, make("a", { href: `#${heading.parentElement.id}` }, title), after)
  }

  // the notebook for students, with every answer of this page in its cell
  const save = async (bar) => {
    try {
      const notebook = await (await fetch(known.notebook.href)).json()
      for (const cell of notebook.cells) {
        const one = known.find(({ id }) => id === cell.metadata?.pe_book?.exercise)
        const text = one && kept(keyOf(one.id))
        if (text !== undefined) cell.source = one.whole(text).split(/(?<=\n)/)
      }
      const file = URL.createObjectURL(new Blob([JSON.stringify(notebook, null, 1)], { type: "application/x-ipynb+json" }))
      make("a", { href: file, download: known.notebook.pathname.split("/").at(-1) }).click()
      setTimeout(() => URL.revokeObjectURL(file), 60_000)
      bar.say("Saved, with what you wrote on this page.")
    } catch {
      bar.say("The notebook cannot be fetched: is this machine offline?", "wrong")
    }
  }

  known.notebook = document.querySelector('a[href$="-students.ipynb"]')
  for (const block of document.querySelectorAll(".exercise .stub")) {
    const one = new Exercise(block.closest(".exercise"))
    known.push(one)
    one.box.start = () => one.start()
    nearby(one.box)
  }
  live.exercises = known
}
