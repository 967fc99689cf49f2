// Formulas as JSON on the input, those that MathJax 3 does not parse with its reason on the output.
// What undefined commands and errors are shown as is switched off: either is a failure here.
const { readFileSync } = require("node:fs");
const path = require("node:path");

const home = process.argv[2];
const settings = {
  loader: { load: ["input/tex", "adaptors/liteDOM"], paths: { mathjax: home } },
  tex: {
    packages: { "[-]": ["noundefined", "noerrors", "require", "autoload"] },
    formatError: (jax, error) => { throw error; },
  },
  startup: { typeset: false },
};

require(path.join(home, "node-main.js")).init(settings).then((MathJax) => {
  const wrong = [];
  for (const [tex, display] of JSON.parse(readFileSync(0, "utf8"))) {
    try {
      MathJax.tex2mml(tex, { display });
    } catch (error) {
      wrong.push([tex, error.message]);
    }
  }
  console.log(JSON.stringify({ version: MathJax.version, wrong }));
}).catch((error) => { console.error(String(error)); process.exit(1); });
