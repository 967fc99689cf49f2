"""What a method of scaling makes of its numbers: a factor and its promise, ramps whose ends meet or cross.

Rules as in :mod:`pe_book.config.findings`.
"""

from collections.abc import Iterator

from pe_book.config.findings import Finding, Rule
from pe_book.config.records import Reading
from pe_book.config.scaling import Scaling

LLAMA_3 = 500000.0


def a_factor_that_does_not_fit(reading: Reading) -> Iterator[Finding]:
    """YaRN's factor says one length and the longest position another."""
    for scaling in reading.scalings:
        if scaling.method != "yarn" or not (scaling.factor and scaling.original_len and reading.max_len):
            continue
        product, longest = scaling.factor * scaling.original_len, reading.max_len
        told = f"{scaling.factor:g} times the trained length {scaling.original_len:g} is {product:.0f}"
        counts = f"and the longest position is {longest}; the longer one counts as promised here."
        key = f"{scaling.keys.prefix}factor"
        if not 0.5 < product / longest <= 1.5 and scaling.original_len != longest:
            yield Finding("contradictory", key, f"{told}, {counts}")
        elif product > longest:
            yield Finding("note", key, f"{told}, {counts}")


def a_training_that_is_too_long(reading: Reading) -> Iterator[Finding]:
    """A trained length beyond the longest position, as in a block that was copied from another model."""
    for scaling in reading.scalings:
        if scaling.original_len and reading.max_len and scaling.original_len > reading.max_len:
            says = f"{scaling.original_len:g} is more than the longest position, {reading.max_len}."
            yield Finding("contradictory", f"{scaling.keys.prefix}original_max_position_embeddings", says)


def a_factor_below_the_promise(reading: Reading) -> Iterator[Finding]:
    """A factor below the growth: slow pairs leave the arcs of training before the promise ends.

    A layer with a window sees no distance beyond it.
    """
    promised = reading.promised_len
    for scaling in reading.scalings:
        if scaling.method in ("llama3", "yarn") and scaling.factor and scaling.original_len and promised:
            covered = scaling.factor * scaling.original_len
            reach = max(one.window or promised for one in reading.records if one.kind == "rotary")
            if covered < min(promised, reach):
                product = f"{scaling.factor:g} times the trained {scaling.original_len:g} is {covered:.0f}"
                says = f"{product}: between that and {promised:.0f} tokens slow pairs meet new angles."
                yield Finding("note", f"{scaling.keys.prefix}factor", says)


def ramps(reading: Reading, method: str) -> Iterator[tuple[Scaling, float, float]]:
    """Each scaling of a method that has a ramp, with the ends of its fast pairs and of its slow ones."""
    for scaling in reading.scalings:
        if scaling.method == method and scaling.ends is not None:
            yield scaling, *scaling.ends


def ends_of_yarn(reading: Reading) -> Iterator[Finding]:
    """The ramp of YaRN with ends that meet, or that are swapped."""
    for scaling, fast, slow in ramps(reading, "yarn"):
        key = scaling.keys.named("beta_fast", "beta_slow")
        if fast == slow:
            says = f"beta_fast and beta_slow are both {fast:g}: the ramp is a step."
            yield Finding("contradictory", key, says)
        elif fast < slow:
            says = (
                f"beta_fast, {fast:g}, is fewer turns than beta_slow, {slow:g}: the ramp of libraries stands "
                "on its head, fast pairs are divided, slow ones stay, and so it was read; exchange the two."
            )
            yield Finding("contradictory", key, says)


def ends_of_llama(reading: Reading) -> Iterator[Finding]:
    """The ramp of Llama 3 with ends that meet, or that are swapped.

    With swapped ends transformers 5.23 takes a step at the lower one, and vLLM at the other, as read in
    vllm/model_executor/layers/rotary_embedding/llama3_rope.py at 045d757550.
    """
    for scaling, high, low in ramps(reading, "llama3"):
        key = scaling.keys.named("high_freq_factor", "low_freq_factor")
        if high == low:
            says = (
                f"low_freq_factor and high_freq_factor are both {low:g}, so there is no ramp: pairs of more "
                f"turns in training stay, all others are divided by {scaling.factor:g}."
            )
            yield Finding("note", key, says)
        elif high < low:
            says = (
                f"high_freq_factor, {high:g}, is fewer turns than low_freq_factor, {low:g}, and no ramp is "
                f"left: transformers divides pairs of fewer than {low:g} turns, and so it was read; vLLM "
                f"those of fewer than {high:g}."
            )
            yield Finding("contradictory", key, says)


def a_base_of_the_code(reading: Reading) -> Iterator[Finding]:
    """The scaling of Llama 3 on another base than Llama 3 has, because the config names none."""
    base = reading.defaulted.get("rope_theta")
    if base is None or base == LLAMA_3 or all(one.method != "llama3" for one in reading.scalings):
        return
    says = f"it is missing and {base:g} was taken; Llama 3, whose scaling this is, has {LLAMA_3:.0f}."
    yield Finding("note", "rope_theta", says)


FACTOR_RULES: tuple[Rule, ...] = (
    a_factor_that_does_not_fit, a_training_that_is_too_long, a_factor_below_the_promise, ends_of_yarn,
    ends_of_llama, a_base_of_the_code,
)  # fmt: skip
