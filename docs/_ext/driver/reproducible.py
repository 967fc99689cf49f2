"""`make reproducible`: some pages, or the whole site, built twice from nothing; every byte is compared."""

import filecmp
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from book import option
from driver.page import page_name, sphinx


def differences(left: Path, right: Path) -> list[str]:
    """Files that are in one folder only, or differ in a byte."""
    names = {str(file.relative_to(top)) for top in (left, right) for file in top.rglob("*") if file.is_file()}
    _, differ, missing = filecmp.cmpfiles(left, right, sorted(names), shallow=False)
    return sorted(differ + missing)


def twice(page: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        first, second = [Path(folder) / turn / "html" for turn in ("first", "second")]
        for out in (first, second):
            if code := sphinx(out, f"pe_only={page}", jobs="1" if page else "auto"):
                return code
        found = differences(first, second)
    print("\n".join([f"{page or 'the whole site'}: {len(found)} files differ", *found]))
    return 1 if found else 0


if __name__ == "__main__":
    pages = [page_name(given) for given in option("PAGES").split()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sys.exit(max(pool.map(twice, pages or [""])))
