"""Which characters of a text or a formula are numbers, and which belong to a name or a model's size."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GAP = "\ue000"  # replaces what is not typed prose: a field, a formula, code, a name
GROUPED = r"\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?!\d)(?:\.\d+)?"
NUMBER = re.compile(
    rf"(?P<sign>(?<![\w)])[-−])?(?P<number>{GROUPED}|\d+(?:\.\d+)?|(?<![\w.])\.\d+)"
    r"(?P<power>[eE][-+−]?\d+)?(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]+)?(?P<suffix>[^\W\d_]*)"
)
IN_CODE = re.compile(r"(?<![\w.])(?P<digits>\d*\.\d+)(?P<power>[eE][-+]?\d+)?(?!\d|\.\d)")
SETTING = 2  # digits of a setting in code: 0.25, 1.5; with a power of ten one, 1e-6
THOUSANDS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "bn": 10**9}
SUBSCRIPT_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
UNITS += " seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SPELLED = {word: value for value, word in enumerate(UNITS.split())}
SPELLED |= {word: value for value, word in zip(range(20, 100, 10), TENS.split(), strict=True)}
SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
NOUNS = (
    "tokens? positions? dimensions? heads? layers? rows? columns? pairs? words? entry entries digits?"
    " bits? bytes? places? pages? values? parameters? weights? frequency frequencies wavelengths? models?"
    " sentences? vectors? matrix matrices points? curves? angles? circles? planes? turns? degrees? runs?"
    " seeds? errors? cases? steps? times percent per\\scent"
)
_NUMBER_WORD = "|".join([*SPELLED, *SCALES])
_NUMBER_WORDS = rf"(?:{_NUMBER_WORD})(?:[\s-]+(?:and\s+)?(?:{_NUMBER_WORD}))*"
_NOT_BETWEEN = "(?:of|in|at|and|or|by|per|to|the|a|with|for|from|as|is)"
COUNT_BEFORE_NOUN = re.compile(
    rf"(?<!two or )\b(?P<words>{_NUMBER_WORDS})(?:[\s-]+(?:(?!{_NOT_BETWEEN}\b)[a-z]+\s+)?"
    rf"(?:{'|'.join(NOUNS.split())})|\s+of\s+(?:them|these|those|the|its|their))\b",
    re.IGNORECASE,
)
ANY_COUNT = re.compile(rf"\b(?P<words>{_NUMBER_WORDS})\b", re.IGNORECASE)

# what stands in the patterns of names.toml in angle brackets
PARTS_OF_WORKS = "section|table|figure|equation|issue|chapter|appendix|question|version|pull request|PR"
PARTS_OF_WORKS += (
    "|part|eqs?\\.|page|line|footnote|theorem|lemma|proposition|corollary|algorithm|exercise|example"
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
RULES = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
STANDS_FOR = {
    "YEAR": r"(?:19[5-9]\d|20(?:0[1-9]|[123]\d))",
    "MONTH": f"(?:{MONTHS})",
    "PART": f"(?:{PARTS_OF_WORKS})",
    "PLACE": r"\d+(?:\.\d+)*[a-z]?",
    "WORD": f"(?:{_NUMBER_WORD})",
    "NOUN": f"(?:{'|'.join(NOUNS.split())})\\b",
    "NUMBERED": f"(?:{'|'.join(RULES['numbered'].values())})".replace("\n", ""),
}


def patterns(kind: str) -> list[str]:
    """The patterns of ``names.toml``, written out."""
    return [
        re.sub(r"<([A-Z]+)>", lambda name: STANDS_FOR[name[1]], pattern)
        for pattern in RULES["patterns"][kind]
    ]


NAMES = [re.compile(pattern) for pattern in patterns("names")]
SIZES = re.compile(rf"(?:{'|'.join(patterns('sizes'))})(?![^.!:;]*\?)", re.IGNORECASE)


@dataclass(frozen=True)
class Numeral:
    """A number in a text: how it is written, its value, and where it stands."""

    written: str
    value: float
    start: int
    end: int
    decimal: bool = False


def value_of(number: str) -> float:
    return float(re.sub(r"[,\u202f\u00a0]", "", number))


def value_of_words(words: str) -> int:
    """Three hundred and five, twenty-one."""
    total, last = 0, 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in SCALES:
            last = max(last, 1) * SCALES[word]
            total, last = (total + last, 0) if SCALES[word] >= 1000 else (total, last)
        elif word != "and":
            last += SPELLED[word]
    return total + last


def without_names(text: str) -> str:
    """The same text, as long, with the names gone that have digits in them."""
    text = text.translate(SUBSCRIPT_DIGITS)
    for pattern in NAMES:
        text = pattern.sub(lambda found: GAP * len(found[0]), text)
    return text


def numerals(text: str) -> Iterator[Numeral]:
    """The numbers of a text in figures; names are free."""
    text = without_names(text)
    for found in NUMBER.finditer(text):
        power, suffix = found["power"] or "", found["suffix"]
        value = value_of(found["number"] + power.replace("−", "-")) * THOUSANDS.get(suffix, 1)
        raised = int((found["raised"] or "1").translate(SUPERSCRIPT_DIGITS))
        decimal = "." in found["number"] or bool(power) or raised < 0
        yield Numeral(found[0], value**raised, *found.span(), decimal=decimal)


def findings_in_code(code: str) -> str:
    """The decimals of a listing that a computation must have found: of more digits than a setting has."""
    found = (number for number in IN_CODE.finditer(code) if not float(number[0]).is_integer())
    return " ".join(
        number[0]
        for number in found
        if len(number["digits"].replace(".", "").strip("0")) > SETTING - bool(number["power"])
    )


def counts(text: str) -> Iterator[Numeral]:
    """The numbers of a text in words before one of the field's nouns."""
    for found in COUNT_BEFORE_NOUN.finditer(text):
        yield Numeral(" ".join(found[0].split()), value_of_words(found["words"]), *found.span())


