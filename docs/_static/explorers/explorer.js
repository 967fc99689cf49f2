/* What explorers share: native controls, their state in the address, a question, parts of a drawing, and the
   picture that Python drew, which stays in the page and is shown wherever an explorer does not run. */
const part = (tag, props, ...children) => {
  const element = Object.assign(document.createElement(tag), props)
  element.append(...children)
  return element
}

const shape = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const name in attributes) element.setAttribute(name, attributes[name])
  element.append(...children)
  return element
}

/** A drawing; what it says stands in the page as text. */
const drawing = (width, height, className) =>
  shape("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": true, class: className })

const text = (x, y, words, anchor = "middle") => shape("text", { x, y, "text-anchor": anchor }, words)

// as Python writes f"{x:.2f}", with a minus sign, and without one before zero
const written = (x, digits = 2) => x.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−")

const pathOf = (points) => `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`

class Explorer extends HTMLElement {
  connectedCallback() {
    nearby(this)
  }

  start() {
    this.given = JSON.parse(this.dataset.given)
    this.controls = {}
    this.question = part("p")
    this.said = part("p", { role: "status", className: "said" })
    const reset = part("button", { type: "button", onclick: () => this.take(this.first) }, "Reset")
    this.live = part("div", { className: "live" }, part("div", { className: "asked" }, this.question, reset))
    this.build()
    this.first = this.state()
    this.append(this.live) // a canvas has no colours before
    try {
      this.show()
    } catch (error) {
      this.live.remove() // the picture stays
      throw error
    }
    this.setAttribute("ready", "")
    const alike = [...document.querySelectorAll(this.localName)].indexOf(this)
    this.key = `${this.localName}${alike > 0 ? -alike - 1 : ""}=`
    this.open()
  }

  // ---- state: what every control holds, by name; in the address ?pe-circle=p:5,i:2, before any #anchor

  state() {
    return Object.fromEntries(Object.entries(this.controls).map(([name, { value }]) => [name, value]))
  }

  take(state) {
    // twice: the range of a control may depend on one that comes later
    for (const _ of "12") {
      for (const [name, control] of Object.entries(this.controls)) if (name in state) control.value = state[name]
      for (const [name, { selectedIndex }] of Object.entries(this.controls))
        if (selectedIndex < 0) this.controls[name].value = this.first[name]
      this.show()
    }
    this.remember()
  }

  open() {
    const found = location.search.slice(1).split("&").find((one) => one.startsWith(this.key))
    if (!found) return
    try {
      const entries = found.slice(this.key.length).split(",").map((one) => one.split(":"))
      this.take(Object.fromEntries(entries.map(([name, value]) => [name, decodeURIComponent(value)])))
    } catch {} // somebody has cut the address
  }

  /** One entry of the history stays one: the address is replaced, and not at every step of a slider. */
  remember() {
    clearTimeout(this.late)
    this.late = setTimeout(() => {
      const moved = Object.entries(this.state()).filter(([name, value]) => value !== this.first[name])
      const address = new URL(location)
      const parts = address.search.slice(1).split("&").filter((one) => one && !one.startsWith(this.key))
      if (moved.length) parts.push(this.key + moved.map(([name, value]) => `${name}:${encodeURIComponent(value)}`))
      address.search = parts.join("&")
      address.hash ||= this.closest("[id]").id
      try {
        history.replaceState(history.state, "", address)
      } catch {} // some browsers count how often
    }, 200)
  }

  moved() {
    this.show()
    this.remember()
  }

  show() {
    this.update()
    for (const control of Object.values(this.controls)) control.tell?.()
  }

  /** One sentence says the result, and another that it answers the question. */
  say(result, answer) {
    const words = answer ? [`${result} `, part("b", {}, `Answered: ${answer}`)] : [result]
    this.said.replaceChildren(...words)
  }

  /** The numbers of the caption in their order, as a reader has set them; on paper those of the picture stay. */
  captioned(...numbers) {
    const links = this.closest("figure").querySelectorAll(".caption-text a.from:not(.computed)")
    links.forEach((link, i) => {
      if (!link.matches(".on-paper")) link.after(part("span", { className: "on-screen" }))
      link.classList.add("on-paper")
      link.nextElementSibling.textContent = numbers[i]
    })
  }

  // ---- controls. Numbers are no <output>: that is read aloud at each move, and one sentence is enough

  control(name, label, input) {
    input.id = `${this.closest("[id]").id}-${name}`
    this.controls[name] = input
    const number = part("span", { className: "number" })
    this.live.append(part("div", { className: "control" }, part("label", { htmlFor: input.id }, label), input, number))
    return input
  }

  /** `heard` says what a value is, `seen` how it is written. */
  slider(name, label, [least, value, most], heard, seen = (value) => value) {
    const input = part("input", { type: "range", name, min: least, max: most, oninput: () => this.moved() })
    input.value = value
    input.tell = () => {
      input.nextSibling.textContent = seen(input.value)
      input.ariaValueText = heard(input.value)
    }
    return this.control(name, label, input)
  }

  choice(name, label, options) {
    const named = Object.entries(options).map(([value, label]) => part("option", { value }, label))
    return this.control(name, label, part("select", { name, onchange: () => this.moved() }, ...named))
  }

  /** A button moves a slider on by itself, from its end to its start; who wants less motion moves it a step a press. */
  player(slider) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches
    const button = part("button", { type: "button" }, still ? "One on" : "Play")
    const step = () => {
      slider.value = +slider.value < +slider.max ? +slider.value + 1 : slider.min
      this.show()
    }
    let clock
    const pause = () => {
      if (!clock) return
      clock = clearInterval(clock)
      button.textContent = "Play"
      this.said.ariaLive = "polite"
      this.remember()
    }
    button.onclick = () => {
      if (clock) return pause()
      step()
      if (still) return this.remember()
      clock = setInterval(() => document.hidden || step(), 400)
      button.textContent = "Pause"
      this.said.ariaLive = "off" // not a sentence at each step
    }
    this.addEventListener("input", pause)
    this.addEventListener("click", ({ target }) => target === button || pause())
    this.live.querySelector(".asked p").after(button)
  }

  // ---- a picture of many cells: a pixel each, from −1 in blue to 1 in orange, painted again in other colours

  canvas(name, choose) {
    const canvas = part("canvas", { tabIndex: 0, role: "application", ariaLabel: name })
    const at = ({ clientX, clientY }) => {
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const cell = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1)
      choose(cell((clientX - left) / width, canvas.width), cell((clientY - top) / height, canvas.height))
    }
    canvas.onpointerdown = at
    canvas.onpointermove = (event) => event.buttons && at(event)
    new MutationObserver(() => this.update()).observe(document.documentElement, { attributeFilter: ["data-theme"] })
    return canvas
  }

  paint(canvas, rows) {
    canvas.width = rows[0].length
    canvas.height = rows.length
    const brush = canvas.getContext("2d")
    const colours = ["blue", "orange"].map((name) => getComputedStyle(this).getPropertyValue(`--pe-${name}`))
    rows.forEach((row, y) =>
      row.forEach((value, x) => {
        brush.fillStyle = colours[+(value > 0)]
        brush.globalAlpha = Math.abs(value)
        brush.fillRect(x, y, 1, 1)
      }),
    )
  }
}
