"""Open pages in Chromium as a reader does, light and dark, wide and narrow, and note what is wrong."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from driver.audit import probes
from driver.look import GO_ON, Unanswered, ask, chromium, collect_errors, open_settled

WATCH = Path(__file__).with_name("watch.js").read_text(encoding="utf-8")
WIDTHS = {1300: 900, 390: 844, 360: 780}
SCHEMES = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
KINDS = {
    "document": "HTML", "stylesheet": "CSS", "script": "JavaScript", "font": "fonts", "image": "figures",
}  # fmt: skip
FIGURE = re.compile(r'<svg [^>]*class="pe-panel.*?</svg>', re.DOTALL)
# the most that a page may weigh on first load, in bytes as they are sent
LIMITS = {"without its figures": 300_000, "JavaScript": 80_000, "together": 450_000}
SHIFT = 0.05  # half of what counts as good

SCROLL = """async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))
    const root = document.scrollingElement
    for (let y = 0; y < root.scrollHeight; y += innerHeight * 0.7) {
        scrollTo({top: y, behavior: "instant"})
        await frame()
    }
}"""
TO_THE_END = "scrollTo({top: document.scrollingElement.scrollHeight, behavior: 'instant'})"
OPENED_BY = (".contents-button", ".search-button")  # tried on the front page; they are the same on every page
RUN_AXE = Path(__file__).with_name("axe.js").read_text(encoding="utf-8")


class Finding(NamedTuple):
    """One thing that is wrong on one page."""

    page: str
    kind: str
    what: str
    scheme: str = ""
    width: int = 0

    def __str__(self) -> str:
        seen = f" ({self.scheme}, {self.width} px)" if self.scheme else ""
        return f"{self.page}: {self.kind}: {self.what}{seen}"


@dataclass
class Visit:
    """What one opening of one page showed."""

    page: str
    scheme: str
    findings: list[Finding] = field(default_factory=list)
    weight: dict[str, int] = field(default_factory=dict)


class Job(NamedTuple):
    """A page to open in a scheme; it loads at the first width and is made as wide as the others after."""

    page: str
    scheme: str
    widths: tuple[int, ...]


def jobs_of(pages: Iterable[str]) -> list[Job]:
    """Every page in both schemes at every width; pages of source code have one layout, so one width each."""
    jobs = []
    for page in pages:
        wide_first = tuple(WIDTHS) if not page.startswith("pe_book/") else (1300,)
        narrow_first = tuple(reversed(WIDTHS)) if not page.startswith("pe_book/") else (360,)
        jobs += [Job(page, "light", wide_first), Job(page, "dark", narrow_first)]
    return jobs


class Tab:
    """One in which pages are opened one after the other: a new one for each costs half of a visit."""

    def __init__(self, browser: Browser, home: str, scheme: str, narrow: bool):
        context = browser.new_context(
            color_scheme="dark" if scheme == "dark" else "light",
            has_touch=narrow,
            device_scale_factor=2 if narrow else 1,
        )
        context.add_init_script(WATCH)
        self.page = context.new_page()
        nothing_kept = {"cacheDisabled": True}  # each page is the first that a reader opens
        context.new_cdp_session(self.page).send("Network.setCacheDisabled", nothing_kept)
        self.errors, self.answered = collect_errors(self.page, home), list[Any]()
        self.page.on("requestfinished", lambda request: self.answered.append(request))


class Tabs:
    """The tabs of one browser, by where the pages lie and how they are opened."""

    def __init__(self, browser: Browser):
        self.browser = browser
        self.opened: dict[tuple[str, str, bool], Tab] = {}

    @contextmanager
    def one(self, *how: Any) -> Iterator[Tab]:
        """A tab as if nobody had used it; one in which something failed is not used again."""
        tab = self.opened.pop(how, None) or Tab(self.browser, *how)
        tab.errors.clear()
        tab.answered.clear()
        yield tab
        tab.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.opened[how] = tab


def visit(tabs: Tabs, home: str, job: Job, axe: str) -> Visit:
    """Open a page once, as a reader who comes for the first time; then look at it at each width.

    One that begins narrow is opened as on a phone: by a finger, with two dots for a pixel. Without the
    source of axe its look, which is the dearest, is left out.
    """
    with tabs.one(home, job.scheme, job.widths[0] < probes.NARROW) as tab:
        return seen_in(tab, home, job, axe)


def seen_in(tab: Tab, home: str, job: Job, axe: str) -> Visit:
    seen = Visit(job.page, job.scheme)
    first, *others = job.widths
    page, errors = tab.page, tab.errors
    page.set_viewport_size({"width": first, "height": WIDTHS[first]})

    def note(kind: str, what: str, width: int) -> None:
        seen.findings.append(Finding(job.page, kind, what, job.scheme, width))

    page.goto(home + job.page, wait_until="load")
    ask(page, "() => document.fonts.ready.then(() => true)")
    served = home.startswith("http")  # a folder sends nothing, and its fonts come when they come
    if served:
        seen.weight = weigh(page, tab.answered)
    if served and job.page != "search.html":  # it opens with the index, others when somebody searches
        for what in too_heavy(seen.weight):
            note("weight", what, first)
    ask(page, SCROLL) if served else page.evaluate(GO_ON)
    for shift in page.evaluate("audited.shifts") if served else []:
        if shift["value"] >= SHIFT:
            note("layout shift", f"{shift['value']:.4f}: {', '.join(shift['what'])}", first)
    page.evaluate(axe or "0")
    for width in (first, *others):
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        for kind, what in probes.asked(page, width):
            note(kind, what, width)
        page.evaluate(TO_THE_END)  # and nothing is laid out for the sake of axe
        ask(page, probes.NEXT_FRAME)
        for broken in ask(page, RUN_AXE, RULES) if axe else []:
            note("axe", f"{broken['rule']} x{broken['nodes']}: {broken['where']} {broken['why']}", width)
    if axe and job.page == "index.html" and first < probes.NARROW:
        page.set_viewport_size({"width": first, "height": WIDTHS[first]})
        for opened in OPENED_BY:
            page.click(opened)
            page.wait_for_timeout(300)
            if page.url != home + job.page:
                note("error", f"{opened} led to {page.url} and opened nothing", first)
                break
            for broken in ask(page, RUN_AXE, RULES):
                what = f"{broken['rule']} x{broken['nodes']}: {broken['where']}, opened by {opened}"
                note("axe", what, first)
            page.keyboard.press("Escape")
    for refused in page.evaluate("audited.refused"):
        note("policy", refused, first)
    for error in dict.fromkeys(errors):
        note("another host" if error.startswith("asked elsewhere") else "error", error, first)
    return seen


def glance(browser: Browser, home: str, pages: Iterable[str]) -> list[Finding]:
    """Open some pages where they lie elsewhere; note what is missing, refused or asked from another host."""
    page, found = browser.new_page(), []
    errors = collect_errors(page, home)
    for name in pages:
        open_settled(page, home + name)
        found += [Finding(name, "error", f"{error}, under {home}") for error in dict.fromkeys(errors)]
        errors.clear()
    page.close()
    return found


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


def visit_all(
    home: str, jobs: list[Job], axe: str, tabs: int, said: Callable[[str], None] = print
) -> list[Visit]:
    """Do all the jobs, in a browser for each of `tabs` threads."""
    waiting, done, failed = list(reversed(jobs)), list[Visit](), list[BaseException]()
    lock = threading.Lock()

    def go_on(tabs: Tabs, stuck: set[Job]) -> None:
        while not failed:
            with lock:
                if not waiting:
                    return
                job = waiting.pop()
            try:
                seen = visit(tabs, home, job, axe)
            except Unanswered:
                if job in stuck:
                    raise
                with lock:  # once more, in another browser
                    stuck.add(job)
                    waiting.append(job)
                    said(f"{job.page} {job.scheme}: no answer, opened again")
                return
            with lock:
                done.append(seen)
                said(f"[{len(done)}/{len(jobs)}] {job.page} {job.scheme}: {len(seen.findings)}")

    def work() -> None:
        stuck: set[Job] = set()
        try:
            while waiting and not failed:
                with chromium() as browser:
                    go_on(Tabs(browser), stuck)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(tabs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sorted(done, key=lambda seen: (seen.page, seen.scheme))


def grouped(findings: Iterable[Finding]) -> list[str]:
    """The findings by kind, most frequent first; each with the pages that it was seen on."""
    groups: dict[str, dict[str, str]] = {}
    for finding in findings:
        name = f"{finding.kind}: {finding.what.split(' x')[0] if finding.kind == 'axe' else finding.what}"
        groups.setdefault(name, {}).setdefault(finding.page, str(finding))
    lines = []
    for name, pages in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines += [f"{len(pages):4} pages  {name}", *(f"        {line}" for line in list(pages.values())[:4])]
    return lines


def as_text(findings: Iterable[Finding]) -> str:
    return json.dumps([finding._asdict() for finding in findings], indent=1)
