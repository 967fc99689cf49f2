// Context extension and configs as in pe_book.family; tests compare the two.
const must = (holds, value, name, wanted) => {
  if (!holds) throw Error(`${name} must be ${wanted}, got ${shown(value)}.`)
  return value
}
const shown = (value) => (value === undefined || Number.isNaN(value) ? "nothing" : JSON.stringify(value).slice(0, 60))

const turns = (omega, length) => omega.map((rate) => (rate * length) / (2 * Math.PI))
const enlarged = (omega, factor) => omega.map((rate, i) => rate * factor ** (-i / (omega.length - 1)))

const blended = (omega, factor, kept) =>
  omega.map((rate, i) => {
    const share = Math.min(Math.max(kept(i), 0), 1)
    return (rate / factor) * (1 - share) + rate * share
  })

const byTurns = (omega, factor, length, fast, slow) => {
  must(fast > slow, fast, "high_freq_factor", `more than ${slow}`)
  const counts = turns(omega, length)
  return blended(omega, factor, (i) => (counts[i] - slow) / (fast - slow))
}

const byIndex = (omega, factor, length, fast, slow, truncate) => {
  must(fast >= slow, fast, "beta_fast", `at least beta_slow, ${slow}`)
  const step = -Math.log(omega[omega.length - 1]) / (omega.length - 1)
  let [low, high] = [fast, slow].map((count) => Math.log(length / (2 * Math.PI * count)) / step)
  if (truncate) [low, high] = [Math.floor(low), Math.ceil(high)]
  low = Math.max(low, 0)
  high = Math.min(high, 2 * omega.length - 1)
  if (low === high) high += 0.001
  return blended(omega, factor, (i) => 1 - (i - low) / (high - low))
}

const ladders = {
  trained(width, base) {
    return Array.from({ length: width / 2 }, (_, i) => base ** ((-2 * i) / width))
  },

  scaled(method, omega, { factor, trained, asked }, options = {}) {
    const { beta_fast = 32, beta_slow = 1, truncate = true, low_freq_factor = 1, high_freq_factor = 4 } = options
    return {
      none: () => omega,
      linear: () => omega.map((rate) => rate / factor),
      ntk: () => enlarged(omega, factor),
      dynamic: () => enlarged(omega, Math.max(1, (factor * asked) / trained - (factor - 1))),
      yarn: () => byTurns(omega, factor, trained, beta_fast, beta_slow),
      library: () => byIndex(omega, factor, trained, beta_fast, beta_slow, truncate),
      llama3: () => byTurns(omega, factor, trained, high_freq_factor, low_freq_factor),
    }[method]()
  },

  /** Behind which token each pair leaves the arc of training; those that have gone round never do. */
  ends(omega, scaled, trained) {
    return turns(omega, trained).map((count, i) => (count < 1 ? (trained * omega[i]) / scaled[i] : Infinity))
  },
}

const number = (step, least, most) => (value, name) => {
  const fits = typeof value === "number" && value >= least && value <= most && (!step || value % step === 0)
  return must(fits, value, name, `${["a", "a whole", "an even"][step]} number from ${least} to ${most}`)
}
const positive = number(0, 1e-9, 1e9)
const whole = number(1, 1, 1e9)
const even = number(2, 4, 4096)
const share = number(0, 1e-9, 1)
const above = number(0, 1.01, 1e15)
const growth = number(0, 1, 1e4)
const flag = (value, name) => must(value === !!value, value, name, "true or false")
const object = (value, name) => must(value?.constructor === Object, value, name, "a JSON object")
const slice = (head, part) => even(Math.floor(head * part), `${part} of ${head} columns`)

const TYPES = { default: "none", mrope: "none", linear: "linear", dynamic: "dynamic", yarn: "library", llama3: "llama3" }
const OPTIONS = {
  library: { beta_fast: positive, beta_slow: positive, truncate: flag },
  llama3: { low_freq_factor: positive, high_freq_factor: positive },
}

class Keys {
  constructor(values, prefix, assumed = {}) {
    Object.assign(this, { values, prefix, assumed, used: [] })
  }

  /** What stands at the first name that is there, else what the class has for one. */
  take(names, check) {
    for (const values of [this.values, this.assumed]) {
      const name = names.split(" ").find((one) => values[one] != null && (values === this.values || !(one in this.values)))
      this.used.push(name)
      if (name) return check(values[name], this.prefix + name)
    }
  }

