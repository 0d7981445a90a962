"""Checkpoints: what is saved comes back bit for bit, whole or not at all, and nothing loaded is shared by accident."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open

from core.api import Checkpoint, load
from core.checkpoints.bundle import available_devices, pick_device, save, unique_tensors
from core.checkpoints.summary import read_summary
from core.errors import CheckpointError, InputError
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer

NAMES = ["<pad>", "<s>", "</s>", "<unk>"]
CHARS = Tokenizer.from_vocabulary([*NAMES, *"abcdefgh "])
WORDS = Tokenizer.from_vocabulary([*NAMES, "un", "deux", "trois"], split="whitespace")
SMALL: dict[str, Any] = {
    "d_model": 16,
    "d_ff": 32,
    "heads": 2,
    "encoder_layers": 1,
    "decoder_layers": 2,
    "max_length": 24,
}


def model_for(
    source: Tokenizer = CHARS, target: Tokenizer = CHARS, seed: int = 0, **options: Any
) -> Transformer:
    torch.manual_seed(seed)
    sizes = {"source_vocab_size": source.vocab_size, "target_vocab_size": target.vocab_size}
    return Transformer(ModelConfig(**{**SMALL, **sizes, "unk_id": target.unk_id, **options})).eval()


def logits(model: Transformer) -> torch.Tensor:
    source = torch.tensor([[4, 5, 6, 2], [5, 2, 0, 0]])
    with torch.no_grad():
        result: torch.Tensor = model(source, torch.tensor([[1, 4, 5], [1, 6, 4]]))
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(tmp_path / "ck", model_for(), CHARS, CHARS, {"title": "Lettres"}, dtype="float32")
    return tmp_path / "ck"


# -- round trip ---------------------------------------------------------------------------------------------

DESCRIBED = [
    {},
    {
        "tie_embeddings": False,
        "tie_output": False,
        "output_bias": True,
        "norm_placement": "pre",
        "final_norm": True,
    },
    {
        "positions": "learned",
        "embedding_norm": True,
        "gated": True,
        "activation": "silu",
        "norm_formula": "rms",
    },
    {
        "positions": "relative_buckets",
        "ffn_bias": False,
        "projection_bias": False,
        "attention_output_bias": False,
    },
    {"shared_head_projection": True, "positions": "none"},
]


@pytest.mark.parametrize("options", DESCRIBED, ids=lambda options: ",".join(options) or "paper")
def test_float32_comes_back_bit_for_bit(options: dict[str, Any], tmp_path: Path) -> None:
    model = model_for(**options)
    save(tmp_path / "ck", model, CHARS, CHARS, {}, dtype="float32")
    loaded = load(tmp_path / "ck", device="cpu")
    assert loaded.config == model.config
    stored, kept = loaded.model.state_dict(), model.state_dict()
    assert stored.keys() == kept.keys() and all(torch.equal(stored[name], kept[name]) for name in kept)
    # Loading also lays the matrices out in memory, and sums in another order round differently.
    assert torch.equal(logits(loaded.model), logits(model.pack_weights()))
    assert not loaded.model.training
    assert not any(parameter.requires_grad for parameter in loaded.model.parameters())


def test_float16_is_half_the_size_and_computed_in_float32(tmp_path: Path) -> None:
    model = model_for(d_model=64)
    for dtype in ("float32", "float16"):
        save(tmp_path / dtype, model, CHARS, CHARS, {}, dtype=dtype)
    loaded = load(tmp_path / "float16", device="cpu")
    assert {tensor.dtype for tensor in unique_tensors(loaded.model).values()} == {torch.float32}
    assert torch.allclose(logits(loaded.model), logits(model), atol=2e-2)
    half, full = (read_summary(tmp_path / dtype).stored_bytes for dtype in ("float16", "float32"))
    assert half < 0.6 * full


def test_tied_tensors_are_stored_once(folder: Path) -> None:
    with safe_open(folder / "model.safetensors", "pt") as file:
        names = set(file.keys())
    assert sum(name.endswith("embedding.table") for name in names) == 1
    loaded = load(folder, device="cpu").model
    assert loaded.source_embedding.table is loaded.target_embedding.table


def test_the_folder_holds_what_it_should(folder: Path) -> None:
    assert sorted(entry.name for entry in folder.iterdir()) == [
        "card.json", "config.json", "model.safetensors", "tokenizer.json",
    ]  # fmt: skip
    assert load(folder, device="cpu").card == {"title": "Lettres"}
    assert [entry.name for entry in folder.parent.iterdir()] == ["ck"]


def test_another_account_may_read_every_file(folder: Path) -> None:
    assert all(file.stat().st_mode & 0o044 == 0o044 for file in folder.iterdir())


def test_two_tokenizers(tmp_path: Path) -> None:
    model = model_for(CHARS, WORDS, tie_embeddings=False)
    save(tmp_path / "ck", model, CHARS, WORDS, {})
    loaded = load(tmp_path / "ck", device="cpu")
    assert (loaded.source_tokenizer, loaded.target_tokenizer) == (CHARS, WORDS)
    assert loaded.tokenizer is loaded.target_tokenizer
    assert not (tmp_path / "ck" / "tokenizer.json").exists()
    same = load_with(tmp_path / "one", model_for())
    assert same.source_tokenizer is same.target_tokenizer


def load_with(
    path: Path, model: Transformer, source: Tokenizer = CHARS, target: Tokenizer = CHARS
) -> Checkpoint:
    save(path, model, source, target, {}, dtype="float32")
    return load(path, device="cpu")


def test_loading_leaves_the_random_numbers_alone(folder: Path) -> None:
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    load(folder, device="cpu")
    assert torch.equal(torch.rand(3), wanted)


def test_threads_load_the_same_model(folder: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(lambda _: load(folder, device="cpu"), range(4)))
    assert all(torch.equal(logits(one.model), logits(loaded[0].model)) for one in loaded)


# -- digest, summary, device --------------------------------------------------------------------------------


def test_the_digest_tells_models_apart_and_ignores_the_card(folder: Path, tmp_path: Path) -> None:
    first = load(folder, device="cpu").digest
    assert len(first) == 64
    save(folder, model_for(), CHARS, CHARS, {"title": "another"}, dtype="float32")
    assert load(folder, device="cpu").digest == first == read_summary(folder).digest
    assert load_with(tmp_path / "other", model_for(seed=1)).digest != first
    words = load_with(tmp_path / "words", model_for(target=WORDS, tie_embeddings=False), CHARS, WORDS)
    assert words.digest != first


def test_a_model_in_memory_has_a_digest_too() -> None:
    one, same, other = (Checkpoint(model_for(seed=seed), CHARS, CHARS) for seed in (0, 0, 1))
    assert one.digest == same.digest != other.digest
    assert one.path is None
    assert one.card == {}


def test_the_summary_says_it_without_torch(folder: Path) -> None:
    (folder / "example.npz").write_bytes(b"x")
    code = (
        "import sys; from core.checkpoints.summary import read_summary; s = read_summary(sys.argv[1]);"
        "s.read_tokenizers()[1].labels([4]); s.digest;"
        "print(s.parameters, s.has_example, s.has_dynamics, s.card['title'], s.config.d_model, 'torch' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, cwd=root, check=False
    )
    parameters = sum(parameter.numel() for parameter in model_for().parameters())
    assert done.stdout.split() == [str(parameters), "True", "False", "Lettres", "16", "False"], done.stderr


def test_moving_copies_the_model(folder: Path) -> None:
    first = load(folder, device="cpu")
    moved = first.to("cpu")
    assert moved.model is not first.model
    assert moved.digest == first.digest
    with torch.no_grad():
        next(moved.model.parameters()).zero_()
    assert next(first.model.parameters()).abs().sum() > 0
    assert first.device == torch.device("cpu")


def test_devices(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    with pytest.raises(InputError, match=r"tpu.*choose"):
        load(folder, device="tpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert available_devices() == ["cuda", "mps", "cpu"]
    assert pick_device() == torch.device("cuda")
    assert pick_device("cuda:0") == torch.device("cuda:0")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert available_devices() == ["cuda:0", "cuda:1", "mps", "cpu"]
    assert pick_device("cuda") == torch.device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert pick_device() == torch.device("mps")
    with pytest.raises(InputError, match="choose mps or cpu"):
        pick_device("cuda")


def test_a_model_too_large_for_the_device(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def fail(self: Transformer, device: object) -> None:
        raise RuntimeError("CUDA out of memory.\nTried to allocate")

    loaded = load(folder, device="cpu")
    monkeypatch.setattr(Transformer, "to", fail)
    with pytest.raises(InputError, match=r"does not fit on cpu \(CUDA out of memory\.\)"):
        loaded.to("cpu")


# -- translating --------------------------------------------------------------------------------------------


def test_text_in_text_out_list_in_list_out(folder: Path) -> None:
    loaded = load(folder, device="cpu")
    texts = ["abc", "a b c d", "hh"]
    one_by_one = [loaded.translate(text) for text in texts]
    assert all(isinstance(text, str) for text in one_by_one)
    assert loaded.translate(texts) == one_by_one
    assert loaded.translate([]) == []
    assert isinstance(loaded.translate("abc", strategy="beam", beam_size=2), str)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda ck: ck.translate(""), "The sentence is empty"),
        (lambda ck: ck.translate(["abc", ""]), "text 2 of 2: The sentence is empty"),
        (lambda ck: ck.translate("a" * 10_000), "10,001 tokens long; this model reads at most 24"),
        (lambda ck: ck.translate("abc", strategy="magic"), "'greedy' or 'beam'"),
        (lambda ck: ck.translate("abc", strategy="beam", beam_size=0), "beam_size is 0"),
        (lambda ck: ck.translate([3]), "int was given"),
        (lambda ck: ck.translate(3), "a text or a list of texts"),
    ],
)
def test_what_cannot_be_translated(call: Callable[[Checkpoint], object], says: str, folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        call(load(folder, device="cpu"))
    assert says in str(caught.value)


# -- saving -------------------------------------------------------------------------------------------------


def test_saving_again_replaces_the_model_and_keeps_other_files(folder: Path) -> None:
    (folder / "dynamics.npz").write_bytes(b"history")
    (folder / "example.npz").write_bytes(b"example")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.txt").write_text("kept")
    save(folder, model_for(), CHARS, CHARS, {"title": "same weights"}, dtype="float32")
    assert (folder / "example.npz").read_bytes() == b"example"
    save(folder, model_for(WORDS, CHARS, 3, tie_embeddings=False), WORDS, CHARS, {})
    assert (folder / "dynamics.npz").read_bytes() == b"history"
    assert (folder / "notes" / "a.txt").read_text() == "kept"
    assert not (folder / "example.npz").exists()  # it showed other weights
    assert not (folder / "tokenizer.json").exists()
    assert load(folder, device="cpu").source_tokenizer == WORDS


@pytest.mark.parametrize("failing", ["first rename", "second rename", "weights", "sync"])
def test_an_interrupted_save_leaves_what_was_there(
    failing: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {entry.name: entry.read_bytes() for entry in folder.iterdir()}
    calls = 0
    rename = Path.rename

    def fail_at(number: int) -> Callable[[Path, Path], Path]:
        def renaming(self: Path, target: Path) -> Path:
            nonlocal calls
            calls += 1
            if calls == number:
                raise OSError("the plug was pulled")
            return rename(self, target)

        return renaming

    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    if failing.endswith("rename"):
        monkeypatch.setattr(Path, "rename", fail_at(1 if failing == "first rename" else 2))
    else:
        where = {"weights": "core.checkpoints.bundle.save_file", "sync": "os.fsync"}[failing]
        monkeypatch.setattr(where, fail)
    with pytest.raises(CheckpointError, match=r"cannot be written \(the (plug|disk)"):
        save(folder, model_for(seed=9), CHARS, CHARS, {"title": "new"})
    monkeypatch.undo()
    assert {entry.name: entry.read_bytes() for entry in folder.iterdir()} == before
    assert [entry.name for entry in folder.parent.iterdir()] == ["ck"]  # nothing half-written beside it
    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(CheckpointError):
        save(folder.parent / "fresh", model_for(), CHARS, CHARS, {})
    assert [entry.name for entry in folder.parent.iterdir()] == ["ck"]


def test_an_interrupt_is_passed_on_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("core.checkpoints.bundle.save_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path / "ck", model_for(), CHARS, CHARS, {})
    assert list(tmp_path.iterdir()) == []


def test_saving_through_a_link_replaces_what_it_means(folder: Path) -> None:
    link = folder.parent / "latest"
    link.symlink_to(folder, target_is_directory=True)
    save(link, model_for(seed=4), CHARS, CHARS, {"title": "linked"})
    assert link.is_symlink()
    assert load(folder, device="cpu").card == {"title": "linked"}


def _poisoned(value: float) -> Transformer:
    model = model_for()
    with torch.no_grad():
        next(model.parameters())[0] = value
    return model


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"dtype": "int8"}, "float16 or float32"),
        ({"model": _poisoned(float("nan"))}, "NaN or infinity"),
        ({"model": _poisoned(1e6)}, "save it as float32"),
        ({"card": {"x": object()}}, "cannot be written as JSON"),
        ({"card": {"x": float("inf")}}, "cannot be written as JSON"),
        ({"card": {"x": "y" * 2**21}}, "keep it below"),
        ({"source": WORDS}, "source tokenizer has 7 tokens but the model 13"),
        ({"model": model_for(eos_id=5)}, "end token is 2 in the tokenizer but 5"),
    ],
)
def test_what_cannot_be_saved(arguments: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        save(
            tmp_path / "ck",
            arguments.get("model") or model_for(),
            arguments.get("source", CHARS),
            CHARS,
            arguments.get("card", {}),
            arguments.get("dtype", "float16"),
        )
    assert says in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_only_a_checkpoint_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(CheckpointError, match="holds other files"):
        save(tmp_path, model_for(), CHARS, CHARS, {})
    with pytest.raises(CheckpointError, match="is a file"):
        save(tmp_path / "thesis.tex", model_for(), CHARS, CHARS, {})
    with pytest.raises(CheckpointError, match="cannot be written"):
        save(tmp_path / "thesis.tex" / "ck", model_for(), CHARS, CHARS, {})
    (tmp_path / "empty").mkdir()
    save(tmp_path / "empty", model_for(), CHARS, CHARS, {})
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_padded_table_goes_with_a_smaller_tokenizer(tmp_path: Path) -> None:
    tokens = Tokenizer.from_vocabulary([*NAMES, *(f"w{number}" for number in range(120))], split="whitespace")
    model = model_for(tokens, tokens, source_vocab_size=128, target_vocab_size=128)
    loaded = load_with(tmp_path / "ck", model, tokens, tokens)
    assert loaded.tokenizer.label(127) == "⟨127⟩"


def test_the_config_file_is_the_config(folder: Path) -> None:
    content = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert ModelConfig.from_json(content) == model_for().config
    assert os.stat(folder).st_mode & 0o055 == 0o055  # other accounts can read it
