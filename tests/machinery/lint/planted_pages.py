"""Pages that build: in each test one line of one of them is changed to what has to be refused."""


def solved(name: str, text: str) -> str:
    """The solution of an exercise."""
    label = f":::{{solution-start}} exr:small:{name}\n:label: sol:small:{name}\n:class: dropdown\n:::"
    return f"{label}\n\n{text}\n\n:::{{solution-end}}\n:::\n"


SOURCES = """The paper prints {quoted}`27.3 <vaswani2017, Table 2>`, and {ref}`this section <sec:small:numbers>` follows {cite:t}`vaswani2017`.

$$ \\sin^2 x + \\cos^2 x = 1 $$ (eq:small:circle)
"""
FOLD = """
:::{prf:theorem} Small
:label: thm:small:one

Nothing is large.
:::

:::{depth-start} A deeper look
:label: dep:small:deep
:::

Whoever opens it sees $x$.
"""
UNFOLD = """
(sec:small:inside)=
### Inside

More of it.

:::{depth-end}
:::
"""
WHY = """
:::{exercise} [to think about, level 2, 5 min] Add two
:label: exr:small:two

Why?
:::

:::{solution-start} exr:small:two
:label: sol:small:two
:class: dropdown
:::

Because it is done again.

```{points}
- that the next number is one larger;
- that it is done again;
- that it ends there.
```

:::{solution-end}
:::
"""
# nothing of it needs a kernel, which costs more than all the rest of a page
TEXT = f"""(sec:small:top)=
# River and Bank

(sec:small:numbers)=
## Numbers

The width is 6, and that is all. A model has one or two heads. A formula is $x^{{12}}$.
{SOURCES}{FOLD}{UNFOLD}
See {{ref}}`dep:small:deep`.
{WHY}"""
PLAIN = (
    """(sec:small:top)=
# River and Bank

```{code-cell} python
import pe_book as pe
d_model = 6
river, bank = pe.encode([0, 1], d_model)
```

```{code-cell} python
total = bank[0] ** 2 + bank[1] ** 2
assert total > 0.99
```

(sec:small:numbers)=
## Numbers

The third number is {{ bank[2]:.4f }}. In maths it is $\\val{bank[2]:.4f}$ and $x^{12}$.
The width is 6, and the row {holds}`is bounded <abs(bank).max() <= 1>`. A model has one or two heads.
"""
    + SOURCES
    + """
```python
>>> round(float(bank[0]), 4)
0.8415
```
"""
    + FOLD
    + """
```{code-cell} python
inside = pe.encode(1, d_model)
```
"""
    + UNFOLD
    + """
```{code-cell} python
outside = pe.encode(2, d_model)
```

See {ref}`dep:small:deep`.

:::{exercise} [in code, level 1, 5 min] Add one
:label: exr:small:one

Do it.

{stub}`exr:small:one`
:::

:::{solution-start} exr:small:one
:label: sol:small:one
:class: dropdown
:::

```{code-cell} python
def successor(n):
    # begin solution
    return n + 1
    # end solution
assert successor(1) == 2, (
    f'1 came to {successor(1)} where 2 is due: see "Numbers"')
```

```{wrong-try} Subtracting it
return n - 1
```

:::{solution-end}
:::
"""
    + WHY
)
DRAWING = """(sec:small:top)=
# The width is 6

```{code-cell} python
:tags: [hide-input]
import pe_book as pe
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line

words, width = 2, 6
river, bank = pe.encode(range(words), width)

def picture(row, alt=None):
    frame = Frame({"dimension": range(len(row)), "value": row}, first=row[0], last=row[-1], tests=1)
    alt = alt or "The numbers of the row run from {first:.4f} to {last:.4f}, one line."
    return Figure(frame, Panel(Line("dimension", "value")), alt=alt)

def explored(element):
    shown = picture(bank)
    return Figure(shown.frame, *shown.panels, alt=shown.template, explorer=element)

same = "A line through the six numbers of a row, drawn for {tests} test."
```

"""
BANK = """:::{drawn} picture(bank)
:name: fig:small:bank
The row of the second word, in {{ bank.size }} dimensions.
:::

"""
RIVER = """:::{drawn} picture(river)
:name: fig:small:river
The row of the first word.
:::

"""
THIRD = """:::{drawn} picture(pe.encode(2, width))
:name: fig:small:third
The row of the third word, {{ width }} dimensions wide, $x^2$.
:::

"""
SHOWN = DRAWING + BANK + RIVER + THIRD
TABLE = """(sec:small:top)=
# The width is 6

```{code-cell} python
:tags: [hide-input]
import pe_book as pe
from pe_book.show.drawing.table import Column, Table

bank = pe.encode(1, 6)
```

:::{tabled} Table(Column("dimension", [0]), Column("value", [bank[0]], "{:.4f}"))
:name: tab:small:bank
The first number, of `pe.encode(1, 6)`.
:::
"""
DERIVED = """(sec:small:top)=
# The width is 6

```{code-cell} python
:tags: [hide-input]
import sympy
from pe_book.evidence.derivations.derivation import Derivation, Step

x = sympy.Symbol("x", real=True)
```

:::{derived} Derivation("(x + 1)^2", steps=[Step("x^2 + 2x + 1", "expand the square")], symbols=[x])
:::
"""
MARKED = """(sec:small:top)=
# River and Bank

The width is 6.

:::{exercise} [in code, level 1, 5 min] Add one
:label: exr:small:one

Do it.
:::

:::{solution} exr:small:one
:label: sol:small:one

One more.
:::
"""
CHAPTER = """(sec:small:top)=
# A chapter

:::{first-screen}
:needs: {ref}`the end <sec:small:end>`, and a pencil
read this page.
:::

A short main path.

(sec:small:end)=
## The end

Nothing follows.
"""
FIELDS = (
    """(sec:small:top)=
# Fields

```{code-cell} python
import pe_book as pe
row = pe.encode(1, 6)
```

The width is 6.

::::{exercise} [by hand, level 1, 5 min] Three numbers
:label: exr:small:fields

Compute the row.

```{answer} The third number
:is: row[2]
:decimals: 4

- `row[3]`: that is the cosine.
- `-row[2]`: the sign.
```
::::

"""
    + solved("fields", "Read the row.")
    + """
::::{exercise} [by hand, level 1, 5 min] Choose
:label: exr:small:choose

Look at the row.

```{answer} Is it longer than 1?
:choices: yes | no
:is: bool(row @ row > 1)

- `no`: look at the row.
```
::::

"""
    + solved("choose", "Read the row.")
    + """
::::{exercise} [by hand, level 1, 5 min] Explain
:label: exr:small:explain

No field, and points in the solution.
::::

"""
    + solved("explain", "A good answer holds {points} such as these.")
)
