// The sinusoidal table and its shift as pe_book.sinusoidal computes them; tests hold the two against each other.
const sinusoid = {
  /** Radians a token, pair by pair. */
  frequencies(width, base) {
    return Array.from({ length: width / 2 }, (_, i) => base ** ((-2 * i) / width))
  },

  /** What column c holds at a position. */
  entry(position, column, frequencies) {
    const angle = position * frequencies[Math.floor(column / 2)]
    return column % 2 ? Math.cos(angle) : Math.sin(angle)
  },

  row(position, frequencies) {
    return Array.from({ length: 2 * frequencies.length }, (_, column) => sinusoid.entry(position, column, frequencies))
  },

  /** How far each column of a table moves: its largest entry less its smallest. */
  ranges(rows) {
    return rows[0].map((_, column) => {
      const entries = rows.map((row) => row[column])
      return Math.max(...entries) - Math.min(...entries)
    })
  },

  /** The matrix that moves every row on by k tokens. */
  shift(k, frequencies) {
    return frequencies.flatMap((rate, i) => {
      const [cos, sin] = [Math.cos(k * rate), Math.sin(k * rate)]
      const line = (...pair) => frequencies.flatMap((_, j) => (j === i ? pair : [0, 0]))
      return [line(cos, sin), line(-sin, cos)]
    })
  },

  /** How far a matrix misses the row k tokens on, as a share of the length of a row. */
  missed(matrix, position, k, frequencies) {
    const [here, there] = [position, position + k].map((p) => sinusoid.row(p, frequencies))
    const off = matrix.map((line, i) => line.reduce((sum, x, j) => sum + x * here[j], 0) - there[i])
    return Math.hypot(...off) / Math.sqrt(frequencies.length)
  },

  /** The cosine of the angle between two rows that are k tokens apart. */
  alike(k, frequencies) {
    return frequencies.reduce((sum, rate) => sum + Math.cos(k * rate), 0) / frequencies.length
  },

  product(a, b) {
    return a.map((row) => b[0].map((_, column) => row.reduce((sum, x, j) => sum + x * b[j][column], 0)))
  },
}
