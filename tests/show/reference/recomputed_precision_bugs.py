"""Precision bugs: the reports are words, and their number is counted by what was rounded."""

from tests.show.recomputed import COUNT, WORDS

RECOMPUTED = {
    "tab:precision:reports": {
        COUNT: 4 + 3 + 1 + 5,  # position, frequency, angle, all of it
        **dict.fromkeys(("rounded", "report", "what happened", "mended by"), WORDS),
    },
}
