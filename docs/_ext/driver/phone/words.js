// Where lines break: never within a word of code or of a table, never within a number, never before punctuation.
const measureWords = () => {
    const range = document.createRange()
    const rectOf = (text, from, to) => {
        range.setStart(text, from)
        range.setEnd(text, to)
        return range.getBoundingClientRect()
    }
    const lines = (text) => {
        range.selectNodeContents(text)
        const tops = [...range.getClientRects()].filter((r) => r.width > 0).map((r) => r.top)
        return new Set(tops.map(Math.round)).size
    }
    const textsIn = (root, reject) => {
        const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
            node.nodeType === 1 ? (node.matches(reject) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP)
                : NodeFilter.FILTER_ACCEPT)
        const texts = []
        while (walk.nextNode()) texts.push(walk.currentNode)
        return texts
    }
    const OUTSIDE = 'svg, pre, script, style, .katex-mathml, .headerlink'
    // a word of code may break behind one of these or between the words of a name, other words behind a hyphen
    const code = /[\s\u200b._/(),:;=\-+*|[\]{}<>@&?#]/, plain = /[\s\u200b\-–—/,;.…=)]/
    for (const part of all('code, .sig, td, th, :is(h1, h2, h3, h4), .genindextable li')) {
        if (part.closest('pre') || part.parentElement.closest('code, .sig, td, th')?.matches('code, .sig')) continue
        for (const text of textsIn(part, part.matches('code, .sig') ? OUTSIDE : `${OUTSIDE}, .katex, code`)) {
            if (lines(text) < 2) continue
            const allowed = part.matches('code, .sig') ? code : plain
            for (let i = 1; i < text.length; i++) {
                const [a, b] = [text.data[i - 1], text.data[i]]
                if (allowed.test(a) || /\s/.test(b)) continue
                if (allowed === code && /[a-z]/.test(a) && /[A-Z]/.test(b)) continue
                const [one, two] = [rectOf(text, i - 1, i), rectOf(text, i, i + 1)]
                if (one.width && two.width && two.top >= one.bottom - 1 && two.left < one.right)
                    note(placeOf(part), 'word broken', text.data.slice(0, i).slice(-20) + '⏎' + text.data.slice(i, i + 20))
            }
        }
    }
    for (const cell of all('td, th')) {
        if (!/^[-−+±]?[\d.,\s ]*\d[\d.,\s ]*([×x·e][-−+\d\s ]+|%|‰)?$/.test(cell.textContent.trim())) continue
        const tops = textsIn(cell, OUTSIDE).filter((t) => t.data.trim()).map((t) => {
            range.selectNodeContents(t)
            return range.getBoundingClientRect()
        })
        if (tops.some((r) => tops.some((s) => s.top > r.bottom - 1)) || textsIn(cell, OUTSIDE).some((t) => lines(t) > 1))
            note(placeOf(cell), 'number broken', short(cell))
    }
    // what stands before a character in the flow: the last character, or the last piece of a formula
    const MARKS = /[.,;:!?)\]}”’%…]/
    const blocks = new Map()
    const blockOf = (e) => {
        if (!blocks.has(e)) blocks.set(e, /inline|contents/.test(getComputedStyle(e).display) && !e.matches('button') ? blockOf(e.parentElement) : e)
        return blocks.get(e)
    }
    let before = null // {block, rect, said}
    for (const text of textsIn(article, OUTSIDE)) {
        const parent = text.parentElement
        if (!text.data.trim()) {
            if (before && !parent.closest('.katex') && blockOf(parent) === before.block) before = null
            continue
        }
        const formula = parent.closest('.katex-html')
        if (formula) {
            if (parent.closest('.katex-display')) continue
            const base = parent.closest('.base')
            const around = formula.closest('.math') ?? formula.parentElement
            if (base && visible(parent)) before = {block: blockOf(around.parentElement), rect: base.getBoundingClientRect(), said: short(base)}
            continue
        }
        if (!visible(parent)) continue
        const block = blockOf(parent), data = text.data
        for (let i = 0; i < data.length; i++) {
            if (!MARKS.test(data[i]) || (i && /\s/.test(data[i - 1]))) continue
            const here = rectOf(text, i, i + 1)
            let last = i
            while (last > 0 && /[\u2060\u200b]/.test(data[last - 1])) last -= 1
            const prior = last ? {block, rect: rectOf(text, last - 1, last), said: data.slice(0, i).slice(-20)} : before
            if (prior && prior.block === block && prior.rect.width && here.width
                && prior.rect.right > here.left + 1 && here.bottom > prior.rect.bottom - 2 && here.top > prior.rect.top + 4)
                note(placeOf(parent), 'punctuation starts a line', `${prior.said} ⏎ ${data.slice(i, i + 20)}`)
        }
        const end = data.replace(/[\u2060\u200b]+$/, '').length
        before = end === 0 ? before : /\s/.test(data[end - 1]) ? null
            : {block, rect: rectOf(text, end - 1, end), said: data.slice(0, end).slice(-20)}
    }
}
