/* What cells and exercises have on a page: buttons with a sentence, code that can be changed, what came of it. */

const live = (() => {
  const NO_TORCH = "This needs torch, which does not run in a browser: the notebook of this page has it."

  const make = (tag, props, ...children) => {
    const element = Object.assign(document.createElement(tag), props)
    element.append(...children)
    return element
  }
  const textOf = (pre) => pre.textContent.replace(/^\n+/, "").trimEnd()

  // buttons below code, a bar for what is fetched, and a sentence
  class Bar {
    constructor(code) {
      this.progress = make("progress", { hidden: true })
      this.progress.ariaLabel = "Fetching Python"
      this.bytes = make("span", { hidden: true })
      this.said = make("p")
      this.said.setAttribute("role", "status")
      this.box = make("div", { className: "live-bar" }, this.progress, this.bytes, this.said)
      code.after(this.box)
    }

    button(words, onclick, hidden = false) {
      const made = make("button", { type: "button", onclick, hidden }, words)
      this.progress.before(made)
      return made
    }

    say(words, how = "") {
      this.progress.hidden = this.bytes.hidden = true
      if (this.said.textContent !== words) this.said.textContent = words
      this.box.dataset.how = how
    }

    add(words) {
      this.said.append(` ${words}`)
    }

    wait(words, got, all) {
      const MB = (bytes) => (bytes / 1e6).toFixed(1)
      this.say(all ? "Fetching Python, once for all pages." : `${words}…`, "waits")
      if (!all) return
      this.progress.hidden = this.bytes.hidden = false
      Object.assign(this.progress, { max: all, value: got })
      this.bytes.textContent = `${MB(got)} of ${MB(all)} MB`
    }
  }

  // a new line begins below the one before, and deeper behind a colon; the browser can undo it
  const indented = (event) => {
    const { value, selectionStart } = event.target
    const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart)
    const depth = line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? "    " : "")
    if (depth && document.execCommand("insertText", false, `\n${depth}`)) event.preventDefault()
  }

  // code that a reader may change in place
  class Code {
    constructor(block, label, changed, run) {
      this.block = block
      this.printed = textOf(block.querySelector("pre"))
      Object.assign(this, { label, changed, run })
    }

    get text() {
      return this.area ? this.area.value.trimEnd() : this.printed
    }

    edit(text = this.printed) {
      if (this.area) return
      this.area = make("textarea", { className: "live-code", value: text, spellcheck: false, ariaLabel: this.label })
      this.area.autocapitalize = "off"
      this.area.onkeydown = (event) => {
        if (event.key !== "Enter" || event.isComposing) return
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return indented(event)
        event.preventDefault()
        this.run()
      }
      const fit = () => (this.area.rows = this.area.value.split("\n").length + 1)
      this.area.oninput = () => {
        fit()
        this.changed()
      }
      fit()
      this.block.after(this.area)
      this.block.hidden = true
    }

    reset() {
      this.area?.remove()
      this.area = undefined
      this.block.hidden = false
    }
  }

  // what came, in the place of what is printed; text is text
  const output = (words) => {
    const pre = make("pre", { tabIndex: 0, role: "group", ariaLabel: "Output" }) // long lines scroll, by keyboard too
    const box = make("div", { className: "live-out" }, make("p", { className: "live-mark" }, words), pre)
    let text = ""
    return {
      box,
      print: (more) => {
        text += more
        pre.append(more)
      },
      error: (more) => pre.append(make("span", { className: "live-error" }, more)),
      close: () => (pre.hidden = !pre.textContent),
      text: () => text,
    }
  }

  const typeOf = ({ type }) => type.split(": ")[0]
  const wrongWith = (done) => {
    if (done.type === "torch") return NO_TORCH
    const [said] = done.type.slice(typeOf(done).length + 2).split("\n")
    const short = said.length > 160 ? `${said.slice(0, 160)}…` : said
    return `${typeOf(done)}${done.line ? ` in line ${done.line}` : ""}${short && `: ${short}`}${/[.?!…]$/.test(short) ? "" : "."}`
  }
  const leftOut = ({ dropped }) => (dropped ? ` ${dropped.toLocaleString("en")} characters more are not shown.` : "")

  return { Bar, Code, output, make, textOf, wrongWith, leftOut }
})()
