"""What decides the claims about adding positions and about code: C084 to C098."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims.claim import FLOAT32, Change, Decided, equal, given
from pe_book.evidence.claims.programs import LISTINGS, said_by
from pe_book.evidence.outcome import PASSED, fails_with, outcome
from pe_book.evidence.sinusoidal.adding import one_word_one_step
from pe_book.evidence.verdict import Verdict
from pe_book.family.doors.models import model
from pe_book.family.learned import BEYOND, lookup
from pe_book.family.learned.counting import bert_tensors, count, gpt2_tensors
from pe_book.numerics.rounding import collisions, round_to
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.adding import loudness, projection_counts, score_terms, tied
from pe_book.sinusoidal.adding.subspaces import closest_sums
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import append, over_last

Array = NDArray[np.float64]
RIGHT_NAMES = ("num_embeddings", "embedding_dim")


def _torch() -> Any:
    return import_module("torch")  # late: the other groups do without


def _usual(d_model: int, max_len: int = 5000) -> Any:
    return import_module("pe_book.nn.trial.usual_classes").Classic(d_model, max_len).eval()


def _normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def _widths(*, width: int = 512) -> Verdict:
    words, places = _normal(0, 5, 512), encode(range(5), width)
    added = (words + places).shape if width == 512 else ()
    return Verdict(added == (5, 512) and append(words, places).shape == (5, 1024))


def _everything_doubles() -> Verdict:
    counted = projection_counts(512)
    times = counted.widened / counted.added
    return Verdict(times == 2, {"times": times})


def _first_projection_doubles(*, d_model: int = 512, d_place: int = 512) -> Verdict:
    counted, one = projection_counts(d_model, d_place), projection_counts(d_model, 1)
    words, places, w = _normal(0, 9, 64), encode(range(9), 64), _normal(1, 64, 8)
    same = equal(append(words, places) @ tied(w), (words + places) @ w)
    evidence = {
        "added": counted.added,
        "appended": counted.appended,
        "one": 100 * (one.appended / one.added - 1),
    }
    return Verdict(counted.appended == 2 * counted.added and same, evidence)


def _always_apart() -> Verdict:
    words, places = _normal(0, 5, 128), encode(range(10), 128)
    impostor = words[0] + places[3] - places[8]
    return Verdict(not equal(closest_sums(np.vstack([words, impostor]), places).gap, 0))


def _apart_when_drawn(*, words: int = 100, positions: int = 50, twin: bool = False) -> Verdict:
    drawn, places = _normal(0, words, 128), encode(range(positions), 128)
    if twin:
        drawn[1] = drawn[0] + places[3] - places[8]
    nearest = closest_sums(drawn, places)
    return Verdict(bool(one_word_one_step(nearest, places)), {"gap": nearest.gap})


def _same_width(*, width: int = 4) -> Verdict:
    words, eye = _normal(0, 5, 8), np.eye(8)
    fits = outcome(lambda: score_terms(words, encode(range(5), 8), eye, eye) is not None)
    said = outcome(lambda: score_terms(words, encode(range(5), width), eye, eye) is not None)
    spread = words + encode(range(5), 8)[:, :1]
    return Verdict(fits == PASSED and said == "`ValueError`" and spread.shape == words.shape)


def _comparable(*, std: float = 1.0) -> Verdict:
    word, place, ratio = loudness(std, 512, scale=True)
    return Verdict(ratio < 2, {"word": float(word), "place": float(place), "ratio": float(ratio)})


def _comparable_when_quiet(*, scale: bool = True) -> Verdict:
    quiet = loudness(512**-0.5, 512, scale=scale).ratio
    return Verdict(equal(quiet, math.sqrt(2)), {"quiet": float(quiet)})


def _drops_words(*, rate: float = 0.1) -> Verdict:
    keep = np.random.default_rng(1).random((50, 512)) >= rate
    words, places = _normal(0, 50, 512), encode(range(50), 512)
    after = np.where(keep, words + places, 0)
    before = words + np.where(keep, places, 0)
    share = float((after == 0).mean())
    return Verdict(0.09 < share < 0.11 and not (before == 0).any(), {"share": 100 * share})


def _of_a_module_object() -> Verdict:
    kept = list(_usual(8, 24).state_dict())
    return Verdict(callable(_torch().nn.Module.register_buffer) and len(kept) == 1)


def _no_parameters(*, make: Callable[[], Any] | None = None, rows: int = 1000, d_model: int = 512) -> Verdict:
    made = make() if make else _usual(d_model, rows)
    held = sum(buffer.nbytes for buffer in made.buffers())
    return Verdict(sum(p.numel() for p in made.parameters()) == 0, {"held": held})


def _saves(*, names: tuple[str, str] = ("BERT", "GPT-2")) -> Verdict:
    first, second = (model(name).parameters for name in names)
    evidence = {"bert": 100 * first / count(bert_tensors()), "gpt2": 100 * second / count(gpt2_tensors())}
    return Verdict(min(first, second) > 0, evidence)


def _keywords(*, names: tuple[str, str] = ("max_seq_len", "d_model")) -> Verdict:
    made = outcome(lambda: _torch().nn.Embedding(**dict.fromkeys(names, 8)) is not None)
    return Verdict(made == PASSED, {"said": made.strip("`")})


def _no_way_past() -> Verdict:
    table = np.zeros((512, 2))
    ways = [
        way for way in BEYOND if outcome(lambda way=way: len(lookup(table, [512], beyond=way)) == 1) == PASSED
    ]
    return Verdict(not ways, {"ways": ", ".join(ways)})


def _refused_as_it_stands(*, beyond: Any = "refuse") -> Verdict:
    table = np.zeros((512, 2))
    return fails_with("ValueError", lambda: lookup(table, [512], beyond=beyond) is None)


def _no_limit(*, max_len: int = 1000, seq_len: int = 1001) -> Verdict:
    torch = _torch()
    said = outcome(lambda: _usual(8, max_len)(torch.zeros(1, seq_len, 8)).shape[1] == seq_len)
    return Verdict(said == PASSED, {"error": said.strip("`")})


def _formula_has_none() -> Verdict:
    torch, place = _torch(), import_module("pe_book.nn").SinusoidalEncoding(8, max_len=1000).eval()
    rows = place(torch.zeros(1, 1001, 8))[0].numpy()
    far = encode([10**6, 10**9], 8)
    return Verdict(equal(rows[-1], encode(1000, 8), FLOAT32) and bool(np.isfinite(far).all()))


def _divided(seq_len: int, d_model: int, *, dtype: str) -> Array:
    """A table whose rows depend on the length of the text."""
    return encode(over_last(seq_len), d_model).astype(dtype)


def _once(
    *, table: Callable[..., Array] = computing.table, d_model: int = 512, dtype: str = "float32"
) -> Verdict:
    """Whether shorter tables are the beginning of the long one, so that one is enough."""
    made = table(5000, d_model, dtype=dtype)
    kept = [np.array_equal(table(n, d_model, dtype=dtype), made[:n]) for n in (2, 50, 999)]
    return Verdict(all(kept), {"bytes": made.nbytes, "MiB": made.nbytes / 2**20})


def _low_precision_anywhere(*, dtype: str = "bfloat16", positions: int = 5000) -> Verdict:
    lost = collisions(round_to(np.arange(positions), dtype))
    first = lost.first or (0, 0)
    return Verdict(lost.first is None, {"first": first[0], "second": first[1], "distinct": lost.distinct})


def _cast_at_the_end(*, dtype: str = "bfloat16", rounded: str = "table", rows: int = 1000) -> Verdict:
    at = round_to(np.arange(rows), dtype) if rounded == "positions" else np.arange(rows)
    return Verdict(collisions(round_to(encode(at, 64), dtype)).first is None)


def _all_run(*, listings: Any = LISTINGS) -> Verdict:
    said = said_by(listings)
    stopped = [f"{about}, {error}" for about, error in said.items() if error != PASSED]
    evidence: dict[str, int | str] = {"run": len(said) - len(stopped), "of": len(said)}
    return Verdict(not stopped, {**evidence, "stopped": "; ".join(stopped)})


def _stops_for_a_reason() -> Verdict:
    """The listing of the learned table stops once more where `nn` is known."""
    learned = dict(LISTINGS)["a learned table"]
    return Verdict(bool(fails_with("TypeError", exec, learned, {"nn": _torch().nn})) and not _all_run())


DECIDED = {
    "C084": Decided(_widths),
    "C085": Decided(_everything_doubles, _first_projection_doubles),
    "C086": Decided(_always_apart, _apart_when_drawn),
    "C087": Decided(_same_width),
    "C088": Decided(_comparable, _comparable_when_quiet),
    "C089": Decided(_drops_words),
    "C090": Decided(
        lambda holder=None: hasattr(_torch() if holder is None else holder, "register_buffer"),
        instead=_of_a_module_object,
        torch=True,
    ),
    "C091": Decided(_no_parameters, torch=True),
    "C092": Decided(_saves),
    "C093": Decided(_keywords, instead=given(_keywords, names=RIGHT_NAMES), torch=True),
    "C094": Decided(_no_way_past, _refused_as_it_stands),
    "C095": Decided(_no_limit, _formula_has_none, torch=True),
    "C096": Decided(_once),
    "C097": Decided(_low_precision_anywhere, _cast_at_the_end),
    "C098": Decided(_all_run, instead=_stops_for_a_reason, torch=True),
}
FAILS_WITH = {
    "C084": Change("the positions have {width} columns", {"width": 256}),
    "C085": Change("one column is appended", {"d_place": 1}),
    "C086": Change("one word is another one, moved by five positions", {"twin": True}),
    "C087": Change(
        "numpy adds, and of the encoding the first column alone",
        of=f"{__name__}.score_terms",
        put=lambda words, places, *_: words + places[:, :1],
    ),
    "C088": Change("the root is left out", {"scale": False}),
    "C089": Change("nothing is dropped", {"rate": 0.0}),
    "C090": Change("it is looked up in a module object", {"holder": type("M", (), {"register_buffer": 0})}),
    "C091": Change("the table is a learned one", {"make": lambda: import_module("torch").nn.Embedding(8, 4)}),
    "C092": Change("the table that is spared is a sinusoid", {"names": ("Transformer", "GPT-2")}),
    "C093": Change("the arguments have torch's names", {"names": RIGHT_NAMES}),
    "C094": Change("the last row stands in for the missing ones", {"beyond": "clamp"}),
    "C095": Change("the text has {seq_len:,} tokens", {"seq_len": 1000}),
    "C096": Change("positions are divided by the last one of the text", {"table": _divided}),
    "C097": Change("positions are rounded, too", {"rounded": "positions"}),
    "C098": Change("one looks at the first four", {"listings": LISTINGS[:4]}),
}
