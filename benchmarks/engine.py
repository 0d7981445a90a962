"""The rows of the engine: each a task for us and a peer with the same weights, and what bounds it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import torch

import core
from benchmarks.peers import BASE, SMALL, VOCABULARY, PlainTransformer, Shape, hugging_face, random_ids
from benchmarks.timing import Timing, in_turn, product_rate, read_rate
from core.decoding import inputs
from core.decoding.search import translate_batch
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer
from core.training.objective import token_loss
from core.training.process import kernels_for_training

WEIGHTS = ("*.weights",)
START = VOCABULARY - 1
STEPS = 64
SENTENCES = 2_000  # of the stream; the loop over single sentences takes long


class Row(NamedTuple):
    """One line of the results. Times in milliseconds; `share` is the percentage of the bound named in `bound`."""

    work: str
    peer: float | None
    ours: float | None
    ratio: float
    wanted: str
    bound: str = ""
    share: float | None = None

    @classmethod
    def of(cls, work: str, timing: Timing, wanted: float, bound: str = "", seconds: float = 0.0) -> Row:
        """`seconds`: the time of the bound alone."""
        share = 100 * seconds / timing.ours if seconds else None
        return cls(work, timing.peer * 1e3, timing.ours * 1e3, timing.ratio, f"≥ {wanted}", bound, share)


@cache
def _pair(shape: Shape) -> tuple[Any, core.Checkpoint]:
    return hugging_face(shape)


@cache
def _rates() -> tuple[float, float]:
    return product_rate(), read_rate()


def _products(model: Transformer, sources: int, targets: int) -> float:
    """Floating-point operations of one pass's matrix products."""
    config, total = model.config, 0.0
    inner, width = config.heads * config.d_head, config.d_model
    attention, feed_forward = 4 * width * inner, (3 if config.gated else 2) * width * config.d_ff
    total += config.encoder_layers * sources * (attention + feed_forward + 2 * sources * inner)
    total += config.decoder_layers * targets * (2 * attention + feed_forward)
    total += config.decoder_layers * (2 * width * inner * (sources - targets))  # the memory's keys and values
    total += config.decoder_layers * 2 * targets * (sources + targets) * inner
    return 2 * (total + targets * width * config.target_vocab_size)


def passes(shape: Shape, everything: bool, wanted: tuple[float, float, float]) -> Iterator[Row]:
    """A traced pass over 12, 64 and 256 tokens a side."""
    theirs, ours = _pair(shape)
    record = inputs.DEFAULT_RECORD if everything else WEIGHTS
    for length, least, repeats in zip((12, 64, 256), wanted, (21, 11, 5), strict=True):
        source, target = random_ids(1, length), random_ids(1, length, 1)
        target[:, 0] = START
        asked = {"output_attentions": True, "output_hidden_states": everything, "use_cache": False}
        timing = in_turn(
            partial(theirs, input_ids=source, decoder_input_ids=target, **asked),
            lambda s=source, t=target: ours.model(s, t, Hooks(record)),  # type: ignore[misc]
            repeats,
        )
        kept = "everything the app records" if everything else "weights"
        seconds = _products(ours.model, length, length) / _rates()[0]
        yield Row.of(
            f"{shape}, traced pass, {kept}, {length} tokens", timing, least, "matrix products", seconds
        )


def _stepped(model: Transformer, source: torch.Tensor, steps: int = STEPS) -> list[Any]:
    state, token, maps = model.start(model.encode(source), source), torch.tensor([START]), []
    for _ in range(steps):
        hooks = Hooks(WEIGHTS)
        token = model.step(token, state, hooks).argmax(dim=-1)
        maps.append(hooks.records)
    return maps


def steps(shape: Shape, wanted: float) -> Iterator[Row]:
    """64 greedy steps with all attention recorded."""
    theirs, ours = _pair(shape)
    source = random_ids(1, 20)
    asked = {"max_new_tokens": STEPS, "min_new_tokens": STEPS, "num_beams": 1, "do_sample": False}
    kept = {"use_cache": True, "output_attentions": True, "return_dict_in_generate": True}
    timing = in_turn(
        partial(theirs.generate, source, **asked, **kept), lambda: _stepped(ours.model, source), 3
    )
    read = sum(
        parameter.nbytes
        for name, parameter in ours.model.named_parameters()
        if name.startswith(("decoder_layers", "target_embedding"))
        or (name.startswith("source_embedding") and ours.config.tie_embeddings)
    )
    yield Row.of(
        f"{shape}, {STEPS} steps, all attention recorded",
        timing,
        wanted,
        "reading the decoder's weights once a step",
        STEPS * read / _rates()[1],
    )


def batches(beams: int, wanted: float) -> Iterator[Row]:
    """A batch of 32 sentences, 40 tokens."""
    theirs, ours = _pair(SMALL)
    source = torch.cat([random_ids(32, 12), torch.zeros(32, 1, dtype=torch.long)], dim=1)
    rows = source.tolist()
    asked = {"max_new_tokens": 40, "min_new_tokens": 40, "num_beams": beams, "do_sample": False}
    timing = in_turn(
        partial(theirs.generate, source, use_cache=True, **asked),
        lambda: translate_batch(ours.model, rows, beam_size=beams, max_steps=40),
        3,
    )
    name = "greedy" if beams == 1 else f"beam {beams}"
    yield Row.of(f"{SMALL}, {name}, a batch of 32, 40 tokens", timing, wanted)


