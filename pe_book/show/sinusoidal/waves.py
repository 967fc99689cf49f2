"""Figures and tables of the chapter on waves: single waves, dials, odometer, ladder, bits."""

import numpy as np

from pe_book.inputs.checking import Ladder
from pe_book.show.drawing.diagram import Boxes, Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from pe_book.sinusoidal.waves.digits import digits

FAST_TO_SLOW = ("blue", "orange", "green", "purple")
MULTIPLES_OF_PI = dict(zip(np.pi * np.arange(5), ("0", "π", "2π", "3π", "4π"), strict=True))


def sine_and_cosine() -> Figure:
    """A walk around a circle, a radian a step, and how far right and how far up it leads."""
    fine, steps = np.linspace(0, 4 * np.pi, 193), np.arange(7)
    x, step = np.append(fine, steps), [None] * fine.size + [*steps]
    angle, sine, cosine = "angle x (radians)", "sin x", "cos x"
    return Figure(
        Frame({angle: x, sine: np.sin(x), cosine: np.cos(x), "step": step}),
        Panel(
            Dial(angle, "step", "green", hand=False, text="{step}"),
            title="steps of one radian", bare=True, equal=True, width=190, height=190,
        ),
        Panel(
            Guide(y=1), Guide(y=-1),
            Line(angle, sine, {"step": None}, sine, near=1.5),
            Line(angle, cosine, {"step": None}, cosine, "orange", near=9.5),
            Points(angle, sine, "step"), Points(angle, cosine, "step", colour="orange"),
            y="", xticks=MULTIPLES_OF_PI, yticks=(-1, 0, 1), ylim=(-1.5, 1.5), height=190,
        ),
        facts=lambda f: {
            "sine": f[sine][0], "cosine": f[cosine][0], "top": f[sine].max(), "low": f[sine].min(),
        },
        alt="Dots on a circle, a radian apart, and two curves over two turns. The sine starts at {sine:.0f} "
        "and the cosine at {cosine:.0f}, a quarter turn ahead; both stay between {low:.0f} and {top:.0f}.",
    )  # fmt: skip


def sine_of_words(words: tuple[str, ...]) -> Figure:
    """The sine between the first and the last word, with the value that each word is given."""
    last, sine = len(words) - 1, "sine of the position"
    fine = np.linspace(0, last, 30 * last + 1)
    x, named = np.append(fine, range(last + 1)), [None] * fine.size + [*words]
    return Figure(
        Frame({"position": x, sine: np.sin(x), "word": named}, last=last),
        Panel(
            Guide(y=0, dash=""),
            Line("position", sine, {"word": None}, colour="muted", width=1.2),
            Points("position", sine, "word", text="{word} {sine of the position:.3f}", size=7),
            xticks=range(last + 1), yticks=(-1, 0, 1), ylim=(-1.2, 1.6), height=220,
        ),
        facts=lambda f: {
            "listed": ", ".join(f"{row['word']} {row[sine]:.3f}" for row in f.where("word").rows())
        },
        alt="A sine curve with a dot for each word, at whole positions up to {last}: {listed}.",
    )  # fmt: skip


def dials(n: int, d_model: int) -> Figure:
    """One dial a pair: where its hand points for the words 0, …, n-1."""
    rates, angle = frequencies(d_model), "angle (radians)"
    rows = [(i, p, p * rate) for i, rate in enumerate(rates) for p in range(n)]
    return Figure(
        Frame.of_rows(("pair", "position", angle), rows, n=n, **{f"pair {i}": i for i in range(rates.size)}),
        *(
            Panel(
                Dial(angle, {"pair": i}, FAST_TO_SLOW[i % 4]),
                title=f"pair {{pair {i}}}: {{rate {i}:g}} rad", bare=True, equal=True, width=138, height=160,
            )
            for i in range(rates.size)
        ),
        facts=lambda f: {
            **{f"rate {i}": f.where({"pair": i})[angle][1] for i in range(rates.size)},
            "swept": ", ".join(f"{x:.3f}" for x in f.where({"position": n - 1})[angle]),
        },
        alt="Clock faces with a dot for each of {n} words. Their hands turn by {swept} radians: the dots of "
        "the first surround the dial; those of the last lie on top of one another.",
    )  # fmt: skip


def odometer(position: int, d_model: int) -> Figure:
    """The wheels of a decimal odometer, each over the dial that turns at its speed, the slowest first."""
    rates = frequencies(d_model)[::-1]
    pairs, angle = range(rates.size)[::-1], "angle (radians)"
    turns, rest = np.divmod(position * rates, 2 * np.pi)
    frame = Frame(
        {
            "pair": pairs, "odometer digit": digits(position, places=rates.size), angle: position * rates,
            "whole turns": turns.astype(int), "angle shown (radians)": rest, "across": 0, "up": 1.75,
        },
        position=position, **{f"pair {i}": i for i in pairs},
    )  # fmt: skip
    return Figure(
        frame,
        *(
            Panel(
                Boxes("{odometer digit}", "across", "up", (0.6, 0.6), {"pair": i}, "ink", tint=0, bold=True),
                Dial(angle, {"pair": i}, FAST_TO_SLOW[i % 4]),
                title=f"pair {{pair {i}}}: {{angle {i}:g}} rad", bare=True, equal=True, width=138, height=190,
            )
            for i in pairs
        ),
        facts=lambda f: {
            **{f"angle {i}": f.where({"pair": i})[angle][0] for i in pairs},
            "digits": ", ".join(f"{x:.0f}" for x in f["odometer digit"]),
            "turns": ", ".join(f"{x:.0f}" for x in f["whole turns"]),
        },
        alt="Position {position} on an odometer and on the dials that turn at its speeds, slowest first: the "
        "wheels show {digits}, the hands have made {turns} whole turns and point to what is left.",
    )  # fmt: skip


