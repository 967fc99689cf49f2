"""The command `python -m pe_book config`: its exit status, its input and its output."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pe_book as pe
from pe_book.__main__ import REFUSED, main
from tests.config.configs import LLAMA

WORDS = ("nothing wrong", "warnings", "this", "errors", "the file is refused")


@pytest.mark.parametrize(
    ("config", "more", "status"),
    [
        (LLAMA, [], 0),
        ({**LLAMA, "model_type": "phi"}, [], 0),
        ({**LLAMA, "rope_freqs": 3}, [], 1),
        ({**LLAMA, "model_type": "nobody"}, ["--assume", "llama"], 1),
        ({**LLAMA, "rope_theta": 1000.0}, [], 3),
        ({"model_type": "nobody"}, [], 4),
    ],
)
def test_the_exit_status_tells_sound_doubtful_wrong_and_refused(
    config: Any, more: list[str], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    assert main(["config", str(file), *more]) == status
    out, error = capsys.readouterr()
    assert bool(out) == (status != REFUSED)
    assert error.count("\n") == (status == REFUSED)
    assert ("Nothing wrong found in the file." in out) == (status == 0)


def test_a_wrong_command_line_has_a_status_of_its_own_and_the_help_tells_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["config", "-", "--length", "long"])
    assert stopped.value.code == 2
    with pytest.raises(SystemExit):
        main(["config", "--help"])
    told = capsys.readouterr().out
    assert all(f"{status} {word}" in told for status, word in zip("01234", WORDS, strict=True))


def test_a_config_can_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(LLAMA)))
    assert main(["config", "-"]) == 0
    assert "layers 0-2: all 64 columns of a head turn" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO("no config"))
    assert main(["config", "-"]) == REFUSED
    monkeypatch.setattr(sys, "stdin", io.StringIO("[1]"))
    assert main(["config", "-"]) == REFUSED


@pytest.mark.parametrize(
    ("word", "length"),
    [
        *((word, 8192) for word in ("8192", "8k", "8,192", "8_192", "8.192e3")),
        ("131,072", 131072),
        ("131_072", 131072),
        ("1e5", 100000),
    ],
)
def test_json_is_what_the_report_says_of_a_length_typed_in_units(
    word: str, length: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    assert main(["config", str(file), "--json", "--length", word]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["length"] == length
    assert said["kinds"][0]["frequencies"] == pe.frequencies(64).tolist()
    assert said["findings"][0]["key"] == "max_position_embeddings"


@pytest.mark.parametrize("word", ["0", "32kb", "long", "81,92", "1e-3", "1.5", "1.23e1", "1e400"])
def test_a_length_that_cannot_be_read_is_refused_with_what_would_do(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["config", "-", f"--length={word}"])
    assert f"as 32768 or 32k, would do; got {word!r}" in capsys.readouterr().err


def test_the_command_is_there_and_does_not_load_torch(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    call = [sys.executable, "-X", "importtime", "-m", "pe_book", "config", str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "4,096 tokens: covered, the file says up to 4,096.\nTraining is taken as 4,096"
    )
    assert "\nllama: 3 layers, 4096 tokens promised\n" in done.stdout
    assert "torch" not in done.stderr
