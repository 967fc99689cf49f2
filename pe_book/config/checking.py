r"""A config told in sentences: what was read, how far each pair turns, and what deserves a second look."""

from collections.abc import Iterator

from pe_book.config.consequences import LENGTH_RULES, distinct, fresh_pairs, switches, within
from pe_book.config.factors import FACTOR_RULES
from pe_book.config.findings import RULES as RULES_ON_KEYS
from pe_book.config.findings import Finding
from pe_book.config.formats import ConfigLike
from pe_book.config.formats.answer import with_its_rows
from pe_book.config.formats.differing import PROGRAM_RULES, with_its_training
from pe_book.config.formats.tried import TRIED_RULES
from pe_book.config.reading import read_config
from pe_book.config.records import Reading
from pe_book.config.report import ConfigReport, Turns
from pe_book.family.context_extension.interpolation import turns
from pe_book.inputs.checking import whole_number

IN_ORDER = ("uncomputed", "note")
SEVERITIES = ("error", "warning", "note")
RULES = (*PROGRAM_RULES, *TRIED_RULES, *RULES_ON_KEYS, *FACTOR_RULES)


def check_config(config: ConfigLike, *, length: int | None = None, assume: str | None = None) -> ConfigReport:
    r"""What a model's config means for position, key by key, and what in it deserves a second look.

    A pair of frequency :math:`\omega` makes :math:`L\omega/2\pi` turns over L tokens. One that went round
    once in training has met every angle; one that did not meets new ones in a longer text.

    Parameters
    ----------
    config
        As for :func:`~pe_book.config.reading.rotary_from_config`. Nothing is downloaded and no code is run.
    length
        How many tokens the model is asked to read: at least 1. The length that the config promises if not
        given.
    assume
        As for :func:`~pe_book.config.reading.rotary_from_config`.

    Returns
    -------
    ConfigReport

    Raises
    ------
    ValueError, TypeError
        If the file is no config, or lacks what the width of a head is computed from.

    Examples
    --------
    >>> import pe_book as pe
    >>> llama = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 32,
    ...          "max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 2, "beta": 32}}
    >>> print(pe.check_config(llama, length=16384))  # doctest: +ELLIPSIS
    16,384 tokens: not covered, the file says up to 4,096, or 8,192 with its
      factor. 2 warnings below.
    The file does not say how long training was, so new angles are not
      counted.
    llama: 32 layers, 4096 tokens promised, 16384 asked
    warning, ignored rope_scaling.beta: linear does not read it.
      to do: remove the key; or write it as the program that loads the model
        reads it, which changes the model
    warning, beyond max_position_embeddings: 16384 tokens are more than the
      4096 that the config promises, or 8192 with the factor.
      to do: read at most 8192 tokens, or use the scaling for longer texts
        that the model's publisher names, which changes the model
    note rope_scaling.factor: frequencies are divided by 2 at every length,
      in short texts too.
    layers 0-31: all 128 columns of a head turn, column i paired with i +
      64, linear
      over 16384 tokens asked, scaled: 50 of 64 pairs go full circle
    a pair that goes full circle in training has met every angle; another
      one meets new angles in longer texts, unless scaling slows it
    cached keys stay right as the text grows
    used num_hidden_layers = 32, max_position_embeddings = 4096,
      head_dim = 128
    used in rope_scaling: type = linear, factor = 2
    defaulted rope_theta = 10000
    explained in ...

    See Also
    --------
    pe_book.config.reading.rotary_from_config : the records alone, one for each layer.
    """
    if length is not None:
        length = whole_number(length, "length", least=1)
    reading = with_its_rows(read_config(config, length=length, assume=assume))
    promised = reading.promised_len
    asked = length if length is not None or promised is None else round(promised)
    if length is None and asked is not None:
        reading = with_its_rows(read_config(config, length=asked, assume=assume))
    reading = with_its_training(reading)
    found = [finding for rule in RULES for finding in rule(reading)]
    found += [finding for length_rule in LENGTH_RULES for finding in length_rule(reading, length)]
    found = sorted(_once(found), key=lambda one: SEVERITIES.index(one.severity))
    return ConfigReport(
        reading, asked, tuple(_turns(reading, asked)), not any(map(switches, reading.scalings)),
        tuple(finding for finding in found if finding.kind not in IN_ORDER),
        tuple(finding for finding in found if finding.kind in IN_ORDER),
    )  # fmt: skip


def _once(found: list[Finding]) -> Iterator[Finding]:
    """Each fact once: of a key that is ignored the first finding alone, which says more."""
    wrong, noted = ({one.key for one in found if one.kind == kind} for kind in ("contradictory", "note"))
    meant = {one.cure.removeprefix("write ") for one in found if one.kind == "ignored"}
    told = set()
    for one in found:
        name = (one.kind, one.key, "" if one.kind == "ignored" else one.says)
        elsewhere = {"ignored": wrong | noted, "missing": wrong}.get(one.kind, set())
        misspelt = one.kind == "missing" and one.key.rpartition(".")[2] in meant
        if name not in told and one.key not in elsewhere and not misspelt:
            told.add(name)
            yield one


def _turns(reading: Reading, asked: int | None) -> Iterator[Turns]:
    trained = reading.trained_len
    for first in distinct(reading):
        alike = (first.attention, first.window)
        layers = tuple(
            r.layer for r in reading.records if r.kind == "rotary" and (r.attention, r.window) == alike
        )
        yield Turns(
            first, layers,
            None if trained is None else turns(first.unscaled, within(trained, first)),
            None if asked is None else turns(first.frequencies, within(asked, first)),
            fresh_pairs(reading, first, asked),
        )  # fmt: skip
