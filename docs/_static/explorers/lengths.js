// <pe-lengths>: curves of a recorded study along a text, by task, encoding and length; the others stand faint behind one.
const FROM = 30
const WIDTH = 274
const TOP = 8
const HEIGHT = 120

class Lengths extends Explorer {
  build() {
    const { tasks, times } = this.given
    this.question.textContent = `Which encoding is as good at the end of a text ${times.at(-1)} times as long as at the trained length? Try two tasks.`
    this.task = this.choice("task", "Task", Object.fromEntries(Object.entries(tasks).map(([name, { title }]) => [name, title])))
    const names = Object.keys(Object.values(tasks)[0].curves)
    this.encoding = this.choice("encoding", "Encoding", Object.fromEntries(names.map((name) => [name, name])))
    this.length = this.slider("times", "Length", [0, 2, times.length - 1], (at) => `${times[at]} times`, (at) => `${times[at]} ×`)
    this.picture = drawing(312, 152, "along")
    this.trained = shape("rect", { class: "trained", x: FROM, y: TOP, height: HEIGHT })
    this.others = shape("g", { class: "others" })
    this.curve = shape("path", { class: "curve" })
    this.axes = [text(26, TOP + 8, "", "end"), text(26, TOP + HEIGHT, "", "end"), text(FROM, 146, 0), text(FROM + WIDTH, 146, "", "end")]
    this.picture.append(this.trained, this.others, this.curve, ...this.axes)
    this.live.append(this.picture, this.said)
  }

  update() {
    const { times } = this.given
    const { title, measure, length, least, most, learned, curves, ends } = this.given.tasks[this.task.value]
    for (const option of this.encoding.options) option.disabled = !(option.value in curves)
    if (!(this.encoding.value in curves)) this.encoding.value = Object.keys(curves)[0]
    const [name, at] = [this.encoding.value, this.length.valueAsNumber]
    const path = (curve) =>
      pathOf(curve.flatMap((value, part) => (value === null ? [] : [[FROM + (WIDTH * (part + 0.5)) / curve.length, TOP + (HEIGHT * (most - value)) / (most - least)]])))
    this.trained.setAttribute("width", WIDTH / times[at])
    this.others.replaceChildren(...Object.entries(curves).filter(([other]) => other !== name).map(([, one]) => shape("path", { d: path(one[at]) })))
    this.curve.setAttribute("d", path(curves[name][at]))
    const share = measure === "share right"
    const words = (length * times[at]).toLocaleString("en")
    const told = [share ? 1 : written(most, 1), share ? 0 : written(least, 1), 0, `${words} words`]
    told.forEach((one, i) => (this.axes[i].textContent = one))
    const [mean, low, high] = ends[name][at]
    const number = `${written(mean)} (${written(low)} to ${written(high)} over seeds)`
    const result = `${title}, ${words} words: in the last quarter ${name} has ${share ? "a share right of" : "a loss of"} ${number}.`
    const unlearned = learned.includes(name) ? "" : " It does not learn this task at the trained length, so the curve says nothing."
    const lost = share ? ends[name][0][0] - mean : mean - ends[name][0][0]
    this.say(result + unlearned, !unlearned && at === times.length - 1 && lost <= 0.05 && `${name} is, on this task.`)
  }
}

customElements.define("pe-lengths", Lengths)
