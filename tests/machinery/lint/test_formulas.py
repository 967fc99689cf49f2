"""A formula on a page that does not hold, or cannot be read, fails its build with label and reason."""

PAGE = """(sec:shift:top)=
# Page

:::{prf:theorem} Group law
:label: thm:shift:group

$T_a T_b = T_{a+b}$, $T_{-k} = T_k$, $T_0 = W$.
:::

$$
PE(p + k) = T_k^\\top PE(p)
$$ (eq:shift:law)

:::{prf:proof}
$T_{-k} = T_k$, and $T_0 = W$.
:::
"""


def test_what_does_not_hold_and_what_is_not_read_is_refused(book):
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\nsinusoidal/shift\n```\n")
    page = book.page("sinusoidal/shift", PAGE, front="form: new\n")
    draft = book.build().about("shift")
    assert "PE602 thm:shift:group does not hold: in T_{-k} = T_k" in draft
    assert "PE602 eq:shift:law does not hold: in PE(p + k) = T_k^\\top PE(p)" in draft
    assert draft.count("PE60") == 2, (
        "what is true passes; a proof is not tried; a draft may have letters of its own"
    )
    page.write_text(
        page.read_text(encoding="utf-8").replace("status: draft", "status: complete"), encoding="utf-8"
    )
    refused = book.build().output
    assert "PE603 thm:shift:group has a formula that is not read: T_0 = W: W is not declared" in refused
    assert "say in pe_book/evidence/sinusoidal/letters/shift.py what its letters stand for" in refused
