// Boxes, headings and formulas that need sideways scrolling.
const measureWidths = () => {
    for (const box of all('.admonition, details, div.derivation, figure, pre, :is(h1, h2, h3, h4, h5, h6)')) {
        const edge = box.getBoundingClientRect(), heading = /^H\d$/.test(box.tagName)
        const scrolls = box.tagName !== 'PRE' && (heading ? box.scrollWidth > box.clientWidth + 1 : hides(box))
        if (box.closest('.data-twin .scrolls')) continue
        if (edge.right > innerWidth + 1 || edge.left < -1 || scrolls)
            note(placeOf(box), heading ? 'heading cut' : 'box cut', `${round(edge.left)} to ${round(edge.right)} px of ${innerWidth}`)
    }
    for (const code of all('pre')) if (code.scrollWidth > code.clientWidth + 1) note(placeOf(code), 'code cut', cut(code) || short(code))
    // KaTeX sets a formula in pieces that do not break; the ink beyond a piece is that of hidden struts
    const ink = (formula) => [...formula.querySelectorAll('.katex-html > .base')].map((e) => e.getBoundingClientRect())
    const displays = all('.katex-display')
    for (const formula of displays) {
        const room = formula.getBoundingClientRect(), bases = ink(formula)
        const source = (formula.querySelector('annotation')?.textContent ?? '').replace(/\s+/g, ' ').slice(0, 60)
        const over = Math.max(...bases.map((b) => Math.max(b.right - room.right, room.left - b.left)))
        if (over > 1) note(placeOf(formula), 'formula cut', `by ${round(over)} px of ${round(room.width)}: ${source}`)
        else if (cut(formula)) note(placeOf(formula), 'formula cut', `${cut(formula)}: ${source}`)
        const number = formula.closest('div.math')?.querySelector('.eqno')?.getBoundingClientRect()
        const meets = (b) => b.right > number.left && b.left < number.right && b.bottom > number.top && b.top < number.bottom
        if (number && bases.some(meets)) note(placeOf(formula), 'number over formula', source)
        if (number && (number.right > innerWidth || number.left < 0)) note(placeOf(formula), 'number cut', source)
        const size = parseFloat(getComputedStyle(formula).fontSize)
        const text = parseFloat(getComputedStyle(article).fontSize)
        if (size < 0.9 * text) note(placeOf(formula), 'formula shrunk', `${round(size)} px in a text of ${round(text)}: ${source}`)
    }
    for (const formula of all('.katex')) {
        if (formula.closest('.katex-display')) continue
        const scroller = formula.closest('table')
        const room = scroller ? null : formula.closest('p, li, dd, dt, figcaption, h1, h2, h3, h4, summary')?.getBoundingClientRect()
        const over = room ? Math.max(...ink(formula).map((b) => b.right - room.right)) : 0
        if (over > 1) note(placeOf(formula), 'formula cut', `by ${round(over)} px within text: ${short(formula)}`)
    }
}
