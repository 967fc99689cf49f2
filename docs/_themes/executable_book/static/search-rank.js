/* The ranking of the search: which entries have the words of a question, and how much they weigh there. */
window.peRank = (() => {
  const { words, key, fold, stem, joined, near } = window.peWords
  const { telling, plain, keys, lightness, ways } = window.peQuestion

  const FIELDS = { title: 5, names: 5, searched: 4, rows: 2.5, asked: 3, home: 1.5, text: 1, code: 0.5 }
  const SHORT = new Set(["title", "names", "searched", "rows", "asked", "home"]) // fields whose words weigh the same however long the text
  // what one wants of things that match equally well
  const KIND = {
    Function: 1.5, Class: 1.5, Glossary: 1.5, "How-to": 1.5, Chapter: 1.4, Reference: 1.3, Coursework: 1.3, Theorem: 1.3, Definition: 1.3, Model: 1.2, Lemma: 1.15, Corollary: 1.15, Section: 1.1,
    Equation: 1, Example: 1, Remark: 1, Figure: 1, Table: 1, Exercise: 0.8, Claim: 0.8, Claims: 0.8, Contradiction: 0.75, Source: 0.7,
  } // prettier-ignore
  const INNER = 0.7 // a function that one has to import from its module
  const TWIN = 0.7 // the definition comes before its twin for tensors
  const DEFINED = new Set(["Function", "Class", "Method"])
  // who asks by a name gets what is so called
  const EXACT = { Function: 1000, Class: 1000, Method: 700, Glossary: 900, Chapter: 800, "How-to": 800, Reference: 800, Coursework: 800, Figure: 0, Table: 0, Exercise: 0 }
  // who types words, and no name of code, wants a page that speaks of them before the function or the paper behind it
  const EVERYDAY = { Function: 0.25, Class: 0.25, Method: 0.2, Source: 0.45, "How-to": 1.2, Chapter: 1.2 }
  const API = /^reference\/api/
  const WHY = /^\W*why\b/i
  const OF_THE_SITE = /^reference\/(audit|build-report|changelog|refusals|index)\.html/ // and not of its subject
  const BESIDE = /^reference\/parity/ // of all that others do
  const TOPICS = new Set(["How-to", "Chapter", "Reference", "Coursework", "Section", "Glossary", "Theorem", "Definition"])
  const CODE = /[_(.]|\p{Ll}\p{Lu}/u
  const OF_ITS_PAGE = 0.15 // of the weight of a word in a section counts for the page, too
  const OF_ITS_PLACES = 0.75 // a page has of the points of its places
  const BESIDES = 0.4 // of its weight has a word that is in no title of a page, a section, a term
  const CALLED = 1 // more has what is called so
  const LEAST = 0.45 // of the share of the best
  const STRONG = 0.36 // has the best, times what it covers twice, or the book has nothing on it
  const KNOWN = 0.3 // is a word that the book has, well spelled or not
  const VERBATIM = 2 // more has what holds the question word by word
  const WHOLLY = 0.95
  const HOUSE = 0.25 // a heading that many pages have
  const MANY = 3
  const RARE = 15 // an entry in so many has a rare word
  const WRITTEN = 500 // points more of a row whose name is typed with its capitals: CLIP is no clip
  const LENT = 0.4 // of the points of a name has a page that does not bear it
  const MEANT = 600 // points of a row whose name is asked for beside words of its page
  const AGAIN = 0.8 // a further hit on the same page

  const build = ({ pages, entries, aliases, messages }) => {
    const found = new Map() // word: entry: weight
    const names = new Map() // key of a name: entries
    const topical = new Set() // words that name something
    const topics = new Set() // of these, the words of pages, their sections and the glossary
    entries = entries.map(([kind, page, anchor, number, title, also, said = "", code = "", rows = "", asked = ""], id) => {
      const [home, where] = pages[page]
      const text = asked ? `${asked} ${said}` : said
      const entry = { id, kind, anchor, page: where, home, address: home + (anchor && "#" + anchor), number, title, text, rows }
      const long = 1 + text.length / 3000 // a word weighs less in a long text
      const [other, searched] = anchor ? [also, []] : [[], also] // of a page they are words of readers
      const fields = { title, names: [number, kind, ...other].join(" "), searched: searched.join(" "), rows, asked, home: anchor && !API.test(home) ? where : "", text, code }
      const add = (field, one, share) => {
        const at = found.get(one) ?? found.set(one, new Map()).get(one)
        const had = at.get(id) ?? 0
        const more = (FIELDS[field] * share) / (SHORT.has(field) ? 1 + title.length / 200 : long)
        at.set(id, Math.max(had, more) + Math.min(had, more) * 0.2)
      }
      for (const [field, written] of Object.entries(fields)) {
        if (!written) continue
        for (const { word, parts } of words(written)) {
          add(field, word, 1)
          for (const part of parts) add(field, part, 0.6)
          if (SHORT.has(field) && !["rows", "asked", "home"].includes(field) && !API.test(home)) {
            topical.add(word)
            if (TOPICS.has(kind)) topics.add(word)
          }
        }
        for (const word of joined(written)) add(field, word, 0.8)
      }
      const numbered = number && `${kind} ${number.replace(/[()]/g, "")}`
      const defined = anchor.startsWith("pe_book.") ? anchor : ""
      entry.called = [title, ...searched].map((one) => new Set(telling([...words(one)]).map(({ word }) => word)))
      entry.numbers = [number, numbered].filter(Boolean)
      entry.names = [...entry.numbers, title, defined, ...also].filter(Boolean)
      entry.about = anchor ? "" : [title, asked, ...also].join(" ")
      for (const name of new Set(entry.names.flatMap(keys))) names.set(name, [...(names.get(name) ?? []), entry])
      return entry
    })
    const whole = ({ kind, number, anchor, home }) =>
      !anchor && (kind === "How-to" || (kind === "Chapter" && number) || /^reference\/(conventions|parity)/.test(home))
    for (const entry of entries) entry.house = entry.kind === "Section" && names.get(key(entry.title))?.length > MANY
    const tops = new Map(entries.filter(whole).map(({ id, home }) => [home, id]))
    for (const weights of found.values())
      for (const [id, weight] of [...weights]) {
        const top = tops.get(entries[id].home)
        if (top !== undefined && top !== id) weights.set(top, Math.max(weights.get(top) ?? 0, weight * OF_ITS_PAGE))
      }
    const meant = new Map() // an alias of the field: the others of its group
    for (const group of aliases)
      for (const one of group) {
        const at = plain(one)
        meant.set(at, [...(meant.get(at) ?? []), ...group.filter((other) => other !== one)])
      }
    const proper = new Set(aliases.flat().filter((one) => /[\p{Lu}\d_]/u.test(one)).map(plain)) // names among them
    const vocabulary = [...found.keys()].sort()
    const stems = new Map()
    for (const word of vocabulary) stems.set(stem(word), [...(stems.get(stem(word)) ?? []), word])
    const subjects = new Map() // page with rows: the words of what it is about, and their aliases
    const rows = new Map() // key of a name: rows of a table that is a card each
    for (const row of entries.filter(({ anchor }) => anchor.startsWith("row-"))) {
      if (!subjects.has(row.home)) subjects.set(row.home, subject(entries.find(({ home, anchor }) => home === row.home && !anchor).about, aliases))
      const called = row.names.filter((name) => name === row.title || !meant.has(plain(name)))
      for (const one of new Set(called.flatMap(keys))) rows.set(one, [...(rows.get(one) ?? []), row])
    }
    const defined = new Set(entries.filter(({ kind }) => DEFINED.has(kind)).flatMap((entry) => entry.names.map(bare)))
    const homes = new Map(entries.filter(({ anchor }) => !anchor).map((entry) => [entry.home, entry]))
    messages = messages.map(([text, page, by]) => ({
      text, by: entries[by], treated: homes.get(pages[page]?.[0]),
      pieces: text.split("…").map((piece) => fold(piece).trim()).filter((piece) => piece.length > 3),
    })) // prettier-ignore
    return { entries, found, names, rows, subjects, tops, meant, vocabulary, stems, topical, topics, proper, defined, messages }
  }

  const subject = (about, aliases) => {
    const said = ` ${plain(about)} `
    const others = aliases.filter((group) => group.some((one) => said.includes(` ${plain(one)} `))).flat()
    return new Set([...words([about, ...others].join(" "))].map(({ word }) => word))
  }

  const bare = (name) => name.trim().replace(/^(pe_book|pe)(\.\w+)*\./, "").replace(/\(.*$/, "") // of a function, as it is called

  // ---- a question: each of its words by itself, by how it begins, by its stem, by how it sounds

  const beginning = ({ vocabulary }, start) => {
    let [low, high] = [0, vocabulary.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (vocabulary[middle] < start) low = middle + 1
      else high = middle
    }
    let end = low
    while (end < vocabulary.length && vocabulary[end].startsWith(start)) end++
    return vocabulary.slice(low, end)
  }

  // two forms of a word, and not a short one that a long one begins with
  const alike = (a, b) => {
    let same = 0
    while (same < a.length && a[same] === b[same]) same++
    return same > 0.55 * Math.max(a.length, b.length)
  }

  // the words of the book that are meant by one that is typed: how good each is, and how sure it is that it is meant
  const matches = (index, { word, parts }, typing) => {
    const { found, vocabulary, stems, topical, meant } = index
    const good = new Map()
    const take = (one, quality, sure) => found.has(one) && quality > (good.get(one)?.quality ?? 0) && good.set(one, { quality, sure })
    take(word, 1, 1)
    if (/^\d/.test(word)) return good
    for (const one of stems.get(stem(word)) ?? []) if (alike(one, word)) take(one, 0.85, 1)
    for (const other of meant.get(word) ?? []) if (!plain(other).includes(" ")) take(plain(other), 0.8, 1)
    if (word.length > 1)
      for (const one of beginning(index, word)) take(one, (0.3 + 0.5 * word.length) / one.length, typing ? 1 : word.length / one.length)
    if (!good.size) for (const part of parts) take(part, 0.5, 0.6)
    if (found.has(word) || (good.size && parts.length) || word.length < 5) return good
    const most = word.length > 8 && !good.size ? 2 : 1
    for (const one of vocabulary) {
      if (Math.abs(one.length - word.length) > most || (one[0] !== word[0] && !(one[0] === word[1] && one[1] === word[0]))) continue
      const off = near(word, one, most)
      if (off > most) continue
      take(one, (topical.has(one) ? 0.6 : 0.25) / off, topical.has(one) ? 0.9 : 0.4)
      if (topical.has(one) && off === 1) for (const other of stems.get(stem(one)) ?? []) take(other, 0.5, 0.9)
    }
    return good
  }

  // how well each entry meets the words, and what share of their weight it has at all
  const score = (index, asked, typing, kept) => {
    const sums = new Map()
    const all = index.entries.length
    const light = lightness(asked)
    let [whole, size, due] = [0, 0, 0]
    const subject = asked.some(({ word }) => index.proper.has(word)) // beside a name of the field a foreign word is no other subject
    for (const one of asked) {
      const best = new Map()
      const at = `${one.word} ${one === typing}` // the ways share most of their words
      if (!kept.has(at)) kept.set(at, matches(index, one, one === typing))
      const part = light(one) * ([...kept.get(at).keys()].some((word) => index.topics.has(word)) ? 1 : BESIDES)
      size += part
      for (const [word, { quality, sure }] of kept.get(at)) {
        const entries = index.found.get(word)
        const rare = Math.log(1 + all / entries.size)
        for (const [id, weight] of entries) {
          const worth = quality * rare * (weight / (weight + 2))
          if (worth > (best.get(id)?.worth ?? 0)) best.set(id, { worth, word, sure })
        }
      }
      const heavy = Math.log(1 + all / Math.max(best.size, 1)) * (/^\d|^.$/.test(one.word) ? 0.5 : 1) * part
      const full = (heavy / part) * light(one)
      whole += heavy
      if (best.size || !subject) due += full
      for (const [id, { worth, word, sure }] of best) {
        const sum = sums.get(id) ?? { worth: 0, met: 0, had: 0, marked: new Set() }
        sums.set(id, { worth: sum.worth + worth * part, met: sum.met + heavy * sure, had: sum.had + full * sure, marked: sum.marked.add(word) })
      }
    }
    return [...sums].map(([id, sum]) => ({ id, ...sum, size, share: sum.met / whole, covers: sum.had / due }))
  }

  // words of a question that no page has, in no form, spelling or other name
  const unknown = (index, text) => {
    const typed = [...words(text)]
    const called = new Set() // parts of names of several words
    for (let at = 0; at < typed.length; at++)
      for (let end = at + 1; end <= at + 4; end++) if (index.meant.has(typed.slice(at, end).map(({ word }) => word).join(" "))) typed.slice(at, end).forEach((one) => called.add(one.word))
    return telling(typed)
      .filter((one) => !called.has(one.word) && !one.parts.some((part) => index.found.has(part)) && ![...matches(index, one, false).values()].some(({ quality }) => quality >= KNOWN))
      .map(({ written }) => written)
  }

  // a message of the package, pasted: the pieces between its values stand in the text, or the text in it
  const pasted = (index, text) => {
    const asked = fold(text).replace(/\s+/g, " ").trim()
    if (asked.split(" ").length < 4) return []
    return index.messages
      .map((message) => {
        const there = message.pieces.filter((piece) => asked.includes(piece))
        const met = there.join("").length
        const whole = message.pieces.join("").length
        const inside = message.pieces.some((piece) => piece.includes(asked)) ? asked.length : 0
        return { ...message, met: Math.max(met > Math.max(12, whole / 4) ? met : 0, inside) }
      })
      .filter(({ met }) => met)
      .sort((a, b) => b.met - a.met)
      .filter(({ met }, at, [best]) => at < 3 && met > 0.7 * best.met)
  }

  const find = (index, asked) => {
    const text = asked.replace(/((?!pe_book)\b[a-z]+_\w+)\.(?=[a-z])/g, "$1 ") // a key of a config, behind its block
    const typed = [...words(text)]
    if (!typed.length) return []
    const named = CODE.test(text) && index.defined.has(bare(text)) // a name of code, as it is written there
    const everyday = !named && !/^\s*pe\.|\($/.test(text)
    const question = telling(typed)
    const hits = new Map()
    const last = typed.at(-1)
    const typing = question.length === 1 || last.word.length > 3 ? last : null // it may not be finished
    const kept = new Map()
    let least = 0
    for (const [way, trust] of ways(index, text, typed))
      for (const { id, worth, share, covers, size, marked } of score(index, way, typing, kept)) {
        const { kind, title, home, called, house } = index.entries[id]
        least ||= size
        const fit = Math.max(...called.map((one, at) => (at ? 1.6 : 2) * [...one].filter((word) => marked.has(word)).length / (one.size + way.length)))
        const of = API.test(home) && kind === "Section" ? "Method" : kind
        const wanted =
          (KIND[kind] ?? 1) * (house ? HOUSE : kind === "How-to" && WHY.test(text) ? 0.7 : 1) * (title.startsWith("pe_book.") ? INNER : title.startsWith("pe.nn.") ? TWIN : 1) *
          (everyday ? (EVERYDAY[of] ?? 1) * (OF_THE_SITE.test(home) ? 0.4 : BESIDE.test(home) ? 0.7 : 1) : 1)
        const strength = (worth / Math.max(size, least)) * share ** 1.5 * trust
        const hit = hits.get(id)
        if (!hit || strength > hit.strength) hits.set(id, { points: strength * wanted * (1 + CALLED * fit * fit), strength, marked, share, covers })
      }
    const phrase = /\S\s+\S+\s+\S/.test(text) && fold(text.trim())
    if (phrase)
      for (const [id, hit] of hits) {
        const { title, text: says, rows } = index.entries[id]
        if (hit.share > WHOLLY && fold(`${title} ${says} ${rows}`).includes(phrase)) hit.points *= VERBATIM
      }
    earn(index, hits)
    name(index, text, question, everyday, hits)
    mean(index, text, typed, question, hits)
    const covered = Math.max(0, ...[...hits.values()].map(({ covers }) => covers))
    const best = Math.max(0, ...[...hits.values()].map(({ share }) => share))
    const strength = Math.max(0, ...[...hits.values()].map((hit) => hit.strength))
    const messages = pasted(index, text)
    const ranked = spread(
      [...hits]
        .filter(([, { share }]) => share >= LEAST * best)
        .map(([id, { points, marked, share }]) => ({ ...index.entries[id], points, share, marked, strength, covered, near: strength * covered ** 2 < STRONG && !messages.length }))
        .sort((a, b) => b.points - a.points || a.id - b.id),
    )
    const marked = new Set(typed.map(({ word }) => word))
    const told = messages.map(({ text: title, by, treated, met }) => {
      const { address, home } = by ?? treated
      return { id: -1, kind: "Message", number: "", title, page: by?.title ?? treated.title, home, address, text: "", points: 3000 + met, marked, near: false }
    })
    const treated = messages[0]?.treated
    if (!treated) return [...told, ...ranked]
    const page = { ...treated, points: 2000, marked: new Set(), near: false }
    return [told[0], page, ...told.slice(1), ...ranked.filter(({ id }) => id !== treated.id)]
  }

  // a page that speaks of it in many places comes before a place that mentions it
  const earn = ({ entries, tops }, hits) => {
    const places = new Map()
    for (const [id, { points }] of hits) {
      const { home, anchor, kind } = entries[id]
      if (anchor && kind !== "Exercise" && tops.has(home)) places.set(home, [...(places.get(home) ?? []), points])
    }
    for (const [home, found] of places) {
      const sum = found.sort((a, b) => b - a).slice(0, 6).reduce((sum, points, at) => sum + points * 0.4 ** at, 0)
      const own = hits.get(tops.get(home))
      if (own) own.points = Math.max(own.points, OF_ITS_PLACES * sum)
    }
  }

  // what is so called comes first
  const name = (index, text, question, everyday, hits) => {
    const asked = keys(text)
    asked.push(question.map(({ word }) => word).join(""))
    const others = index.meant.get(plain(text)) ?? []
    const term = index.names.get(key(text))?.some(({ kind }) => kind === "Glossary") // its other names stand beside it there
    for (const [group, trust] of [[new Set(asked), 1], [new Set(others.flatMap(keys)), 0.5]])
      for (const one of group)
        for (const entry of index.names.get(one) ?? []) {
          if (term && trust < 1 && entry.kind === "Glossary") {
            if (hits.has(entry.id)) hits.get(entry.id).points *= 0.5
            continue
          }
          const same = entry.names.some((other) => fold(other) === fold(text.trim())) // as typed, brackets and all
          const hit = hits.get(entry.id) ?? { points: 0, strength: 0, covers: 1, marked: new Set() }
          const numbered = entry.numbers.some((number) => key(number) === one)
          const code = DEFINED.has(entry.kind)
          const weak = !numbered && (entry.house || everyday === code || (API.test(entry.home) && !code) || EXACT[entry.kind] === 0)
          const lent = index.rows.has(one) && entry.about && !keys(entry.title).includes(one) // a row is so called, this page is only looked for so
          const more = weak ? hit.points / 2 : trust * (lent ? LENT : 1) * ((numbered ? 500 : (EXACT[entry.kind] ?? 500)) + 200 * same + WRITTEN * (entry.anchor.startsWith("row-") && entry.title === text.trim()))
          hits.set(entry.id, { ...hit, share: 1, covers: 1, strength: Math.max(hit.strength, 1), points: Math.max(hit.points + more, hit.named ?? 0), named: hit.points + more })
        }
  }

  // who names a model or a library wants its row, whatever the page is about stands beside the name
  const mean = ({ entries, found, rows, subjects }, text, typed, question, hits) => {
    const named = new Map() // and whether by its title
    const beside = new Set(question)
    for (let at = 0; at < typed.length; at++)
      for (let end = Math.min(at + 8, typed.length); end > at; end--) {
        const part = typed.slice(at, end)
        const asked = keys(text.slice(part[0].index, part.at(-1).index + part.at(-1).written.length))
        const so = asked.flatMap((one) => rows.get(one) ?? [])
        if (!so.length) continue
        for (const row of so) named.set(row, asked.includes(key(row.title)))
        for (const one of part) beside.delete(one)
        at = end - 1
        break
      }
    const rare = ({ word }) => (found.get(word)?.size ?? 0) < entries.length / RARE
    if (!beside.size || !typed.some(rare)) return
    for (const [row, titled] of named) {
      if (![...beside].every(({ word }) => subjects.get(row.home).has(word))) continue
      const hit = hits.get(row.id) ?? { points: 0, strength: 0, marked: new Set() }
      hits.set(row.id, { ...hit, share: 1, covers: 1, strength: Math.max(hit.strength, 1), points: hit.points + MEANT + 100 * titled })
    }
  }

  // of one page the best is shown first, and what follows of it has to be better to keep its place
  const spread = (hits) => {
    const seen = new Map()
    return hits
      .map((hit) => {
        const before = seen.get(hit.home) ?? 0
        seen.set(hit.home, before + 1)
        return { ...hit, points: hit.points * AGAIN ** Math.min(before, 3) }
      })
      .sort((a, b) => b.points - a.points || a.id - b.id)
  }

  return { build, find, unknown }
})()
