"""What is contradictory, unknown or without effect in a config: one small rule for each, all of them run.

A rule looks at a reading and yields findings. Each names its key and says in one sentence what follows. What
follows for the angles and for a cache is in :mod:`pe_book.config.consequences`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from pe_book.config.classes import MODELS
from pe_book.config.formats.effects import without_effect
from pe_book.config.formats.params import CODE
from pe_book.config.keys import part_of
from pe_book.config.options import TRUNCATE
from pe_book.config.records import Reading
from pe_book.config.scaling import METHODS
from pe_book.config.widths import SHARES
from pe_book.inputs.wording import shown

Kind = Literal["contradictory", "unknown", "missing", "ignored", "uncomputed", "beyond", "cache", "note"]
Severity = Literal["error", "warning", "note"]

#: What a remedy says of itself where frequencies or factors are others once it is followed.
CHANGES = "changes the model"

#: How much each kind weighs, and what to do about it where a finding does not say.
WEIGHTS: dict[Kind, tuple[Severity, str]] = {
    "contradictory": (
        "error",
        "find out which of the two the model was trained with, and make both say it: what was read keeps the "
        f"model as it is loaded, the other {CHANGES}",
    ),
    "unknown": ("warning", "read the code that comes with the weights, and compare it with what was assumed"),
    "missing": (
        "warning",
        f"add the key, with the value that the model was trained with; another than was taken {CHANGES}",
    ),
    "ignored": (
        "warning",
        f"remove the key; or write it as the program that loads the model reads it, which {CHANGES}",
    ),
    "uncomputed": ("note", "use the model's own code where this acts"),
    "beyond": ("warning", "read fewer tokens, or scale as the model's publisher says"),
    "cache": ("warning", "choose the frequencies by the length that the text will have"),
    "note": ("note", ""),
}
PAGE = "family/reading-a-config.html#sec-config-"


@dataclass(frozen=True)
class Finding:
    """One thing that a reader of a config should know.

    Parameters
    ----------
    kind : str
        ``"contradictory"``: two keys say different things. ``"unknown"``: conventions had to be assumed.
        ``"missing"``: a key that is needed is not there, and another was taken.
        ``"ignored"``: a key is there and changes nothing. ``"uncomputed"``: it acts, and not in what is
        recorded. ``"beyond"``: angles that training did not reach. ``"cache"``: cached keys go out of date.
        ``"note"``: easily misread, and in order.
    key : str
        As the config writes it, with the block it stands in.
    says : str
        What follows, in one sentence.
    cure : str
        What to do about it; that of its kind where none is given.
    meant : bool
        Of a key that is ignored: whether it was meant for one that is read, so that the file says otherwise.

    Examples
    --------
    >>> print(Finding("ignored", "mscale", "it counts only beside mscale_all_dim."))
    warning, ignored mscale: it counts only beside mscale_all_dim.
    """

    kind: Kind
    key: str
    says: str
    cure: str = ""
    meant: bool = False

    def __str__(self) -> str:
        weight = "" if self.kind == "note" else f"{self.severity}, "
        return f"{weight}{self.kind} {self.key}: {self.says}"

    @property
    def severity(self) -> Severity:
        """``"error"``, ``"warning"`` or ``"note"``: what is an error should not be run as it is."""
        return WEIGHTS[self.kind][0]

    @property
    def remedy(self) -> str:
        """What to do about it; empty for what is in order."""
        return self.cure or WEIGHTS[self.kind][1]

    @property
    def page(self) -> str:
        """The section of the book that explains it."""
        return PAGE + ("keys" if self.kind in ("note", "missing", "ignored") else "cases")

    def as_dict(self) -> dict[str, str]:
        """All of it by name."""
        more = {"severity": self.severity, "remedy": self.remedy, "page": self.page}
        return {"kind": self.kind, "key": self.key, "says": self.says, **more}


USUAL_BASE = 10000.0  # what programs take that find no other
MOST_COMPARED = 50  # keys, with those that are missing

Rule = Callable[[Reading], Iterator[Finding]]


def unknown_model(reading: Reading) -> Iterator[Finding]:
    """A model type whose code was not read."""
    if not reading.known:
        of = reading.model_type or "a config without it"
        says = (
            f"which columns {of} pairs and which layers turn is not known here; the code of "
            f"{reading.read_as} was assumed, because that was asked for."
        )
        yield Finding("unknown", "model_type", says)


def two_blocks(reading: Reading) -> Iterator[Finding]:
    """The old block and the new one, side by side and different."""
    old, new = reading.values.get("rope_scaling"), reading.values.get("rope_parameters")
    if not (isinstance(old, Mapping) and isinstance(new, Mapping) and old and new):
        return
    first, second = (_in_one_form(block, reading.values) for block in (old, new))
    differ = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    if differ:
        told = ", ".join(f"{key} ({_spelt(second.get(key))}, not {_spelt(first.get(key))})" for key in differ)
        says = f"beside rope_scaling, which was read, it differs in {told}; each program reads its own."
        yield Finding("contradictory", "rope_parameters", says)


def two_bases(reading: Reading) -> Iterator[Finding]:
    """A base in the block and another beside it, or one that only newer programs find."""
    name = reading.named("rope_theta", "rotary_emb_base", "global_rope_theta")
    beside = reading.values.get(name)
    for scaling in reading.scalings:
        inside = scaling.keys.values.get("rope_theta")
        if inside is None or inside == beside or not MODELS[reading.read_as].block_says_base:
            continue
        if beside is not None:
            there = f"{_spelt(beside)} is beside the block and {_spelt(inside)} in it"
            says = f"{there}; the one in the block was read."
            yield Finding("contradictory", name, says)
        elif inside != USUAL_BASE:
            says = f"a program that looks for rope_theta beside the block misses this {_spelt(inside)}."
            yield Finding("note", f"{scaling.keys.prefix}rope_theta", says)


def two_names_of_a_method(reading: Reading) -> Iterator[Finding]:
    """``type`` and ``rope_type`` that mean different methods."""
    for scaling in reading.scalings:
        old, new = scaling.keys.values.get("type"), scaling.keys.values.get("rope_type")
        if old and new and METHODS.get(str(old)) != METHODS.get(str(new)):
            says = f"it says {old} and rope_type, which was read, says {new}."
            yield Finding("contradictory", f"{scaling.keys.prefix}type", says)


def two_trained_lengths(reading: Reading) -> Iterator[Finding]:
    """A trained length in the block and another beside it."""
    name = "original_max_position_embeddings"
    beside = reading.values.get(name)
    for scaling in reading.scalings:
        inside = scaling.keys.values.get(name)
        if beside is not None and inside is not None and beside != inside:
            there = f"{_spelt(beside)} is beside the block and {_spelt(inside)} in it"
            says = f"{there}; the one beside it was read."
            yield Finding("contradictory", f"{scaling.keys.prefix}{name}", says)


def two_shares(reading: Reading) -> Iterator[Finding]:
    """Several keys that say how much of a head turns, and say different things."""
    inside = [(one.keys.prefix + SHARES[0], one.share) for one in reading.scalings if one.share is not None]
    outside = [(key, reading.values[key]) for key in SHARES if reading.values.get(key) is not None]
    if inside and len(inside) == len(reading.scalings):
        name, values = inside[0][0], [share for _, share in inside]
    else:
        name, values = next(((key, [value]) for key, value in outside if key in reading.used), ("", []))
    record = next((one for one in reading.records if one.kind == "rotary"), None)
    cure, end = "remove it; or, if the model was trained with it, write ", f", which {CHANGES}"
    for key, value in outside:
        if "rotary_dim" in reading.used and record and isinstance(value, int | float):
            columns = part_of(record.head_dim, value)
            if columns != record.rotary_dim:
                read = f"rotary_dim, which was read, says {record.rotary_dim}"
                says = f"{value:g} of {record.head_dim} columns are {columns}, and {read}."
                yield Finding("contradictory", key, says, f"{cure}the width that it gives as rotary_dim{end}")
        elif name and key != name and value not in values:
            says = f"it says {_spelt(value)}, and {name}, which was read, says {values[0]:g}."
            yield Finding("contradictory", key, says, f"{cure}{_spelt(value)} as {name}{end}")


def unread_keys(reading: Reading) -> Iterator[Finding]:
    """Keys that bear on position and changed nothing."""
    few = len(reading.ignored) < MOST_COMPARED  # a hostile file may have thousands
    lacking = sorted({*reading.defaulted} - {*reading.values, *reading.ignored}) if few else []
    for key in reading.ignored:
        if key == "rope_parameters" and reading.values.get("rope_scaling"):
            continue  # two_blocks compares them
        if reading.values.get(key) in [
            one.keys.values[key] for one in reading.scalings if key in one.keys.there
        ]:
            continue  # the block says the same, in newer configs
        block, _, _ = key.rpartition(".")
        method = next(
            (scaling.method for scaling in reading.scalings if scaling.keys.prefix == f"{block}."), ""
        )
        near = reading.slips.get(key) or next(iter(get_close_matches(key, lacking, 1, 0.9)), "")
        if near:
            meant = near.rpartition(".")[2]
            name = f"{block}.{meant}" if block else meant
            taken = (
                f": {_spelt(reading.defaulted[name])} was taken for it" if name in reading.defaulted else ""
            )
            says = f"nothing reads it; {meant} is the key, and it is missing{taken}."
            value = _at(reading.values, key)
            cure = f"rename {key.rpartition('.')[2]}, {_spelt(value)}, to {meant}"
            cure += "" if value == reading.defaulted.get(name) else f", which {CHANGES}"
            yield Finding("ignored", key, says, cure, meant=True)
            continue
        says = (
            f"{method} does not read it."
            if method
            else f"{CODE[reading.read_as]} does not read it."
            if reading.read_as in CODE
            else f"transformers does not read it for {reading.read_as}."
        )
        cure, by_kind = "", key == "rope_parameters"
        if method == "yarn" and key.endswith(".truncate"):
            says, cure = f"transformers does not read it for {reading.read_as}, and rounds.", "remove it"
            if MODELS[reading.read_as].keeps_beside:
                says = f"transformers reads it for {reading.read_as} beside blocks by kind of layer alone."
                cure += f"; or write it as {TRUNCATE}, beside such blocks, which {CHANGES}"
        if why := without_effect(reading, key, _at(reading.values, key)):
            yield Finding("note", key, f"{says.rstrip('.')}; {why}.")
            continue
        if by_kind:
            says = f"transformers reads it for {reading.read_as} by kind of layer, as {key}.full_attention."
            cure = f"remove it; or write a block for each kind of layer into it, which {CHANGES}"
        yield Finding("ignored", key, says, cure, meant=by_kind)


def beside_the_text(reading: Reading) -> Iterator[Finding]:
    """Settings on position beside ``text_config``, which the class does not see."""
    for key in reading.outside:
        says = "it stands beside text_config, and the class of the model looks there alone."
        cure = f"take it out; or, if it is meant for the text, move it into text_config, which {CHANGES}"
        yield Finding("ignored", key, says, cure, meant=True)


def heads_that_do_not_group(reading: Reading) -> Iterator[Finding]:
    """Heads of keys that cannot be dealt out evenly to heads of queries."""
    heads, shared = (reading.values.get(key) for key in ("num_attention_heads", "num_key_value_heads"))
    if isinstance(heads, int) and isinstance(shared, int) and shared > 0 and heads % shared:
        says = f"{heads} heads of queries cannot share {shared} heads of keys evenly."
        cure = "copy both numbers from the published config; where head_dim is absent, another "
        cure += f"num_attention_heads {CHANGES}"
        yield Finding("contradictory", "num_key_value_heads", says, cure)


def what_acts_beside(reading: Reading) -> Iterator[Finding]:
    """Keys that act on position where no record shows it."""
    model = MODELS[reading.read_as]
    heated = model.law if any(one.temperature for one in reading.records) else None
    for key, does in model.uncomputed.items():
        if heated and key in heated:
            continue  # the answer has its formula
        inside = next((scaling.keys for scaling in reading.scalings if scaling.keys.values.get(key)), None)
        if inside or reading.values.get(key, key in model.unasked):
            yield Finding("uncomputed", (inside.prefix if inside else "") + key, f"{does}; no record has it.")


RULES: tuple[Rule, ...] = (
    unknown_model, two_blocks, two_bases, two_names_of_a_method, two_trained_lengths, unread_keys,
    beside_the_text, two_shares, heads_that_do_not_group, what_acts_beside,
)  # fmt: skip


def _in_one_form(block: Mapping[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """A block with the newer name of its method, and with the base that it would take from beside it."""
    method = block.get("rope_type") or block.get("type") or "default"
    rest = {key: value for key, value in block.items() if key not in ("type", "rope_type")}
    base = {"rope_theta": beside.get("rope_theta"), **rest}["rope_theta"]
    found = {"rope_type": METHODS.get(str(method), method), **rest, "rope_theta": base}
    return {key: value for key, value in found.items() if value is not None}


def _at(values: Mapping[str, Any], key: str) -> Any:
    """The value of a key that is written with its block."""
    inner: Any = values
    for name in key.split("."):
        inner = inner.get(name) if isinstance(inner, Mapping) else None
    return inner


def _spelt(value: Any) -> str:
    """A value as a sentence says it."""
    if value is None:
        return "missing"
    return f"{value:.10g}" if isinstance(value, float) else shown(value).strip("'")
