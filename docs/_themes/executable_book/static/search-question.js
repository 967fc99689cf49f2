/* What a question asks: which of its words tell something, which are one name, and what else they are called. */
window.peQuestion = (() => {
  const { words, key, fold } = window.peWords

  const PASSED_OVER = new Set(
    ("a an the i my we our you your it its is are be been was am do does did can could will would should shall may might must how what why " +
      "which when where who to in of on at by for from with without into and or not no me this that these those there get got has have " +
      "had if so as than then them they between about vs versus please help explain explained explanation tutorial guide intro " +
      "introduction used using use need needs want et al just really simply more different einfach erklart").split(" "),
  )
  const LOOSE = 0.05 // of the weight of a word has a digit that stands by itself beside words
  const APART = 0.35 // of the trust in a name that is written in parts have the parts
  const NEGATED = 0.5 // of its trust has a question whose passed-over words belong to a name: no position
  const MOST_WAYS = 24

  const telling = (typed) => {
    const left = typed.filter(({ written }) => !PASSED_OVER.has(fold(written)))
    return left.length ? left : typed
  }
  // "1 2 3" beside words says little; in a formula a digit is a word like others
  const lightness = (asked) => {
    const worded = asked.some(({ word }) => /\p{L}{2}/u.test(word))
    return ({ word }) => (worded && /^\d$/.test(word) ? LOOSE : 1)
  }
  const plain = (text) => [...words(text)].map(({ word }) => word).join(" ")
  const keys = (name) => [...new Set([key(name), plain(name).replaceAll(" ", "")])]

  // a name that the book has is one word, with hyphens or with a number behind it
  const wholly = (index, text, typed) => {
    const made = []
    for (const one of typed) {
      const before = made.at(-1)
      const between = before && text.slice(before.end ?? before.index + before.written.length, one.index)
      const [both] = before && !/^\d/.test(before.word) ? words(before.written + one.written) : []
      const known = { "-": index.found, " ": /^\d+$/.test(one.word) ? index.topical : null }[between]
      if (both && known?.has(both.word)) made[made.length - 1] = { ...both, index: before.index, end: one.index + one.written.length }
      else made.push(one)
    }
    return made.length < typed.length ? made : typed
  }

  // the question itself, and the same with what else a part of it is called, or written as one word, or as two
  const written = (index, typed, most = 1) => {
    const asked = telling(typed)
    const said = new Set(typed.map(({ word }) => word))
    const kept = (some) => some.filter((one) => asked.includes(one))
    const found = [[asked, most]]
    let negated
    const joins = [] // words beside each other that are one word, too
    for (let at = 0; at < typed.length; at++)
      for (let end = at + 1; end <= Math.min(at + 4, typed.length); end++) {
        const part = typed.slice(at, end).map(({ word }) => word)
        const instead = (other, trust) => found.push([[...kept(typed.slice(0, at)), ...words(other), ...kept(typed.slice(end))], trust * most, at, end])
        const one = part.join("") // of numbers none that is short: 1 2 3 is not 123
        for (const other of index.meant.get(part.join(" ")) ?? index.meant.get(one) ?? []) {
          const others = plain(other).split(" ")
          if (others.every((word) => said.has(word)) || (part.length === 1 && others.length === 1)) continue
          if (telling([...words(other)]).length < others.length) continue
          instead(other, 0.85)
          if (part.length > 1 && kept(typed.slice(at, end)).length < part.length) negated = [at, end] // its words alone say another thing
        }
        if (part.length > 1 && index.found.has(one) && !/^\d{2,4}$/.test(one)) {
          instead(one, 0.95)
          if (at >= (joins.at(-1)?.end ?? 0)) joins.push({ at, end, one })
        }
        if (part.length === 1 && !/\d/.test(one) && !index.found.has(one) && !index.meant.has(one))
          for (let cut = 2; cut < one.length - 1; cut++)
            if (index.topical.has(one.slice(0, cut)) && index.topical.has(one.slice(cut))) instead(`${one.slice(0, cut)} ${one.slice(cut)}`, 0.7)
      }
    if (joins.length > 1) {
      const others = kept(typed.filter((_, at) => !joins.some((join) => join.at <= at && at < join.end)))
      found.splice(1, 0, [[...joins.flatMap(({ one }) => [...words(one)]), ...others], most])
    }
    if (negated)
      for (const way of found) {
        const [, , at = 0, end = 0] = way
        if (!end || (at >= negated[0] && end <= negated[1] && end - at < negated[1] - negated[0])) way[1] *= NEGATED
      }
    return found.slice(0, MOST_WAYS)
  }

  const ways = (index, text, typed) => {
    const whole = wholly(index, text, typed)
    return [...written(index, whole), ...(whole === typed ? [] : written(index, typed, APART))]
  }

  return { telling, plain, keys, lightness, ways }
})()
