"""Colours: told apart by everyone, legible on the page, the same in the stylesheet."""

import itertools
import re
from dataclasses import fields

import numpy as np
import pytest

from pe_book.show.drawing.style import DIVERGING, PALETTE, SEQUENTIAL


def hues(cmap):
    return cmap(np.linspace(0, 1, 41))[:, :3]


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
    static = request.config.rootpath / "docs" / "_themes" / "executable_book" / "static"
    return (static / "book.css").read_text(encoding="utf-8")


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
        # WCAG 1.4.3: each role is the colour of names, too
        assert (high + 0.05) / (low + 0.05) >= 4.5, (scheme, role)


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
