"""The scripts of explorers outside a browser: what an expression of them comes to."""

import json
from pathlib import Path

import dukpy

EXPLORERS = Path(__file__).resolve().parents[2] / "docs" / "_static" / "explorers"


def script(name):
    return (EXPLORERS / name).read_text(encoding="utf-8")


def asked(expression, maths, **values):
    """What an expression comes to where the text `maths` is loaded beside what explorers share."""
    named = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
    return dukpy.evaljs(
        f"class HTMLElement {{}}\n{script('explorer.js')}\n{maths};\n{{{named}\n({expression})}}"
    )
