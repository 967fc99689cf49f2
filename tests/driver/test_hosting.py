"""What hosts run: every step goes through the Makefile, and the steps work in a clean clone."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.driver.commands import COMMANDS, ROOT

READTHEDOCS = ROOT / ".readthedocs.yaml"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BESIDE = ("mkdir -p ", "cp ", "git config ", ".ci/run")  # what is run beside the Makefile
URL = "https://book.example.org/en/latest/"


def load(file):
    return yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)  # `on` stays a word


def steps():
    """Every shell line that a host runs, with the file that says so."""
    for line in load(READTHEDOCS)["build"]["commands"]:
        yield READTHEDOCS.name, line
    for file in WORKFLOWS:
        for job in load(file)["jobs"].values():
            for step in job["steps"]:
                for line in step.get("run", "").splitlines():
                    yield file.name, line


def wrong_with(line):
    """What is wrong with a line; an empty string if nothing is."""
    if line.startswith(BESIDE):
        return ""
    words = shlex.split(line)
    targets = [word for word in words[1:] if "=" not in word]
    if words[0] != "make" or len(targets) != 1 or targets[0] not in COMMANDS:
        return f"{line}: no command of the Makefile"
    return ""


def test_every_step_is_a_command_of_the_makefile():
    found = [f"{name}: {wrong}" for name, line in steps() if (wrong := wrong_with(line))]
    assert found == []
    assert {name for name, line in steps() if line.startswith(("make html", "make archive"))} == {
        ".readthedocs.yaml",
        "pages.yml",
    }


@pytest.mark.parametrize("line", ["make htlm", "sphinx-build docs out", "make html test", "pip install ."])
def test_a_step_beside_the_makefile_is_seen(line):
    assert wrong_with(line)


def test_workflows_ask_for_no_more_than_they_need_and_pin_what_they_use():
    for file in WORKFLOWS:
        workflow = load(file)
        assert workflow["permissions"] == {"contents": "read"}
        assert "group" in workflow["concurrency"]
        for job in workflow["jobs"].values():
            assert job["runs-on"] != "ubuntu-latest"
            for step in job["steps"]:
                assert ("run" in step) != ("uses" in step)
                assert "run" in step or re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])
    deploy = load(ROOT / ".github" / "workflows" / "pages.yml")["jobs"]["deploy"]
    assert deploy["permissions"] == {"pages": "write", "id-token": "write"}


def test_hosts_use_a_python_that_the_book_supports():
    given = [load(READTHEDOCS)["build"]["tools"]["python"]]
    given += re.findall(r'python-version: "(.*)"', "".join(file.read_text() for file in WORKFLOWS))
    given += re.findall(r"container: python:(\d+\.\d+)", "".join(file.read_text() for file in WORKFLOWS))
    assert len(given) >= len(WORKFLOWS)
    for version in given:
        assert (3, 11) <= tuple(map(int, version.split("."))) <= (3, 14)


@pytest.mark.thorough
def test_the_steps_of_read_the_docs_work_in_a_clean_clone(tmp_path):
    clone, output = tmp_path / "clone", tmp_path / "output"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    host = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "READTHEDOCS_CANONICAL_URL": URL,
        "READTHEDOCS_OUTPUT": str(output),
        "PY": sys.executable,  # it has what the clone would install
    }
    shutil.copytree(
        ROOT / "docs" / "_build" / "executions", clone / "docs" / "_build" / "executions", dirs_exist_ok=True
    )
    for line in load(READTHEDOCS)["build"]["commands"]:
        assert subprocess.run(["bash", "-ec", line], cwd=clone, env=host).returncode == 0, line
    page = (output / "html" / "why" / "order-blindness.html").read_text(encoding="utf-8")
    assert f'rel="canonical" href="{URL}why/order-blindness.html"' in page
    assert len(list((output / "htmlzip").iterdir())) == 1
