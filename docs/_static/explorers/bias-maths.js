// Biases on scores as pe_book.family.score_bias computes them; tests hold the two against each other.
const biases = {
  /** One slope for each head: of the power of two below, then every other one of twice as many. */
  slopes(heads) {
    const full = 2 ** Math.floor(Math.log2(heads))
    return Array.from({ length: heads }, (_, i) => 2 ** (i < full ? (-8 * (i + 1)) / full : (-4 * (2 * (i - full) + 1)) / full))
  },

  /** The bucket of a distance, from the distances at which buckets begin. */
  bucket(distance, begins) {
    return begins.filter((begin) => begin <= distance).length - 1
  },

  /** The points added to the score of a query at i and a key at j; −∞ for a key that is not seen. */
  added(kind, { slope, begins, numbers, window, sinks }, i, j) {
    if (j > i) return -Infinity
    if (kind === "slope") return -slope * (i - j)
    if (kind === "table") return numbers[biases.bucket(i - j, begins)]
    return i - j < window || j < sinks ? 0 : -Infinity
  },

  /** What is added for each key of a query, and the weights if all contents are equal. */
  row(kind, setting, i) {
    const points = Array.from({ length: setting.words }, (_, j) => biases.added(kind, setting, i, j))
    const powers = points.map(Math.exp)
    const sum = powers.reduce((all, power) => all + power)
    return { points, weights: powers.map((power) => power / sum) }
  },
}
