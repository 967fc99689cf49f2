/* The list of claims, by verdict and by words. Without this file the list is whole. */
{
  class Claims extends HTMLElement {
    connectedCallback() {
      if (this.count) return
      this.items = [...this.querySelectorAll("li")]
      const verdicts = [...new Set(this.items.map((item) => item.querySelector(".verdict").textContent))].sort()
      this.verdict = document.createElement("select")
      for (const name of ["every verdict", ...verdicts]) this.verdict.add(new Option(name, name))
      this.words = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" })
      this.count = Object.assign(document.createElement("p"), { role: "status" })
      const asked = Object.assign(document.createElement("div"), { className: "asked" })
      asked.append(this.labelled("Verdict", this.verdict), this.labelled("Words of the statement, or of what is right", this.words))
      this.prepend(asked, this.count)
      this.verdict.onchange = this.words.oninput = () => this.filter()
      this.filter()
    }

    static wordsOf(text) {
      return text.toLowerCase().replaceAll("√", " root ").replace(/n²|n\^2/g, "quadratic").match(/[\p{L}\p{N}]+/gu) ?? []
    }

    // a number is meant whole, a word by its beginning; its own ending may be another one
    static begins(one, word) {
      return /^\d+$/.test(word) ? one === word : one.startsWith(word) || (one.length > 4 && word.startsWith(one))
    }

    labelled(text, control) {
      const label = document.createElement("label")
      label.append(text, control)
      return label
    }

    filter() {
      const words = Claims.wordsOf(this.words.value)
      const any = this.verdict.selectedIndex === 0
      let shown = 0
      for (const item of this.items) {
        const text = Claims.wordsOf(`${item.textContent} ${item.querySelector("[data-words]").dataset.words}`)
        const right = any || item.querySelector(".verdict").textContent === this.verdict.value
        item.hidden = !(right && words.every((word) => text.some((one) => Claims.begins(one, word))))
        shown += !item.hidden
      }
      this.count.textContent = `${shown} of ${this.items.length} statements`
    }
  }
  customElements.define("pe-claims", Claims)
}
