"""The whole site as one archive, which opens without a server and without a network."""

from __future__ import annotations

import zipfile
from pathlib import Path

from book import ROOT, SITE
from pe_book.evidence.project import version


def write_archive(site: Path, folder: Path) -> Path:
    """Pack every file of the site below one folder; the same site gives the same bytes.

    `.buildinfo` and what only builds read stays out.
    """
    name = f"pe_book-{version()}-site"
    target = folder / f"{name}.zip"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(file for file in site.rglob("*") if file.is_file()):
            inner = file.relative_to(site).as_posix()
            if inner.startswith("."):
                continue
            entry = zipfile.ZipInfo(f"{name}/{inner}")  # its date is 1980
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.read_bytes(), compresslevel=9)
    return target


if __name__ == "__main__":
    print(write_archive(SITE, ROOT / "dist"))
