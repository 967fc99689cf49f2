"""What type checkers see of the names that load when used: `make stubs` writes it from the catalogue."""

from pathlib import Path

from book import ROOT

HEAD = "# What type checkers and editors see; written by `make stubs` from pe_book/catalogue.py.\n"


def stubs() -> dict[Path, str]:
    from pe_book.catalogue import catalogue

    numpy = sorted(f"from {r.numpy} import {r.name} as {r.name}\n" for r in catalogue() if r.numpy)
    torch = sorted(f"from {r.torch} import {r.name} as {r.name}\n" for r in catalogue() if r.torch)
    top = ["from pe_book import nn as nn\n", *numpy, "\n__version__: str\n"]
    return {
        ROOT / "pe_book" / "__init__.pyi": HEAD + "".join(top),
        ROOT / "pe_book" / "nn" / "__init__.pyi": HEAD + "".join(torch),
    }


def main() -> None:
    for file, text in stubs().items():
        file.write_text(text, encoding="utf-8")
        print(f"{file.relative_to(ROOT)}: {text.count(' as ')} names")


if __name__ == "__main__":
    main()
