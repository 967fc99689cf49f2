"""What a config can be given as: files of other programs, folders, and files that are none."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

import pe_book as pe
from pe_book.__main__ import REFUSED, main
from pe_book.config.reading import read_config
from tests.config.configs import LLAMA

META = {"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "rope_theta": 5e5}
MISTRAL = {**META, "head_dim": 128, "hidden_dim": 14336}
YARN = {"factor": 16, "original_max_position_embeddings": 16384, "beta": 32, "alpha": 1}


def test_files_of_meta_and_mistral_pair_neighbours() -> None:
    for config, method in (
        (META, "default"), ({**META, "use_scaled_rope": True}, "llama3"), (MISTRAL, "default"),
        ({**MISTRAL, "yarn": YARN}, "yarn"),
    ):  # fmt: skip
        reading = read_config(config)
        assert {(one.layout, one.method, one.head_dim) for one in reading.records} == {
            ("interleaved", method, 128)
        }
        assert (len(reading.records), reading.known) == (32, True)
    scaled = read_config({**MISTRAL, "yarn": {**YARN, "apply_scale": True}}).records[0]
    assert scaled.attention_factor > 1
    plain = read_config({**MISTRAL, "yarn": {**YARN, "apply_scale": False}}).records[0]
    assert plain.attention_factor == 1
    with pytest.raises(ValueError, match="yarn must be a block"):
        read_config({**MISTRAL, "yarn": 7})
    assert "rope_scaling.gamma" in read_config({**MISTRAL, "yarn": {**YARN, "gamma": 1}}).ignored


def test_a_folder_is_read_by_the_config_in_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no config\.json"):
        read_config(tmp_path)
    (tmp_path / "params.json").write_text(json.dumps(META))
    assert read_config(tmp_path).records[0].layout == "interleaved"
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    assert read_config(tmp_path).records[0].layout == "halves"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"GGUF\x03\x00\x00\x00", "is a GGUF file"),
        (b"PK\x03\x04rest", "an archive"),
        (b"\x10\x00\x00\x00\x00\x00\x00\x00{}", "holds weights"),
        (b"", "must be a JSON file"),
        (b'{"rope_theta": 1, "rope_theta": 2}', "'rope_theta' stands twice, as 1 and as 2"),
    ],
)
def test_a_file_that_is_no_config_is_refused_by_what_it_is(
    tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_config(file)


@pytest.mark.parametrize("name", ["meta-llama/Llama-3.1-8B", "gpt2"])
def test_a_name_on_a_hub_is_answered_with_what_to_give(name: str) -> None:
    with pytest.raises(ValueError, match=r"nothing is downloaded: of a model on a hub give its config\.json"):
        read_config(name)


def test_a_byte_order_mark_and_an_equal_key_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text("\ufeff" + json.dumps(LLAMA)[:-1] + ', "head_dim": 8, "head_dim": 8}', encoding="utf-8")
    assert read_config(file).records[0].head_dim == 8


@pytest.mark.parametrize(
    "config",
    [{**LLAMA, "model_type": "\x1b[31m\ud800"}, {**LLAMA} | {f"rope_{i}": i for i in range(100_000)}],
)
def test_hostile_files_end_in_bounded_and_printable_words(
    config: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    start = time.process_time()
    for more in ([], ["--assume", "llama"]):
        assert main(["config", str(file), *more]) in (1, REFUSED)
        told = "".join(capfd.readouterr())
        assert 0 < len(told) < 20_000
        assert all(one.isprintable() or one == "\n" for one in told)
    assert time.process_time() - start < 20


class _Saved:
    def to_dict(self) -> dict[str, Any]:
        return {"model_type": "llama", "num_hidden_layers": 2}


def test_an_object_of_settings_is_read_as_its_dictionary() -> None:
    given = _Saved()
    assert len(pe.rotary_from_config(given)) == 2
    assert str(pe.check_config(given)) == str(pe.check_config(given.to_dict()))
    assert pe.relayout_arguments(given) == pe.relayout_arguments(given.to_dict())
