"""Captured steps: the same kernels on the same memory at every step, and what they leave is what steps record.

There is rarely a GPU where tests run. `replayed` stands in for one: it notes the kernels of one step with the tensors
they touch and runs those again, Python left out, as a captured graph does. Whatever a step baked into its kernels as
a number (a position, a length) would then be wrong in the next.

On an accelerator a session writes the same tokens and sees the same maps as on the processor.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from core.api import Checkpoint
from core.checkpoints.bundle import available_devices
from core.decoding import path
from core.decoding.path import CapturedSteps, Run, capture_on
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession
from core.errors import InputError
from core.model.attention import FixedState
from tests.core.decoding.test_session import check_same

CUDA = any(name.startswith("cuda") for name in available_devices())
ASKS_THE_DEVICE = ("_local_scalar_dense", "item", "nonzero", "equal", "is_nonzero", "masked_select", "unique")


class Noted(TorchDispatchMode):
    """The kernels that ran, with what they read and wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.kernels: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert func.overloadpacket.__name__ not in ASKS_THE_DEVICE, f"{func} waits for the device"
        result = func(*args, **(kwargs or {}))
        self.kernels.append((func, args, kwargs or {}, result))
        return result

    def replay(self) -> None:
        for func, args, kwargs, result in self.kernels:
            again = func(*args, **kwargs)
            for old, new in zip(_tensors(result), _tensors(again), strict=True):
                if old.data_ptr() != new.data_ptr():  # a view, or what was written in place, is there already
                    old.copy_(new)


def _tensors(result: Any) -> Iterator[Tensor]:
    for each in result if isinstance(result, tuple | list) else (result,):
        if isinstance(each, Tensor) and each.numel():
            yield each


def replayed(run: Run, back: Run) -> Run:
    run()
    back()
    with Noted() as noted:
        run()
    return noted.replay


def failing(run: Run, back: Run) -> Run:
    run()
    raise RuntimeError("operation not permitted when stream is capturing")


def session(
    checkpoint: Checkpoint, capture: Any, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> DecodeSession:
    monkeypatch.setattr(path, "capture_on", lambda device: capture)
    return DecodeSession(checkpoint, "abc def.", record=("*",), max_steps=12, **options)


def assert_same(found: DecodeSession, known: DecodeSession) -> None:
    assert found.ids == known.ids
    check_same(found.assemble(pending=True), known.assemble(pending=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("capture", [replayed, failing])
def test_captured_steps_see_what_steps_see(
    kind: Checkpoint, capture: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, found = (session(kind, each, monkeypatch) for each in (None, capture))
    assert found._followed._steps is not None
    assert known._followed._steps is None
    for token in (5, 6, 7, 8, 9):
        known.force(token), found.force(token)
        assert_same(found, known)


@pytest.mark.sampled(4)
def test_going_back_forcing_and_starting_inside_a_sentence(
    kind: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, found = (session(kind, each, monkeypatch, prefix=(5, 6, 7)) for each in (None, replayed))
    for each in (known, found):
        each.force(9)
        each.force(10)
        each.back()
        each.back()
        each.back()
        each.force(11)
        each.force(12)
    assert_same(found, known)
    for each in (known, found):
        each.reset()
        each.force(8)
    assert_same(found, known)


def test_maps_of_all_steps_lie_in_one_buffer(tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    found = session(tiny, replayed, monkeypatch)
    steps = found._followed._steps
    assert steps is not None
    addresses = {site: room.data_ptr() for site, room in steps.maps.items()}
    for token in (5, 6, 7):
        found.force(token)
    assert {site.block for site in steps.maps} == {"self", "cross"}
    written = found.assemble(pending=True)
    for site, room in steps.maps.items():
        assert room.data_ptr() == addresses[site]
        map_ = written.array(site)
        assert np.allclose(room[0, :, :4, : map_.shape[2]].numpy(), map_, atol=1e-6), site
        assert not room[0, :, 4:].any()


def test_an_edit_is_asked_at_every_step(tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of somebody's cannot be captured: it may do anything."""
    seen: list[int] = []
    edit = {"decoder.0.self.weights": lambda weights: seen.append(weights.shape[-1]) or weights}
    found = session(tiny, replayed, monkeypatch, edit=edit)
    found.force(5), found.force(6)
    assert seen == [1, 2, 3]


def test_room_ends_with_a_sentence(tiny: Checkpoint) -> None:
    source = torch.tensor([[5, 6, 2]])
    with torch.inference_mode():
        state = tiny.model.start(tiny.model.encode(source), source, capacity=2)
        assert isinstance(state, FixedState)
        steps = CapturedSteps(tiny.model, state, ["*.weights"], replayed)
        steps.step(1), steps.step(torch.tensor([5]))
        with pytest.raises(InputError, match="room for 2 tokens"):
            steps.step(6)


def test_nothing_is_captured_on_a_processor() -> None:
    assert capture_on(torch.device("cpu")) is None
    assert capture_on(torch.device("cuda")) is not None


@pytest.mark.gpu
@pytest.mark.skipif(not CUDA, reason="no CUDA device")
def test_a_step_waits_for_the_device_once(kind: Checkpoint) -> None:
    moved = kind.to("cuda")
    found = DecodeSession(moved, "abc def.", max_steps=12)
    found.force(5), found.force(6)
    assert found._followed._steps is not None
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as waits:
            warnings.simplefilter("always")
            found.force(7)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len([each for each in waits if "synchroniz" in str(each.message)]) == 1


FASTEST = available_devices()[0]


@pytest.mark.gpu
@pytest.mark.skipif(FASTEST == "cpu", reason="no accelerator")
@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam"])
def test_same_maps_on_an_accelerator(kind: Checkpoint, strategy: str) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    moved = kind.to(FASTEST)
    here, there = (DecodeSession(each, "abc def.", strategy, max_steps=12) for each in (kind, moved))
    assert here.run() == there.run()
    check_same(there.trace, here.trace, 1e-4)


@pytest.mark.gpu
@pytest.mark.skipif(FASTEST == "cpu", reason="no accelerator")
@pytest.mark.parametrize("beam_size", [1, 4])
def test_same_batches_on_an_accelerator(kind: Checkpoint, beam_size: int) -> None:
    sources = [kind.source_tokenizer.encode(text) for text in ("abc def.", "a", "jihg fedc")]
    moved = kind.to(FASTEST)
    here, there = (translate_batch(each.model, sources, beam_size, max_steps=12) for each in (kind, moved))
    assert here == there
