// The row of a table that a position reads, as pe_book.family.learned computes it; tests hold the two against each other.
const past = {
  /** The place in a table of so many rows, for a text of `length` words; null where the text is refused. */
  place(rule, rows, length, position) {
    if (length <= rows) return position
    if (rule === "refuse") return null
    if (rule === "clamp") return Math.min(position, rows - 1)
    if (rule === "wrap") return position % rows
    return (position * (rows - 1)) / (length - 1)
  },

  /** The places of all positions of a text. */
  places(rule, rows, length) {
    return Array.from({ length }, (_, position) => past.place(rule, rows, length, position))
  },
}
