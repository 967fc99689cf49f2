"""The SVG that matplotlib writes as an element of a page: roles for colours, names for parts, own ids."""

from __future__ import annotations

import hashlib
import re
from dataclasses import fields

from pe_book.show.drawing.style import ON_MAPS, PALETTE

__all__ = ["PX", "inline"]

PX = 72 / 96  # points
# a name on a line stands clear of it
CLEAR = f"paint-order: stroke; stroke: {PALETTE.paper}; stroke-width: 2.5px; stroke-linejoin: round"
# on a dark page, pale shades of a map become dark ones and blue stays blue (style.at_night)
NIGHT = (
    '<defs><filter id="night" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">'
    '<feColorMatrix values="0 0 -1 0 1 0 -1 0 0 1 -1 0 0 0 1 0 0 0 1 0" result="night"/>'
    '<feFlood style="flood-color: transparent; flood-color: light-dark(transparent, black)" result="dark"/>'
    '<feComposite in="night" in2="dark" operator="in" result="shown"/>'
    '<feMerge><feMergeNode in="SourceGraphic"/><feMergeNode in="shown"/></feMerge></filter></defs>'
)


def _short(value: re.Match[str]) -> str:
    return f"{float(value[0]):.2f}".rstrip("0").rstrip(".").replace("-0.00", "0")


def inline(svg: str, width: int, height: int) -> str:
    """The SVG file as an element of an HTML page; its ids collide with no other's."""
    svg = svg[svg.index("<svg") :].rstrip() + "\n"
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # this style element would apply to the whole page; the root's own style says the same
    svg = re.sub(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r"[ \t]*\n\s*", "\n", svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    svg = re.sub(r' id="pe-clear-([^"]+)"', rf' id="pe-\1" style="{CLEAR}"', svg)
    if "<image" in svg:
        svg = svg.replace("<image", '<image filter="url(#night)"')
        svg = svg[: (start := svg.index(">") + 1)] + NIGHT + svg[start:]
    # what a test, and later an explorer, finds again in the drawing
    svg = re.sub(r' id="pe-([^"]+)"', r' data-part="\1"', svg)
    svg = re.sub(r' id="([xy]tick)_\d+"', r' data-part="\1"', svg)

    used = {name for pair in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg) for name in pair if name}
    # a hundredth of a point is below what any screen shows
    svg = re.sub(r'(?<= d=")[^"]+', lambda m: re.sub(r"-?\d+\.\d{3,}", _short, m[0]), svg)
    svg = re.sub(r'(?<= [xy]=")-?\d+\.\d{3,}', _short, svg)
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", svg)
    # matplotlib's own names hash coordinates, whose last bits vary from run to run
    for place, name in enumerate(dict.fromkeys(re.findall(r' id="([^"]+)"', svg))):
        svg = re.sub(rf'(?<=[#"]){re.escape(name)}(?=[")])', f"part{place}", svg)

    svg = re.sub(r"font-family: 'DejaVu Sans'[^;\"]*;? ?", "", svg)
    svg = re.sub(r"(font: [^;\"]*?[\d.]+px) 'DejaVu Sans'[^;\"]*", r"\1 var(--pe-font, sans-serif)", svg)
    # matplotlib leaves black, the default of SVG, unsaid
    svg = re.sub(r'<text style="(?![^"]*fill:)', f'<text style="fill: {PALETTE.ink}; ', svg)
    svg = svg.replace("#000000", PALETTE.ink)
    for role in fields(PALETTE):
        colour = getattr(PALETTE, role.name)
        svg = svg.replace(colour, f"var(--pe-{role.name}, {colour})")
    for (day, night), colour in ON_MAPS.items():
        svg = svg.replace(f"fill: {colour}", f"fill: light-dark({day}, {night})")
    box = f"0 0 {width * PX:g} {height * PX:g}"
    root = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pe-panel" viewBox="{box}" aria-hidden="true" '
        f'style="width: {width}px; font-family: var(--pe-font, sans-serif); stroke-linejoin: round; '
        f'stroke-linecap: butt">'
    )
    svg = root + svg[svg.index(">") + 1 :]
    prefix = "pe" + hashlib.sha256(svg.encode()).hexdigest()[:10]
    svg = re.sub(r' id="([^"]+)"', rf' id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    return re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
