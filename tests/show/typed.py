"""What people type into fields of exercises by hand: read from the sources of pages, and judged in Python.

The judge is another path to what `answers.js` says: exact decimals, rounded in the ways people round. The
script compares distances in floating point.
"""

import json
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal, localcontext
from math import floor, log10
from pathlib import Path

import dukpy

from tests.pages import sources

REPO = Path(__file__).resolve().parents[2]
SCRIPT = (REPO / "docs" / "_static" / "answers.js").read_text(encoding="utf-8")
BROWSER = "class HTMLElement {}; const customElements = { define() {} };"
FIELD = re.compile(
    r"^(?P<fence>```|:{3})\{answer\} (?P<label>.+)\n(?P<options>(?::\w.+\n)+)"
    r"(?P<rest>(?:(?!(?P=fence)).*\n)*)(?P=fence)$",
    re.MULTILINE,
)
OPTION = re.compile(r"^:(\w+): (.+)$", re.MULTILINE)
MISTAKE = re.compile(r"^- `([^`]+)`: (.+)$", re.MULTILINE)


def judged(cases, script=SCRIPT):
    """The verdicts of the script: for (text, given), what it says."""
    return dukpy.evaljs(f"{BROWSER}\n{script}\nconst cases = {json.dumps(cases)};\n"
                        "cases.map(([text, given]) => answers.judge(text, given))")  # fmt: skip


def read(texts):
    """The numbers that the script reads; None for what it cannot read."""
    return dukpy.evaljs(f"{BROWSER}\n{SCRIPT}\nconst texts = {json.dumps(texts)};\n"
                        "texts.map((one) => { try { return answers.read(one, '').value } "
                        "catch { return null } })")  # fmt: skip


# ---------------------------------------------------------------- the judge


def rounded(value, decimals, how=ROUND_HALF_UP):
    with localcontext(prec=60):
        return Decimal(value).quantize(Decimal(1).scaleb(-decimals), how)


def verdict(text, value, decimals):
    """How a decimal that somebody typed stands to a value that is asked for to so many decimals."""
    with localcontext(prec=60):
        typed, exact = Decimal(text), Decimal(value)
        off, unit = abs(typed - exact), Decimal(1).scaleb(-decimals)
        written = -typed.as_tuple().exponent
        if off * 2 <= unit:
            return "right"
        nearest = {rounded(value, written, how) for how in (ROUND_HALF_UP, ROUND_HALF_DOWN)}
        beside = {rounded(value, written, how) for how in (ROUND_FLOOR, ROUND_CEILING)}
        share = typed != 0 and off * 10 <= abs(exact)
        begun = share or written >= 2
        if begun and written < decimals and typed in nearest:
            return "few"
        if (begun or written == decimals) and written <= decimals and typed in beside:
            return "rounded"
        return "close" if share and off <= 5 * unit else "not"


# ---------------------------------------------------------------- fields of the pages


@dataclass(frozen=True)
class Field:
    """A field as its source has it."""

    page: str
    label: str
    options: dict
    mistakes: tuple  # expression and words

    def decimals(self, value):
        """The decimals to which one number is asked for; None for a whole one."""
        if "significant" in self.options:
            return int(self.options["significant"]) - 1 - floor(log10(abs(value)))
        return int(self.options["decimals"]) if "decimals" in self.options else None

    def choices(self):
        return [one.strip() for one in self.options.get("choices", "").split("|") if one.strip()]

    def typed(self, value, how=ROUND_HALF_UP):
        """A value as a reader types it who rounds like this."""
        if self.choices():
            if isinstance(value, bool):
                return "yes" if value else "no"
            return value if isinstance(value, str) else self.choices()[value]
        if not isinstance(value, list):
            return self.number(value, how)
        if isinstance(value[0], list):
            return "\n".join(", ".join(self.number(one, how) for one in row) for row in value)
        return ", ".join(self.number(one, how) for one in value)

    def number(self, value, how):
        decimals = self.decimals(value) if value else 0
        if decimals is None:
            return str(int(value)) if value == int(value) else f"{value:.6f}"
        exact = f"{value:.12g}"  # a half that floating point misses is a half
        return f"{rounded(exact, decimals, how):f}".replace("-", "−")


def fields(page):
    """The fields of a page in their order."""
    return [
        Field(
            page,
            found["label"],
            dict(OPTION.findall(found["options"])),
            tuple(MISTAKE.findall(found["rest"])),
        )
        for found in FIELD.finditer(sources.text_of(page))
    ]


def pages():
    """The pages that have fields."""
    return [name for name in sources.names() if FIELD.search(sources.text_of(name))]


def values(page):
    """What the page's kernel said to each expression of its fields, from the last build."""
    file = REPO / "docs" / "_build" / "executions" / f"{page}.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    asked = [(json.loads(question), answer) for question, answer in record["questions"]]
    return {one["field"]: answer["value"] for one, answer in asked if one["method"] == "plain"}
