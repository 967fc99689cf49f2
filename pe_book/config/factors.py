"""What a method of scaling makes of its numbers: a factor and its promise, ramps whose ends meet or cross.

Rules as in :mod:`pe_book.config.findings`.
"""

from collections.abc import Iterator
from typing import TypeGuard

from pe_book.config.classes import MODELS
from pe_book.config.findings import CHANGES, USUAL_BASE, Finding, Rule
from pe_book.config.formats.answer import publishers
from pe_book.config.formats.bases import usual_bases
from pe_book.config.formats.remedies import without_scaling
from pe_book.config.records import Reading
from pe_book.config.scaling import Scaling, exchanged
from pe_book.family.context_extension.ramps import temperature

LLAMA_3 = 500000.0
LLAMA_3_LENGTH = 8192
# by base, which Llama was trained without scaling, and on how many tokens
WITHOUT_SCALING = {10000.0: ("Llama 2", 4096), LLAMA_3: ("Llama 3", LLAMA_3_LENGTH)}

REFUSES = "transformers refuses a block without it"
ROUNDED = 0.01  # a factor that is written with three digits is off by less


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and value > 0


def yarns(reading: Reading) -> list[Scaling]:
    """The scalings by YaRN."""
    return [scaling for scaling in reading.scalings if scaling.method == "yarn"]


def lone_temperature(reading: Reading) -> Iterator[Finding]:
    """``mscale`` and ``mscale_all_dim`` count together or not at all."""
    for scaling in yarns(reading):
        prefix = scaling.keys.prefix
        first, second = (scaling.keys.values.get(name) for name in ("mscale", "mscale_all_dim"))
        if first == 1 and not second and scaling.attention_factor is None:
            says = "it gives what is computed without it, since mscale_all_dim is missing or 0."
            yield Finding("note", f"{prefix}mscale", says)
        elif bool(first) != bool(second):
            alone, other = ("mscale", "mscale_all_dim") if first else ("mscale_all_dim", "mscale")
            says = f"on queries and keys the two count together or not at all, and {other} is missing or 0."
            if scaling.score_factor == 1:
                cure = f"remove it; or write {other} beside it, if the model's card does, which {CHANGES}"
                yield Finding("ignored", prefix + alone, says, cure)
            else:
                yield Finding("note", prefix + alone, f"scores are multiplied by what it gives; {says}")
        elif scaling.attention_factor is not None and first:
            name = scaling.keys.named("attention_factor", "attn_factor").removeprefix(prefix)
            says = f"{name} is given outright, as {scaling.attention_factor:g}."
            cure = "remove it" if scaling.score_factor != 1 else "remove it, and mscale_all_dim with it"
            yield Finding("ignored", f"{prefix}mscale", says, cure)


def a_factor_that_no_paper_has(reading: Reading) -> Iterator[Finding]:
    """``attention_factor`` of YaRN that is neither 1 nor what the paper or another key of the block gives."""
    for scaling in yarns(reading):
        given, values, factor = scaling.attention_factor, scaling.keys.values, scaling.factor or 1.0
        if given is None:
            continue
        paper, first, second = temperature(factor), values.get("mscale"), values.get("mscale_all_dim")
        known = [1.0, paper, *(paper * one for one in [values.get("attn_factor")] if _is_number(one))]
        if _is_number(first) and _is_number(second):
            known.append(temperature(factor, mscale=first) / temperature(factor, mscale=second))
        if min(abs(given / one - 1) for one in known) > ROUNDED:
            says = (
                f"it is {given:g}, and the formula of the paper gives {paper:.5g} for a factor of "
                f"{factor:g}: scores are {(given / paper) ** 2:.4g} times what is due by it."
            )
            cure = f"take it out; or copy that of the published config; another than {given:g} {CHANGES}"
            yield Finding("contradictory", f"{scaling.keys.prefix}attention_factor", says, cure)


