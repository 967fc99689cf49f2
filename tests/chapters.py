"""The chapters of the book as they lie on the disk: nothing lists them."""

import ast
from pathlib import Path
from typing import Any

NO_PARTS = ("coursework", "howto", "reference")
# pages whose numbers a mistake moves that the tests of another declare, and its names
BESIDE = {
    "evidence/length-study": ("family/score-bias", "slopes"),
    "family/rotary-cost": ("family/rotary-in-models", "exponent"),
    "family/yarn-as-run": ("family/context-extension", "ramp"),
    **dict.fromkeys(
        (
            *("evidence/length-generalisation", "evidence/twenty", "evidence/what-attention-sees"),
            *("evidence/model-tour", "family/learned-or-sinusoidal", "reference/precision-bugs"),
            *("sinusoidal/adding", "sinusoidal/between", "sinusoidal/distance", "sinusoidal/heads"),
            *("sinusoidal/precision", "sinusoidal/query-key", "sinusoidal/rank", "sinusoidal/reading-back"),
            *("sinusoidal/unique", "sinusoidal/wavelengths", "sinusoidal/waves", "why/order-blindness"),
        ),
        ("sinusoidal/formula", "base"),
    ),
    **dict.fromkeys(
        ("reference/conventions", "sinusoidal/fitting", "sinusoidal/shift"),
        ("sinusoidal/formula", "base exchanged"),
    ),
    "why/large-numbers": ("why/counting", "sine"),
    "why/recurrence": ("why/chain", "scores"),
}
ROOT = Path(__file__).resolve().parents[1]


def parts(root: Path = ROOT) -> list[str]:
    """The folders of the parts; the reference is none, nor are coursework and the how-to pages."""
    return sorted(
        file.parent.name for file in root.glob("docs/*/index.md") if file.parent.name not in NO_PARTS
    )


def chapters(root: Path = ROOT) -> list[str]:
    """Every chapter by its address, such as ``sinusoidal/shift``."""
    files = [file for part in parts(root) for file in sorted((root / "docs" / part).glob("*.md"))]
    return [f"{file.parent.name}/{file.stem}" for file in files if file.stem != "index"]


def judged(root: Path = ROOT) -> list[str]:
    """The chapters, and the reference pages whose statements a module of their own decides."""
    rooms = sorted((root / "pe_book" / "evidence" / "reference").glob("[!_]*.py"))
    pages = [f"reference/{file.stem.replace('_', '-')}" for file in rooms]
    return [*chapters(root), *(page for page in pages if (root / "docs" / f"{page}.md").exists())]


def planted(page: str, root: Path = ROOT) -> dict[str, list[tuple[str, str, str]]]:
    """What the tests of a page declare as ``PLANTED``: changes of the package that its numbers must follow.

    By name; each a list of file, what stands there, what is planted. Empty if nothing is declared.
    """
    if page in BESIDE:
        tests, names = BESIDE[page]
        return {name: planted(tests, root)[name] for name in names.split()}
    part, _, slug = page.partition("/")
    for folder in (root / "tests" / part, root / "tests" / "evidence" / part):
        file = folder / f"test_{slug.replace('-', '_')}.py"
        for node in ast.parse(file.read_text(encoding="utf-8")).body if file.exists() else ():
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PLANTED":
                found: Any = ast.literal_eval(node.value)
                return dict(found)
    return {}
