/* The search opens by its button, "/" and Ctrl+K. What it needs is loaded then, and not before. */
{
  const root = document.documentElement.dataset.content_root ?? "./"
  const button = document.querySelector(".search-button")
  const own = document.querySelector("form.search-box") // of the page of the search
  const loaded = {}

  const load = (file) =>
    (loaded[file] ??= new Promise((done, failed) => {
      const script = Object.assign(document.createElement("script"), { src: `${root}_static/${file}` })
      script.onload = done
      script.onerror = () => failed(delete loaded[file])
      document.head.append(script)
    }))

  const fill = (form, asked) => {
    const status = form.querySelector("[role=status]")
    status.textContent = "Loading the index …"
    return Promise.all([load("search-index.js"), load("search-find.js")]).then(
      () => window.peFind.attach(form, asked),
      () => (status.textContent = "The index of the search did not load."),
    )
  }

  const box = () => {
    const form = Object.assign(document.createElement("form"), { className: "search-box", action: root + "search.html" })
    form.setAttribute("role", "search")
    form.innerHTML =
      '<label for="search-words">Search the book</label>' +
      '<div class="search-line"><input id="search-words" name="q" type="text" inputmode="search" enterkeyhint="search" autocomplete="off" spellcheck="false">' +
      '<button type="button" class="search-close">Close</button></div>' +
      '<p role="status"></p><ol class="search-hits"></ol>'
    return form
  }

  let dialog
  const open = () => {
    if (own) return own.querySelector("input").select()
    if (!dialog) {
      dialog = Object.assign(document.createElement("dialog"), { className: "search-dialog", ariaLabel: "Search" })
      dialog.append(box())
      document.body.append(dialog)
      dialog.querySelector(".search-close").onclick = () => dialog.close()
      dialog.onclick = ({ target }) => {
        const link = target.closest("a")
        // beside the box; and a link into this very page, which stays
        if (target === dialog || link?.href.split("#")[0] === location.href.split("#")[0]) dialog.close()
      }
      fill(dialog.querySelector("form"))
    }
    dialog.showModal()
    dialog.querySelector("input").select()
  }

  if (button && window.HTMLDialogElement) {
    button.setAttribute("aria-keyshortcuts", "/ Control+K")
    button.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      open()
    }
    addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, textarea, select, [contenteditable]")
      const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey
      const controlK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)
      if ((!slash && !controlK) || document.querySelector("dialog[open]")) return
      event.preventDefault()
      open()
    })
  }
  if (own) {
    own.querySelector("input").value = new URLSearchParams(location.search).get("q") ?? ""
    fill(own, (text) => {
      const address = text ? `?q=${encodeURIComponent(text)}` : location.pathname
      try {
        history.replaceState(null, "", address)
      } catch {} // a file has one address
    })
  }
}
