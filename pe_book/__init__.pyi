# What type checkers and editors see; written by `make stubs` from pe_book/catalogue.py.
from pe_book import nn as nn
from pe_book.catalogue import catalogue as catalogue
from pe_book.checkpoint.agreement import check_port as check_port
from pe_book.checkpoint.heads import relayout_heads as relayout_heads
from pe_book.checkpoint.plan import plan_relayout as plan_relayout
from pe_book.checkpoint.programs import relayout_arguments as relayout_arguments
from pe_book.config.checking import check_config as check_config
from pe_book.config.reading import rotary_from_config as rotary_from_config
from pe_book.family.context_extension import scale_frequencies as scale_frequencies
from pe_book.family.rotary import rotate as rotate
from pe_book.inputs.pairs import permutation as permutation
from pe_book.inputs.pairs import relayout as relayout
from pe_book.numerics.rounding import collisions as collisions
from pe_book.sinusoidal.computing import table as table
from pe_book.sinusoidal.distance import similarity as similarity
from pe_book.sinusoidal.formula import encode as encode
from pe_book.sinusoidal.formula import frequencies as frequencies
from pe_book.sinusoidal.formula import wavelengths as wavelengths
from pe_book.sinusoidal.precision import error as error
from pe_book.sinusoidal.shift import generator as generator
from pe_book.sinusoidal.shift import shift as shift
from pe_book.sinusoidal.shift import shift_matrix as shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift as fit_shift
from pe_book.why.order_blindness import attention as attention

__version__: str
