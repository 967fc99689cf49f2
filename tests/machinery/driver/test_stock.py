"""The same content in the stock theme can be built without what gives the book its shell."""

import re

from book import ROOT
from driver.audit import stock

USED = re.compile(r"config\.(pe_\w+)")
MADE = re.compile(r'add_config_value\("(pe_\w+)"')


def test_no_setting_of_the_shell_is_asked_for_without_it():
    kept = stock.settings()["extensions"]
    sources = {
        name: (ROOT / "docs/_ext" / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8")
        for name in kept
        if (ROOT / "docs/_ext" / f"{name.replace('.', '/')}.py").exists()
    }
    assert len(sources) > 20
    made = {setting for source in sources.values() for setting in MADE.findall(source)}
    for name, source in sources.items():
        assert set(USED.findall(source)) <= made, f"{name} asks for a setting that the stock theme has not"
