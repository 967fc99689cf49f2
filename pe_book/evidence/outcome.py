"""What a check says when it is run: that it passes, that it does not, or the error that it runs into."""

from collections.abc import Callable

from pe_book.evidence.verdict import Verdict

PASSED = "passes"  # the outcome of a check; any other text says how it failed
SAID_NO = "`False`"  # without any error


def outcome(check: Callable[..., object], *arguments: object) -> str:
    """What a check says: ``"passes"``, `False`, or the name of the error that it ran into.

    >>> outcome(bool, 1), outcome(bool, 0), outcome(int, "seven")
    ('passes', '`False`', '`ValueError`')
    """
    try:
        said = check(*arguments)
    except Exception as error:  # the name of the error is the answer, and a table prints it
        return f"`{type(error).__name__}`"
    return PASSED if said else SAID_NO  # an array is no answer, and raises here


def fails_with(error: str, call: Callable[..., object], *arguments: object) -> Verdict:
    """Whether a call runs into an error of this very name."""
    said = outcome(lambda: [call(*arguments)])  # whatever it returns, it has passed
    return Verdict(said == f"`{error}`", {"said": said})
