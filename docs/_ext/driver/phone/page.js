// One look at the page that is open, with its folds closed or open.
const measurePage = async (limits) => {
    for (const fold of document.querySelectorAll('details')) fold.open = limits.open
    // scripts that watch sizes answer within the next frame
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    measureFigures(limits)
    measureWidths()
    if (limits.open) {
        measureTables()
        measureWords()
    }
    const windows = limits.open ? [...document.querySelectorAll('[popover]')].filter((e) => e.id
        && document.querySelector(`[popovertarget="${e.id}"]`)) : []
    measureTargets(limits, document)
    for (const window of windows) {
        window.showPopover()
        if (cut(window)) note(`#${window.id}`, 'box cut', cut(window))
        measureTargets(limits, window)
        window.hidePopover()
    }
    return found
}
