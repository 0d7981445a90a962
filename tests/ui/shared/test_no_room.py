"""A GPU without memory left: what was asked for is computed on the CPU, and the page says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core import api
from ui.session.selection import Selection
from ui.shared import checkpoints as listing
from ui.shared import context, make_decode, models
from ui.shared.checkpoints import Entry

FULL = "CUDA out of memory. Tried to allocate 20.00 MiB."


def entry() -> Entry:
    return listing.find("tiny")[0]


class Gpu:
    """Stands for a GPU: loads on it are loads on the CPU, and `full` says what has no room there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full: set[str] = set()
        self.asked: list[str | None] = []
        self.on_gpu: list[api.Checkpoint] = []  # held, so that no later one takes the place of one that left
        load: Callable[..., Any] = api.load
        run = make_decode.run
        again = make_decode.trace_again

        def loads(path: Path, device: str | None = None) -> api.Checkpoint:
            self.asked.append(device)
            self._room("load", device != "cpu")
            found: api.Checkpoint = load(path, device="cpu")
            if device != "cpu":
                self.on_gpu.append(found)
            return found

        def runs(checkpoint: api.Checkpoint, *given: Any) -> Any:
            self._room("run", self._holds(checkpoint))
            return run(checkpoint, *given)

        def traces(checkpoint: api.Checkpoint, *given: Any) -> Any:
            self._room("trace", self._holds(checkpoint))
            return again(checkpoint, *given)

        monkeypatch.setattr(api, "load", loads)
        monkeypatch.setattr(make_decode, "run", runs)
        monkeypatch.setattr(make_decode, "trace_again", traces)

    def _holds(self, checkpoint: api.Checkpoint) -> bool:
        return any(held is checkpoint for held in self.on_gpu)

    def _room(self, what: str, on_gpu: bool) -> None:
        if on_gpu and what in self.full:
            raise torch.OutOfMemoryError(FULL)


@pytest.fixture
def gpu(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    return Gpu(monkeypatch)


@pytest.mark.parametrize("what", ["load", "run"])
def test_a_decode_without_room_is_computed_on_the_cpu(gpu: Gpu, what: str) -> None:
    gpu.full = {what}
    assert not models.crowded(entry())
    decode = context.CheckpointView(entry(), Selection(text="I am tired."), "cuda").decoded.decode
    assert decode.source_text == "I am tired."
    assert models.crowded(entry())
    assert gpu.asked == ["cuda", "cpu"]
    _ = context.CheckpointView(entry(), Selection(text="A man."), "cuda").decoded.decode
    assert gpu.asked == ["cuda", "cpu"], "the CPU's model stays in use"


def test_more_of_a_decode_without_room_is_computed_on_the_cpu(gpu: Gpu) -> None:
    decode = context.CheckpointView(entry(), Selection(text="I am tired."), "cuda").decoded.decode
    gpu.full = {"trace"}
    trace = context.DecodeView(entry(), device="cuda", decode=decode).recorded(("*.scores",))
    assert trace.written_ids == decode.trace.written_ids
    assert models.crowded(entry())


def test_the_gpu_is_tried_again_after_a_while(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu.full = {"load"}
    models.model(entry(), "cuda")
    gpu.full = set()
    monkeypatch.setattr(models, "_NO_ROOM_S", 0.0)
    models.model(entry(), "cuda")
    assert gpu.asked == ["cuda", "cpu", "cuda"]


def test_another_error_is_no_lack_of_room(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> Any:
        raise RuntimeError("expected scalar type Float but found Half")

    monkeypatch.setattr(make_decode, "run", broken)
    with pytest.raises(RuntimeError, match="scalar type"):
        _ = context.CheckpointView(entry(), Selection(text="I am tired."), "cuda").decoded.decode
    assert not models.crowded(entry())
