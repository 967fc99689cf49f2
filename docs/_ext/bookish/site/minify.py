"""Minified HTML: spans of code without a style, and the places of a drawing told twice, go.

Many elements of a chapter were spans around tokens that the style sheet leaves as they are, and
a browser on a phone has to make and style each. A path that says how far it goes from corner to corner is
shorter than one that says where each corner is; the files of a figure keep the corners.
"""

import re
from typing import Any

from sphinx.application import Sphinx

# the classes of Pygments that code.css of the theme names, and those that scripts of a page ask for
STYLED = {
    "k", "kc", "kd", "kn", "kr", "ow", "nt", "gh", "s", "s1", "s2", "sa", "sd", "sb",
    "se", "sr", "gi", "c", "c1", "cm", "ch", "gp", "gu", "gd", "gr", "err", "hll", "go",
    "gt", "linenos", "line",
}  # fmt: skip
BLOCK = re.compile(r"<pre>.*?</pre>", re.DOTALL)
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
PANEL = re.compile(r'<svg [^>]*class="pe-panel".*?</svg>', re.DOTALL)
UNSEEN = re.compile(r'<path d="[^"]*" style="fill: none"/>\n')  # where matplotlib would paint a background
GAP = re.compile(r">\n<(?!/?text|/?tspan)")
PATH = re.compile(r'(?<= d=")M [-\d. MLQCz\n]+(?=")')
COMMAND = re.compile(r"([MLQCz])([^MLQCz]*)")
CORNERS = {"M": 1, "L": 1, "Q": 2, "C": 3, "z": 0}  # of one step, and matplotlib writes one for each command


def without_plain_tokens(html: str) -> str:
    """The same code, with spans around what has a style of its own."""
    return BLOCK.sub(lambda block: TOKEN.sub(lambda t: t[0] if t[1] in STYLED else t[2], block[0]), html)


def with_short_paths(html: str) -> str:
    """The same drawings: paths go from corner to corner, and nothing is drawn in no colour."""
    return PANEL.sub(lambda panel: short_panel(panel[0]), html)


def short_panel(panel: str) -> str:
    panel = UNSEEN.sub("", panel)
    panel = GAP.sub("><", panel)
    return PATH.sub(lambda path: from_corner_to_corner(path[0]), panel)


def from_corner_to_corner(path: str) -> str:
    """The path with steps in place of corners, in hundredths, so that no rounding adds up."""
    steps, here = [], None
    for command, numbers in COMMAND.findall(path):
        places = [round(float(number) * 100) for number in numbers.split()]
        corners = list(zip(places[::2], places[1::2], strict=True))
        if len(corners) != CORNERS[command] or (here is None and command != "M"):
            return path  # as nobody here writes it
        if here is None or command == "M":
            steps.append(command + joined(places))
        else:
            moved = [x - here[axis] for corner in corners for axis, x in enumerate(corner)]
            steps.append(command.lower() + joined(moved))
        here = corners[-1] if corners else None
    return "".join(steps)


def joined(hundredths: list[int]) -> str:
    """Numbers with as little between them as the syntax of a path allows."""
    written = [re.sub(r"^(-?)0\.", r"\1.", f"{one / 100:.2f}".rstrip("0").rstrip(".")) for one in hundredths]
    return re.sub(r" (?=-)", "", " ".join(written))


def write_light(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = with_short_paths(without_plain_tokens(context["body"]))


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", write_light, priority=880)
