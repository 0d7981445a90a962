"""What training scripts leave behind opens as the model that was trained: the same logits and maps, to 1e-5 of their scale."""

from __future__ import annotations

import argparse
import collections
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file, save_model
from torch import Tensor, nn
from torch.nn.utils import prune

import core
from core.errors import CheckpointError
from core.importing.agreement import Agreement, measure_agreement
from core.importing.own_transformer import described
from core.importing.plan import plan_import
from core.model.transformer import sinusoid_table
from tests.core.importing.test_wrap import HEADS, INNER, SOURCES, TARGETS, TELLING, WIDTH, shaken

TOLD = {"heads": HEADS, "embedding_scale": False, **TELLING}


class Student(nn.Module):
    """Two token tables, one learned table of positions, an output layer; `tied` shares the target's table with it."""

    def __init__(self, tied: bool = False, sources: int = SOURCES, bias: bool = True) -> None:
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(sources, WIDTH), nn.Embedding(TARGETS, WIDTH)
        self.pos = nn.Parameter(torch.randn(1, 70, WIDTH))
        self.transformer = nn.Transformer(WIDTH, HEADS, 2, 1, INNER, 0.0, batch_first=True, bias=bias)
        self.fc_out = nn.Linear(WIDTH, TARGETS)
        if tied:
            self.fc_out.weight = self.tgt_emb.weight

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        mask = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).triu(1)
        read = self.src_emb(src) + self.pos[:, : src.shape[1]]
        written = self.tgt_emb(tgt) + self.pos[:, : tgt.shape[1]]
        return self.fc_out(self.transformer(read, written, tgt_mask=mask))


class SharedByAll(Student):
    """One table for the source, the target and the output layer."""

    def __init__(self) -> None:
        super().__init__(tied=True, sources=TARGETS)
        self.src_emb.weight = self.tgt_emb.weight


class TwoPositions(Student):
    """A table of positions for each side, of two lengths."""

    def __init__(self) -> None:
        super().__init__()
        del self.pos
        self.src_position, self.trg_position = nn.Embedding(70, WIDTH), nn.Embedding(90, WIDTH)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        mask = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).triu(1)
        read = self.src_emb(src) + self.src_position(torch.arange(src.shape[1]))
        written = self.tgt_emb(tgt) + self.trg_position(torch.arange(tgt.shape[1]))
        return self.fc_out(self.transformer(read, written, tgt_mask=mask))


def trained(model: nn.Module) -> tuple[dict[str, Any], torch.optim.Optimizer]:
    """The model's state dict and an optimizer that has made a step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0)
    sum(parameter.sum() for parameter in model.parameters()).backward()  # type: ignore[union-attr]
    optimizer.step()
    return model.state_dict(), optimizer


def prefixed(state: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {prefix + key: each for key, each in state.items()}


def nanogpt(folder: Path, model: nn.Module) -> Path:
    state, optimizer = trained(model)
    content = {"model": prefixed(state, "_orig_mod."), "optimizer": optimizer.state_dict(), "model_args": {"n_head": 4},
               "iter_num": 2000, "best_val_loss": torch.tensor(1.5), "config": {"device": "cuda", "dtype": torch.bfloat16}}  # fmt: skip
    torch.save(content, folder / "ckpt.pt")
    return folder / "ckpt.pt"


def recipe(folder: Path, model: nn.Module) -> Path:
    state, optimizer = trained(model)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    content = {"epoch": 3, "model_state_dict": state, "optimizer_state_dict": optimizer.state_dict(), "loss": torch.tensor(0.5),
               "scheduler": scheduler, "train_losses": np.array([2.0, 1.0]), "best": np.float64(1.0), "rng": np.random.get_state(),
               "history": collections.defaultdict(list, {"bleu": [1.0]}), "recent": collections.deque([1.0], 5),
               "args": argparse.Namespace(lr=1e-3), "where": Path("runs"), "kinds": {"a", "b"}}  # fmt: skip
    torch.save(content, folder / "checkpoint.pth.tar")
    return folder / "checkpoint.pth.tar"


class AttributeDict(dict[str, Any]):
    """Named as Lightning's own, whose attributes are its items."""


