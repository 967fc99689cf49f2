"""The page on learned and sinusoidal positions by another path: the runs themselves."""

import numpy as np

from tests.show.family.recomputed_learned import of_losses

RUNS = {
    "learned": "learned", "sinusoid": "sinusoid", "long, fixed": "long_fixed",
    "long, trained": "long_trained",
}  # fmt: skip
SERIES = ("sinusoid", "sines, trained")


def share(name):
    """What the page measured, from its own list and not through the figure."""
    return lambda row, p: round(float(p["shares"][name][row["position"]]), 3)


RECOMPUTED = {
    "fig:learned:loud": of_losses(RUNS),
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
