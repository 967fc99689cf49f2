"""Names that are nearly right: of keys that nothing reads, which one was meant."""

from collections.abc import Iterable
from itertools import takewhile

SHORTEST = 4  # below it two keys of different meaning are one letter apart


def meant(name: str, names: Iterable[str]) -> str:
    """Of some names the one of which another is a slip; empty if it is of none.

    A slip drops a letter, adds one, swaps two, or writes separators and capitals in another way.

    >>> meant("hiden_size", ["hidden_size", "head_dim"]), meant("headDim", ["head_dim"])
    ('hidden_size', 'head_dim')
    >>> meant("decoder_layers", ["encoder_layers"]), meant("n_head", ["d_head"])
    ('', '')
    """
    return next((one for one in sorted(names) if one != name and is_slip(name, one)), "")


def is_slip(name: str, of: str) -> bool:
    """Whether one name is another with one slip.

    >>> is_slip("rope-theta", "rope_theta"), is_slip("rope_tehta", "rope_theta"), is_slip("dims", "dim")
    (True, True, False)
    """
    if len(of) < SHORTEST or abs(len(name) - len(of)) > len(of):
        return False
    one, other = (text.lower().replace("-", "").replace("_", "") for text in (name, of))
    for _ in range(2):  # what both begin with, and then what both end with
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        one, other = one[alike:][::-1], other[alike:][::-1]
    return len(one + other) <= 1 or (len(one) == 2 and one == other[::-1])
