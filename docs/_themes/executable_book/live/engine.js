/* The one Python of a page: begun by the first press, ended by Stop, begun anew by the press after that. */

const python = (() => {
  const HERE = new URL("./", document.currentScript.src).href
  const LITTLE = 2 // GB
  const jobs = new Map()
  let worker
  let begun = 0
  let asked = 0

  const inTheWay = () => {
    if (location.protocol === "file:")
      return "A page from a folder may start no Python. Serve the folder: run python -m http.server in it, and open http://localhost:8000."
    if (typeof WebAssembly !== "object" || !window.DecompressionStream)
      return "This browser cannot run Python: it has no WebAssembly, or an old one."
  }

  // who waits is told why nothing comes
  const end = (why) => {
    worker?.terminate()
    worker = undefined
    for (const { reject } of jobs.values()) reject(why)
    jobs.clear()
  }

  const hear = ({ data }) => {
    const { kind, id } = data
    if (kind === "failed") end(data.why)
    else if (kind === "print") jobs.get(id)?.print(data.text)
    else if (kind === "runs") jobs.get(id)?.wait("Running")
    else if (kind === "done") {
      jobs.get(id)?.resolve(data)
      jobs.delete(id)
    } else for (const job of jobs.values()) job.wait(data.words ?? "Fetching Python", data.got, data.all)
  }

  const begin = () => {
    worker = new Worker(`${HERE}worker.js`)
    worker.onmessage = hear
    worker.onerror = (event) => {
      event.preventDefault()
      end(event.message ? `Python could not go on: ${event.message}` : "The files that run cells are missing on this site.")
    }
    begun += 1
  }

  // code among the names of `names`, or of nobody's where that is empty; wait and print hear how far it is
  const run = (code, { name, names, wait, print }) =>
    new Promise((resolve, reject) => {
      const why = inTheWay()
      if (why) return reject(why)
      if (!worker) begin()
      wait("Fetching Python")
      const id = (asked += 1)
      jobs.set(id, { resolve, reject, wait, print })
      worker.postMessage({ id, code, name, names })
    })

  const small = () => (navigator.deviceMemory < LITTLE && !begun ? " This device has little memory: it may not be enough." : "")
  return { run, end, small, times: () => begun, runs: () => worker !== undefined }
})()
