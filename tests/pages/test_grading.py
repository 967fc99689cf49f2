"""The program of the page on coursework, as an instructor saves it: what it says of what students hand in."""

import csv
import re
import subprocess
import sys

from nbformat import v4, write

from tests.pages.sources import text_of

(PROGRAM,) = re.findall(r"```\{code-block\} python\n(.*?)```", text_of("coursework/index"), re.DOTALL)
STUB = "def twice(n):\n    raise NotImplementedError\n\nassert twice(3) == 6, f'{twice(3)}'"
HALF = "def half(n):\n    raise NotImplementedError\n\nassert half(6) == 3"
HANDED_IN = {  # the first cell, and how begins what is said of both
    "right": (STUB.replace("raise NotImplementedError", "return 2 * n"), "passed", "passed"),
    "wrong": ("def twice(n): return n", "AssertionError: 3", "passed"),  # without its check
    "empty": (STUB, "NotImplementedError", "passed"),
    "no-python": ("def twice(n) return n", "SyntaxError: expected ':'", "passed"),
    "for-ever": ("def twice(n):\n    while True: pass", "KeyboardInterrupt", "passed"),
    "ended": ("def twice(n):\n    import os; os._exit(1)", "did not end", "did not end"),
    "gone": ("", "no cell", "passed"),
}


def test_it_says_of_each_notebook_what_became_of_each_exercise(tmp_path):
    def hand_in(name, twice, half):
        file = tmp_path / f"{name}.ipynb"
        file.parent.mkdir(exist_ok=True)
        told = {"exr:a:twice": twice, "exr:a:half": half}
        about = {label: {"pe_book": {"exercise": label}} for label, source in told.items() if source}
        write(v4.new_notebook(cells=[v4.new_code_cell(told[k], metadata=about[k]) for k in about]), file)

    hand_in("given", STUB, HALF)
    for name, (twice, *_) in HANDED_IN.items():
        hand_in(f"handed-in/{name}", twice, HALF.replace("raise NotImplementedError", "return n / 2"))
    (tmp_path / "handed-in" / "torn.ipynb").write_text("{", encoding="utf-8")
    (tmp_path / "grade.py").write_text(PROGRAM.replace("SECONDS = 60", "SECONDS = 2"), encoding="utf-8")
    command = [sys.executable, "grade.py", "given.ipynb", "handed-in"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    head, *rows = csv.reader(said.splitlines())
    assert head == ["notebook", "exr:a:twice", "exr:a:half"]
    due = {name: outcomes for name, (_, *outcomes) in HANDED_IN.items()} | {"torn": ["not run: NotJSON"] * 2}
    for file, *found in rows:
        assert all(map(str.startswith, found, due.pop(file.removesuffix(".ipynb")))), (file, found)
    assert due == {}
