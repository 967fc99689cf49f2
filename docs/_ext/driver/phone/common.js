// What the measures of driver/look.py share. Each file beside this one defines one measure: a function that
// looks at the page that is open and notes what is wrong.
const found = []
const article = document.querySelector('article.bd-article') ?? document.body
const note = (where, kind, text) => found.push({where, kind, text})
const round = (x) => Math.round(x * 10) / 10
const short = (e) => (e.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 40)
const visible = (e) => e.checkVisibility({visibilityProperty: true, opacityProperty: true})
const clips = (e) => /auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX)
const hides = (e) => clips(e) && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1
const all = (selector, root = article) => [...root.querySelectorAll(selector)].filter(visible)

// the nearest name that a reader could be sent to
const placeOf = (e) => {
    const named = e.closest('[id]')
    return named && named !== article && named.id !== 'main-content' ? `#${named.id}` : short(e)
}

// how an element is cut or has to be scrolled sideways to be read; empty if it is whole
const cut = (element) => {
    const box = element.getBoundingClientRect()
    if (box.right > innerWidth + 1) return `ends at ${round(box.right)} px of ${innerWidth}`
    if (box.left < -1) return `begins at ${round(box.left)} px`
    for (let up = element; up && up !== document.body; up = up.parentElement)
        if (hides(up)) return `${up.scrollWidth} px in .${up.getAttribute('class')} of ${up.clientWidth}`
    return ''
}