def lightning(folder: Path, model: nn.Module) -> Path:
    state, optimizer = trained(model)
    weights = {**prefixed(state, "model."), "criterion.weight": torch.rand(TARGETS), "train_acc.total": torch.tensor(3.0),
               "loss_fn.pos_weight": torch.rand(TARGETS), "class_weights": torch.rand(TARGETS)}  # fmt: skip
    content = {"epoch": 1, "global_step": 10, "pytorch-lightning_version": "2.5.0", "state_dict": weights, "loops": {"fit_loop": {}},
               "callbacks": {"ModelCheckpoint{'monitor': 'val_loss'}": {"best_model_score": torch.tensor(1.0), "best_model_path": "x"}},
               "optimizer_states": [optimizer.state_dict()], "lr_schedulers": [], "hparams_name": "kwargs",
               "hyper_parameters": AttributeDict(lr=1e-3, data=Path("data"), loss=nn.CrossEntropyLoss())}  # fmt: skip
    torch.save(content, folder / "epoch=1-step=10.ckpt")
    return folder / "epoch=1-step=10.ckpt"


def accelerate(folder: Path, model: nn.Module) -> Path:
    state, optimizer = trained(model)
    save_file(state, folder / "model.safetensors", {"format": "pt"})
    torch.save(optimizer.state_dict(), folder / "optimizer.bin")
    torch.save({"last_epoch": 1}, folder / "scheduler.bin")
    (folder / "random_states_0.pkl").write_bytes(b"x" * 40)
    return folder


def distributed(folder: Path, model: nn.Module) -> Path:
    torch.save({"epoch": 2, "net": prefixed(model.state_dict(), "module._orig_mod.")}, folder / "last.pth")
    return folder / "last.pth"


