"""What belongs together: entries that would be moved in part, or with more than was asked for, are refused.

Scores need queries and keys that were moved alike, values stay where they are, and the sizes of one text
model are not those of a second tower that stands in the same state.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pe_book.checkpoint.entries import Step
from pe_book.checkpoint.names import Part, stack_of, with_values
from pe_book.checkpoint.stacks import choices, stacks_of

Parts = Mapping[str, Part]
# given a step that would be moved, it says why not; nothing if it may
Rule = Callable[[Step], str]


def with_partners(steps: list[Step], parts: Parts) -> tuple[Step, ...]:
    """The steps, refused where an attention would be moved in part, or more than what was asked for."""
    for made in (_one_stack, _query_with_key, _key_with_value, _query_with_key):
        rule = made(steps, parts)
        steps = [
            replace(step, role="refused", note=f"{step.name} {why}")
            if step.role not in ("left", "refused") and (why := rule(step))
            else step
            for step in steps
        ]
    return tuple(steps)


def _one_stack(steps: list[Step], parts: Parts) -> Rule:
    """All that moves unnamed is of one stack of layers, and of one kind: sizes and turns are those of one."""
    stacks = stacks_of({step.name: parts[step.name] for step in steps})
    found = {stack: {_kind(parts[name]) for name in names} for stack, names in stacks.items()}
    told = f"got {' and '.join(sorted(stacks))}: {choices(stacks, parts)}" if len(stacks) > 1 else ""

    def rule(step: Step) -> str:
        part = parts[step.name]
        stack = stack_of(part.attention)
        if part.named or stack not in stacks:
            return ""
        if told:
            return f"must be in the one stack of layers that the arguments are of, {told}"
        if {"fused", "apart"} <= found[stack]:
            cure = "name as left what layers have that do not turn"
            return f"must be alike in all layers, got fused and separate projections in {stack}: {cure}"
        return ""

    return rule


def _kind(part: Part) -> str:
    return "fused" if part.role == "fused" else "apart" if part.role in ("query", "key") else ""


def _key_with_value(steps: list[Step], parts: Parts) -> Rule:
    """Keys that are also the values of their layer cannot be moved: values do not turn."""
    valued = with_values(step.name for step in steps if len(step.shape or ()) > 1)

    def rule(step: Step) -> str:
        part = parts[step.name]
        matrix = step.role == "key" and len(step.shape or ()) > 1 and not part.adapter
        if not matrix or part.named or part.attention in valued:
            return ""
        copy = "copy them to an entry for values and have the program read that"
        cure = f"where its keys are its values (attention_k_eq_v), {copy}; where values stand elsewhere"
        return f"must have values beside it, got none: {cure}, say names={{{step.name!r}: 'key'}}"

    return rule


def _query_with_key(steps: list[Step], parts: Parts) -> Rule:
    """Scores need both or neither, but for queries that are named because an earlier layer has their keys."""
    weights: dict[str, set[str]] = {}
    named = set()
    for step in steps:
        part = parts[step.name]
        if step.shape and len(step.shape) > 1 and not part.adapter:
            weights.setdefault(part.attention, set()).add(step.role)
            if part.named and step.role in ("query", "gated query"):
                named.add(part.attention)
    if any(not roles.isdisjoint(("key", "latent key")) for roles in weights.values()):
        for attention in named:
            weights[attention] |= {"key"}

    def rule(step: Step) -> str:
        part = parts[step.name]
        if part.adapter or (part.named and len(step.shape or ()) == 1):  # placed by the caller
            return ""
        found = weights.get(part.attention, set())
        both = not found.isdisjoint(("query", "gated query")) and not found.isdisjoint(("key", "latent key"))
        if both or "fused" in found:
            return ""
        got = "got a state in which one of the two is absent or refused: give all shards at once, as a list"
        if step.role.endswith("query"):
            got += f"; or, if it uses keys of an earlier layer, say names={{{step.name!r}: {step.role!r}}}"
        return f"must be moved with the queries and the keys of its layer, {got}"

    return rule
