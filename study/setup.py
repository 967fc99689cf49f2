"""The second wheel of this checkout: pe_book.evidence and pe_book.show, as the pages of the book use them.

`pip install . ./study` puts both into one folder. What both say of themselves is told in ../pyproject.toml.
"""

import tomllib
from pathlib import Path

from setuptools import find_namespace_packages, setup

ROOT = Path(__file__).resolve().parents[1]
TOLD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, SETUPTOOLS = TOLD["project"], TOLD["tool"]["setuptools"]

setup(
    name="pe_book_study",
    version=PROJECT["version"],
    description="Positional encoding, executable: the figures of the book, and the evidence for what it says",
    author=", ".join(author["name"] for author in PROJECT["authors"]),
    license=PROJECT["license"],
    python_requires=PROJECT["requires-python"],
    install_requires=[f"pe_book=={PROJECT['version']}", *TOLD["tool"]["pe_book"]["study"]],
    packages=find_namespace_packages(str(ROOT), include=SETUPTOOLS["packages"]["find"]["exclude"]),
    package_dir={"pe_book": "../pe_book"},
    package_data={"": ["*.json", "*.toml", "*.txt", "*.csv"]},
)