def trainer(folder: Path, model: nn.Module) -> Path:
    """Hugging Face's Trainer around a module of one's own: the folder it was told to write to."""
    state, optimizer = trained(model)
    for step in (9, 10):
        inside = folder / f"checkpoint-{step}"
        inside.mkdir()
        torch.save({key: each * (step == 10) for key, each in state.items()}, inside / "pytorch_model.bin")
        torch.save(optimizer.state_dict(), inside / "optimizer.pt")
        torch.save({"last_epoch": step}, inside / "scheduler.pt")
        torch.save({"cpu": torch.get_rng_state(), "numpy": np.random.get_state()}, inside / "rng_state.pth")
        torch.save(argparse.Namespace(output_dir="out"), inside / "training_args.bin")
        (inside / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    return folder


def averages(folder: Path, model: nn.Module) -> Path:
    state = model.state_dict()
    torch.save(
        {"ema": {key: each + 1 for key, each in state.items()}, "model": state, "step": 7}, folder / "e.pt"
    )
    return folder / "e.pt"


def averages_in_one(folder: Path, model: nn.Module) -> Path:
    state = model.state_dict()
    flat = prefixed(state, "online_model.") | prefixed({k: v + 1 for k, v in state.items()}, "ema_model.")
    torch.save(flat | {"initted": torch.tensor(True), "step": torch.tensor(5)}, folder / "e.pt")
    return folder / "e.pt"


def averaged(folder: Path, model: nn.Module) -> Path:
    torch.save(torch.optim.swa_utils.AveragedModel(model).state_dict(), folder / "swa.pt")
    return folder / "swa.pt"


def flat(folder: Path, model: nn.Module) -> Path:
    torch.save({**model.state_dict(), "epoch": 3, "loss": 0.5, "step": torch.tensor(4)}, folder / "m.pt")
    return folder / "m.pt"


def legacy(folder: Path, model: nn.Module) -> Path:
    content = (model.state_dict(), {"loss": np.float32(1.0)})
    torch.save(content, folder / "m.pth", _use_new_zipfile_serialization=False)
    return folder / "m.pth"


def later_protocol(number: int) -> Callable[[Path, nn.Module], Path]:
    """Written with a pickle protocol of which torch's safe reader lacks instructions."""

    def save(folder: Path, model: nn.Module) -> Path:
        state = collections.OrderedDict(model.state_dict())
        content = {"net": state, "best": np.float64(1.0), "kinds": {"a"}, "frozen": {frozenset("b"): b"\xff"}, "raw": bytearray(b"1"),
                   "history": collections.defaultdict(list, {"net": ["net", "history"]})}  # fmt: skip
        torch.save(content, folder / "m.pt", pickle_protocol=number)
        return folder / "m.pt"

    return save


def pruned(folder: Path, model: Any) -> Path:
    for part in (model.fc_out, model.transformer.encoder.layers[0].linear1):
        prune.l1_unstructured(part, "weight", 0.3)
    torch.save(model.state_dict(), folder / "m.pt")
    return folder / "m.pt"


def tied(folder: Path, model: nn.Module) -> Path:
    save_model(model, str(folder / "m.safetensors"))
    return folder / "m.safetensors"


def first_name_kept(folder: Path, model: nn.Module) -> Path:
    """As accelerate saves tied tables: the first name, and no word about the others."""
    kept: dict[int, str] = {}
    for key, each in model.state_dict().items():
        kept.setdefault(each.data_ptr(), key)
    save_file({key: model.state_dict()[key] for key in kept.values()}, folder / "m.safetensors")
    return folder / "m.safetensors"


Save = Callable[[Path, nn.Module], Path]
SAVED: dict[str, tuple[Save, Callable[[], nn.Module]]] = {
    **{save.__name__: (save, Student) for save in (
        nanogpt, recipe, lightning, accelerate, distributed, trainer, averages, averages_in_one, averaged, flat, legacy, pruned)},
    "tied": (tied, lambda: Student(tied=True)),
    "tied, equal sizes": (tied, lambda: Student(tied=True, sources=TARGETS)),
    "tied, the first name kept": (first_name_kept, lambda: Student(tied=True)),
    "shared by all": (tied, SharedByAll),
    "shared by all, the first name kept": (first_name_kept, SharedByAll),
    "two tables of positions": (flat, TwoPositions),
    "without biases": (flat, lambda: Student(bias=False)),
    **{f"pickle protocol {number}": (later_protocol(number), Student) for number in (3, 4, 5)},
}  # fmt: skip


def apart(checkpoint: core.Checkpoint, model: nn.Module) -> Agreement:
    """How far logits and maps are from the module's own."""
    return measure_agreement(checkpoint.model, described(model.eval(), model).runs[0], False)


@pytest.mark.parametrize("name", SAVED)
def test_what_a_training_saved_is_the_model_that_was_trained(tmp_path: Path, name: str) -> None:
    save, make = SAVED[name]
    model = shaken(make())
    checkpoint = core.import_checkpoint(save(tmp_path, model), tokenizer="numbers", **TOLD)
    assert apart(checkpoint, model).agrees


def test_sinusoids_stored_in_half_are_computed_again(tmp_path: Path) -> None:
    """A buffer of sinusoids is rounded by half(); the model here, and the original that it is compared with, has exact ones."""
    model = shaken(Student())
    del model.pos
    model.register_buffer("pos", sinusoid_table(70, WIDTH, "sinusoidal").float()[None])
    half = copy.deepcopy(model).half()
    torch.save(half.state_dict(), tmp_path / "m.pt")
    exact = half.float()
    exact.pos = model.pos
    checkpoint = core.import_checkpoint(tmp_path / "m.pt", tokenizer="numbers", **TOLD)
    assert checkpoint.config.positions == "sinusoidal"
    assert apart(checkpoint, exact).agrees
    agreement = core.wrap(copy.deepcopy(model).half(), "numbers", **TELLING).agreement
    assert agreement is not None and agreement.agrees


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_read_into_single(tmp_path: Path, kind: torch.dtype) -> None:
    """Compared with the original whose stored numbers were converted to float32, as they are read here."""
    model = shaken(Student()).to(kind)
    torch.save({"state_dict": model.state_dict()}, tmp_path / "m.pt")
    checkpoint = core.import_checkpoint(tmp_path / "m.pt", tokenizer="numbers", **TOLD)
    assert apart(checkpoint, model.float()).agrees


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    notes = plan_import(lightning(tmp_path, Student()), answers=TOLD, tokenizer="numbers").weights.notes
    assert "the state dict was found under state_dict" in notes
    assert any(
        "left out: criterion.weight, train_acc.total, loss_fn.pos_weight, class_weights" in n for n in notes
    )
    (tmp_path / "out").mkdir()
    notes = plan_import(trainer(tmp_path / "out", Student()), answers=TOLD, tokenizer="numbers").weights.notes
    assert "the weights are those of checkpoint-10, the last of the training" in notes
    notes = plan_import(averages(tmp_path, Student()), answers=TOLD, tokenizer="numbers").weights.notes
    assert any(note.startswith("ema holds the same names and was not read") for note in notes)


def test_an_encoder_and_a_decoder_saved_side_by_side_are_one_model(tmp_path: Path) -> None:
    from tests.core.importing.untrusted_files import good

    parts = {
        f"{side}_state_dict": {key.removeprefix(f"{side}."): each for key, each in good().items() if key.startswith(side)}
        for side in ("encoder", "decoder")
    }  # fmt: skip
    torch.save({**parts, "optimizer": {"state": {}, "param_groups": []}}, tmp_path / "both.pt")
    torch.save(good(), tmp_path / "one.pt")
    both, one = (
        core.import_checkpoint(tmp_path / f"{name}.pt", tokenizer="numbers", heads=2, pad=0, bos=1, eos=2)
        for name in ("both", "one")
    )
    assert both.digest == one.digest


def test_what_leaves_a_choice_is_asked(tmp_path: Path) -> None:
    """Equal sizes, and the name that was dropped is told nowhere: the target's table may be the source's or the output's."""
    model = shaken(Student(tied=True, sources=TARGETS))
    state = {key: each for key, each in model.state_dict().items() if key != "tgt_emb.weight"}
    save_file(state, tmp_path / "m.safetensors")
    with pytest.raises(CheckpointError, match=r"no third table.*--set target_table=fc_out\.weight"):
        core.import_checkpoint(tmp_path / "m.safetensors", tokenizer="numbers", **TOLD)
    told = {**TOLD, "target_table": "fc_out.weight"}
    assert apart(
        core.import_checkpoint(tmp_path / "m.safetensors", tokenizer="numbers", **told), model
    ).agrees
    torch.save(
        {"best": model.state_dict(), "last": shaken(Student(tied=True, sources=TARGETS)).state_dict()},
        tmp_path / "b.pt",
    )
    with pytest.raises(CheckpointError, match=r"several state dicts \(best, last\)"):
        core.import_checkpoint(tmp_path / "b.pt", tokenizer="numbers", **TOLD)


class Pickled(nn.Module):
    """Saved as a whole, which names its class and would run its code."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)


def _file(name: str, data: bytes) -> Save:
    def save(folder: Path, model: nn.Module) -> Path:
        (folder / name).write_bytes(data.ljust(64, b"\0"))
        return folder / name

    return save


def _keys(*names: str, config: dict[str, Any] | None = None) -> Save:
    def save(folder: Path, model: nn.Module) -> Path:
        torch.save(
            {**model.state_dict(), **{name: torch.ones(2, 2) for name in names}}, folder / "pytorch_model.bin"
        )
        if config is not None:
            (folder / "config.json").write_text(json.dumps(config))
        return folder

    return save


def _saved(make: Callable[[nn.Module], Any]) -> Save:
    def save(folder: Path, model: nn.Module) -> Path:
        torch.save(make(model), folder / "m.pt")
        return folder / "m.pt"

    return save


def _in_eight_bits(model: nn.Module) -> Any:
    return {key: each.to(torch.float8_e4m3fn) for key, each in model.state_dict().items()}


def _quantised(model: nn.Module) -> Any:
    return torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8).state_dict()


REFUSED: dict[str, tuple[Save, tuple[str, ...]]] = {
    "a whole module": (_saved(lambda _: Pickled()), ("whole Pickled", "model.state_dict()")),
    "a whole module in a dict": (_saved(lambda model: {"model": Pickled(), "epoch": 1}), ("whole", "model.state_dict()")),
    "dynamic quantisation": (_saved(_quantised), ("quantised (torch.ao", "dequantize")),
    "float8": (_saved(_in_eight_bits), ("quantised (torch.float8_e4m3fn)", "full precision")),
    "bitsandbytes": (_keys("a.weight.absmax", "a.weight.quant_map"), ("quantised (bitsandbytes", "core.from_generate")),
    "GPTQ": (_keys("a.qweight", "a.qzeros", "a.scales"), ("quantised (GPTQ", "full precision")),
    "AWQ by its config": (_keys(config={"model_type": "t5", "quantization_config": {"quant_method": "awq"}}), ("quantised (awq",)),
    "LoRA, not merged": (_keys("enc.q.base_layer.weight", "enc.q.lora_A.default.weight"), ("adapter", "merge_and_unload")),
    "Switch Transformers": (_keys("encoder.block.1.layer.1.mlp.experts.expert_0.wi.weight"), ("mixture of experts", "core.from_generate")),
    "NLLB-MoE": (_keys("model.encoder.layers.3.ffn.router.classifier.weight"), ("mixture of experts",)),
    "NumPy arrays": (_saved(lambda model: {key: each.numpy() for key, each in model.state_dict().items()}), ("NumPy", "from_numpy")),
    "an average in a list": (_saved(lambda model: {"shadow_params": [each.data for each in model.parameters()]}), ("(shadow_params)", "ema.copy_to")),
    "Git LFS": (_file("model.safetensors", b"version https://git-lfs.github.com/spec/v1"), ("pointer of Git LFS", "git lfs pull")),
    "a web page": (_file("model.bin", b"<!DOCTYPE html><html>404"), ("web page", "download")),
    "weight norm": (_keys("out.weight_g", "out.weight_v"), ("remove_weight_norm",)),
    "ONNX": (_file("model.onnx", b"\x08\x07"), ("ONNX", "PyTorch folder")),
    "Flax": (_file("flax_model.msgpack", b"\x82"), ("Flax", "from_flax=True")),
    "TensorFlow": (_file("tf_model.h5", b"\x89HDF\r\n\x1a\n"), ("HDF5", "from_tf=True")),
    "GGUF": (_file("model.bin", b"GGUF\x03\0\0\0"), ("GGUF", "PyTorch folder")),
    "CTranslate2 1": (_file("model.bin", b"\x01\0\0\0\x10\0\0\0\x08\0encoder"), ("CTranslate2", "2.0 or later")),
    "a distributed checkpoint": (_file("__0_0.distcp", b"PK"), ("distributed", "dcp_to_torch")),
}  # fmt: skip


@pytest.mark.parametrize("inside_a_folder", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_named_with_the_way_on(tmp_path: Path, name: str, inside_a_folder: bool) -> None:
    save, said = REFUSED[name]
    path = save(tmp_path, Student())
    with pytest.raises(CheckpointError) as refused:
        plan_import(path.parent if inside_a_folder and path.is_file() else path)
    assert all(words in str(refused.value) for words in said), refused.value
    assert str(refused.value).count("\n") == 0


def test_an_output_layer_that_is_not_there_is_not_taken_for_the_tables(tmp_path: Path) -> None:
    state = {key: each for key, each in Student().state_dict().items() if not key.startswith("fc_out")}
    torch.save(state, tmp_path / "m.pt")
    with pytest.raises(
        CheckpointError, match="--set tie_output=true if it shares the table of the embeddings"
    ):
        core.import_checkpoint(tmp_path / "m.pt", tokenizer="numbers", **TOLD)


def test_a_classifier_beside_the_output_layer_is_left_out(tmp_path: Path) -> None:
    model = Student().eval()
    more = nn.Linear(WIDTH, 3)
    state = {**model.state_dict(), "classifier.weight": more.weight.data, "classifier.bias": more.bias.data}
    torch.save(state, tmp_path / "m.pt")
    assert apart(core.import_checkpoint(tmp_path / "m.pt", tokenizer="numbers", **TOLD), model).agrees


def test_an_adapters_folder_is_named_by_load_too(tmp_path: Path) -> None:
    save_file(
        {"base_model.model.encoder.q.lora_A.weight": torch.ones(4, 8)}, tmp_path / "adapter_model.safetensors"
    )
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    for opened in (core.load, core.import_checkpoint):
        with pytest.raises(CheckpointError, match="adapter.*merge_and_unload"):
            opened(tmp_path)
