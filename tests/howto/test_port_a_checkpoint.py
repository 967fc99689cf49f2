"""The how-to on ports: its loop over a folder is that of the proven ports, and runs as pasted."""

import inspect
import json
import shutil
import sys
import textwrap
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.checkpoint.plan import Plan
from tests.howto.cells import blocks, cells

READ, WRITE, COMPARE = blocks("port-a-checkpoint")
CONFIG = {
    "model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64,
    "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip
AT = "model.layers.0.self_attn"


class Weight(np.ndarray):
    """An array with the one method of a tensor that the page calls."""

    def float(self) -> Any:
        return self.astype("float32")


class Opened:
    """A file as ``safetensors.safe_open`` reads it, out of pickled arrays."""

    def __init__(self, file: Path, framework: str) -> None:
        assert framework == "pt"
        self.entries, self.marks = np.load(file, allow_pickle=True)

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def keys(self) -> Any:
        return self.entries.keys()

    def get_slice(self, name: str) -> Any:
        value = self.entries[name]
        return SimpleNamespace(get_shape=lambda: list(value.shape), get_dtype=lambda: "F64")

    def get_tensor(self, name: str) -> Any:
        return self.entries[name].view(Weight)

    def metadata(self) -> dict[str, str] | None:
        return self.marks


def save_file(entries: dict[str, Any], file: Path, metadata: dict[str, str] | None = None) -> None:
    assert metadata is None or all(isinstance(word, str) for pair in metadata.items() for word in pair)
    with open(file, "wb") as there:
        np.save(there, np.array([{name: np.asarray(value) for name, value in entries.items()}, metadata]))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A model in a folder, two shards; safetensors and tqdm are not installed here."""
    for name, contents in {
        "safetensors": {"safe_open": Opened}, "safetensors.torch": {"save_file": save_file},
        "tqdm": {"tqdm": lambda items: items},
    }.items():  # fmt: skip
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)
    Path("model").mkdir()
    Path("model/config.json").write_text(json.dumps(CONFIG))
    draw = np.random.default_rng(0).normal
    save_file({f"{AT}.q_proj.weight": draw(size=(64, 64))}, Path("model/one.safetensors"))
    rest = {f"{AT}.{name}_proj.weight": draw(size=(32, 64)) for name in "kv"}
    save_file(rest, Path("model/two.safetensors"), {"format": "pt", "made": "here"})
    return tmp_path


def turns() -> dict[str, Any]:
    return {"old_turn": lambda x, p: pe.rotate(x, p, layout="halves"), "new_turn": pe.rotate}


def test_the_folder_is_ported_by_the_loop_of_the_docstring():
    loop = READ[READ.index("old, new =") :] + WRITE
    documented = inspect.cleandoc(Plan.apply.__doc__).partition(".. code-block:: python\n\n")[2]
    assert loop == textwrap.dedent(documented.partition("\n\n")[0]) + "\n"


def test_the_blocks_port_a_folder_when_they_are_pasted_alone(folder, capsys):
    names: dict[str, Any] = {}
    exec(READ, names)
    assert not Path("model-interleaved").exists()  # the dry run
    assert capsys.readouterr().out.splitlines()[-1] == "{None}"
    exec(WRITE, names)
    assert json.loads(Path("model-interleaved/config.json").read_text()) == CONFIG
    made = {name: Opened(Path("model-interleaved", name), "pt").metadata() for name in names["shards"]}
    assert made == {
        "one.safetensors": {"format": "pt", "pairs": "interleaved"},
        "two.safetensors": {"format": "pt", "made": "here", "pairs": "interleaved"},
    }
    exec(COMPARE, names | turns())
    assert capsys.readouterr().out.startswith("the outputs agree")
    shutil.rmtree("model-interleaved")
    shutil.copytree("model", "model-interleaved")
    exec(COMPARE, names | turns())
    assert capsys.readouterr().out.startswith("the scores differ")


def test_a_refused_entry_leaves_no_folder_and_a_second_run_names_the_one_that_is_there(folder):
    save_file({f"{AT}.W_pack.weight": np.ones((5, 64))}, Path("model/three.safetensors"))
    names: dict[str, Any] = {}
    exec(READ, names)
    assert names["plan"].refused
    with pytest.raises(ValueError, match="state must hold only what can be moved"):
        exec(WRITE, names)
    assert not Path("model-interleaved").exists()
    Path("model/three.safetensors").unlink()
    exec(READ + WRITE, {})
    with pytest.raises(FileExistsError, match="model-interleaved"):
        exec(READ + WRITE, {})


def test_an_adapter_in_a_folder_of_its_own_moves_by_the_config_of_its_base(folder):
    Path("adapter").mkdir()
    at, draw = f"base_model.model.{AT}", np.random.default_rng(1).normal
    sizes = {"q": 64, "k": 32, "v": 32}
    save_file(
        {f"{at}.{name}_proj.lora_A.weight": draw(size=(2, 64)) for name in sizes}
        | {f"{at}.{name}_proj.lora_B.weight": draw(size=(n, 2)) for name, n in sizes.items()},
        Path("adapter/adapter_model.safetensors"),
    )
    code = (READ + WRITE).replace('Path("model"), Path("model-i', 'Path("adapter"), Path("adapter-i')
    names: dict[str, Any] = {}
    exec(code.replace('old / "config.json"', 'Path("model/config.json")'), names)
    moved = Opened(Path("adapter-interleaved/adapter_model.safetensors"), "pt").entries
    there = Opened(Path("adapter/adapter_model.safetensors"), "pt").entries
    changed = {name.removeprefix(at) for name in there if not np.array_equal(moved[name], there[name])}
    assert changed == {".q_proj.lora_B.weight", ".k_proj.lora_B.weight"}
    order = pe.relayout_heads(np.arange(64), n_heads=4, source="halves", to="interleaved")
    assert np.array_equal(moved[f"{at}.q_proj.lora_B.weight"], there[f"{at}.q_proj.lora_B.weight"][order])


def test_the_config_of_the_page_is_read_under_an_assumed_type_too():
    names: dict[str, Any] = {}
    exec(cells("port-a-checkpoint")[0], names)
    told = pe.relayout_arguments(names["config"] | {"model_type": "my_llama"}, assume="llama")
    assert told == names["told"]
