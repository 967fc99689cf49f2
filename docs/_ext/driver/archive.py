"""The whole site as one archive, which opens without a server and without a network."""

import json
import shutil
import zipfile
from pathlib import Path

from book import ROOT, SITE, option
from pe_book.evidence.project import version

OFFERED = "archive.json"  # the front page reads it, and offers what it names


def write_archive(site: Path, folder: Path) -> Path:
    """Pack every file of the site below one folder; the same site gives the same bytes.

    `.buildinfo` and what only builds read stays out, and so does an archive that lies there. make_archive of
    shutil packs all, with the times of the files.
    """
    name = f"pe_book-{version()}-site"
    target = folder / f"{name}.zip"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(file for file in site.rglob("*") if file.is_file()):
            inner = file.relative_to(site).as_posix()
            if inner.startswith(".") or inner in (target.name, OFFERED):
                continue
            entry = zipfile.ZipInfo(f"{name}/{inner}")  # its date is 1980
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.read_bytes(), compresslevel=9)
    return target


def put_beside(archive: Path, site: Path) -> None:
    """Let a hosted site offer its archive."""
    shutil.copy(archive, site)
    said = {"file": archive.name, "bytes": archive.stat().st_size}
    (site / OFFERED).write_text(json.dumps(said) + "\n", encoding="utf-8")


if __name__ == "__main__":
    written = write_archive(SITE, ROOT / "dist")
    if option("BESIDE") == "yes":
        put_beside(written, SITE)
    print(written)
