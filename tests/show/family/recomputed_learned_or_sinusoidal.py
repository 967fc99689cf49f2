"""The page on learned and sinusoidal positions by another path: the runs themselves."""

import math

import numpy as np

RUNS = {
    "learned": "learned", "sinusoid": "sinusoid", "long, fixed": "long_fixed",
    "long, trained": "long_trained",
}  # fmt: skip
SERIES = ("sinusoid", "sines, trained")


def share(name):
    """What the page measured, from its own list and not through the figure."""
    return lambda row, p: round(float(p["shares"][name][row["position"]]), 3)


RECOMPUTED = {
    "fig:learned:loud": {
        "rows": lambda p: math.ceil(len(p["learned"].losses) / 4),
        "step": lambda r, p: 4 * round(r["step"] / 4),
        **{
            name: lambda r, p, run=run: round(float(np.asarray(p[run].losses)[r["step"]]), 4)
            for name, run in RUNS.items()
        },
        "facts": {
            "curves": len(RUNS),
            "ends": lambda f, p: "; ".join(
                f"{name} {np.mean(p[run].losses[::4][-3:]):.2f}" for name, run in RUNS.items()
            ),
        },
    },
    "fig:learned:sines": {
        "rows": lambda p: 2 * p["length"],
        "position": range(64),
        **{name: share(name) for name in SERIES},
        "facts": {
            "panels": len(SERIES),
            "means": lambda f, p: "; ".join(
                f"{name} {np.nanmean(f[name][:32]):.2f} and {np.nanmean(f[name][32:]):.2f}" for name in SERIES
            ),
            "twice": "",
        },
    },
}