def scores_without_their_factor(reading: Reading) -> Iterator[Finding]:
    """YaRN in latent attention without ``mscale_all_dim``, which multiplies the scores there."""
    for scaling in yarns(reading) if MODELS[reading.read_as].on_scores else ():
        factor, there = scaling.factor or 1.0, scaling.keys.values
        if factor > 1 and not there.get("mscale_all_dim") and scaling.attention_factor is None:
            due = temperature(factor)
            says = (
                f"it is missing or 0: scores are not multiplied, and what turns of queries and keys is, by "
                f"{due:.5g}; with 1 here and in mscale, as DeepSeek-V3 has it, scores are, by {due**2:.5g}, "
                "and queries and keys are not."
            )
            cure = f"copy mscale and mscale_all_dim from the published config, which {CHANGES}"
            yield Finding("missing", f"{scaling.keys.prefix}mscale_all_dim", says, cure)


def missing_factor(reading: Reading) -> Iterator[Finding]:
    """What was computed or taken because the block does not say it."""
    for scaling in reading.scalings:
        prefix, defaulted = scaling.keys.prefix, scaling.keys.defaulted
        said = "original_max_position_embeddings" in reading.slips.values()  # unread_keys tells it
        if f"{prefix}original_max_position_embeddings" in defaulted and not said:
            says = f"{scaling.original_len:g}, the longest position, was taken for the trained length."
            name = "original_max_position_embeddings"
            cure = (
                f"write {name} = {scaling.original_len:g}; or the length of training, if that was shorter, "
            )
            cure += f"which {CHANGES}"
            yield Finding("missing", prefix + name, says, cure)
        if f"{prefix}factor" in defaulted and scaling.original_len:
            says = f"{scaling.factor:g} was taken, the longest position over the trained length"
            if scaling.method == "yarn":
                times = scaling.factor if scaling.factor and scaling.factor > 1 else 4.0
                reach = f"{times * scaling.original_len:.0f} tokens"
                cure = f"write factor, such as {times:g} for texts of {reach}"
                cure += "" if times == scaling.factor else f", which {CHANGES}"
                null = "factor" in scaling.keys.there
                says += (
                    f"; transformers does so where null stands, and {REFUSES}." if null else f"; {REFUSES}."
                )
                yield Finding("missing", f"{prefix}factor", says, cure)
            else:
                yield Finding("note", f"{prefix}factor", f"{says}.")
        elif f"{prefix}factor" in defaulted and scaling.method == "proportional":
            if "factor" in scaling.keys.there:
                says = "null stands there, with which transformers stops; without the key it takes 1."
                yield Finding("missing", f"{prefix}factor", says, "take the key out, or write 1")
        elif f"{prefix}factor" in defaulted:
            says = f"1 was taken, which scales nothing; {REFUSES}."
            yield Finding("missing", f"{prefix}factor", says)
        for name in ("low_freq_factor", "high_freq_factor"):
            if prefix + name in defaulted:
                says = f"{defaulted[prefix + name]:g} was taken; {REFUSES}."
                yield Finding("missing", prefix + name, says)


def a_factor_that_does_not_fit(reading: Reading) -> Iterator[Finding]:
    """YaRN's factor says one length and the longest position another."""
    for scaling in reading.scalings:
        if scaling.method != "yarn" or not (scaling.factor and scaling.original_len and reading.max_len):
            continue
        product, longest = scaling.factor * scaling.original_len, reading.max_len
        told = f"{scaling.factor:g} times the trained length {scaling.original_len:g} is {product:.0f}"
        counts = f"and the longest position is {longest}; the longer one counts as promised here."
        key = f"{scaling.keys.prefix}factor"
        raised = longest / scaling.original_len > 1.5  # else the file still has about the trained length
        if not 0.5 < product / longest <= 1.5 and raised:
            cure = (
                f"write {reading.max_len_key} = {product:.0f}; or, if the model was trained so, factor = "
                f"{longest / scaling.original_len:g} for {longest} tokens, which {CHANGES}"
            )
            yield Finding("contradictory", key, f"{told}, {counts}", cure)
        elif product > longest:
            yield Finding("note", key, f"{told}, {counts}")


def a_training_that_is_too_long(reading: Reading) -> Iterator[Finding]:
    """A trained length beyond the longest position, as in a block that was copied from another model."""
    for scaling in reading.scalings:
        if scaling.original_len and reading.max_len and scaling.original_len > reading.max_len:
            says = f"{scaling.original_len:g} is more than the longest position, {reading.max_len}."
            reach = (scaling.factor or 1) * scaling.original_len
            cure = (
                f"if the block is the model's own, write {reading.max_len_key} = {reach:.0f}; "
                f"if it is another's, take it out or copy that of the published config, which {CHANGES}"
            )
            key = f"{scaling.keys.prefix}original_max_position_embeddings"
            yield Finding("contradictory", key, says, cure)


