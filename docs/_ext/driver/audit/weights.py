"""What the first load of a page brings: bytes by kind as they are sent, requests, elements."""

import gzip
import re
from typing import Any

from playwright.sync_api import Page

KINDS = {
    "document": "HTML", "stylesheet": "CSS", "script": "JavaScript", "font": "fonts", "image": "figures",
}  # fmt: skip
FIGURE = re.compile(r'<svg [^>]*class="pe-panel.*?</svg>', re.DOTALL)
# the most that a page may weigh on first load, in bytes as they are sent
LIMITS = {"without its figures": 300_000, "JavaScript": 80_000, "together": 450_000}


def requests_of(page: Page) -> list[Any]:
    """The list in which the page's requests come together, each page as if it were the first one opened."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    answered: list[Any] = []
    page.on("requestfinished", lambda request: answered.append(request))
    return answered


def weigh(page: Page, answered: list[Any]) -> dict[str, int]:
    """Bytes of the first load by kind, as they were sent; requests and elements."""
    sent = dict.fromkeys((*KINDS.values(), "else"), 0)
    finished = list(answered)  # more may come while we count
    for request in finished:
        sent[KINDS.get(request.resource_type, "else")] += request.sizes()["responseBodySize"]
        if request.resource_type == "document":
            drawn = drawn_inside(request.response().text())
            sent["HTML"], sent["figures"] = sent["HTML"] - drawn, sent["figures"] + drawn
    elements = page.evaluate("document.getElementsByTagName('*').length")
    return sent | {"together": sum(sent.values()), "requests": len(finished), "elements": elements}


def drawn_inside(html: str) -> int:
    """What the figures that a page holds itself add to its compressed size."""
    with_figures, without = (gzip.compress(text.encode(), 6) for text in (html, FIGURE.sub("", html)))
    return len(with_figures) - len(without)


def too_heavy(weight: dict[str, int]) -> list[str]:
    weight = weight | {"without its figures": weight["together"] - weight["figures"]}
    return [
        f"{weight[part]:,} bytes {part}, at most {most:,}"
        for part, most in LIMITS.items()
        if weight[part] > most
    ]
