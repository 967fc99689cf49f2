// What a finger has to hit: controls 44 px, other targets outside running text 24 px, or as much room around.
const measureTargets = (limits, root) => {
    const CONTROLS = 'button, summary, input, select, textarea, [role="button"], [role="tab"], header a, nav a'
    const shown = (e) => {
        const box = e.getBoundingClientRect()
        return e.checkVisibility({visibilityProperty: true}) && box.width > 0 && box.height > 0
            && getComputedStyle(e).clipPath === 'none' && !e.closest('.skip-link, .numbers-focus')
    }
    const targets = [...root.querySelectorAll(`${CONTROLS}, a[href], svg a, [tabindex="0"][role]`)].filter(shown)
    const inText = (link) => {
        const block = link.closest('p, li, dd, dt, td, th, figcaption, caption, h1, h2, h3, h4, h5, h6, div')
        if (!block || link.matches('.headerlink, .footnote-reference, .footnote > a, .backref')) return false
        const own = [...block.querySelectorAll('ul, ol, dl, table, .headerlink')].reduce((n, e) => n - e.textContent.trim().length, block.textContent.trim().length)
        return own > link.textContent.trim().length
    }
    const said = (e) => (e.getAttribute('aria-label') || e.getAttribute('title') || short(e) || e.getAttribute('class') || '').slice(0, 40)
    const small = []
    for (const target of targets) {
        const hit = target.matches('[type="radio"], [type="checkbox"]') && target.closest('label') || target // its words too
        const box = hit.getBoundingClientRect(), size = `${round(box.width)} × ${round(box.height)} px`
        const within = target.closest('article') ? placeOf(target) : `<${target.closest('header, nav, footer, main, dialog')?.tagName.toLowerCase() ?? 'body'}>`
        if (target.matches(CONTROLS)) {
            if (box.width < limits.control - 0.5 || box.height < limits.control - 0.5)
                note(within, 'small control', `${target.tagName.toLowerCase()} "${said(target)}" ${size}`)
        } else if ((box.width < limits.target - 0.5 || box.height < limits.target - 0.5) && !inText(target))
            small.push({target, box, size, within})
    }
    const boxes = targets.map((e) => [e, e.getBoundingClientRect()])
    const tight = new Set(small.map((s) => s.target))
    const radius = limits.target / 2
    for (const {target, box, size, within} of small) {
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
        const met = boxes.find(([other, b]) => {
            if (other === target || other.contains(target) || target.contains(other)) return false
            const away = tight.has(other)
                ? Math.hypot((b.left + b.right) / 2 - x, (b.top + b.bottom) / 2 - y) - radius
                : Math.hypot(Math.max(b.left - x, 0, x - b.right), Math.max(b.top - y, 0, y - b.bottom))
            return away < radius - 0.5
        })
        if (met) note(within, 'small target', `"${said(target)}" ${size}, beside "${said(met[0])}"`)
    }
}
