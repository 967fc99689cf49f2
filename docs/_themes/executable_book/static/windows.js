/* A small window placed at what it explains: below it, above where there is no room, or at the lower edge of a
   phone, where the text moves out of its way. */
const placeWindow = (sheet, box, { left, gap }) => {
  const own = sheet.getBoundingClientRect()
  if (getComputedStyle(sheet).position === "fixed")
    return scrollBy({ top: Math.max(0, box.bottom + 16 - own.top), behavior: "instant" })
  const right = document.documentElement.clientWidth - own.width - 16
  const above = box.bottom + own.height + 8 > innerHeight && box.top > own.height + 60
  sheet.style.left = `${scrollX + Math.max(16, Math.min(left, right))}px`
  sheet.style.top = `${scrollY + (above ? box.top - own.height - gap : box.bottom + gap)}px`
}

/** Where the clipboard is closed to scripts, a copied selection gets there. */
const copyText = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const put = (event) => {
    event.clipboardData.setData("text/plain", text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener("copy", put, { capture: true, once: true })
  document.execCommand("copy")
}