def a_length_before_scaling_that_is_another(reading: Reading) -> Iterator[Finding]:
    """The numbers of a published model, but for the length before scaling; or one that leaves no growth."""
    for scaling in reading.scalings:
        trained, key = scaling.original_len, f"{scaling.keys.prefix}original_max_position_embeddings"
        for name, one in publishers().items():
            due = one.get("original", trained)
            alike = (one["method"], one["base"], one["longest"])
            known = reading.known and reading.read_as in one["types"]
            if known and alike == (scaling.method, scaling.base, reading.max_len) and trained != due:
                says = f"it is {trained:g}, and {name}, which has the other numbers of this file, has {due}."
                cure = f"write original_max_position_embeddings = {due}, as in {name}, which {CHANGES}"
                yield Finding("contradictory", key, says, cure)
                break
        else:
            if scaling.method == "llama3" and trained == reading.max_len:
                says = (
                    f"it is the longest position, {trained:g}: no text is longer than before scaling, and "
                    f"slow pairs are divided by {scaling.factor:g} all the same."
                )
                cure = f"write the length before scaling, or take the block out; each {CHANGES}"
                yield Finding("contradictory", key, says, cure)


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
        if fast == slow:  # as Kimi K2 is published
            says = f"beta_fast and beta_slow are both {fast:g}: the ramp is a step, and so it was read."
            yield Finding("note", key, says)
        elif fast < slow:
            says = (
                f"beta_fast, {fast:g}, is fewer turns than beta_slow, {slow:g}: the ramp of libraries stands "
                "on its head, fast pairs are divided, slow ones stay, and so it was read."
            )
            cure = f"write beta_fast = {slow:g} and beta_slow = {fast:g}, which {CHANGES}"
            yield Finding("contradictory", key, says, cure)


def lists_that_are_exchanged(reading: Reading) -> Iterator[Finding]:
    """Divisors of LongRoPE for short texts that are larger than those for long ones."""
    for scaling in reading.scalings:
        if exchanged(scaling):
            says = "divisors for short texts are larger than those for long ones: the lists are exchanged."
            cure = f"exchange short_factor and long_factor, which {CHANGES}"
            yield Finding("contradictory", f"{scaling.keys.prefix}short_factor", says, cure)


