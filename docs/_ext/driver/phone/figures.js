// Pictures: none is cut, and their words are large enough, apart from each other, and within their panels.
// The ink of the words is measured where the panels are smallest (limits.ink).
const measureFigures = (limits) => {
    const nameOf = (figure) => figure.id ? `#${figure.id}` : '(a figure without a name)'

    // ---- where the ink of a text is: corners on the screen
    const pen = document.createElement('canvas').getContext('2d')
    const ownText = (e) => [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('')
        .replace(/\s+/g, ' ').trim()
    const scaleOf = (e) => {
        const m = e.getScreenCTM()
        return Math.sqrt(Math.abs(m.a * m.d - m.b * m.c))
    }
    const inkOf = (text) => {
        let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
        const sizes = []
        for (const run of [text, ...text.querySelectorAll('tspan, a, textPath')]) {
            const words = ownText(run), style = getComputedStyle(run)
            const count = words ? run.getNumberOfChars() : 0
            if (!count) continue
            sizes.push(parseFloat(style.fontSize) * scaleOf(text))
            pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
            const ink = pen.measureText(words)
            for (let i = 0; i < count; i++) {
                const begin = run.getStartPositionOfChar(i), end = run.getEndPositionOfChar(i)
                left = Math.min(left, begin.x, end.x)
                right = Math.max(right, begin.x, end.x)
                top = Math.min(top, begin.y - ink.actualBoundingBoxAscent)
                bottom = Math.max(bottom, begin.y + ink.actualBoundingBoxDescent)
            }
        }
        if (!sizes.length || !(right > left)) return null
        const matrix = text.getScreenCTM()
        const corners = [[left, top], [right, top], [right, bottom], [left, bottom]].map(([x, y]) => {
            const point = new DOMPoint(x, y).matrixTransform(matrix)
            return [point.x, point.y]
        })
        return {words: short(text), corners, largest: Math.max(...sizes), smallest: Math.min(...sizes)}
    }
    const depth = (one, two) => {  // how far two convex shapes reach into each other, by separating axes
        let least = Infinity
        for (const shape of [one, two])
            for (let i = 0; i < shape.length; i++) {
                const [a, b] = [shape[i], shape[(i + 1) % shape.length]]
                const size = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1
                const [x, y] = [(b[1] - a[1]) / size, (a[0] - b[0]) / size]
                const [p, q] = [one, two].map((s) => s.map((c) => c[0] * x + c[1] * y))
                least = Math.min(least, Math.max(...p) - Math.min(...q), Math.max(...q) - Math.min(...p))
            }
        return least
    }

    const figures = [...article.querySelectorAll('figure')].filter(visible)
    for (const figure of figures) {
        const name = nameOf(figure)
        const pictures = [...figure.querySelectorAll('svg, img')].filter((e) => visible(e)
            && !e.closest('details.data-twin, figcaption') && !e.parentElement.closest('svg'))
        pictures.forEach((picture, number) => {
            const where = pictures.length > 1 ? `${name}, panel ${number + 1}` : name
            const wrong = cut(picture)
            if (wrong) note(where, 'figure cut', wrong)
            if (picture.tagName.toLowerCase() !== 'svg' || !limits.ink) return
            const frame = picture.getBoundingClientRect()
            const inks = [...picture.querySelectorAll('text')].filter(visible).map(inkOf).filter(Boolean)
            for (const ink of inks) {
                if (ink.largest < limits.text - 0.05)
                    note(where, 'small text', `"${ink.words}" ${round(ink.largest)} px`)
                else if (ink.smallest < limits.script - 0.05)
                    note(where, 'small text', `"${ink.words}" ${round(ink.smallest)} px in a script`)
                const xs = ink.corners.map((c) => c[0]), ys = ink.corners.map((c) => c[1])
                const out = Math.max(frame.left - Math.min(...xs), Math.max(...xs) - frame.right,
                    frame.top - Math.min(...ys), Math.max(...ys) - frame.bottom)
                if (out > limits.overlap)
                    note(where, 'text leaves its panel', `"${ink.words}" by ${round(out)} px`)
            }
            for (let i = 0; i < inks.length; i++)
                for (let j = 0; j < i; j++) {
                    const [one, two] = [inks[j], inks[i]]
                    const [a, b] = [one.corners[0], two.corners[0]]
                    const halo = one.words === two.words && Math.hypot(a[0] - b[0], a[1] - b[1]) < 0.5
                    const into = halo ? 0 : depth(one.corners, two.corners)
                    if (into > limits.overlap)
                        note(where, 'texts overlap', `"${one.words}" and "${two.words}" by ${round(into)} px`)
                }
        })
        // words of a picture that are no svg text
        for (const e of figure.querySelectorAll('.picture *, .panels *')) {
            if (e.closest('svg, details, figcaption') || !ownText(e) || !visible(e)) continue
            const size = parseFloat(getComputedStyle(e).fontSize)
            if (size < limits.text - 0.05) note(name, 'small text', `"${short(e)}" ${round(size)} px`)
            const wrong = cut(e)
            if (wrong) note(name, 'figure cut', `"${short(e)}" ${wrong}`)
        }
    }
}
