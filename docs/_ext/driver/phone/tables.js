// A table may scroll if its first column stays, the column after it is seen at once, it shows that it
// scrolls, and a keyboard can scroll it.
const measureTables = () => {
    const opaque = (e) => !/transparent|rgba\(.*, 0(\.\d+)?\)|\/ 0?\.\d+\)/.test(getComputedStyle(e).backgroundColor)
    const scrollerOf = (e) => {
        for (let up = e; up && up !== document.body; up = up.parentElement)
            if (/auto|scroll/.test(getComputedStyle(up).overflowX)) return up
        return null
    }
    // a shadow or fade at the edge that goes when the edge is reached: backgrounds of which some scroll along, or a
    // scroll-driven animation
    const tells = (box) => [box, ...box.querySelectorAll(':scope > table')].some((e) => [null, '::before', '::after'].some((part) => {
        const style = getComputedStyle(e, part)
        return (/gradient/.test(style.backgroundImage) && /local/.test(style.backgroundAttachment) && /scroll/.test(style.backgroundAttachment))
            || /scroll|--/.test(style.animationTimeline ?? '')
    }))
    const tables = all('table')
    for (const table of tables) {
        const place = table.id ? `#${table.id}` : `${placeOf(table)}, table "${short(table.rows[0])}"`
        const box = scrollerOf(table)
        const room = box?.getBoundingClientRect()
        if (!box || room.right > innerWidth + 1 || room.left < -1) {
            if (cut(box ?? table)) note(place, 'table cut', cut(box ?? table))
            if (!box) continue
        }
        if (box.scrollWidth <= box.clientWidth + 1) continue
        const rows = [...table.rows].filter((row) => row.cells.length > 1 && visible(row))
        const firsts = rows.map((row) => row.cells[0])
        box.scrollLeft = 0
        const edge = box.getBoundingClientRect().left + box.clientWidth
        const before = firsts.map((e) => e.getBoundingClientRect())
        const hidden = rows.map((row) => row.cells[1]).find((e) => e.getBoundingClientRect().right > edge + 1)
        if (hidden) note(place, 'second column out of sight', `"${short(hidden)}" ends ${round(hidden.getBoundingClientRect().right - edge)} px beyond`)
        box.scrollLeft = box.scrollWidth
        const left = firsts.find((e, i) => Math.abs(e.getBoundingClientRect().left - before[i].left) > 1)
        const bare = firsts.find((e) => !opaque(e))
        box.scrollLeft = 0
        if (left) note(place, 'first column leaves', `"${short(left)}", ${box.scrollWidth} px in ${box.clientWidth}`)
        else if (bare) note(place, 'first column leaves', `"${short(bare)}" lets what passes below show through`)
        const width = Math.max(...before.map((b) => b.width))
        if (width > 0.6 * box.clientWidth) note(place, 'first column too wide', `${round(width)} px of ${box.clientWidth}`)
        if (!tells(box)) note(place, 'nothing shows that it scrolls', `${box.scrollWidth} px in ${box.clientWidth}`)
        if (box.getAttribute('tabindex') !== '0') note(place, 'a keyboard cannot scroll it', `.${box.getAttribute('class')}`)
        const caption = table.caption?.getBoundingClientRect()
        if (caption && caption.right > edge + 1) note(place, 'caption cut', `ends ${round(caption.right - edge)} px beyond`)
    }
}
