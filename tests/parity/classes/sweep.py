"""What we read of a config beside what its class does: each difference in a few words."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import pe_book as pe
from pe_book.config.records import LayerRotary
from tests.parity.classes.built import POSITIONS, STEP, Received


def differences(records: tuple[LayerRotary, ...], layers: int, seen: dict[int, Received]) -> list[str]:
    """Where a model differs from the records of its config; empty where they agree in every layer."""
    if len(records) != layers:
        return [f"layers: {len(records)} read, {layers} there"]
    found = []
    for record in records:
        got = seen.get(record.layer)
        if got is None:
            if record.kind == "rotary":
                found.append(f"{record.layer}: turns, and there is no attention")
            continue
        found += [f"{record.layer}: {words}" for words in of_a_layer(record, got)]
    return found


def of_a_layer(record: LayerRotary, got: Received) -> Iterator[str]:
    if got.sink is not None and record.sink != got.sink:
        yield f"sink {record.sink} read, {got.sink} there"
    if heat := record.temperature:
        at = np.array(POSITIONS)
        factors = 1 + np.log1p(at) if heat.rule == "learned" else heat(at)  # every weight is 1 here
        got = got._replace(query=got.query / factors[:, None])
    if record.kind == "learned rotary":  # exp is taken of 1
        record = replace(record, kind="rotary", frequencies=record.unscaled * np.e)
    if record.kind == "rotary" and record.window != got.window:
        yield f"window {record.window} read, {got.window} there"
    if record.kind != "rotary":
        near = 1e-6 if record.temperature else 0
        same = (np.allclose(rows, rows[[0] * len(rows)], rtol=near, atol=0) for rows in (got.query, got.key))
        if not all(same):
            yield f"{record.kind} read, and it turns"
        return
    width = got.key.shape[-1]
    if width != record.head_dim:
        yield f"width {record.head_dim} read, {width} there"
        return
    turning = record.rotary_dim
    block = slice(0, turning) if record.side == "first" else slice(width - turning, width)
    for name, rows in (("query", got.query), ("key", got.key)):
        rest = np.delete(rows, np.r_[block], axis=-1)
        if not np.allclose(rest, rest[[0] * len(rest)], rtol=1e-6 if record.temperature else 0, atol=0):
            yield f"{name}: columns beside the {record.side} {turning} turn"
            return
        order = np.argsort(rows[0, block], kind="stable")
        found = rows[:, block][:, order]
        wanted = pe.rotate(
            found[:1].repeat(len(POSITIONS), 0),
            POSITIONS,
            layout=record.layout,
            frequencies=record.frequencies,
        )
        omega = (
            np.repeat(record.frequencies, 2)
            if record.layout == "interleaved"
            else np.tile(record.frequencies, 2)
        )
        allowed = 2e-6 * np.abs(found[0]).max() * (1 + np.outer(POSITIONS, omega))
        if (np.abs(found - wanted) > allowed).any():
            yield f"{name}: turns otherwise than {record.layout}, {record.frequencies[1:2]}"
            return
    rows = np.sort(got.key[0, block])
    factor = (rows[-1] - rows[0]) / (STEP * (turning - 1))
    if abs(factor / record.attention_factor - 1) > 2e-3:
        yield f"factor {record.attention_factor:.4f} read, {factor:.4f} there"
