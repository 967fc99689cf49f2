# What type checkers and editors see; written by `make stubs` from pe_book/catalogue.py.
from pe_book.nn.columns import permutation as permutation
from pe_book.nn.columns import relayout as relayout
from pe_book.nn.functions import encode as encode
from pe_book.nn.functions import frequencies as frequencies
from pe_book.nn.functions import wavelengths as wavelengths
from pe_book.nn.learned import LearnedEncoding as LearnedEncoding
from pe_book.nn.rotary import rotate as rotate
from pe_book.nn.rotating import RotaryEncoding as RotaryEncoding
from pe_book.nn.shifting import generator as generator
from pe_book.nn.shifting import shift as shift
from pe_book.nn.shifting import shift_matrix as shift_matrix
from pe_book.nn.sinusoidal import SinusoidalEncoding as SinusoidalEncoding
from pe_book.nn.tables import table as table
