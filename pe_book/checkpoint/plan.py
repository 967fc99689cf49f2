"""Checkpoints: the plan by which a whole state dict is moved between the two layouts of rotary pairs.

The plan is made from names and shapes alone, so a checkpoint on torch's meta device will do, and it can be
read before anything is moved. Whatever cannot be told is refused. The moving of one weight is in
:mod:`pe_book.checkpoint.heads`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pe_book.checkpoint.entries import Sizes, Step, lines_of, require_floats, shape_of, step_of, with_width
from pe_book.checkpoint.heads import head_order, movable, rows_of_heads, taken
from pe_book.checkpoint.names import FUSED, Fused, known_names, part_of, turned_heads
from pe_book.checkpoint.partners import with_partners
from pe_book.checkpoint.programs import fused_by, part_by, require_names_of
from pe_book.checkpoint.states import Shard, entries_of, read
from pe_book.family.rotary import Side, head_width, slice_of
from pe_book.inputs.checking import Layout, known_layout, one_of, whole_number
from pe_book.inputs.wording import shown

_MOST_HEADS = 2**16


@dataclass(frozen=True)
class Plan:
    """What is done with each entry of a state; :func:`plan_relayout` makes it, and ``str(plan)`` shows it.

    Parameters
    ----------
    steps : tuple of Step
        One for each entry, in the order of the state.
    head_dim, rotary_dim, side, source, to, model_type
        As they were given; `rotary_dim` is `head_dim` if it was not.
    assumed : bool
        Whether `rotary_dim` was not given.
    """

    steps: tuple[Step, ...]
    head_dim: int
    rotary_dim: int
    side: Side
    source: Layout
    to: Layout
    assumed: bool = False
    model_type: str | None = None

    @property
    def moved(self) -> dict[str, str]:
        """The role of every entry that is moved, by its name."""
        return {step.name: step.role for step in self.steps if step.role not in ("left", "refused")}

    @property
    def refused(self) -> dict[str, str]:
        """The reason of every entry that is refused, by its name."""
        return {step.name: step.note for step in self.steps if step.role == "refused"}

    def apply(self, state: Shard | Sequence[Shard]) -> dict[str, Any]:
        """The state in the other layout, as a new one.

        Parameters
        ----------
        state
            The one that was planned, or one with its names and shapes: a shard of it, for one. A file that
            ``safetensors.safe_open`` reads lazily will do.

        Returns
        -------
        dict
            Entries that are moved are new arrays or tensors and share no memory with those of `state`, which
            stay as they are; what was tied is so no more. Entries that are left are the same objects.

        Raises
        ------
        ValueError, TypeError
            If the plan refuses an entry, or `state` has what was not planned.

        Examples
        --------
        A folder, shard by shard, never in place. The ``config.json`` is copied as it is: the program that
        reads the new files has to be one that pairs in the other way. The second line printed is ``{None}``,
        or what this loop has ported the folder to before, which the plan cannot tell.

        .. code-block:: python

            old, new = Path("model"), Path("model-interleaved")
            shards = {file.name: safe_open(file, "pt")
                      for file in old.glob("*.safetensors")}
            told = pe.relayout_arguments(old / "config.json")
            plan = pe.plan_relayout(
                [*shards.values()], **told, to="interleaved")
            print(plan)   # the dry run: read it before you go on
            print({(shard.metadata() or {}).get("pairs")
                   for shard in shards.values()})
            plan.apply({})   # raises here if an entry is refused
            shutil.copytree(old, new,
                ignore=shutil.ignore_patterns("*.safetensors"))
            for name, shard in tqdm(shards.items()):
                marks = {"format": "pt", **(shard.metadata() or {}),
                         "pairs": plan.to}
                save_file(plan.apply(shard), new / name, metadata=marks)

        A single state:

        >>> state = {f"attention.{name}.weight": np.eye(4) for name in ("wq", "wk", "wv")}
        >>> sizes = {"n_heads": 1, "n_kv_heads": 1, "head_dim": 4}
        >>> plan = plan_relayout(state, **sizes, source="interleaved", to="halves")
        >>> plan.apply(state)["attention.wk.weight"].argmax(axis=1)
        array([0, 2, 1, 3])
        """
        if self.refused:
            first, *others = self.refused.values()
            more = f"; {len(others)} more are in str(plan)" if others else ""
            raise ValueError(f"state must hold only what can be moved: {first}{more}")
        entries = entries_of(state)
        if strange := entries.keys() - {step.name for step in self.steps}:
            raise ValueError(f"state must have names of the plan, got {min(strange)!r}: plan it, too")
        return {
            step.name: self._applied(step, entries[step.name]) for step in self.steps if step.name in entries
        }

    def _applied(self, step: Step, value: Any) -> Any:
        value = read(value)
        if step.role == "left":
            return value
        if (shape := shape_of(value)) != step.shape:
            raise ValueError(f"state[{step.name!r}] must have the planned shape {step.shape}, got {shape}")
        require_floats(value, step.name)
        index, norm = self._index(step), step.role.endswith("norm")
        return taken(movable(value, step.name), index, step.name, last_axis=norm)

    def _index(self, step: Step) -> NDArray[np.intp]:
        if step.role == "latent key":  # behind the latent: one vector for all heads, as wide as the slice
            latent = cast(tuple[int, ...], step.shape)[0] - self.rotary_dim
            order = head_order(self.rotary_dim, source=self.source, to=self.to)
            return np.concatenate([np.arange(latent), latent + order])  # (d,)
        order = head_order(
            self.head_dim, source=self.source, to=self.to, rotary_dim=self.rotary_dim, side=self.side
        )
        return rows_of_heads(order, step.turned)

    def __str__(self) -> str:
        """One line for all entries whose names differ in numbers alone; refusals with their reasons."""
        if self.source == self.to:
            return (
                f"{self.source} to {self.to}: nothing moves, the two programs pair alike. "
                "If their scores differ, compare rotary_dim, side, frequencies and direction"
            )
        slice_ = f"the {self.side} {self.rotary_dim} of {self.head_dim}"
        what = f"all {self.head_dim}" if self.rotary_dim == self.head_dim else slice_
        counts = f"{len(self.moved)} of {len(self.steps)} entries move, {len(self.refused)} are refused"
        read_as = [f"  read as {self.model_type}"] if self.model_type else []
        head = [f"{self.source} to {self.to}, {what} dimensions of each head", *read_as, f"  {counts}"]
        if self.assumed:
            head.append("  rotary_dim was not given: whole heads move. Give it where a slice turns")
        return "\n".join([*head, *(f"  {line}" for line in lines_of(self.steps))])


def plan_relayout(
    state: Shard | Sequence[Shard],
    *,
    n_heads: int,
    n_kv_heads: int,
    head_dim: int,
    source: Layout,
    to: Layout,
    rotary_dim: int | None = None,
    side: Side = "first",
    fused: Fused | None = None,
    names: Mapping[str, str] | None = None,
    model_type: str | None = None,
) -> Plan:
    r"""The plan by which a checkpoint computes the same attention with pairs in the `to` layout.

    Moved are, head by head, the rows that make queries and keys: weights, biases, the second factor of
    adapters (``lora_B``), and the norms of queries and keys. In latent attention these are ``q_b_proj`` and
    the last rows of ``kv_a_proj_with_mqa``, with ``side="last"`` and `head_dim` that of a whole query.
    All else is left. An adapter has to be moved with its base, beside it or by a plan of its own. Where
    `source` is `to`, nothing is moved, and the plan says so.

    The plan refuses what it cannot tell: packed or quantised entries, shapes that do not fit, a query without
    the key of its layer, a key without values (it may be both), a second stack of layers (a tower of images
    stays, layers for further tokens turn along: `names` has to say it), unknown names that speak of queries
    or keys, and saved frequencies of another `rotary_dim`. Without these a `rotary_dim` that is forgotten
    moves too much, and nothing is refused. A square matrix that is
    transposed has a shape that fits; nothing here tells it.

    Parameters
    ----------
    state
        Arrays or tensors by name, as in a state dict, or a file that ``safetensors.safe_open`` has opened; or
        a list of these, the shards of a checkpoint. Only names, shapes and dtypes are read.
    n_heads, n_kv_heads
        How many heads there are of queries, and of keys: the first is a multiple of the second.
    head_dim
        The width of a head: even.
    source, to, rotary_dim, side
        As for :func:`~pe_book.checkpoint.heads.head_order`.
    fused
        How every projection to queries, keys and values at once lists its heads. ``"concatenated"``: all
        queries, all keys, all values. ``"per-head"``: query, key and value of each head. ``"grouped"``: for
        each key its queries, itself, its value. If not given, as the name tells, and refused if it does not.
        ``"four-blocks"``, as in CodeGen: queries, values, keys of each quarter of the heads. Split another.
    names
        What entries are whose names are unknown or mislead, by patterns as in a shell, the first that fits:
        ``{"*.to_q.*": "query", "vision.*": "left"}``. Roles are ``"query"``, ``"key"``, ``"fused"``,
        ``"gated query"`` (each head's gate behind its query), ``"query norm"``, ``"key norm"``,
        ``"latent key"`` and ``"left"``.
    model_type
        Whose program wrote the state, as its config says: it tells how projections are fused and gated, and
        names of another program are refused. By names alone if not given.

    Returns
    -------
    Plan
        With `moved` and `refused`, by name; ``plan.apply(state)`` makes the new state.

    Raises
    ------
    ValueError, TypeError
        If a size does not fit the others, `fused` does not fit `n_kv_heads`, a pattern fits no name, or no
        entry belongs to queries or keys.

    Examples
    --------
    >>> import pe_book as pe
    >>> state = {f"0.self_attn.{name}_proj.weight": np.ones((8, 8)) for name in "qkv"}
    >>> sizes = {"n_heads": 2, "n_kv_heads": 2, "head_dim": 4}
    >>> print(pe.plan_relayout(state, **sizes, source="halves", to="interleaved"))
    halves to interleaved, all 4 dimensions of each head
      2 of 3 entries move, 0 are refused
      rotary_dim was not given: whole heads move. Give it where a slice turns
      query  1 × *.self_attn.q_proj.weight (8, 8)
      key    1 × *.self_attn.k_proj.weight (8, 8)
      left   1 × *.self_attn.v_proj.weight (8, 8)

    See Also
    --------
    pe_book.checkpoint.heads.relayout_heads : one weight.
    pe_book.checkpoint.programs.relayout_arguments : the arguments, from a model's config.
    pe_book.checkpoint.agreement.check_port : whether both programs score alike.
    """
    entries = entries_of(state)
    heads = whole_number(n_heads, "n_heads", least=1, most=_MOST_HEADS)
    kv_heads = whole_number(n_kv_heads, "n_kv_heads", least=1, most=heads)
    if heads % kv_heads:
        raise ValueError(f"n_kv_heads must divide n_heads, {heads}, got {kv_heads}")
    width = head_width(head_dim, "head_dim")
    sizes = Sizes(heads, kv_heads, width, *slice_of(width, rotary_dim, side))
    source, to, patterns = known_layout(source, "source"), known_layout(to, "to"), known_names(names, entries)
    if fused is not None:
        turned_heads(heads, kv_heads, cast(Fused, one_of(fused, FUSED, "fused")), "fused")
    if model_type is not None and not isinstance(model_type, str):
        raise TypeError(f"model_type must be a name as in configs, or None, got {shown(model_type)}")
    fused = fused_by(model_type, fused)
    require_names_of(model_type, entries)
    parts = {name: part_by(part_of(name, patterns), name, model_type) for name in entries}
    steps = [step_of(name, value, parts[name], sizes, fused) for name, value in entries.items()]
    if all(step.role == "left" for step in steps):
        got = f"got {len(steps)} entries such as {shown(next(iter(entries), None))}"
        raise ValueError(f"state must hold queries and keys by names that are known or in names, {got}")
    if source == to:
        steps = [replace(step, role="left", turned=(), note="") for step in steps]
    plan = Plan((), width, sizes.rotary_dim, sizes.side, source, to, rotary_dim is None, model_type)
    return replace(plan, steps=with_partners(with_width(steps, parts, sizes), parts))
