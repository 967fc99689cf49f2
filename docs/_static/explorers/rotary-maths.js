// Rotary encoding as pe_book.family.rotary computes it; tests hold the two against each other.
const rotary = {
  /** The columns that turn together. */
  pairs(width, layout) {
    const half = width / 2
    return Array.from({ length: half }, (_, i) => (layout === "halves" ? [i, i + half] : [2 * i, 2 * i + 1]))
  },

  /** Each pair (a, b) of a row, turned anticlockwise by its frequency times the position. */
  turned(row, position, frequencies, layout) {
    return rotary.pairs(row.length, layout).map(([first, second], i) => {
      const [a, b, angle] = [row[first], row[second], position * frequencies[i]]
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      return [a * cos - b * sin, a * sin + b * cos]
    })
  },

  /** What each pair adds to the score of a query at m and a key at n. */
  products(query, key, m, n, frequencies, layout) {
    const keys = rotary.turned(key, n, frequencies, layout)
    return rotary.turned(query, m, frequencies, layout).map(([a, b], i) => a * keys[i][0] + b * keys[i][1])
  },

  /** The angle from one pair to another in degrees, anticlockwise, from −180 to 180. */
  between([a, b], [c, d]) {
    return (Math.atan2(a * d - b * c, a * c + b * d) * 180) / Math.PI
  },

  score(...given) {
    return rotary.products(...given).reduce((sum, product) => sum + product, 0)
  },

  /** Columns of neighbours in the order in which their partners stand half a row apart. */
  moved(row) {
    return [...row.filter((_, i) => i % 2 === 0), ...row.filter((_, i) => i % 2 === 1)]
  },
}