def words_for_numbers(text: str) -> Iterator[Numeral]:
    """Every number of a text in words, whatever it counts."""
    for found in ANY_COUNT.finditer(text):
        yield Numeral(found[0], value_of_words(found["words"]), *found.span())


# --- maths -------------------------------------------------------------------------------------------------

TEXT_IN_MATHS = re.compile(r"\\(?:text\w*|mbox)\s*\{([^{}]*)\}")
LENGTHS = re.compile(
    r"\\\\\s*\[[^]]*\]|\\[hv]space\*?\{[^}]*\}|\\(?:kern|mkern)[-\d.a-z]+|\\begin\{array\}\{[^}]*\}|\\(?:label|tag)\{[^}]*\}"
)
SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d)\s*(\d)")
SEPARATED = re.compile(r"(?<=\d)(?:\{,\}|\\,)(?=\d{3}(?!\d))")
COMPLEXITY = re.compile(
    r"(?:\\mathcal\s*\{?O\}?|\\Theta|(?<![A-Za-z\\])O)\s*(?:\\left)?\((?=[^()]*[A-Za-z])(?:[^()]|\([^()]*\))*\)"
)
IN_MATHS = re.compile(
    rf"10\s*\^\s*(?:(?P<power>\d)|\{{\s*(?P<exponent>-?\d+)\s*\}})|{GROUPED}|\d+(?:\.\d+)?|(?<![\w.])\.\d+"
)
RELATIONS = (
    r"(?:=|\\(?:approx|simeq|sim|equiv|leq?|geq?|lt|gt|neq?|ll|gg|to|in|propto)(?![a-zA-Z])|<|>|≈|≤|≥)"
)
ENDS_IN_RELATION = re.compile(rf"{RELATIONS}[\s&{{(\[|]*[-−+±]?\s*$")
BEGINS_WITH_RELATION = re.compile(rf"[\s&}})\]|]*{RELATIONS}")
TERM_ENDS = re.compile(r"[\s}\])|°%]*(?:$|[,;.:&]|\\\\|\\[;,!]?\s|\\q?quad|\\%|\\end|\\\})")
POWER_OF_TEN = re.compile(r"10\s*\^")  # of a symbol or of what is evaluated: 10^k
EVALUATED_POWER = re.compile(r"10\s*\^\s*\{?\s*-?\s*\\val(?![a-zA-Z])")
# a subscript, or the exponent of a symbol; that of a number is a part of it: 2^{53} is typed, too
BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\}"
SCRIPT = re.compile(rf"(?<!\\)(?:_|(?<!\d)\^)\s*(?:{BRACES}|\S)")
TERM_BEGINS = re.compile(r"(?:^|[\s(&,;{|])[-−+]?\s*$")


def in_maths(tex: str, *, scripts_too: bool = False) -> Iterator[tuple[Numeral, bool]]:
    """The numbers of a formula that are no structure, and whether each stands alone beside a relation.

    A typed power of ten is one number. With ``scripts_too`` subscripts and exponents are numbers as well.
    """
    tex = COMPLEXITY.sub(" ", LENGTHS.sub(" ", TEXT_IN_MATHS.sub(" ", tex)))
    tex = SEPARATED.sub("", SHORT_FRACTION.sub(r"\\frac{\1}{\2}", tex))
    tex = re.sub(r"\s+\^", "^", tex)
    scripts = {place for script in SCRIPT.finditer(tex) for place in range(*script.span())}
    for found in IN_MATHS.finditer(tex):
        exponent = found["power"] or found["exponent"]
        decimal = "." in found[0] or (exponent or "").startswith("-")
        before, after = tex[: found.start()], tex[found.end() :]
        structure = found.start() in scripts or (not exponent and POWER_OF_TEN.match(found[0] + after))
        if scripts_too:
            structure = EVALUATED_POWER.match(found[0] + after)
        if structure and not decimal:
            continue
        beside_relation = bool(ENDS_IN_RELATION.search(before) and TERM_ENDS.match(after)) or bool(
            TERM_BEGINS.search(before) and BEGINS_WITH_RELATION.match(after)
        )
        value = float(f"1e{exponent}") if exponent else value_of(found[0])
        yield Numeral(found[0], value, *found.span(), decimal=decimal), beside_relation


def words_in_maths(tex: str) -> str:
    r"""What stands in \text{…}."""
    return " ".join(TEXT_IN_MATHS.findall(tex))
