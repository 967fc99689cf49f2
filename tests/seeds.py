"""What tests draw: the same in every run, and with PE_WEEKLY=1, as in `make thorough`, anew and more of it.

PE_SEED repeats a run. What a new draw finds becomes an `@example` beside its property.
"""

import os
import random

from hypothesis import settings
from hypothesis import strategies as st

WEEKLY = os.environ.get("PE_WEEKLY", "")  # "1", or "fixed": more is drawn, and the same each time
MORE = 4  # times the examples of every run
CONVENTIONS = st.fixed_dictionaries(
    {
        "base": st.sampled_from([1.5, 100.0, 10000.0, 500000.0]),
        "layout": st.sampled_from(["interleaved", "halves"]),
        "ladder": st.sampled_from(["paper", "tensor2tensor"]),
    }
)

if WEEKLY == "1":
    os.environ.setdefault("PE_SEED", str(random.SystemRandom().randrange(10**6)))  # that of all workers
TIMES = MORE if WEEKLY else 1
settings.register_profile(  # time is measured by make bench and nowhere else
    "book", deadline=None, derandomize=WEEKLY != "1", database=None, max_examples=100 * TIMES
)
settings.load_profile("book")


def seed() -> int:
    """The seed of this run, printed: pytest shows it where a test fails."""
    found = int(os.environ.get("PE_SEED") or 7)
    print(f"PE_SEED={found}")
    return found


def examples_drawn(examples: int) -> settings:
    """So many examples of a property."""
    return settings(max_examples=examples * TIMES)