def ends_of_llama(reading: Reading) -> Iterator[Finding]:
    """The ramp of Llama 3 with ends that meet, or that are swapped.

    With swapped ends transformers 5.24 takes a step at the lower one, and vLLM at the other, as read in
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
            cure = f"write low_freq_factor = {high:g} and high_freq_factor = {low:g}, which {CHANGES}"
            yield Finding("contradictory", key, says, cure)


def a_base_of_the_code(reading: Reading) -> Iterator[Finding]:
    """The length or the scaling of Llama 3 on another base, because the config names none."""
    base = reading.defaulted.get("rope_theta")
    if base is None or base == LLAMA_3:
        return
    plain = all(one.method == "default" for one in reading.scalings)
    if plain and reading.model_type == "llama" and (reading.max_len or 0) >= LLAMA_3_LENGTH:
        says = (
            f"it is missing and {base:g} was taken; {usual_bases('llama')}. With another base than in "
            "training a model is wrong at every length."
        )
        cure = f"copy rope_theta from the published config; if it is Llama 3, write {LLAMA_3:.0f}"
        if (reading.max_len or 0) > LLAMA_3_LENGTH:
            cure = (
                f"copy rope_theta, {reading.max_len_key} and rope_scaling from the published config: without "
                f"scaling Llama 1, 2 and 3 have 2048, 4096 and {LLAMA_3_LENGTH} positions"
            )
        yield Finding("missing", "rope_theta", says, f"{cure}; another base than {base:g} {CHANGES}")
    if all(one.method != "llama3" for one in reading.scalings):
        return
    says = f"it is missing and {base:g} was taken; Llama 3, whose scaling this is, has {LLAMA_3:.0f}."
    cure = f"add rope_theta, {LLAMA_3:.0f} for a model made from Llama 3, which {CHANGES}"
    yield Finding("missing", "rope_theta", says, cure)


def a_block_without_its_base(reading: Reading) -> Iterator[Finding]:
    """A block for longer texts in the place of the newer one, which held the base, too."""
    base = reading.defaulted.get("rope_theta") if reading.values.get("rope_parameters") else None
    for scaling in reading.scalings if base is not None else ():
        if scaling.keys.prefix == "rope_parameters." and scaling.method not in ("default", "llama3"):
            says = f"it is missing and {base:g} was taken; newer configs have the base in this block."
            cure = "copy rope_theta from the published config into the block, whatever it is; another than "
            cure += f"{base:g} {CHANGES}"
            yield Finding("missing", "rope_parameters.rope_theta", says, cure)
            return


def a_base_too_low_for_its_scaling(reading: Reading) -> Iterator[Finding]:
    """The scaling of Llama 3.1 on a base with which no model was published."""
    for scaling in reading.scalings:
        if scaling.method == "llama3" and scaling.base < LLAMA_3 and "rope_theta" not in reading.defaulted:
            says = f"{scaling.base:g} is below the base of every model that was published with this scaling."
            cure = (
                f"write {LLAMA_3:.0f}, the base of Llama 3, or that of the published config, which {CHANGES}"
            )
            yield Finding("contradictory", reading.named("rope_theta"), says, cure)
            return


def a_scaling_that_was_lost(reading: Reading) -> Iterator[Finding]:
    """The base of a Llama with more positions than it had: raised by hand, or without the scaling of 3.1."""
    bases = {one.base for one in reading.scalings if one.method == "default"}
    plain = len(bases) == 1 and all(one.method == "default" for one in reading.scalings)
    whose, trained = WITHOUT_SCALING.get(min(bases, default=0.0), ("", 0))
    said = "rope_theta" not in reading.defaulted  # else a_base_of_the_code tells it
    if reading.model_type != "llama" or not (plain and trained and said):
        return
    if (reading.max_len or 0) <= LLAMA_3_LENGTH:
        return
    says = f"{whose} has this base and {trained} positions; here are {reading.max_len}, and no scaling."
    yield Finding("missing", "rope_scaling", says, without_scaling(whose, trained))


def a_base_below_the_usual(reading: Reading) -> Iterator[Finding]:
    """A base of a thousand where a million was meant: all pairs turn fast, and far positions look alike."""
    own = MODELS[reading.read_as].base
    for scaling in reading.scalings:
        if scaling.base < min(USUAL_BASE, own) and "rope_theta" in str(reading.used):
            key = scaling.keys.prefix + "rope_theta"
            if key not in reading.used:
                key = reading.named("rope_theta", *MODELS[reading.read_as].base_keys)
            says = f"a base of {scaling.base:g} is below every usual one; {usual_bases(reading.read_as)}."
            cure = f"write the base of the published config, which {CHANGES}: zeros are easily lost"
            yield Finding("contradictory", key, says, cure)
            return


def a_width_that_is_rare(reading: Reading) -> Iterator[Finding]:
    """A width that was computed because none is given, and that hardly any model has."""
    head = reading.defaulted.get("head_dim")
    if head is not None and head > 128 and head & (head - 1):
        says = (
            f"hidden_size over num_attention_heads is {head}, which hardly any model has; Mistral Nemo with "
            "160 so computed has 128."
        )
        yield Finding(
            "missing",
            "head_dim",
            says,
            "write head_dim as in the published config, or as the rows of q_proj over num_attention_heads; "
            f"another than {head} {CHANGES}",
        )


FACTOR_RULES: tuple[Rule, ...] = (
    lone_temperature, a_factor_that_no_paper_has, scores_without_their_factor, missing_factor,
    a_factor_that_does_not_fit, a_training_that_is_too_long, a_length_before_scaling_that_is_another,
    a_factor_below_the_promise, ends_of_yarn,
    lists_that_are_exchanged, ends_of_llama,
    a_base_of_the_code, a_block_without_its_base, a_base_too_low_for_its_scaling,
    a_scaling_that_was_lost, a_base_below_the_usual, a_width_that_is_rare,
)  # fmt: skip
