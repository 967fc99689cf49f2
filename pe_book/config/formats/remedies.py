"""What to write in a config instead, with its values."""

import json

from pe_book.config.findings import CHANGES
from pe_book.config.formats.params import SCALED
from pe_book.config.records import Reading
from pe_book.config.scaling import Scaling
from pe_book.family.context_extension.interpolation import dynamic_factor


def one_ladder(reading: Reading, scaling: Scaling, length: int | None) -> str:
    """What to write so that frequencies no longer change: those of the longest text, for all."""
    trained = scaling.original_len or 1.0
    if scaling.method == "longrope":
        more = ", and long_mscale over short_mscale" if "short_mscale" in scaling.options else ""
        return (
            f"where texts grow past {trained:g} tokens, copy long_factor over short_factor{more}, which "
            f"{CHANGES} in shorter ones; or serve with vLLM, which takes one list by its longest text"
        )
    reach = round(reading.possible_len)
    longest = length if length and trained < length <= reach else reach
    pairs = next(one.frequencies.size for one in reading.records if one.method == "dynamic")
    grown = dynamic_factor(longest, trained, scaling.factor or 1.0)
    base = round(scaling.base * grown ** (pairs / max(pairs - 1, 1)), 1)
    return (
        f"for the same frequencies in every text of up to {longest} tokens, write rope_theta = {base:.15g} "
        f"and {reading.max_len_key} = {longest}, and take the block out, which {CHANGES} in all texts of "
        "another length"
    )


def without_scaling(llama: str, trained: int) -> str:
    """What to do about a Llama of more positions than it was trained on, and without scaling."""
    cure = f"if the positions were raised by hand, put {trained} back; else compare with the published config"
    if llama != "Llama 3":
        return cure
    block = json.dumps(SCALED)
    added = f'add "rope_scaling": {block} (with factor 32 for Llama 3.2), which {CHANGES}'
    return f"if this is Llama 3.1, {added}; {cure}"
