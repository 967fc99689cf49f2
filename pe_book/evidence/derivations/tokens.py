"""A formula of the book as tokens: commands, numbers, names with their primes and indices, and brackets."""

from __future__ import annotations

import re

FUNCTIONS = (r"\sin", r"\cos", r"\tan", r"\ln", r"\exp")
CONSTANTS = (r"\pi", "e")
OPENING = {
    "(": ")", "[": "]", r"\bigl(": r"\bigr)", r"\bigl[": r"\bigr]",
    r"\left(": r"\right)", r"\left[": r"\right]",
}  # fmt: skip
SPACES = (r"\,", r"\;", r"\:", r"\ ", r"\quad", r"\qquad", r"\allowbreak")
WORDS = (r"\cdot", r"\frac", r"\tfrac", r"\dfrac", r"\sqrt", r"\top", *SPACES[4:])  # never names
TOKEN = re.compile(
    r"\\(?:bigl|left)\s*[(\[]|\\(?:bigr|right)\s*[)\]]|\\(?:begin|end)\{pmatrix\}|\\mathrm\{i\}"
    r"|\\[A-Za-z]+|\\[^A-Za-z]|\d+(?:\.\d+)?|[A-Za-z]'*|[-+=/^_{}()\[\]&]"
)
END = ""


class NotationError(ValueError):
    """A formula that the notation does not cover, or that can be read in two ways."""


def defined_name(latex: str) -> str | None:
    r"""The name that a formula consists of, with its index in braces; None if it is more than a name.

    >>> defined_name(r"\omega_i"), defined_name("c'"), defined_name("2c")
    ('\\omega_{i}', "c'", None)
    """
    try:
        reader = Tokens(latex)
        name = reader.name() if reader.at_name() else None
    except NotationError:
        return None
    return name if reader.peek() == END and name not in CONSTANTS else None


def tokens_of(latex: str, pattern: re.Pattern[str]) -> list[str]:
    """The tokens of a formula, without the spaces that TeX does not show."""
    tokens, at = [], 0
    while at < len(latex):
        found = pattern.match(latex, at)
        if found:
            tokens.append(re.sub(r"\s", "", found[0]) if found[0] != r"\ " else found[0])
        elif not latex[at].isspace():
            raise NotationError(f"{latex[at]!r} has no meaning here")
        at = found.end() if found else at + 1
    return tokens


class Tokens:
    """One formula and how far it has been read."""

    words: tuple[str, ...] = WORDS  # commands that are no names

    def __init__(self, latex: str):
        self.tokens = tokens_of(latex, TOKEN)
        self.next = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token, or one after it; empty behind the end."""
        at = self.next + ahead
        return self.tokens[at] if at < len(self.tokens) else END

    def take(self, *wanted: str) -> str:
        """The next token, if it is one of those; otherwise nothing is read."""
        token = self.peek()
        if token == END or token not in wanted:
            return ""
        self.next += 1
        return token

    def take_all(self, *wanted: str) -> bool:
        """Read these tokens if they come next, all of them."""
        found = [self.peek(n) for n in range(len(wanted))] == list(wanted)
        self.next += len(wanted) if found else 0
        return found

    def expect(self, wanted: str) -> None:
        """Read this token and no other."""
        if not self.take(wanted):
            raise NotationError(f"{wanted!r} is missing before {self.peek() or 'the end'!r}")

    def skip_spaces(self) -> bool:
        """Read the spaces that TeX shows; whether there were any."""
        start = self.next
        while self.take(*SPACES):
            pass
        return self.next > start

    def at_name(self) -> bool:
        """Whether a letter or a command that can be declared comes next."""
        token = self.peek()
        if token[:1] == "\\":
            return token[1:].isalpha() and token not in FUNCTIONS and token not in self.words
        return token[:1].isalpha()

    def name(self) -> str:
        """A letter or command with its primes and its index, in one spelling."""
        token = self.peek()
        self.next += 1
        if not self.take("_"):
            return token
        start = self.next
        self.over_index()
        index = self.tokens[start : self.next]
        return f"{token}_{{{''.join(index[1:-1] if index[0] == '{' else index)}}}"

    def at_script(self) -> bool:
        """Whether the next token can be an exponent or an index without braces."""
        token = self.peek()
        return (len(token) == 1 and token.isalnum()) or (token[:1] == "\\" and self.at_name())

    def over_index(self) -> None:
        """Read an index; TeX takes one token where there are no braces."""
        if self.peek() != "{":
            if not self.at_script():
                raise NotationError(f"put the index {self.peek()!r} in braces")
            self.next += 1
            return
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.peek(), 0)
            if self.peek() == END:
                raise NotationError("the braces of an index do not close")
            self.next += 1
            if not depth:
                return
