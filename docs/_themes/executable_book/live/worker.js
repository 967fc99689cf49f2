/* Python, in a worker of its own: a page goes on scrolling while a cell computes, and ends the worker to stop it. */

const HERE = new URL("./", self.location).href
const tell = (kind, told = {}) => postMessage({ kind, ...told })

class Trouble extends Error {}

// one file of the lock, whole and as listed; its checksum is in its address, so that what is kept is never another
const take = async ({ file, bytes, sha256, to }, gained) => {
  let answer
  try {
    answer = await fetch(`${HERE}${file}?${sha256.slice(0, 12)}`, { cache: "force-cache" })
  } catch {
    throw new Trouble(`${file} cannot be fetched: is this machine offline?`)
  }
  if (!answer.ok) throw new Trouble(`${file} is missing on this site (${answer.status}).`)
  const parts = []
  try {
    for (const reader = answer.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      gained(value.length)
    }
  } catch {
    throw new Trouble(`${file} was cut off on its way.`)
  }
  const whole = new Blob(parts)
  if (whole.size !== bytes) throw new Trouble(`${file} has ${whole.size} bytes, and this site lists ${bytes}.`)
  if (crypto.subtle) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await whole.arrayBuffer()))
    const found = [...digest].map((one) => one.toString(16).padStart(2, "0")).join("")
    if (found !== sha256) throw new Trouble(`${file} is not the file that is listed: it has another checksum.`)
  }
  const unpacked = file === `${to}.packed` ? whole.stream().pipeThrough(new DecompressionStream("gzip")) : whole
  return new Response(unpacked).arrayBuffer()
}

const start = async () => {
  const asked = fetch
  let lock, driver
  try {
    const [listed, code] = await Promise.all(["lock.json", "run.py"].map((file) => asked(HERE + file, { cache: "no-cache" })))
    if (!listed.ok || !code.ok) throw new Trouble("The files that run cells are missing on this site.")
    lock = await listed.json()
    driver = await code.text()
  } catch (error) {
    throw error instanceof Trouble ? error : new Trouble("Python cannot be fetched: is this machine offline?")
  }
  const fetched = lock.files.filter(({ stands }) => stands !== "script")
  const all = fetched.reduce((sum, { bytes }) => sum + bytes, 0)
  let got = 0
  const gained = (bytes) => tell("bytes", { got: (got += bytes), all })
  const taken = new Map()
  await Promise.all(fetched.map(async (one) => taken.set(one.to ?? one.file, await take(one, gained))))
  tell("step", { words: "Starting Python" })
  try {
    importScripts("pyodide.js")
  } catch {
    throw new Trouble("pyodide.js cannot be fetched.")
  }
  // what the core asks for is here already
  self.fetch = async (url) => {
    const name = String(url.url ?? url).split("/").at(-1)
    const headers = { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" }
    return taken.has(name) ? new Response(taken.get(name), { headers }) : new Response("", { status: 404 })
  }
  const contents = { info: lock.info, packages: {} }
  const python = await loadPyodide({ indexURL: HERE, lockFileContents: JSON.stringify(contents), packageBaseUrl: HERE })
  tell("step", { words: "Loading numpy and pe_book" })
  const extractDir = `/lib/python${lock.info.python.split(".", 2).join(".")}/site-packages`
  for (const { file, stands } of lock.files) if (stands === "modules") python.unpackArchive(taken.get(file), "zip", { extractDir })
  taken.clear()
  python.FS.writeFile(`${extractDir}/pe_live.py`, driver)
  const run = python.pyimport("pe_live").run
  python.runPython("import numpy, pe_book")
  return run
}

const ready = start()

onmessage = async ({ data: { id, code, name, names } }) => {
  try {
    const run = await ready
    tell("runs", { id })
    const ended = run(code, name, names, (text) => tell("print", { id, text }))
    const [value, error, line, type, dropped] = ended.toJs()
    ended.destroy()
    tell("done", { id, value, error, line, type, dropped })
  } catch (error) {
    tell("failed", { why: error instanceof Trouble ? error.message : `Python could not go on: ${error.message ?? error}` })
  }
}
