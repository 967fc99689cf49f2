// What axe finds wrong, without what the bar at the top cuts off.
async ([rules, leftOut]) => {
    // two thirds of a page are drawn copies of its formulas, hidden from readers' tools and coloured as their text
    if (innerWidth > 1000 && matchMedia('(prefers-color-scheme: light)').matches)
        for (const e of document.querySelectorAll('.katex-html')) e.replaceChildren()
    const disabled = Object.fromEntries(leftOut.map((rule) => [rule, {enabled: false}]))
    // of texts that are set alike on the same ground the contrast of one is measured: the rest took most of the time
    for (const e of document.querySelectorAll('[data-alike]')) e.removeAttribute('data-alike')
    const seen = new Set(), grounds = new Map()
    const groundOf = (e) => {
        if (!e) return ''
        if (!grounds.has(e)) {
            const {backgroundColor, backgroundImage, opacity, position} = getComputedStyle(e)
            const apart = /static|relative/.test(position) ? '' : position
            const own = `${backgroundColor} ${backgroundImage} ${opacity} ${apart}`
            const bare = own === 'rgba(0, 0, 0, 0) none 1 '
            grounds.set(e, bare ? groundOf(e.parentElement) : `${own} ${groundOf(e.parentElement)}`)
        }
        return grounds.get(e)
    }
    for (const e of leftOut.includes('color-contrast') ? [] : document.body.querySelectorAll('*')) {
        if (![...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue
        const {color, fill, fontSize, fontWeight, textShadow} = getComputedStyle(e)
        const names = [e, e.parentElement].map((one) => `${one.localName}.${one.getAttribute('class')}`)
        const key = [...names, color, fill, fontSize, fontWeight, textShadow, groundOf(e)].join()
        if (seen.has(key)) e.setAttribute('data-alike', '')
        seen.add(key)
    }
    axe.configure({rules: [{id: 'color-contrast', selector: '*:not([data-alike])'}]})
    const options = {runOnly: {type: "tag", values: rules}, rules: disabled, resultTypes: ["violations"], preload: false}
    const edge = document.querySelector(".bd-header")?.getBoundingClientRect().bottom ?? 0
    const cut = ({top, bottom}) => top < edge && bottom > 0  // by the bar, until one scrolls on
    const whole = ({target}) => !cut(document.querySelector(target.flat().join(" ")).getBoundingClientRect())
    const {violations: found} = await axe.run(document, options)
    const violations = found
        .map((rule) => ({...rule, nodes: rule.id === "target-size" ? rule.nodes.filter(whole) : rule.nodes}))
        .filter((rule) => rule.nodes.length)
    return violations.map((rule) => ({
        rule: rule.id, nodes: rule.nodes.length,
        where: rule.nodes.slice(0, 3).map((node) => node.target.flat().join(" ")),
        why: (rule.nodes[0].any[0] ?? rule.nodes[0].all[0] ?? rule.nodes[0].none[0])?.message ?? rule.help,
    }))
}
