"""Figures: what a reader sees, hears and downloads comes from one object, and always in the same bytes."""

import itertools
import re
import subprocess
import sys
from dataclasses import fields

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import Rectangle

from pe_book.show.figure import DIVERGING, PALETTE, SEQUENTIAL, Figure, canvas

ALT = "A curve that rises from 0 to 2 while x goes from 0 to 2, and stays."


def drawn(values=(0.0, 1.0, 2.0), colour=PALETTE.blue, alt=ALT):
    fig, ax = canvas(2.0)
    ax.plot(range(len(values)), values, color=colour, label="$x_1$")
    ax.set_title("A title")
    ax.text(0.5, 0.5, "a note", ha="center")
    ax.legend()
    return Figure.of(fig, alt=alt, columns=("x", "y"), rows=list(enumerate(values)))


def hues(cmap):
    return cmap(np.linspace(0, 1, 41))[:, :3]


# ---- bytes


def test_same_data_same_bytes_and_other_data_other_bytes():
    assert drawn() == drawn()
    assert drawn().svg != drawn(values=(0.0, 1.0, 2.5)).svg


def test_bytes_do_not_depend_on_the_callers_settings():
    plain = drawn()
    loud = {
        "font.size": 30,
        "text.color": "pink",
        "axes.titlesize": 40,
        "svg.fonttype": "path",
        "xtick.color": "red",
    }
    with mpl.rc_context(loud):
        assert drawn() == plain


def test_nothing_is_left_behind_in_matplotlibs_settings():
    before = dict(mpl.rcParams)
    drawn()
    assert dict(mpl.rcParams) == before


