"""Chromium, for whoever opens the built site: where it is, and with what it is started."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from book import option

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
)
NO_CHROMIUM = "no Chromium: install the system's chromium, or run `python -m playwright install chromium`"


def chromium_path() -> str:
    """PE_CHROMIUM, the system's, or the one that Playwright fetched; an empty string when there is none."""
    found = [option("PE_CHROMIUM"), *(shutil.which(name) for name in NAMES)]
    return next((path for path in found if path), "") or own_of_playwright()


def own_of_playwright() -> str:
    if find_spec("playwright") is None:
        return ""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else ""
