"""The parameter table: its figures are those of the stored numbers, read from a real file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors.torch import save_file

from core.checkpoints import files
from core.checkpoints.summary import ParameterLine, parameter_lines, parameter_values
from core.errors import CheckpointError

HALF = st.floats(-100, 100, width=16)


def written(folder: Path, **tensors: torch.Tensor) -> Path:
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / files.WEIGHTS)
    return folder


@settings(max_examples=30)
@given(values=arrays.arrays(np.float16, arrays.array_shapes(max_dims=3, max_side=6), elements=HALF))
def test_moments_and_norm_agree_with_each_other(
    tmp_path_factory: pytest.TempPathFactory, values: np.ndarray
) -> None:
    """‖x‖² = n (mean² + std²), whatever the shape and the stored precision."""
    folder = written(tmp_path_factory.mktemp("p"), w=torch.from_numpy(values))
    (line,) = parameter_lines(folder)
    exact = values.astype(np.float64)
    assert line.shape == values.shape
    assert line.dtype == "float16"
    assert line.mean == pytest.approx(exact.mean(), rel=1e-12, abs=1e-12)
    assert line.norm**2 == pytest.approx(values.size * (line.mean**2 + line.std**2), rel=1e-9, abs=1e-9)
    assert line.norm == pytest.approx(float(np.linalg.norm(exact)), rel=1e-12)
    assert np.array_equal(parameter_values(folder, "w"), values.astype(np.float32).ravel())


def test_figures_of_numbers_one_knows(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "c",
        gamma=torch.ones(16),
        beta=torch.zeros(16, dtype=torch.bfloat16),
        pair=torch.tensor([[3.0, -4.0]]),
        empty=torch.zeros(0, 4),
    )
    lines = parameter_lines(folder)
    assert [line.name for line in lines] == ["beta", "empty", "gamma", "pair"]
    beta, empty, gamma, pair = lines
    assert gamma == ParameterLine("gamma", (16,), "float32", 1.0, 0.0, 4.0)
    assert beta == ParameterLine("beta", (16,), "bfloat16", 0.0, 0.0, 0.0)
    assert (pair.shape, pair.mean, pair.std, pair.norm) == ((1, 2), -0.5, 3.5, 5.0)
    assert (empty.shape, empty.norm) == ((0, 4), 0.0)
    assert math.isnan(empty.mean)
    assert math.isnan(empty.std)


def test_broken_numbers_and_rows_of_zeros_are_counted(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "c",
        broken=torch.tensor([[1.0, math.nan], [math.inf, 0.0]]),
        dead=torch.tensor([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
        cube=torch.stack([torch.zeros(2, 2), torch.ones(2, 2)]),
        vector=torch.zeros(3),
        empty=torch.zeros(0, 4),
    )
    counts = {each.name: (each.broken, each.dead) for each in parameter_lines(folder)}
    assert counts == {"broken": (2, 0), "dead": (0, 2), "cube": (0, 1), "vector": (0, 0), "empty": (0, 0)}


def test_half_precision_is_summed_in_double(tmp_path: Path) -> None:
    """70,000 numbers of 1.0: their sum of squares is beyond half precision's largest number."""
    (line,) = parameter_lines(written(tmp_path / "c", w=torch.ones(70_000, dtype=torch.float16)))
    assert (line.mean, line.std) == (1.0, 0.0)
    assert line.norm == pytest.approx(math.sqrt(70_000), rel=1e-12)


def test_a_stored_checkpoint_is_listed_whole(tiny_checkpoint: Path) -> None:
    from core.api import load
    from core.checkpoints.bundle import unique_tensors

    model = load(tiny_checkpoint, device="cpu").model
    lines = {line.name: line for line in parameter_lines(tiny_checkpoint)}
    tensors = unique_tensors(model)
    assert set(lines) == set(tensors)
    for name, tensor in tensors.items():
        assert lines[name].shape == tuple(tensor.shape)
        assert lines[name].norm == pytest.approx(float(tensor.double().norm()), rel=1e-12)
        assert np.array_equal(parameter_values(tiny_checkpoint, name), tensor.flatten().numpy())


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path / "c", w=torch.ones(2))
    with pytest.raises(CheckpointError, match="has no parameter '<b>w</b>'; choose one from its table"):
        parameter_values(folder, "<b>w</b>")
    with pytest.raises(CheckpointError, match="cannot be read .* copy the checkpoint again"):
        parameter_lines(tmp_path)
    (folder / files.WEIGHTS).write_bytes((folder / files.WEIGHTS).read_bytes()[:-4])
    for read in (parameter_lines, lambda place: parameter_values(place, "w")):
        with pytest.raises(CheckpointError, match="cannot be read") as caught:
            read(folder)
        assert "\n" not in str(caught.value)
