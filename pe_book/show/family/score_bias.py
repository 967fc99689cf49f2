"""Figures and tables of the chapter on score bias."""

from typing import Any

import numpy as np

from pe_book.evidence.family.score_bias import FORMS, THROUGH, last_row, nearest_weight, settings_apart
from pe_book.family.members import members as registry
from pe_book.family.score_bias import alibi_bias, alibi_key_bias, alibi_slopes
from pe_book.family.score_bias.t5 import t5_boundaries
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Column, Table

DIVIDED = (
    # model, what dot products are divided by, whether the bias is divided too, the call; transformers 5.24.0
    ("T5", "nothing", "no", "`scale=1`"),
    ("BLOOM", r"$\sqrt d$", "no", "as it is"),
    ("MPT", r"$\sqrt d$", "no", "as it is"),
    ("Falcon-RW", r"$\sqrt d$", "**yes**", "`scale_bias=True`"),
    ("DeBERTa", r"$\sqrt{3d}$", "**yes**", "`scale=(3*d)**-0.5, scale_bias=True`"),
)
BIASES = (
    # name in the registry, or source where the book has the formula alone; as it is called, bias of a key n
    # tokens behind, what is learned
    ("ALiBi", "ALiBi", "$-m\\,n$", "nothing"),
    ("T5", "T5", "$w_{\\mathrm{bucket}(n)}$", "a number a bucket"),
    ("KERPLE", "KERPLE, logarithmic", "$-r_1\\log(1 + r_2 n)$", "$r_1$, $r_2$"),
    ("window", "window", "$0$ for $n < w$, else $-\\infty$", "nothing"),
    ("chi2023", "Sandwich", "$\\sum_f \\cos n\\omega_f$", "nothing"),
    ("li2024fire", "FIRE", "$f(\\psi(n)/\\psi(\\max(L, i)))$, $\\psi(x) = \\log(1 + cx)$", "$f$, $c$, $L$"),
    ("golovneva2024", "CoPE", "$q_i \\cdot e_p$, $p = \\sum_{t=j}^{i} \\sigma(q_i \\cdot k_t)$",
     "vectors $e$"),
    ("lin2025", "forgetting attention (FoX)",
     "$\\sum_{t=j+1}^{i} \\log f_t$, $f_t = \\sigma(u \\cdot x_t + a)$", "$u$, $a$"),
)  # fmt: skip


def curves(n_heads: int = 8, farthest: int = 1024) -> Figure:
    """How the weight of a key falls with its distance in each head, above the buckets of T5 as a ruler."""
    distance, weight, head, ruler = "distance (tokens)", "weight", "head", "height"
    far = np.geomspace(1, farthest, 81)
    slopes = alibi_slopes(n_heads)
    falls = np.exp(alibi_bias(slopes, [0], -far))[:, 0]
    rows: list[tuple[Any, ...]] = [
        (i, m, n, fall, None, None)
        for i, m in enumerate(slopes)
        for n, fall in zip(far, falls[i], strict=True)
    ]
    begins = t5_boundaries(bidirectional=False)
    rows += [(None, None, float(n), None, number, -0.09) for number, n in enumerate(begins) if n > 0]
    named = {0: "blue", n_heads - 1: "purple"}

    def facts(f: Frame) -> dict[str, Any]:
        slope = {f"slope_{i}": f"1/{1 / f.where({head: i})['slope'][0]:.0f}" for i in named}
        half = {f"half_{i}": np.log(2) / f.where({head: i})["slope"][0] for i in named}
        marks = f.where(ruler)
        return {**slope, **half, "heads": n_heads, "marks": len(marks), "last": marks[distance].max()}

    return Figure(
        Frame.of_rows((head, "slope", distance, weight, "bucket", ruler), rows, farthest=farthest),
        Panel(
            Guide(y=0.5),
            *(
                Line(distance, weight, {head: i}, colour="muted", width=1)
                for i in range(n_heads) if i not in named
            ),
            *(
                Line(distance, weight, {"slope": float(slopes[i])}, f"slope {{slope_{i}}}", colour, width=1.8,
                     near=1.5 if i == 0 else 120)
                for i, colour in named.items()
            ),
            Points(distance, ruler, ruler, colour="orange", marker="s", size=2.4),
            Points(distance, ruler, {"bucket": len(begins) - 1}, text="T5's buckets", colour="orange",
                   marker="s", size=2.4, sides=("right",)),
            y="weight, of that at no distance", log="x", xlim=(0.9, farthest), ylim=(-0.17, 1.02),
            xticks={1: "1", 4: "4", 16: "16", 64: "64", 256: "256", 1024: "1024"},
            yticks=(0, 0.25, 0.5, 0.75, 1), height=290,
        ),
        facts=facts,
        alt="The weight of a key over its distance on a logarithmic axis, {heads} curves of one shape. That "
        "of slope {slope_0} has halved after {half_0:.2f} tokens, that of {slope_7} after {half_7:.0f}. "
        "Below them {marks} marks "
        "say where buckets of T5 begin, one at each of the first distances, then at even steps; the last at "
        "{last:.0f}.",
    )  # fmt: skip


