/* On paper: title and address of the page in its margins, and solutions behind the chapter, not below their exercises. */
{
  const name = document.title.split(" · ")[0]
  const address = document.querySelector('link[rel="canonical"]')?.href ?? (location.protocol === "file:" ? "" : location.href.replace(/[?#].*/, ""))
  const box = (place, words) => `@${place} { content: "${words.replace(/["\\]/g, "\\$&")}" }`
  const margins = new CSSStyleSheet()
  margins.replaceSync(`@page { ${box("top-left", name)} ${box("bottom-left", address)} }`)
  document.adoptedStyleSheets.push(margins)

  const places = new Map() // where each solution stands on the screen
  const end = Object.assign(document.createElement("section"), { className: "solutions" })
  addEventListener("beforeprint", () => {
    const solutions = document.querySelectorAll(".bd-article details.solution")
    if (!solutions.length || places.size) return
    end.replaceChildren(Object.assign(document.createElement("h2"), { textContent: "Solutions" }))
    for (const solution of solutions) {
      places.set(solution, document.createComment(""))
      solution.replaceWith(places.get(solution))
      end.append(solution)
    }
    document.querySelector(".bd-article").append(end)
  })
  addEventListener("afterprint", () => {
    for (const [solution, place] of places) place.replaceWith(solution)
    places.clear()
    end.remove()
  })
}