def odometer_table(position: int, d_model: int) -> Table:
    """For each pair: angle, whole turns lost, angle shown, and the positions its dial leaves open."""
    rates = frequencies(d_model)
    turns, rest = np.divmod(position * rates, 2 * np.pi)
    return Table(
        Column("pair", range(rates.size)),
        Column("wheel", digits(position, places=rates.size)[::-1]),
        Column("position shown", rest / rates, "{:.2f}"),
        Column("modulo (tokens)", wavelengths(d_model), "{:,.1f}"),
        Column("angle (rad)", position * rates, "{:g}"),
        Column("whole turns, lost", turns, "{:.0f}"),
        Column("angle shown (rad)", rest, "{:.3f}"),
    )


def ladder(d_model: int, small: int, base: int = 10000) -> Figure:
    """All frequencies of a width on a logarithmic scale, and where the wavelengths of a small width end."""
    frequency, wavelength = "frequency (radians a token)", "wavelength (tokens)"
    shown: tuple[tuple[int, Ladder], ...] = (d_model, "paper"), (small, "paper"), (small, "tensor2tensor")
    rows = [
        (width, name, i, rate, 2 * np.pi / rate)
        for width, name in shown
        for i, rate in enumerate(frequencies(width, base=base, ladder=name))
    ]
    wide, paper, code = ({"width": width, "ladder": name} for width, name in shown)
    settings = {
        "d_model": d_model,
        "small": small,
        "base": base,
        "turns_of_base": 2 * np.pi * base,
        "one_over_base": 1 / base,
    }
    return Figure(
        Frame.of_rows(("width", "ladder", "pair i", frequency, wavelength), rows, **settings),
        Panel(
            Guide(y="one_over_base", label="one over {base}"), Line("pair i", frequency, wide),
            title="width {d_model}", log="y", xticks=(0, d_model // 4, d_model // 2 - 1), width=300,
        ),
        Panel(
            Guide(y="turns_of_base", label="{base} · 2π", near=0.3),
            Line("pair i", wavelength, code, f"{code['ladder']}", "orange", dots=True),
            Line("pair i", wavelength, paper, f"{paper['ladder']}", dots=True),
            title="width {small}", log="y", xticks=range(small // 2), ylim=(4, 2e5), width=300,
        ),
        facts=lambda f: {
            "first": f.where(wide)[frequency][0], "last": f.where(wide)[frequency][-1],
            "paper": f.where(paper)[wavelength][-1], "code": f.where(code)[wavelength][-1],
        },
        alt="The frequencies of width {d_model} fall on a straight line of a logarithmic scale, from "
        "{first:g} to {last:.4g}, above one over {base}. The wavelengths of width {small} end at "
        "{paper:,.0f} under the paper's formula and at {code:,.0f} in the authors' code.",
    )  # fmt: skip


def ends_table(widths: tuple[int, ...]) -> Table:
    """Ratio of neighbours, last wavelength and its share of 10000 turns' length, for each width."""
    first, second, last = ([wavelengths(d)[i] for d in widths] for i in (0, 1, -1))
    return Table(
        Column("width $d$", widths),
        Column("first, in tokens", first, "{:.3f}"),
        Column("ratio", np.divide(second, first), "{:.4f}"),
        Column("last, in tokens", last, "{:,.1f}"),
        Column(r"share of $10000\cdot 2\pi$", np.divide(last, 2 * np.pi * 10000), "{:.2%}"),
    )


def bits(n: int, d_model: int) -> Figure:
    """The bits of the first n positions as a map, and the rows of the same positions."""
    count = len(digits(n - 1, radix=2))
    position, column, entry, number, bit = "position", "column", "entry", "number of the bit", "bit"
    rows: list[tuple[int | float | None, ...]] = [
        (p, None, None, j, p >> j & 1) for p in range(n) for j in range(count)
    ]
    rows += [
        (p, c, x, None, None) for p, row in enumerate(encode(range(n), d_model)) for c, x in enumerate(row)
    ]
    return Figure(
        Frame.of_rows((position, column, entry, number, bit), rows, n=n, d_model=d_model),
        Panel(
            Heat(number, position, bit, {bit: ...}, text="{bit:.0f}"), title="bits", xticks=range(count),
            yticks=range(n), width=140, height=300,
        ),
        Panel(
            Heat(column, position, entry, {entry: ...}, limit=1), title="width {d_model}",
            xticks=range(d_model), yticks=range(n), width=170, height=300,
        ),
        facts=lambda f: {
            "changes": ", ".join(
                f"{np.count_nonzero(np.diff(f.where({number: j})[bit]))}" for j in range(count)
            ),
            "ranges": ", ".join(
                f"{np.ptp(f.where({column: c})[entry]):.2f}" for c in range(0, d_model, 2)
            ),
        },
        alt="Two maps over the first {n} positions. The bits change {changes} times, the lowest first. The "
        "sines of width {d_model} move by {ranges}: the first swings, the last barely rises.",
    )  # fmt: skip
