"""The commands of the Makefile, each with what `make help` says of it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
COMMANDS = dict(re.findall(r"^([a-z]+):.*## (.*)$", MAKEFILE, re.MULTILINE))
