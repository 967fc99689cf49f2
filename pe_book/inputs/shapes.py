"""Names for the shapes of arrays in signatures: each is a float64 array, and the name says of what shape.

The letters are those of the docstrings: n positions, d_model the width, h heads. Leading axes, where there
are any, run over a batch or over heads.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: (..., d_model), one row for each position.
Rows: TypeAlias = NDArray[np.float64]
#: (n, d_model), one row for each position from 0 or from a start, without gaps.
Table: TypeAlias = NDArray[np.float64]
#: (d_model/2,), one number for each (sin, cos) pair.
PerPair: TypeAlias = NDArray[np.float64]
#: (h,), one number for each head.
PerHead: TypeAlias = NDArray[np.float64]
#: (..., d_model/2), one number for each position and pair.
Pairs: TypeAlias = NDArray[np.float64]
#: The shape of the positions or offsets that are given, one number for each.
PerPosition: TypeAlias = NDArray[np.float64]
#: (d_out, d_in), acts on column vectors.
Matrix: TypeAlias = NDArray[np.float64]
#: (d_in, d_out), acts on rows from the right.
Weights: TypeAlias = NDArray[np.float64]
#: (..., n_q, n_k) or (..., h, n_q, n_k), queries before keys.
Scores: TypeAlias = NDArray[np.float64]
