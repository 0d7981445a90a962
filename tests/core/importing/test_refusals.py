"""What a file is said to be that cannot be imported: other frameworks' checkpoints, and this project's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from core.errors import CheckpointError
from core.importing.plan import plan_import
from tests.core.importing.exported import SHIPPED

DAMAGED_WORDS = ("attention layer", "decoder-only", "without an encoder", "no family uses", "no decoder")


TENSOR2TENSOR = [
    f"transformer/body/{stack}/layer_0/{block}/multihead_attention/{part}/kernel"
    for stack, blocks in (
        ("encoder", ("self_attention",)),
        ("decoder", ("self_attention", "encdec_attention")),
    )
    for block in blocks
    for part in ("q", "k", "v", "output_transform")
] + ["transformer/symbol_modality_100_8/shared/weights_0"]


def tensor2tensor(path: Path) -> Path:
    torch.save({key: torch.zeros(8, 8) for key in TENSOR2TENSOR}, path / "t2t.pt")
    return path / "t2t.pt"


def numpy_archive(path: Path) -> Path:
    np.savez(path / "weights.npz", *(np.zeros((8, 8)) for _ in TENSOR2TENSOR))
    return path / "weights.npz"


def one_array(path: Path) -> Path:
    np.save(path / "weights.npy", np.zeros((8, 8)))
    return path / "weights.npy"


class Scripted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.decoder(self.encoder(x))
        return y


def torchscript(path: Path) -> Path:
    torch.jit.script(Scripted()).save(str(path / "model.pt"))
    return path / "model.pt"


def tensorflow(path: Path) -> Path:
    (path / "model.ckpt-1000.index").write_bytes(b"\x00" * 64)
    (path / "model.ckpt-1000.data-00000-of-00001").write_bytes(b"\x01" * 64)
    return path / "model.ckpt-1000.index"


def hdf5(path: Path) -> Path:
    (path / "model.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    return path / "model.h5"


CASES: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "tensor2tensor": (tensor2tensor, ("tensor2tensor", "--map")),
    "npz": (numpy_archive, ("NumPy", "torch.save")),
    "npy": (one_array, ("NumPy", "torch.save")),
    "torchscript": (torchscript, ("TorchScript", "state_dict()")),
    "tensorflow": (tensorflow, ("TensorFlow",)),
    "hdf5": (hdf5, ("HDF5",)),
    "our own folder": (lambda _: SHIPPED / "dates", ("Attention Atlas", "--checkpoint")),
    "our own weights": (
        lambda _: SHIPPED / "dates" / "model.safetensors",
        ("Attention Atlas", "--checkpoint"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_called_what_it_is(tmp_path: Path, name: str) -> None:
    make, named = CASES[name]
    with pytest.raises(CheckpointError) as refused:
        plan_import(make(tmp_path))
    said = str(refused.value)
    for words in named:
        assert words in said, said
    assert not any(words in said for words in DAMAGED_WORDS), said
    assert said.count("\n") == 0 and len(said) <= 600


def test_names_of_another_kind_are_still_called_so(tmp_path: Path) -> None:
    """The signs of a family are not so wide that they take in everything with an encoder."""
    torch.save({"encoder.layers.0.weight": torch.zeros(8, 8), "decoder.x": torch.zeros(8)}, tmp_path / "m.pt")
    with pytest.raises(CheckpointError) as refused:
        plan_import(tmp_path / "m.pt")
    assert "none of them belongs to an attention layer" in str(refused.value)


def test_the_family_with_the_nearest_names_is_offered_as_a_start(tmp_path: Path) -> None:
    from tests.parity.families import build

    pytest.importorskip("transformers")
    renamed = {
        key.replace("self_attn", "selfattn").replace("encoder_attn", "crossattn"): tensor
        for key, tensor in build("bart").state_dict().items()
    }
    torch.save(renamed, tmp_path / "mine.pt")
    with pytest.raises(CheckpointError, match='begin with like = "bart", the nearest'):
        plan_import(tmp_path / "mine.pt")
    torch.save({f"encoder.zz{n}.attn.decoder": torch.zeros(2, 2) for n in range(4)}, tmp_path / "other.pt")
    with pytest.raises(CheckpointError) as refusal:
        plan_import(tmp_path / "other.pt")
    assert "like =" not in str(refusal.value)
