"""Several stacks of layers in one state: a tower that stays, or layers beside the model that turn alike.

Which of them the arguments are of stands in no name, so a refusal chooses none: it tells for each how to
leave it, and how to let another move along.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from pe_book.checkpoint.names import WRAPPER, Part, stack_of, with_values

Parts = Mapping[str, Part]


def stacks_of(parts: Parts) -> dict[str, list[str]]:
    """The entries that would move unnamed, by the stack of layers that they are of."""
    found: dict[str, list[str]] = {}
    for name, part in parts.items():
        if part.role not in ("left", "refused") and not part.named:
            found.setdefault(stack_of(part.attention), []).append(name)
    return found


def choices(stacks: Mapping[str, Sequence[str]], parts: Parts) -> str:
    """What a caller can say in `names` where a state has several stacks; each works as it is printed.

    Roles are told of all stacks but the largest: where two turn, it is the same which of them has roles.
    """
    left = [f"names={{{pattern!r}: 'left'}}" for stack in sorted(stacks) if (pattern := apart(stack, stacks))]
    others = sorted(sorted(stacks), key=lambda stack: len(stacks[stack]))[:-1]
    roles = [f"names={told}" for stack in others if (told := roles_of(stack, stacks, parts))]
    says = f"for all but the one that they are of say whether it stays, as {' or '.join(left)}"
    return f"{says}, or turns alike, with the same sizes, as {' or '.join(roles)}" if roles else says


def apart(stack: str, stacks: Mapping[str, Sequence[str]]) -> str:
    """A pattern for all entries of a stack and of no other, as short as can be; empty if there is none."""
    path = stack.split(".")
    heads = [".".join(path[: end + 1]) for end in range(len(path))]
    others = [name for other, names in stacks.items() if other != stack for name in names]
    for pattern in (f"{wrapper}{head}.*" for wrapper in ("", WRAPPER) for head in heads):
        fits = all(fnmatchcase(name, pattern) for name in stacks[stack])
        if fits and not any(fnmatchcase(name, pattern) for name in others):
            return pattern
    return ""


def roles_of(stack: str, stacks: Mapping[str, Sequence[str]], parts: Parts) -> dict[str, str]:
    """The role of each kind of entry of a stack, by pattern; none where keys may be values, which stay."""
    names = stacks[stack]
    keyed = {parts[name].attention for name in names if parts[name].role == "key"}
    if not keyed <= with_values(parts):
        return {}
    found: dict[str, str] = {}
    others = [name for other, some in stacks.items() if other != stack for name in some]
    for name in names:
        at = parts[name].attention
        module = name[len(at) + 1 if at else 0 :].partition(".")[0]
        wrapper = WRAPPER if name.startswith(WRAPPER) else ""
        pattern = f"{wrapper}{stack}.{module}.*"
        if not fnmatchcase(name, pattern) or any(fnmatchcase(other, pattern) for other in others):
            return {}
        found[pattern] = parts[name].role
    return found
