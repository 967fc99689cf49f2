"""What a field asks for, as the script gets it: numbers in rows, each with the decimals that are asked for.

A number without decimals is whole and has to be met; every other one is right within half a unit of its last
digit. What cannot be judged is a `Fault`, with the code of its refusal.
"""

import math
from dataclasses import dataclass
from typing import Any

Entry = int | list[float] | None  # whole, or a number and its decimals; None: any that is not negative
Rows = list[list[Entry]]
APART = 1.5  # units between a right value and a mistake: what is rounded the other way is neither
FINE = 3  # decimals to which a mistake is met that is not whole, though the right number is


class Fault(ValueError):
    """Why a field cannot be asked, with the code of the refusal."""

    def __init__(self, code: str, what: str):
        super().__init__(what)
        self.code = code


@dataclass(frozen=True)
class Digits:
    """How precisely a field asks: to so many decimals, to so many significant digits, or whole."""

    decimals: int | None = None
    significant: int | None = None

    def entry(self, value: float, mistaken: bool = False) -> Entry:
        if isinstance(value, (bool, str)) or not isinstance(value, (int, float)):
            raise Fault("PE712", f"{value!r} is no number: a text needs :choices:")
        if not math.isfinite(value):
            raise Fault("PE712", f"{value} is not finite")
        if self.decimals is None and self.significant is None:
            if mistaken and not float(value).is_integer():
                return [value, FINE]
            if not float(value).is_integer():
                raise Fault("PE712", f"{value!r} is not whole: say :decimals: or :significant:")
            return int(value)
        if self.decimals is not None:
            return [value, self.decimals]
        size = math.floor(math.log10(abs(value))) if value else 0
        return [value, (self.significant or 1) - 1 - size]

    def words(self, kind: str) -> str:
        number, what = (self.decimals, "decimal") if self.significant is None else (self.significant, "digit")
        if number is None:
            return ""
        each = "" if kind == "number" else "each "
        return f"{each}to {number} {'significant ' * (what == 'digit')}{what}{'s' * (number != 1)}"


def in_rows(value: Any, digits: Digits, mistaken: bool = False) -> tuple[str, Rows]:
    """A value is a number, a list or a matrix, with its rows; those of a matrix may differ in length."""
    if not isinstance(value, list):
        return "number", [[digits.entry(value, mistaken)]]
    if not value or [] in value:
        raise Fault("PE712", "it is empty")
    if not any(isinstance(row, list) for row in value):
        return "list", [[digits.entry(one, mistaken) for one in value]]
    if not all(isinstance(row, list) for row in value):
        raise Fault("PE712", "some of its rows are numbers")
    return "matrix", [[digits.entry(one, mistaken) for one in row] for row in value]


def units_between(a: Entry, b: Entry) -> float:
    """How far two numbers are apart, in units of the last digit; whole numbers are the same or far apart."""
    if a is None:
        return 0.0 if (b[0] if isinstance(b, list) else b or 0) >= 0 else math.inf
    if isinstance(a, list) and isinstance(b, list):
        return float(abs(a[0] - b[0]) * 10.0 ** a[1])
    return 0.0 if a == b else math.inf


def alike(a: Rows, b: Rows, units: float) -> bool:
    """Whether two values have one shape and are nowhere so many units apart."""
    if [len(row) for row in a] != [len(row) for row in b]:
        return False
    pairs = [pair for rows in zip(a, b, strict=True) for pair in zip(*rows, strict=True)]
    return all(units_between(*pair) < units for pair in pairs)


def chosen(value: Any, choices: list[str]) -> int:
    """The index of a choice, given by its words, its index, or as a truth between yes and no."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, int) and 0 <= value < len(choices):
        return value
    if value not in choices:
        raise Fault("PE712", f"{value!r} is none of the choices {', '.join(choices)}")
    return choices.index(value)


def given(
    value: Any, mistakes: list[Any], digits: Digits, choices: list[str], unit: str, matters: Any = ()
) -> dict[str, Any]:
    """What the script is given: the kind, the value as far as it matters, and the values of the mistakes."""
    if choices:
        if len(set(choices)) < max(2, len(choices)):
            raise Fault("PE711", "its choices are fewer than two, or the same")
        right, wrong = chosen(value, choices), [chosen(one, choices) for one in mistakes]
        if right in wrong or len(set(wrong)) < len(wrong):
            raise Fault("PE713", "names the right choice, or one that another mistake names")
        return {"k": "choice", "c": choices, "v": right, "w": wrong}
    kind, rows = in_rows(value, digits)
    if matters:
        if kind != "list" or not isinstance(matters, list) or len(matters) != len(value):
            raise Fault("PE712", "it is no list with as many numbers as :matters: has")
        rows = [[one if counts else None for one, counts in zip(rows[0], matters, strict=True)]]
    found: list[Rows] = []
    for one in mistakes:
        other, wrong_rows = in_rows(one, digits, mistaken=True)
        if other != kind:
            raise Fault("PE713", f"is a {other}, and the answer a {kind}")
        if alike(rows, wrong_rows, APART):
            raise Fault("PE713", f"gives {one}, which nobody can tell from the answer {value}")
        if any(alike(before, wrong_rows, 1) for before in found):
            raise Fault("PE713", f"gives {one}, as an earlier one does")
        found.append(wrong_rows)
    made: dict[str, Any] = {"k": kind, "v": rows, "w": found}
    return made | ({"u": unit} if unit else {})
