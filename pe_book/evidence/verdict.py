"""A decision with its evidence: what a statement calls where one comparison does not settle it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verdict:
    """Whether a statement holds, and the numbers that decide it.

    Parameters
    ----------
    holds : bool
        The decision.
    evidence : mapping of str to number, text or bool
        What was compared with what, by name, in the order in which a reader wants it.

    Examples
    --------
    >>> gap = Verdict(0.25 < 0.5, {"gap": 0.25, "bound": 0.5})
    >>> bool(gap), gap.evidence["gap"]
    (True, 0.25)
    """

    holds: bool
    evidence: Mapping[str, float | int | str | bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if type(self.holds).__name__ not in ("bool", "bool_"):
            raise TypeError(f"holds must be True or False, got {self.holds!r}; compare before you conclude")
        object.__setattr__(self, "holds", bool(self.holds))

    def __bool__(self) -> bool:
        """Whether the statement holds, so that it can stand where a comparison stands."""
        return self.holds