def test_another_process_draws_the_same_bytes():
    code = (
        "from pe_book.show.figure import *\n"
        "fig, ax = canvas(2.0)\n"
        "ax.scatter([0, 1], [0, 1]); ax.fill_between([0, 1], [0, 1])\n"
        f"print(Figure.of(fig, alt={ALT!r}, columns=('x',), rows=[(0,)]).svg)"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
    assert "<svg" in runs.pop()


def test_pyplot_is_never_imported():
    code = "import sys, pe_book.show.figure; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- the element on the page


def test_role_colours_become_variables_and_no_other_colour_is_left():
    svg = drawn().svg
    assert f"var(--pe-blue, {PALETTE.blue})" in svg
    without = re.sub(r"var\(--pe-\w+, #[0-9a-f]{6}\)", "", svg)
    assert re.findall(r"#[0-9a-fA-F]{6}\b", without) == []


@pytest.mark.parametrize("role", [role.name for role in fields(PALETTE)])
def test_every_role_is_translated(role):
    assert f"stroke: var(--pe-{role}, {getattr(PALETTE, role)})" in drawn(colour=getattr(PALETTE, role)).svg


def test_every_text_has_a_colour_of_the_page():
    fig, ax = canvas(2.0)
    ax.text(0, 0, "black by default in SVG", color="black")
    svg = Figure.of(fig, alt=ALT, columns=("x",), rows=[(0,)]).svg
    texts = re.findall(r"<text [^>]*>", svg)
    assert texts
    assert all("fill: var(--pe-" in text for text in texts)


def test_root_scales_and_speaks():
    root = drawn(alt='Two curves, "a" < "b" & 1 more, both above zero throughout.').svg.split(">")[0]
    assert 'role="img"' in root
    assert 'aria-label="Two curves, &quot;a&quot; &lt; &quot;b&quot; &amp; 1 more, both above zero' in root
    assert 'viewBox="0 0 518.4 144"' in root
    assert "width: 100%; max-width: 691px" in root
    assert " width=" not in root
    assert " height=" not in root


def test_nothing_reaches_beyond_the_figure():
    svg = drawn().svg
    for forbidden in ("<?xml", "<!DOCTYPE", "<metadata", "<style", "<script", "xlink", "<!--", "DejaVu"):
        assert forbidden not in svg
    assert re.findall(r'(?:href|src)="(?!#|data:)[^"]*', svg) == []


def test_a_matrix_is_embedded_one_pixel_an_entry():
    fig, ax = canvas(2.0)
    ax.imshow(np.eye(7), cmap=SEQUENTIAL)
    svg = Figure.of(fig, alt=ALT, columns=("x",), rows=[(0,)]).svg
    assert 'href="data:image/png;base64,' in svg
    assert 'width="7" height="7"' in svg
    assert "image-rendering:pixelated" in svg


def ids(svg):
    return re.findall(r' id="([^"]*)"', svg)


def test_two_figures_on_a_page_share_no_id_and_every_reference_resolves():
    one, two = drawn().svg, drawn(values=(2.0, 1.0)).svg
    assert ids(one)
    assert ids(two)
    assert not set(ids(one)) & set(ids(two))
    for svg in (one, two):
        assert len(ids(svg)) == len(set(ids(svg)))
        referred = re.findall(r"url\(#([^)]*)\)", svg) + re.findall(r'href="#([^"]*)"', svg)
        assert set(referred) == set(ids(svg))


def test_an_id_chosen_twice_by_the_author_disappears():
    fig, ax = canvas(2.0)
    for y in (0, 1):
        ax.plot([0, 1], [y, y], gid="twice")
    svg = Figure.of(fig, alt=ALT, columns=("x",), rows=[(0,)]).svg
    assert "twice" not in svg


# ---- what is refused


@pytest.mark.parametrize(
    ("alt", "why"),
    [
        ("Too short, 1 line.", "characters"),
        ("A long sentence that says nothing measurable about the picture at all.", "no number"),
        ("A curve that rises from 0 to 2\nwhile x goes from 0 to 2, and stays.", "one line"),
        ("A curve that rises from 0 to nan while x goes from 0 to 2, and stays.", "not finite"),
    ],
)
def test_alt_that_would_not_do_is_refused(alt, why):
    with pytest.raises(ValueError, match=why):
        drawn(alt=alt)


def test_rows_that_do_not_fit_are_refused():
    fig, _ = canvas(2.0)
    with pytest.raises(ValueError, match="row 1 has 1 cells; there are 2 columns"):
        Figure.of(fig, alt=ALT, columns=("x", "y"), rows=[(0, 1), (2,)])
    with pytest.raises(ValueError, match="empty"):
        Figure.of(fig, alt=ALT, columns=("x", "y"), rows=[])
    with pytest.raises(ValueError, match="nan"):
        Figure.of(fig, alt=ALT, columns=("x",), rows=[(float("nan"),)])
    with pytest.raises(TypeError, match="a cell is"):
        Figure.of(fig, alt=ALT, columns=("x",), rows=[([1, 2],)])


def test_small_labels_are_refused():
    fig, ax = canvas(2.0)
    ax.text(0, 0, "tiny", fontsize=8.5)
    with pytest.raises(ValueError, match=r"'tiny' is 8\.5 points"):
        Figure.of(fig, alt=ALT, columns=("x",), rows=[(0,)])


def test_a_colour_nobody_chose_is_refused():
    fig, ax = canvas(2.0)
    ax.add_patch(Rectangle((0, 0), 1, 1))
    with pytest.raises(ValueError, match="default colour"):
        Figure.of(fig, alt=ALT, columns=("x",), rows=[(0,)])


def test_canvas_refuses_sizes_that_are_none():
    with pytest.raises(ValueError, match="height is 0"):
        canvas(0)
    with pytest.raises(ValueError, match="columns is 0"):
        canvas(1, columns=0)


# ---- the data


def test_csv_is_exact_to_six_digits():
    fig, _ = canvas(2.0)
    rows = [
        (0, -0.0, "a,b"),
        (np.int64(7), -1e-320 * 1e-10, "c"),
        (True, np.float32(1 / 3), None),
        (3, 1e-7, "d"),
    ]
    figure = Figure.of(fig, alt=ALT, columns=("n", "value", "text"), rows=rows)
    assert figure.csv() == 'n,value,text\n0,0,"a,b"\n7,0,c\nTrue,0.333333,\n3,1e-07,d\n'


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(deadline=None, max_examples=200)
def test_csv_loses_at_most_the_seventh_digit(value):
    figure = Figure("", ALT, ("x",), ((value,),))
    shown = figure.csv().splitlines()[1]
    assert float(shown) == pytest.approx(value, rel=5.0001e-6, abs=0)
    assert shown != "-0"


# ---- colours


def test_hex_values_are_unmistakable():
    values = [getattr(PALETTE, role.name) for role in fields(PALETTE)]
    assert len(set(values)) == len(values)
    assert not set(values) & {"#000000", "#ffffff", "#1f77b4"}


def linear(colour):
    rgb = (
        np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255 if isinstance(colour, str) else colour
    )
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return linear(colour) @ [0.2126, 0.7152, 0.0722]


def lab(rgb):
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.072175],
            [0.0193339, 0.119192, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# Machado, Oliveira and Fernandes (2009), severity 1.0
SIGHT = {
    "typical": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}
READ = ("ink", "muted", "blue", "orange", "green", "purple", "red")


def palette_from(css, scheme):
    """The role colours of the stylesheet in one scheme."""
    block = re.search(rf"/\* roles: {scheme} \*/.*?\{{(.*?)\}}", css, re.DOTALL)[1]
    return dict(re.findall(r"--pe-(\w+): (#[0-9a-f]{6});", block))


@pytest.fixture(scope="module")
def stylesheet(request):
    return (request.config.rootpath / "docs" / "_static" / "book.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_roles_can_be_told_apart(scheme, sight, stylesheet):
    colours = palette_from(stylesheet, scheme)
    seen = {role: lab(SIGHT[sight] @ linear(colours[role])) for role in READ}
    for a, b in itertools.combinations(READ, 2):
        # 2.3 is just noticeable side by side; lines in a legend need several times that
        assert np.linalg.norm(seen[a] - seen[b]) > 15, (scheme, sight, a, b)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_roles_stand_out_from_the_page(scheme, stylesheet):
    colours = palette_from(stylesheet, scheme)
    page = luminance({"light": "#ffffff", "dark": "#121212"}[scheme])
    for role in READ:
        high, low = sorted((luminance(colours[role]), page), reverse=True)
        # WCAG 1.4.3 for text, 1.4.11 for lines
        assert (high + 0.05) / (low + 0.05) >= (4.5 if role in ("ink", "muted") else 3), (scheme, role)


def test_stylesheet_in_light_is_the_palette(stylesheet):
    assert palette_from(stylesheet, "light") == {
        role.name: getattr(PALETTE, role.name) for role in fields(PALETTE)
    }


def test_diverging_is_even_and_pale_in_the_middle():
    light = np.array([lab(linear(rgb))[0] for rgb in hues(DIVERGING)])
    assert light.argmax() == 20
    assert (np.diff(light[:21]) > 0).all()
    assert (np.diff(light[20:]) < 0).all()
    assert np.abs(light - light[::-1]).max() < 8


def test_sequential_darkens_all_the_way():
    light = np.array([lab(linear(rgb))[0] for rgb in hues(SEQUENTIAL)])
    assert (np.diff(light) < 0).all()