  left(asked) {
    return Object.entries(this.values)
      .filter(([name, value]) => asked.test(name) && !this.used.includes(name) && value != null && value !== false)
      .map(([name, value]) => {
        must(!this.prefix || value.constructor !== Object, value, this.prefix + name, "no object")
        return `${this.prefix}${name} = ${shown(value)}`
      })
  }
}

/** How wide what may turn is and how much of it turns, by the keys that the class of the model reads. */
const widths = (keys, usual, computed, notes, [ends, rest, heads, model, counts, slices, shares]) => {
  const last = keys.take(ends, even)
  for (const name of ends.split(" ")) must((keys.values[name] ?? last) === last, keys.values[name], name, `${last} for this type`)
  if (last) return [last, last, keys.take(rest, whole)] // what stands beside it does not turn
  let head = keys.take(heads, whole)
  if (!head || computed) {
    const [width, count] = [model, counts].map((names) => keys.take(names, whole))
    must(width && count, null, "head_dim, or hidden_size and num_attention_heads,", "there")
    const each = must(width % count === 0, width, "hidden_size", `a multiple of ${count} heads`) / count
    must(!head || head === each, head, "head_dim", `${each} for this type`)
    head = each
    if (head > 128 && head & (head - 1)) notes.push(`head_dim = ${head} is computed, and hardly any model has it`)
  }
  const turning = keys.take(slices, even)
  const part = keys.take(shares, share) ?? usual
  must(!(turning > head), turning, "rotary_dim", `at most ${head}`)
  return [head, turning ?? slice(head, part)]
}

/** What a config says, or what is not known of it. */
const readConfig = (text, { models, positional, sizes, reads, training }) => {
  const all = object(JSON.parse(text), "A config")
  const asks = RegExp(positional)
  const inner = all.text_config == null ? null : object(all.text_config, "text_config")
  const seen = Object.entries(all).filter(([name]) => !(inner && (asks.test(name) || sizes.includes(name))))
  const values = { ...Object.fromEntries(seen), ...inner }
  const [named, outer] = [values.model_type || all.model_type, all.model_type]
  const listed = (one) => Object.keys(models).includes(one)
  const within = !listed(named) && listed(outer) && `${named}`.startsWith(outer) // its text has a type of its own
  const type = within ? outer : named
  must(listed(type), type, "model_type", "known here; if its attention is written as another's, write that type instead")
  const [usual, part, which, apart, computed, assumed, windows] = models[type]
  const keys = new Keys(values, "", assumed)
  const notes = []
  if (usual === 0 || values.alibi)
    throw Error(part && !values.alibi
      ? `${type} does not turn by one base and one width, which is all this box draws: pe.check_config answers for it.`
      : `${type} turns nothing here, and this box draws rotary frequencies: pe.check_config answers for it.`)

  const [inside, bases, ratio, lengths, read, ...sized] = reads[which]
  const blocks = ["rope_scaling", "rope_parameters"].filter((name) => Object.keys(object(values[name] ?? {}, name)).length)
  must(blocks.length < 2, blocks, "What scales", "one block")
  must(!blocks[0] || read.includes(blocks[0]), blocks, "What scales", `${read || "no block"} for this type`)
  keys.used.push(...blocks)
  const block = new Keys(values[blocks[0]] ?? assumed?.rope_parameters ?? {}, `${blocks[0] ?? "rope_parameters"}.`)
  const [head, beside] = widths(keys, part, computed, notes, sized)
  const given = block.take("rope_theta", above) ?? keys.take(bases, above) ?? usual
  const base = above(given * (keys.take(ratio, positive) ?? 1), "rope_theta times rope_ratio")

  const called = block.take("rope_type type", (value) => value) || "default"
  must(Object.keys(TYPES).includes(called), called, `${block.prefix}rope_type`, `one of ${Object.keys(TYPES).join(", ")}`)
  if (block.values.type === called) block.used.push("type")
  const method = TYPES[called]
  const own = method === "none" ? block.take(inside, share) : block.take("partial_rotary_factor", share) ?? keys.take(sized.at(-1), share)
  const longest = keys.take(lengths, whole)
  const originals = method === "dynamic" ? [] : [keys, block]
  const first = originals.map((each) => each.take("original_max_position_embeddings", whole)).find(Boolean)
  const trained = first ?? longest
  must(trained || /none|linear/.test(method), null, "max_position_embeddings", `there for ${called}`)
  if (!trained) notes.push("no trained length is there, and the one below stays")
  else if (!first && method !== "none") notes.push(`max_position_embeddings = ${trained} is taken for the trained length`)

  const least = { linear: 1, library: Math.max(1, longest / trained || 1) }[method]
  const factor = method === "none" ? undefined : block.take("factor", growth) ?? least
  must(factor || method === "none", null, `${block.prefix}factor`, `there for ${called}`)
  const options = {}
  for (const name in OPTIONS[method]) options[name] = block.take(name, OPTIONS[method][name])
  const promised = longest && Math.max(longest, method === "library" ? Math.round(trained * factor) : 0)
  const full = windows !== 2 && (values.layer_types ?? []).some?.((kind) => kind === "full_attention")
  const windowed = windows && !full && (windows < 3 || values.use_sliding_window)
  const sees = (windowed && keys.take("sliding_window local_attention attention_chunk_size", number(1, 0, 1e9))) || Infinity
  const elsewhere = training
    .map((path) => path.split(".").reduce((at, name) => at?.[name], values))
    .filter((length) => method === "none" && length >= 1 && length < longest)
  if (apart) notes.push("layers with a window have other frequencies, not shown here")
  const left = [...new Keys(inner ? all : {}, "").left(asks), ...keys.left(asks), ...block.left(/./)]
  if (left.length) notes.push(`not read: ${left.join(", ")}`)
  const known = method === "linear" || !trained ? undefined : Math.min(trained, ...elsewhere)
  const possible = /linear|dynamic/.test(method) ? Math.max(promised, longest * factor) : promised
  return {
    fields: { width: own ? slice(head, own) : beside, base, trained: known ?? trained, asked: promised ?? trained, factor },
    ...{ method, options, called, notes, type, longest, promised, possible, known, sees },
  }
}

