/* Fields of exercises by hand; the build says what is right (docs/_ext/bookish/write/answers). */

const answers = (() => {
  const ANGLES = { degrees: /^(°|deg(ree)?s?)$/, radians: /^rad(ian)?s?$/ }
  const EDGE = 1e-9 // of a unit: what lies on the edge of half a unit counts
  const FEW = 0.1 // of the number: what is farther off has nothing right, if it has few decimals
  const ENOUGH = 2 // decimals: 0.00 is the beginning of 0.0022
  const OF = { sin: Math.sin, cos: Math.cos, tan: Math.tan, exp: Math.exp, ln: Math.log, sqrt: Math.sqrt, "√": Math.sqrt }

  // a number as people write it, and its decimals; throws what cannot be read
  const read = (text, unit) => {
    const plain = text.toLowerCase().replace(/[−–]/g, "-").replace(/\*\*/g, "^").replace(/[·×]/g, "*")
    const tokens = plain.match(/(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[a-z]+|\S/g) ?? []
    let at = 0
    const takes = (...words) => words.includes(tokens[at]) && tokens[at++]
    const fail = () => {
      throw text
    }
    const primary = (turned) => {
      if (takes("(", "<")) {
        const inside = turned ? argument(sum) : sum()
        return takes(")", ">") ? inside : fail()
      }
      const of = takes(...Object.keys(OF))
      if (of) return OF[of](argument(primary))
      if (takes("π", "pi")) return Math.PI
      return /\d/.test(tokens[at]) ? Number(tokens[at++]) : fail()
    }
    // of a function: sin 30° and sin(30°)
    const argument = (part) => {
      const x = part(true)
      return takes("°") ? (x * Math.PI) / 180 : x
    }
    const signed = () => {
      if (takes("-")) return -signed()
      if (takes("+")) return signed()
      const base = primary()
      return takes("^") ? base ** signed() : base
    }
    const product = () => {
      let x = signed()
      for (let divided = false; ; ) {
        if (takes("*")) x *= signed()
        else if (takes("/")) x /= (divided = true) && signed()
        else if (/^([π(<]|pi)$/.test(tokens[at]) || OF[tokens[at]]) x *= divided ? fail() : signed() // 1/2π may be either
        else return x
      }
    }
    const sum = () => {
      let x = product()
      for (let sign; (sign = takes("+", "-")); ) x += sign === "+" ? product() : -product()
      return x
    }
    let value = sum()
    const rest = tokens.slice(at).join(" ")
    if (ANGLES[unit]) {
      if (unit === "degrees" && ANGLES.radians.test(rest)) value *= 180 / Math.PI
      else if (unit === "radians" && ANGLES.degrees.test(rest)) value *= Math.PI / 180
      else if (rest && !ANGLES[unit].test(rest)) fail()
    } else if (rest && rest !== unit && `${rest}s` !== unit) fail()
    if (!Number.isFinite(value)) fail()
    const [, decimals, power] = /^[-+]?\d*\.?(\d*)(?:e(.+))?$/.exec(tokens.slice(0, at).join("")) ?? []
    return { value, decimals: decimals?.length - (power ?? 0) }
  }

  // brackets with no comma inside belong to a number, others to rows
  const rowsOf = (typed, { k, u }) => {
    const gap = /,/.test(typed) ? /([\d.)π°i])[ \t]+(?=[-−–+]?[.\d])/g : /([\d.)π°i])[ \t]+(?=[-−–+]?[.\d√πpsctl(])/gi
    let text = typed.replace(gap, "$1,") // between commas 2 √3 is a product
    for (let was; was !== text; text = text.replace(/\(([^(),;\n]*)\)/g, "<$1>")) was = text
    const numbers = (line) => line.split(",").filter((one) => one.trim()).map((one) => read(one, u))
    try {
      if (k === "number") return [[read(typed, u)]]
      const rows = text.split(/[;\n()[\]{}]/).map(numbers).filter((row) => row.length)
      return k === "list" ? [rows.flat()] : rows
    } catch {}
  }

  // 3,008, as the pages print it
  const ungrouped = (typed) => typed.replace(/(?<![\d.,])[1-9]\d{0,2}(,\d{3})+(?!,?\d)/g, (one) => one.replace(/,/g, ""))

  // how a number stands to the right one, which is null where it does not matter; NaN decimals: no plain decimal
  const stands = ({ value, decimals }, right) => {
    if (right === null) return value < 0 ? "not" : "right"
    if (!right.length) return Math.abs(value - right) < EDGE ? "right" : "not"
    const [x, asked] = right
    const off = Math.abs(value - x)
    const near = value && off <= Math.abs(x) * FEW
    const begun = near || decimals >= ENOUGH
    const units = off * 10 ** decimals
    if (off * 10 ** asked <= 0.5 + EDGE) return "right"
    if (begun && decimals < asked && units <= 0.5 + EDGE) return "few"
    if ((begun || decimals === asked) && decimals <= asked && units < 1 - EDGE) return "rounded"
    return near && off * 10 ** asked <= 5 ? "close" : "not"
  }

  const shaped = (rows, right) => rows.length === right.length && rows.every((row, i) => row.length === right[i].length)
  const same = (rows, right) =>
    shaped(rows, right) && rows.every((row, i) => row.every((x, j) => stands(x, right[i][j]) === "right"))

  const OFF = {
    not: "Wrong",
    close: "Close, but not close enough",
    rounded: "Rounded wrongly (the next digit decides)",
    few: "Right so far, but too few digits",
  }
  const UNREAD = {
    number: "a number, such as 0.25, −3, 1/2, √2/2 or sqrt(2)/2, π/6, sin(2), 2^-3 or 4.6e-2",
    list: "numbers with commas between them, such as 0, −1/2, √3/2 or sqrt(3)/2",
    matrix: "each row on a line of its own, such as −1/2, √3/2 or sqrt(3)/2",
  }
  // the same where a field is as narrow as on a phone, and of two lines for a matrix of two rows
  const SHORT = { number: "such as 0.25, 1/2 or √2/2", list: "such as 0, −1/2, sin(2)", matrix: "a row on each line, such as −1/2, √3/2" }
  const POINT = ["unread", "Use a point for decimals."]

  // the verdict, the words, and which mistake
  const judge = (text, given) => {
    const { k, v, w } = given
    let rows = given.c?.indexOf(text)
    if (rows < 0) return ["unread", "Choose one first."]
    if (!given.c && !text.trim()) return ["unread", "Nothing is typed yet."]
    const grouped = given.c ? null : rowsOf(ungrouped(text), given)
    // 3,142 is 3142 where a whole number is due, and otherwise a decimal of some countries
    if (k === "number" && /\d,\d/.test(text) && !(grouped && (!v[0][0].length || same(grouped, v)))) return POINT
    rows ??= k === "number" ? grouped : rowsOf(text, given)
    if (k === "list" && grouped && !(rows && shaped(rows, v)) && shaped(grouped, v)) rows = grouped
    if (rows == null) return ["unread", `This cannot be read. Write ${UNREAD[k]}.`]
    const is = (one) => (given.c ? one === rows : same(rows, one))
    if (is(v)) return ["right", "Right."]
    const mistake = w.findIndex(is)
    if (mistake >= 0) return ["mistake", "Not yet: ", mistake]
    if (given.c) return ["not", "Not yet."]
    if (v[0][0]?.length && !shaped(rows, v) && shaped(rowsOf(text.replace(/(\d),(?=\d)/g, "$1."), given) ?? [], v)) return POINT
    if (rows.length !== v.length) return ["shape", `Rows: ${rows.length}. Asked for: ${v.length}.`]
    const short = rows.findIndex((row, i) => row.length !== v[i].length)
    if (short >= 0) {
      const place = k === "list" ? "Numbers" : `Numbers in row ${short + 1}`
      return ["shape", `${place}: ${rows[short].length}. Asked for: ${v[short].length}.`]
    }
    if (k === "list" && same([rows[0].slice().reverse()], v)) return ["reversed", "The right numbers, in the reverse order."]
    const all = rows.flatMap((row, i) => row.map((x, j) => [stands(x, v[i][j]), i, j]))
    const kinds = Object.keys(OFF).filter((kind) => all.some(([how]) => how === kind))
    const counted = kinds.map((kind) => {
      const alike = all.filter(([how]) => how === kind)
      const [, i, j] = alike[0]
      const at = (k === "matrix" ? `row ${i + 1}, ` : "") + `number ${j + 1}`
      return ` ${OFF[kind]}: ${alike.length} of ${all.length}, first: ${at}.`
    })
    const wrong = kinds[0] === "not" ? "Not yet." : ""
    return [kinds[0], k === "number" ? wrong || `${OFF[kinds[0]]}.` : (wrong + counted.join("")).trim()]
  }

  return { read, judge, SHORT }
})()

class Answer extends HTMLElement {
  connectedCallback() {
    nearby(this)
  }

  start() {
    const make = (tag, props, ...children) => {
      const element = Object.assign(document.createElement(tag), props)
      element.append(...children)
      return element
    }
    const given = JSON.parse(this.dataset.is)
    const label = this.querySelector("label")
    const told = this.querySelectorAll("p[hidden]")
    const name = `answer-${[...document.querySelectorAll("pe-answer")].indexOf(this)}`
    const said = make("p")
    said.setAttribute("role", "status")
    let box
    if (given.c) {
      label.querySelector(".options").remove()
      label.id = name
      box = make("fieldset")
      for (const value of given.c) box.append(make("label", {}, make("input", { type: "radio", name, value }), value))
      box.setAttribute("aria-labelledby", name)
    } else {
      box = make(given.k === "matrix" ? "textarea" : "input", { id: name, autocomplete: "off", autocapitalize: "off" })
      box.placeholder = answers.SHORT[given.k]
      box.spellcheck = false
      if (given.k === "matrix") box.rows = given.v.length
      label.htmlFor = name
    }
    const check = (event) => {
      event.preventDefault()
      const typed = given.c ? box.querySelector(":checked")?.value : box.value
      const [how, words, mistake] = answers.judge(typed, given)
      said.replaceChildren(words, ...(told[mistake]?.cloneNode(true).childNodes ?? []))
      this.dataset.how = how
    }
    box.onkeydown = (event) => {
      // in rows Enter begins the next one
      if (event.key === "Enter" && !(box.value?.split(/[\n;]/).length < box.rows)) check(event)
    }
    const form = make("form", { onsubmit: check }, box, make("button", {}, "Check"), said)
    form.oninput = () => {
      said.replaceChildren()
      this.dataset.how = ""
    }
    label.parentElement.after(form)
  }
}

customElements.define("pe-answer", Answer)
