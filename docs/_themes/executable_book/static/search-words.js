/* Words of the search: letters of any case, Greek by name, one spelling, symbols without their underscores. */
window.peWords = (() => {
  const GREEK = Object.fromEntries(
    ("α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma " +
      "τ tau φ phi χ chi ψ psi ω omega")
      .split(" ")
      .flatMap((one, at, all) => (at % 2 ? [] : [[one, all[at + 1]]])),
  )
  const WORD = /\d+(?:[.,]\d+)*|[\p{L}][\p{L}\p{N}]*(?:[_.]+[\p{L}\p{N}]+)*/gu
  const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
  const greek = (text) => text.replace(/[α-ω]/g, (letter) => GREEK[letter] ?? letter)
  // American spelling as British; a doubled l or a single one before an ending are one
  const british = (word) =>
    word.length < 5
      ? word
      : word
          .replace(/^(.{2,}[^e])iz(?=e|i|a|$)/, "$1is")
          .replace(/lyz(?=e|i|$)/, "lys")
          .replace(/(neighb|behavi|^col|fav|flav)or/, "$1our")
          .replace(/^center/, "centre")
          .replace(/([aeu])ll(?=ed|ing|er)/, "$1l")
  const plainly = (text) => british(greek(fold(text)).replace(/[_.]/g, ""))
  const singular = (word) =>
    word.length < 5 ? word.replace(/^(..[^suia])s$/, "$1") : word.replace(/([^aeiou])ies$/, "$1y").replace(/ices$/, "ix").replace(/([^sui])s$/, "$1")
  const key = (text) => greek(fold(text)).replace(/[^\p{L}\p{N}.]|\.(?!\d)/gu, "") // of a name, typed one way or another

  // what forms of a word have in common: rotates, rotated, rotating, rotation
  const ENDINGS = /(?:al|ment|ness|able|ly)$/
  const stem = (word) => {
    if (word.length < 6 || /\d/.test(word)) return word
    const cut = (from, ending) => (from.replace(ending, "").length > 3 ? from.replace(ending, "") : from)
    const bare = cut(cut(cut(cut(word, /s$/), ENDINGS), /(?:ion|ing|ed|er|e)$/), /at$/)
    return cut(bare.replace(/([b-df-hj-np-rtv-z])\1$/, "$1"), /e$/)
  }

  // a word as written, as it is looked up, and the parts of a name that are words too
  function* words(text) {
    for (const { 0: written, index } of text.matchAll(WORD)) {
      if (/^\d/.test(written)) {
        const number = /^\d{1,3}(,\d{3})+$/.test(written) ? written.replaceAll(",", "") : written
        yield { written, index, word: number, parts: number.includes(",") ? number.split(",") : [] }
      } else {
        if (!known.has(written)) known.set(written, looked(written))
        yield { written, index, ...known.get(written) }
      }
    }
  }
  const known = new Map() // most words of the book come again
  const looked = (written) => {
    const camel = /\p{Ll}\p{Lu}/u.test(written) ? written.match(/\p{Lu}?[\p{Ll}\p{N}]+/gu) ?? [] : []
    const split = /[_.]/.test(written) ? written.split(/[_.]+/).map((part) => greek(fold(part))) : []
    const parts = [...split.filter((part) => part.length > 1), ...camel.map(fold).filter((part) => part.length > 3)]
    return { word: singular(plainly(written)), parts: [...new Set(parts.map((part) => singular(british(part))))] }
  }

  // what a text joins with hyphens people type as one word, too
  const joined = (text) =>
    (text.match(/\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)+/gu) ?? []).map((one) => singular(plainly(one.replaceAll("-", ""))))

  // at most `most` letters wrong, missing, surplus or swapped with their neighbour
  const near = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1
    let before = []
    let row = Array.from({ length: b.length + 1 }, (_, at) => at)
    for (let i = 1; i <= a.length; i++) {
      const next = [i]
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]))
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1)
      }
      if (Math.min(...next) > most) return most + 1
      ;[before, row] = [row, next]
    }
    return row[b.length]
  }

  return { words, key, fold, stem, joined, near }
})()