/** A length as it is typed, k for 1024 and M for 1024 times that; nothing where nothing is typed. */
const typedLength = (typed) => {
  if (!typed.trim()) return
  const [, digits, unit] = /^(\d+(?:[,_]\d{3})*|\d+(?:\.\d+)?e\d)([km]?)$/i.exec(typed.trim()) ?? []
  must(digits, typed, "The length", "a whole number of tokens, as 32768 or 32k")
  return whole(digits.replace(/[,_]/g, "") * 1024 ** ["", "k", "m"].indexOf(unit.toLowerCase()), "The length")
}

/** What a config answers to a length: the sentences of pe_book.config.formats.answer, chosen by its rules. */
const answered = ({ fields, ...config }, asked, { says, publishers }) => {
  const { longest, promised, possible, known, sees } = config
  const filled = (words, more = {}) => {
    const values = { asked, longest, promised, possible, trained: known, ...more }
    const told = (value) => (value > 0 ? `${Math.round(value)}`.replace(/\B(?=(\d{3})+$)/g, ",") : value)
    return words.replace(/{(\w+)}/g, (_, key) => told(values[key]))
  }
  const verdict = () => {
    if (!longest) return "unsaid"
    if (asked <= promised) return "covered"
    return asked <= possible ? "depends" : possible > promised ? "factor" : "longer"
  }
  const beyond = () => {
    if (!known) return says.beyond.unsaid
    const whose = says.whose[known === longest ? "longest" : "named"]
    if (asked <= known) return filled(says.beyond.within, { whose })
    const omega = ladders.trained(fields.width, fields.base)
    const scaled = ladders.scaled(config.method, omega, { ...fields, trained: known, asked }, config.options)
    const met = turns(omega, Math.min(known, sees))
    const now = turns(scaled, Math.min(asked, sees))
    const fresh = now.filter((turned, i) => met[i] < 1 && turned > met[i] * (1 + 1e-9)).length
    return filled(says.beyond[fresh ? "new" : "met"], { whose, new: fresh, pairs: omega.length })
  }
  const has = { method: config.called === "mrope" ? "default" : config.called, base: fields.base, factor: fields.factor, original: known, longest }
  const fits = ([, one]) => one.types.includes(config.type) && Object.keys(has).every((key) => one[key] === undefined || one[key] === has[key])
  const [name, one] = Object.entries(publishers).find(fits) ?? []
  return [filled(says.verdict[verdict()]), beyond(), ...(name ? [filled(says.published, { name, ...one })] : [])]
}
