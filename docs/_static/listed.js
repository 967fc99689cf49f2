/* A list of claims or a table of models: by a kind, by words, in an order. Without this file it is whole. */
{
  const wordsOf = (text) => text.toLowerCase().replaceAll("√", " root ").replace(/n²|n\^2/g, "quadratic").match(/[\p{L}\p{N}]+/gu) ?? []
  // llama3.1, Llama-3.1 and Llama 3.1 are one name
  const asName = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}+]/gu, "")
  // a number is meant whole, a word by its beginning; its own ending may be another one
  const begins = (one, word) => (/^\d+$/.test(word) ? one === word : one.startsWith(word) || (one.length > 4 && word.startsWith(one)))
  // of a cell, without the header that it says
  const said = (cell) => cell.textContent.slice((cell.querySelector(".of-column")?.textContent ?? "").length).trim()
  const number = (text) => parseFloat(text.match(/\d[\d,]*/)?.[0].replaceAll(",", "")) // the first of a cell; NaN without one

  class Listed extends HTMLElement {
    connectedCallback() {
      if (this.count) return
      const { kind, words, sorted } = this.dataset
      this.heads = [...this.querySelectorAll("thead th")].map((head) => head.textContent.trim())
      this.items = [...this.querySelectorAll("li, tbody > tr")].map((item) => this.read(item))
      this.kinds = this.select(`every ${kind.toLowerCase()}`, [...new Set(this.items.flatMap((item) => item.kinds))].sort())
      this.words = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" })
      this.count = Object.assign(document.createElement("p"), { role: "status" })
      const asked = Object.assign(document.createElement("div"), { className: "asked" })
      asked.append(this.labelled(words, this.words), this.labelled(kind, this.kinds))
      if (sorted) {
        this.order = this.select("as listed", sorted.split(", "))
        this.order.onchange = () => this.sort()
        asked.append(this.labelled("Sorted by", this.order))
      }
      this.prepend(asked, this.count)
      this.kinds.onchange = this.words.oninput = () => this.filter()
      addEventListener("hashchange", () => this.reveal())
      this.filter()
    }

    // an item of a list shows its kind and hides words; a row has kinds in a column, and names in its first cell
    read(item) {
      if (!item.cells) {
        const words = wordsOf(`${item.textContent} ${item.querySelector("[data-words]").dataset.words}`)
        return { item, words, names: [], kinds: [item.querySelector(".verdict").textContent] }
      }
      const cells = [...item.cells].map(said)
      const title = item.querySelector("strong").textContent
      const also = item.querySelector(".also")?.textContent.split(", ") ?? []
      const kinds = cells[this.heads.indexOf(this.dataset.kind)].split(", ")
      return { item, cells, kinds, title, words: wordsOf(cells.join(" ")), names: [title, ...also].map(asName) }
    }

    select(every, names) {
      const made = document.createElement("select")
      for (const name of [every, ...names]) made.add(new Option(name, name))
      return made
    }

    labelled(text, control) {
      const label = document.createElement("label")
      label.append(text[0].toUpperCase() + text.slice(1), control)
      return label
    }

    filter() {
      const typed = this.words.value.trim()
      const [words, name] = [wordsOf(typed), asName(typed)]
      const any = this.kinds.selectedIndex === 0
      const called = name ? this.items.filter(({ names }) => names.some((one) => one.startsWith(name))) : []
      let shown = 0
      for (const one of this.items) {
        const right = any || one.kinds.includes(this.kinds.value)
        const said = called.length ? called.includes(one) : words.every((word) => one.words.some((other) => begins(other, word)))
        one.item.hidden = !(right && said)
        shown += !one.item.hidden
      }
      const same = called.filter(({ names }) => names.includes(name))
      const counted = `${shown} of ${this.items.length} ${this.dataset.counted}`
      if (same.length > 1) this.count.textContent = `${counted}: “${typed}” is a name of ${same.map(({ title }) => title).join(" and of ")}; they may differ`
      else if (!shown && this.dataset.unknown) this.count.textContent = `${counted}: ${this.dataset.unknown}`
      else this.count.textContent = counted
    }

    // a link leads to a row that is filtered out
    reveal() {
      const to = document.getElementById(decodeURIComponent(location.hash.slice(1)))
      if (!this.contains(to) || !to.closest("[hidden]")) return
      this.words.value = ""
      this.kinds.selectedIndex = 0
      this.filter()
      to.scrollIntoView()
    }

    sort() {
      const at = this.heads.indexOf(this.order.value)
      const places = new Map(this.items.map((item, place) => [item, place]))
      const before = (a, b) => {
        const [one, two] = [a.cells[at], b.cells[at]]
        const [small, large] = [number(one), number(two)]
        if (!one !== !two) return one ? -1 : 1 // an empty cell comes last
        return (small === large || isNaN(small) || isNaN(large) ? one.localeCompare(two) : small - large) || places.get(a) - places.get(b)
      }
      for (const { item } of at < 0 ? this.items : [...this.items].sort(before)) item.parentElement.append(item)
    }
  }
  customElements.define("pe-listed", Listed)
}