@torch.inference_mode(False)
def _training_step(shape: Shape, pairs: int, vocabulary: int) -> Timing:
    config = ModelConfig(
        source_vocab_size=vocabulary,
        target_vocab_size=vocabulary,
        d_model=shape.d_model,
        encoder_layers=shape.layers,
        decoder_layers=shape.layers,
        heads=4,
        d_ff=shape.d_ff,
        max_length=256,
        dropout=0.3,
    )
    source, target = random_ids(pairs, 18, 0, vocabulary), random_ids(pairs, 20, 1, vocabulary)
    labels = target.roll(-1, 1)
    ours = Transformer(config).train()
    theirs = PlainTransformer(shape.d_model, 4, shape.layers, shape.d_ff, 0.3, vocabulary).train()
    fast = torch.optim.Adam(ours.parameters(), lr=1e-4, fused=True)
    plain = torch.optim.Adam(theirs.parameters(), lr=1e-4)

    def step(optimizer: torch.optim.Optimizer, loss: Callable[[], torch.Tensor]) -> None:
        optimizer.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    def their_loss() -> torch.Tensor:
        logits = theirs(source, target).flatten(0, 1)
        return torch.nn.functional.cross_entropy(
            logits, labels.flatten(), label_smoothing=0.1, ignore_index=0
        )

    def our_loss() -> torch.Tensor:
        with kernels_for_training(source.device):  # as the trainer does
            return token_loss(ours, source, target, labels, 0.1)

    return in_turn(partial(step, plain, their_loss), partial(step, fast, our_loss), 5)


def training() -> Iterator[Row]:
    """One training step of a tiny model: forward, backward, Adam. `dates` has the shape and the letters of the second."""
    for shape, pairs, vocabulary in ((Shape(4, 128, 256), 64, VOCABULARY), (Shape(2, 64, 256), 192, 72)):
        work = f"training step, {shape}, {pairs} pairs, {vocabulary:,} tokens (peer: torch.nn.Transformer)"
        yield Row.of(work, _training_step(shape, pairs, vocabulary), 2.6)


def late_steps() -> Iterator[Row]:
    """Step 200 beside step 20, of one model."""
    _, ours = _pair(SMALL)
    model, source = ours.model, random_ids(1, 20)
    states = [model.start(model.encode(source), source) for _ in range(2)]
    for state, length in zip(states, (200, 20), strict=True):
        for _ in range(length):
            model.step(torch.tensor([5]), state)

    def step(which: int) -> None:
        model.step(torch.tensor([5]), states[which], Hooks(WEIGHTS))
        states[which].truncate((200, 20)[which])

    timing = in_turn(partial(step, 0), partial(step, 1), 60)
    yield Row(
        f"{SMALL}, step 200 ÷ step 20", timing.peer * 1e3, timing.ours * 1e3, timing.ratio, "≤ 1.05 (keep)"
    )


def stream() -> Iterator[Row]:
    """The weights of a corpus: `core.trace_many` beside a plain loop with `output_attentions=True`."""
    theirs, ours = _pair(SMALL)
    lengths = np.random.default_rng(0).integers(6, 26, (SENTENCES, 2)).tolist()
    ids = [
        (random_ids(1, s, i)[0].tolist(), random_ids(1, t, i + 1)[0].tolist())
        for i, (s, t) in enumerate(lengths)
    ]
    pairs = [(" ".join(map(str, source)), " ".join(map(str, target))) for source, target in ids]

    def loop() -> None:
        for source, target in ids:
            output = theirs(
                input_ids=torch.tensor([[*source, 0]]),
                decoder_input_ids=torch.tensor([[START, *target]]),
                output_attentions=True,
                use_cache=False,
            )
            for maps in (output.encoder_attentions, output.decoder_attentions, output.cross_attentions):
                torch.cat(maps).numpy()

    def traced() -> None:
        for trace in core.trace_many(ours, pairs, record=WEIGHTS):
            for stack, block in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
                trace.stacked(stack, block, "weights")

    yield Row.of(
        f"{SMALL}, the weights of {SENTENCES} pairs of 6 to 25 tokens", in_turn(loop, traced, 3), 5.0
    )


def memory() -> Iterator[Row]:
    """Peak memory of a full 512 × 512 trace of 6 layers × 8 heads, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.peak_memory"]
    sizes = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    work = f"512 × 512 trace of 6 × 8 heads: peak {sizes['peak'] >> 20} MiB ÷ kept {sizes['kept'] >> 20} MiB"
    yield Row(work, None, None, sizes["peak"] / sizes["kept"], "≤ 1.5")


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "weights": lambda: passes(SMALL, False, (1.5, 1.4, 1.3)),
    "everything": lambda: passes(SMALL, True, (1.2, 1.1, 1.0)),
    "weights-base": lambda: passes(BASE, False, (1.15, 1.1, 1.1)),
    "steps": lambda: steps(SMALL, 2.5),
    "steps-base": lambda: steps(BASE, 1.3),
    "greedy": lambda: batches(1, 2.5),
    "beam": lambda: batches(5, 2.0),
    "training": training,
    "late-steps": late_steps,
    "stream": stream,
    "memory": memory,
}
