"""`make reproducible`: some pages, or the whole site, built twice from nothing; every byte is compared."""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from book import differences, option
from driver.page import page_name, sphinx


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
