// What can be cited has a # that leads to it and can be hit: seen at once by a finger, in focus by a keyboard.
(least) => {
    const article = document.querySelector('.bd-article'), things = [], wrong = []
    const add = (kind, thing, holder) =>
        things.push({kind, thing, link: holder?.querySelector('a.headerlink')})
    for (const box of article?.querySelectorAll('.proof[id]') ?? [])
        if (box.querySelector(':scope > .admonition-title .caption-number'))
            add([...box.classList].find((name) => !['proof', 'admonition', 'by-hand'].includes(name)), box,
                box.querySelector(':scope > .admonition-title'))
    for (const box of article?.querySelectorAll('.exercise[id]') ?? [])
        add('exercise', box, box.querySelector(':scope > .admonition-title'))
    for (const figure of article?.querySelectorAll('figure[id]') ?? [])
        add('figure', figure, figure.querySelector(':scope > figcaption'))
    for (const caption of article?.querySelectorAll('table > caption') ?? [])
        if (caption.querySelector('.caption-number')) add('table', caption.parentElement, caption)
    for (const number of article?.querySelectorAll('div.math[id] > .eqno') ?? [])
        add('equation', number.parentElement, number)
    const finger = matchMedia('(hover: none)').matches
    for (const {kind, thing, link} of things) {
        const note = (what) => wrong.push(`${kind} ${thing.id}: ${what}`)
        if (!link) {
            note('no #')
            continue
        }
        if (decodeURIComponent(link.hash) !== '#' + thing.id) note('# leads elsewhere')
        link.scrollIntoView({block: 'center', behavior: 'instant'})
        if (!finger) link.focus({preventScroll: true})
        const box = link.getBoundingClientRect()
        if (getComputedStyle(link).opacity !== '1') note(finger ? '# not seen' : '# not seen in focus')
        if (box.width < least - 0.1 || box.height < least - 0.1) note(`# has ${box.width} × ${box.height} px`)
        else if (!link.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)))
            note('# is covered')
    }
    document.activeElement.blur()
    window.cited = finger ? [] : [...new Map(things.map(({kind, link}) => [kind, link])).values()].filter(Boolean)
    return wrong
}
