# What type checkers and editors see; written by `make stubs` from pe_book/catalogue.py.
from pe_book.nn.functional.rotary import rotate as rotate
from pe_book.nn.functional.shift import generator as generator
from pe_book.nn.functional.shift import shift as shift
from pe_book.nn.functional.shift import shift_matrix as shift_matrix
from pe_book.nn.functional.sinusoidal import encode as encode
from pe_book.nn.functional.sinusoidal import frequencies as frequencies
from pe_book.nn.functional.sinusoidal import wavelengths as wavelengths
from pe_book.nn.functional.table import table as table
from pe_book.nn.modules.learned import LearnedEncoding as LearnedEncoding
from pe_book.nn.modules.rotary import RotaryEncoding as RotaryEncoding
from pe_book.nn.modules.sinusoidal import SinusoidalEncoding as SinusoidalEncoding
from pe_book.nn.pairs import permutation as permutation
from pe_book.nn.pairs import relayout as relayout
