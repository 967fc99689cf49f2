/* What explorers share: native controls, parts of a drawing, and the picture that Python drew, which stays in
   the page and is shown wherever an explorer does not run. */
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

// as Python writes f"{x:.2f}", with a minus sign, and without one before zero
const written = (x, digits = 2) => x.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−")

class Explorer extends HTMLElement {
  connectedCallback() {
    if (this.live) return
    this.given = JSON.parse(this.dataset.given)
    this.live = part("div", { className: "live" })
    this.build()
    this.update()
    this.append(this.live) // last: what fails above leaves the picture
    this.setAttribute("ready", "")
  }

  // numbers are no <output>: that is read aloud at each move, and one sentence (role="status") is enough
  slider(name, label, value, most) {
    const id = `${this.closest("[id]")?.id}-${name}`
    const input = part("input", { type: "range", id, name, min: 0, max: most, value })
    const number = part("span", { className: "number" })
    input.tell = () => {
      number.textContent = input.value
      input.setAttribute("aria-valuetext", `${name === "pair" ? "pair" : "position"} ${input.value}`)
    }
    input.oninput = () => this.update()
    this.live.append(part("div", { className: "control" }, part("label", { htmlFor: id }, label), input, number))
    return input
  }

  choice(name, legend, options, columns = 1) {
    const box = part("fieldset", {}, part("legend", {}, legend))
    const group = `${this.closest("[id]")?.id}-${name}`
    for (const [value, label] of Object.entries(options)) {
      const input = part("input", { type: "radio", name: group, value, onchange: () => this.update() })
      const numbers = Array.from({ length: columns }, () => part("span", { className: "number" }))
      for (const number of numbers) number.dataset.of = value
      const named = part("label", {}, input, part("span", {}, label))
      box.append(part("div", { className: `option in-${value}` }, named, ...numbers))
    }
    box.querySelector("input").checked = true
    this.live.append(box)
    return box
  }
}
