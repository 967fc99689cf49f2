"""What `make page` shows a second reader: changed sentences that say how much, when or which way."""

import shutil
import subprocess
from pathlib import Path

import pytest

from driver import second_reader

PAGE = """---
title: A page
---
(sec:small:top)=
# Turns

:::{prf:theorem} Slow pairs turn less
:label: thm:small:slow
The key stands before its query, if the text is causal.
:::

```{code-cell} python
first = 1  # before the last
```

Every pair {holds}`turns by more than before <a < b>`. It is a turn. See [the left
panel](a.md), *right* of the row.

$$ x < y $$

It is $-x$, “we hypothesized”. Call {py:func}`~pe.small.turn`.

```{hint}
Try the sine.
```

It is there. Look {cite:p}`one2020`.

- One item falls.
- Another is a word.
"""


@pytest.mark.parametrize(
    ("was", "now", "shown"),
    [
        ("by more", "by less",
         [("Every pair turns by more than before.", "Every pair turns by less than before.")]),
        ("key stands before its query, if the text is causal", "key stands before its query",
         [("The key stands before its query, if the text is causal.", "The key stands before its query.")]),
        ("turn less", "turn more", [("Slow pairs turn less", "Slow pairs turn more")]),
        ("- One item falls.\n", "", [("One item falls.", "")]),
        ("It is a turn.", "It is a turn. Each ends.", [("", "Each ends.")]),
        ("It is a turn.", "It is one turn.", []),
        ("$-x$", "$x$", [("It is $-x$, “we hypothesized”.", "It is $x$, “we hypothesized”.")]),
        ("we hypo", "they hypo", [("It is $-x$, “we hypothesized”.", "It is $-x$, “they hypothesized”.")]),
        ("Call {", "Call ahead {", [("Call turn.", "Call ahead turn.")]),
        ("<a < b>", "<a < c>", []),
        ("first = 1  # before the last", "second = 2  # after all", []),
        ("$$ x < y $$", "$$ x > y $$", [("$x<y$", "$x>y$")]),
        ("$$ x < y $$", "$$ x  <  y $$", []),
        ("Look {cite:p}`one2020`", "Look {cite:p}`two2021`", [("Look one2020.", "Look two2021.")]),
        ("It is there.", "It is here.", []),
        ("Try the sine.", "Try each sine.", [("Try the sine.", "Try each sine.")]),
        ("the left\npanel", "the\nleft panel", []),
        ("- One item falls.\n- Another is a word.\n", "- Another is a word.\n- One item falls.\n", []),
        ("title: A page", "title: Every page", []),
    ],
)  # fmt: skip
def test_changed_sentences_that_tell_are_shown_beside_what_stood_there(was, now, shown):
    assert was in PAGE
    assert list(second_reader.changed(PAGE, PAGE.replace(was, now))) == shown


def git(root: Path, *words: str) -> None:
    name = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *name, *words], cwd=root, check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_page_is_compared_with_main_and_outside_of_git_with_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(second_reader, "ROOT", tmp_path)
    file = tmp_path / "docs" / "a.md"
    file.parent.mkdir()
    said = []

    def tell(text: str) -> None:
        file.write_text(text, encoding="utf-8")
        second_reader.tell("docs/a.md")
        said.append(capsys.readouterr().out.partition(":\n\n")[2])

    tell(PAGE)
    git(tmp_path, "init", "-b", "main")
    tell(PAGE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "a page")
    tell(PAGE)
    git(tmp_path, "checkout", "-b", "other")
    tell(PAGE.replace("One item falls", "One item rises"))
    git(tmp_path, "commit", "-am", "another word")
    tell(PAGE.replace("One item falls", "One item rises"))
    told = "- One item falls.\n+ One item rises.\n"
    assert said == ["", "", "", told, told]