def forms(slope: float = 0.5, n: int = 4) -> Figure:
    """The bias by distance and the bias by key of a few words, and the weights that both give."""
    places = range(n)
    seen = np.tri(n, dtype=bool)
    bias = {
        "by distance": 0.0 + alibi_bias([slope], places, places)[0],  # no −0
        "by key": np.broadcast_to(alibi_key_bias([slope], places)[0], (n, n)),
    }
    powers = np.where(seen, np.exp(bias["by distance"]), 0)
    rows: list[tuple[Any, ...]] = [
        (form, i, j, float(table[i, j]), None)
        for form, table in bias.items() for i in places for j in range(i + 1)
    ]  # fmt: skip
    weights = powers / powers.sum(axis=1, keepdims=True)
    rows += [("weights", i, j, None, float(weights[i, j])) for i in places for j in range(i + 1)]
    looks = (
        ("by distance", "by distance", "added", "{added:.1f}"), ("by key", "by key", "added", "{added:.1f}"),
        ("weights", "weights of both", "weight", "{weight:.2f}"),
    )  # fmt: skip

    def facts(f: Frame) -> dict[str, Any]:
        by = {form: f.where({"form": form}) for form in bias}
        apart = by["by key"]["added"] - by["by distance"]["added"]
        listed = [sorted({float(x) for x in apart[by["by key"]["query"] == i]}) for i in places]
        row = f.where({"form": "weights", "query": n - 1})["weight"]
        return {"apart": ", ".join(f"{x:.1f}" for each in listed for x in each),
                "row": ", ".join(f"{w:.2f}" for w in row)}  # fmt: skip

    return Figure(
        Frame.of_rows(("form", "query", "key", "added", "weight"), rows, slope=slope, words=n),
        *(
            Panel(
                Heat("key", "query", value, {"form": form}, signed=value == "added", text=text),
                title=title, xticks=list(places), yticks=list(places), width=156, height=186,
            )
            for form, title, value, text in looks
        ),
        facts=facts,
        alt="Lower triangles for {words} words and a slope of {slope}: what is added to the scores by "
        "distance, what is added by key, and the weights, one table for both. From the first row to the last "
        "the two differ by {apart}, the same for every key of a row. The last weights are {row}.",
    )  # fmt: skip


def beyond(trained: int, longest: int = 16384) -> Figure:
    """The share of the weight on what is farther than a training length, as the text grows."""
    tokens, share, head = "tokens of the text", "share beyond", "head"
    lengths = np.unique(np.geomspace(trained, longest, 13).round().astype(int))
    bases = {"no bias": 0.0, "flattest": alibi_slopes(8)[-1]}
    rows = [
        (name, int(n), float(last_row(m, int(n))[:-trained].sum()))
        for name, m in bases.items()
        for n in lengths
    ]

    def facts(f: Frame) -> dict[str, Any]:
        ends = {name.replace(" ", "_"): 100 * f.where({head: name})[share][-1] for name in bases}
        return {**ends, "most": f[tokens].max()}

    return Figure(
        Frame.of_rows((head, tokens, share), rows, trained=trained),
        Panel(
            Line(tokens, share, {head: "no bias"}, "no bias", "orange"),
            Line(tokens, share, {head: "flattest"}, "the flattest head", "blue"),
            log="x", ylim=(-0.03, 1), height=220,
            xticks={trained: f"{trained:,}", 4096: "4,096", longest: f"{longest:,}"},
        ),
        facts=facts,
        alt="The share of the weight on tokens farther back than {trained}, over the length of a text of "
        "equal contents. Without a bias it grows to {no_bias:.0f} percent at {most:,.0f} tokens; in the "
        "flattest head it ends at {flattest:.1f} percent.",
    )  # fmt: skip


def passed_through(slope: float, length: int) -> Table:
    """The weight of the nearest key in both forms of a bias, by what the sums pass through."""
    found = {form: [nearest_weight(slope, length, form, way) for way in THROUGH] for form in FORMS}
    return Table(
        Column("the sum passes through", THROUGH),
        Column("with $-m(i-j)$", found["distance"], "{:.4f}"),
        Column("with $+mj$", found["key"], "{:.4f}"),
    )


def divided() -> Table:
    """Where the division by the root of the width stands in the code of some models."""
    header = ("model", "dot product divided by", "bias divided too", "`attention(…)`")
    return Table.of_rows(header, DIVIDED)


def members() -> Table:
    """Biases with their formulas; source and function of those that the book defines are the registry's."""
    defined = registry()
    rows = []
    for name, called, formula, learned in BIASES:
        one = defined.get(name)
        here = f"`{one.definitions[0].split('.')[-1]}`" if one else "formula only"
        rows.append((called, formula, learned, f"{{cite:t}}`{one.source if one else name}`", here))
    return Table.of_rows(("method", "added, $n = i - j$", "learned", "source", "here"), rows)


def rules(most_buckets: int, farthest: int) -> Table:
    """The settings of a causal T5 whose buckets hang on the rounding of a logarithm."""
    found = settings_apart(most_buckets, farthest)

    def exact(n_buckets: int, size: int, apart: list[int]) -> str:
        first = n_buckets // 2
        wide = n_buckets - first
        bounds = {size**step * first ** (wide - step) for step in range(wide)}
        return "yes" if bounds >= {n**wide for n in apart} else "no"

    return Table(
        Column("buckets", [n_buckets for n_buckets, _, _ in found]),
        Column("`max_distance`", [size for _, size, _ in found]),
        Column("distances", [", ".join(map(str, apart)) for _, _, apart in found]),
        Column("exact", [exact(*one) for one in found]),
    )
