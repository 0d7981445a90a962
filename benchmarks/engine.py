"""The rows of the engine: each a task for us and a peer with the same weights, and what bounds it.

The peers are a random Marian of Hugging Face with the same weights imported, and a model of `torch.nn.Transformer`. Run as a
module, it prints the memory of one full trace, as JSON in bytes: the row of memory does that in a process of its own. Linux
only.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

import core
from benchmarks.report import CPU, Timing, in_turn, product_rate, read_rate
from core.api import Checkpoint, trace_ids
from core.decoding import inputs
from core.decoding.search import translate_batch
from core.importing.plan import plan_import
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.positions import sinusoid_table
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.objective import token_loss
from core.training.process import kernels_for_training

VOCABULARY = 8000


class Shape(NamedTuple):
    """Layers a stack, width and width of the feed-forward; 8 heads each."""

    layers: int
    d_model: int
    d_ff: int

    def __str__(self) -> str:
        return f"{self.layers}+{self.layers}×{self.d_model}"


SMALL, BASE = Shape(4, 256, 1024), Shape(6, 512, 2048)


def hugging_face(shape: Shape) -> tuple[Any, Checkpoint]:
    """A random Marian that computes its attention eagerly, and our checkpoint of its weights."""
    import transformers

    transformers.logging.set_verbosity_error()
    torch.manual_seed(7)
    last = VOCABULARY - 1
    config = transformers.MarianConfig(
        **{"vocab_size": VOCABULARY, "d_model": shape.d_model, "max_position_embeddings": 512},
        **{f"{side}_layers": shape.layers for side in ("encoder", "decoder")},
        **{f"{side}_attention_heads": 8 for side in ("encoder", "decoder")},
        **{f"{side}_ffn_dim": shape.d_ff for side in ("encoder", "decoder")},
        **{"pad_token_id": last, "decoder_start_token_id": last, "eos_token_id": 0, "bos_token_id": 0},
        **{"activation_function": "swish", "scale_embedding": True, "init_std": 0.05},
        forced_eos_token_id=None,
    )
    config._attn_implementation = "eager"
    theirs = transformers.MarianMTModel(config).eval().requires_grad_(False)
    seen: dict[int, str] = {}
    for key, tensor in theirs.state_dict().items():
        if "embed_positions" not in key:
            seen.setdefault(tensor.data_ptr(), key)
    with tempfile.TemporaryDirectory() as folder:
        config.save_pretrained(folder)
        weights = {key: theirs.state_dict()[key].clone() for key in seen.values()}
        save_file(weights, Path(folder) / "model.safetensors", metadata={"format": "pt"})
        ours = plan_import(folder, tokenizer="numbers").checkpoint
    return theirs, ours


def random_ids(rows: int, length: int, seed: int = 0, vocabulary: int = 7000) -> Tensor:
    """(rows, length) int64 of ordinary tokens."""
    return torch.randint(3, vocabulary, (rows, length), generator=torch.Generator().manual_seed(seed))


class PlainTransformer(nn.Module):
    """A plain model around `torch.nn.Transformer`: tied scaled embeddings, sinusoids, tied output."""

    positions: Tensor

    def __init__(
        self, d_model: int, heads: int, layers: int, d_ff: int, dropout: float, vocabulary: int
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, d_model)
        self.register_buffer("positions", torch.from_numpy(sinusoid_table(256, d_model)).float())
        self.dropout = nn.Dropout(dropout)
        self.transformer = nn.Transformer(d_model, heads, layers, layers, d_ff, dropout, batch_first=True)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """source (B, S), target (B, T), padded with 0 → logits (B, T, V)."""
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1], device=target.device)
        padding = (source == 0).float().masked_fill(source == 0, -math.inf)
        states = self.transformer(
            self._embed(source),
            self._embed(target),
            tgt_mask=causal,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return nn.functional.linear(states, self.table.weight)

    def _embed(self, ids: Tensor) -> Tensor:
        x: Tensor = self.table(ids) * math.sqrt(self.table.embedding_dim) + self.positions[: ids.shape[1]]
        return self.dropout(x)


LENGTH = 512


def resident(name: str) -> int:
    """`VmRSS` (now) or `VmHWM` (the most so far) of this process, in bytes."""
    match = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    assert match
    return int(match[1]) << 10


def print_memory() -> None:
    """Trace twice and print the peak of the second trace, without the set-up of a first pass."""
    torch.set_num_threads(1)
    words = [f"w{number}" for number in range(500)]
    tokenizer = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", *words], split="whitespace")
    size = tokenizer.vocab_size
    config = ModelConfig(
        source_vocab_size=size, target_vocab_size=size, d_model=512, heads=8, max_length=LENGTH
    )
    model = Transformer(config).eval().requires_grad_(False).pack_weights()
    checkpoint = Checkpoint(model, tokenizer, tokenizer)
    ids = torch.randint(4, size, (LENGTH,)).tolist()
    trace_ids(checkpoint, ids[:64], ids[:64])
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again here
    trace = trace_ids(checkpoint, ids, ids)
    peak = resident("VmHWM") - before
    owned = {(array.ctypes.data, array.nbytes): array.nbytes for array in trace.records.values()}
    print(json.dumps({"peak": peak, "kept": sum(owned.values())}))


WEIGHTS = ("*.weights",)
START = VOCABULARY - 1
STEPS = 64
SENTENCES = 200  # of the stream; the loop over single sentences takes long


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
def _pair(shape: Shape, device: torch.device) -> tuple[Any, core.Checkpoint]:
    theirs, ours = hugging_face(shape)
    return theirs.to(device), ours.to(device)


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


def passes(shape: Shape, everything: bool, wanted: float, device: torch.device = CPU) -> Iterator[Row]:
    """A traced pass over 12, 64 and 256 tokens a side."""
    theirs, ours = _pair(shape, device)
    record = inputs.DEFAULT_RECORD if everything else WEIGHTS
    for length, repeats in ((12, 21), (64, 11), (256, 5)):
        source, target = random_ids(1, length).to(device), random_ids(1, length, 1).to(device)
        target[:, 0] = START
        asked = {"output_attentions": True, "output_hidden_states": everything, "use_cache": False}
        timing = in_turn(
            partial(theirs, input_ids=source, decoder_input_ids=target, **asked),
            lambda s=source, t=target: ours.model(s, t, Hooks(record)),  # type: ignore[misc]
            repeats,
            device,
        )
        kept = "everything the app records" if everything else "weights"
        seconds = _products(ours.model, length, length) / _rates()[0] if device == CPU else 0.0
        yield Row.of(
            f"{shape}, traced pass, {kept}, {length} tokens", timing, wanted, "matrix products", seconds
        )


def _stepped(model: Transformer, source: torch.Tensor, steps: int = STEPS) -> list[Any]:
    state, maps = model.start(model.encode(source), source), []
    token = torch.tensor([START], device=source.device)
    for _ in range(steps):
        hooks = Hooks(WEIGHTS)
        token = model.step(token, state, hooks).argmax(dim=-1)
        maps.append(hooks.records)
    return maps


def steps(shape: Shape, wanted: float, device: torch.device = CPU) -> Iterator[Row]:
    """64 greedy steps with all attention recorded."""
    theirs, ours = _pair(shape, device)
    source = random_ids(1, 20).to(device)
    asked = {"max_new_tokens": STEPS, "min_new_tokens": STEPS, "num_beams": 1, "do_sample": False}
    kept = {"use_cache": True, "output_attentions": True, "return_dict_in_generate": True}
    timing = in_turn(
        partial(theirs.generate, source, **asked, **kept), lambda: _stepped(ours.model, source), 3, device
    )
    once = re.compile(r"cross_attention\.[kv]_proj")  # read once a sentence, not once a step
    read = sum(
        parameter.nbytes
        for name, parameter in ours.model.named_parameters()
        if (name.startswith("decoder_layers") and not once.search(name))
        or name.startswith("target_embedding")
        or (name.startswith("source_embedding") and ours.config.tie_embeddings)
    )
    yield Row.of(
        f"{shape}, {STEPS} steps, all attention recorded",
        timing,
        wanted,
        "reading the decoder's weights once a step",
        STEPS * read / _rates()[1] if device == CPU else 0.0,
    )


def batches(beams: int, wanted: float, device: torch.device = CPU) -> Iterator[Row]:
    """A batch of 32 sentences, 40 tokens."""
    theirs, ours = _pair(SMALL, device)
    source = torch.cat([random_ids(32, 12), torch.zeros(32, 1, dtype=torch.long)], dim=1).to(device)
    rows = source.tolist()
    asked = {"max_new_tokens": 40, "min_new_tokens": 40, "num_beams": beams, "do_sample": False}
    timing = in_turn(
        partial(theirs.generate, source, use_cache=True, **asked),
        lambda: translate_batch(ours.model, rows, beam_size=beams, max_steps=40),
        3,
        device,
    )
    name = "greedy" if beams == 1 else f"beam {beams}"
    yield Row.of(f"{SMALL}, {name}, a batch of 32, 40 tokens", timing, wanted)


@torch.inference_mode(False)
def _training_step(shape: Shape, pairs: int, vocabulary: int, device: torch.device) -> Timing:
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
    source = random_ids(pairs, 18, 0, vocabulary).to(device)
    target = random_ids(pairs, 20, 1, vocabulary).to(device)
    labels = target.roll(-1, 1)
    ours = Transformer(config).train().to(device)
    theirs = PlainTransformer(shape.d_model, 4, shape.layers, shape.d_ff, 0.3, vocabulary).train().to(device)
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

    return in_turn(partial(step, plain, their_loss), partial(step, fast, our_loss), 5, device)


def training(device: torch.device = CPU) -> Iterator[Row]:
    """One training step of a tiny model: forward, backward, Adam. `dates` has the shape and the letters of the second."""
    for shape, pairs, vocabulary in ((Shape(4, 128, 256), 64, VOCABULARY), (Shape(2, 64, 256), 192, 72)):
        work = f"training step, {shape}, {pairs} pairs, {vocabulary:,} tokens (peer: torch.nn.Transformer)"
        yield Row.of(work, _training_step(shape, pairs, vocabulary, device), 1.6)


def late_steps() -> Iterator[Row]:
    """Step 200 beside step 20, of one model."""
    _, ours = _pair(SMALL, CPU)
    model, source = ours.model, random_ids(1, 20)
    states = [model.start(model.encode(source), source) for _ in range(2)]
    for state, length in zip(states, (200, 20), strict=True):
        for _ in range(length):
            model.step(torch.tensor([5]), state)

    def step(which: int) -> None:
        model.step(torch.tensor([5]), states[which], Hooks(WEIGHTS))
        states[which].truncate((200, 20)[which])

    timing = in_turn(partial(step, 0), partial(step, 1), 60, CPU)
    yield Row(
        f"{SMALL}, step 200 ÷ step 20", timing.peer * 1e3, timing.ours * 1e3, timing.ratio, "≤ 1.05 (keep)"
    )


def stream(device: torch.device = CPU) -> Iterator[Row]:
    """The weights of a corpus: `core.trace_many` beside a plain loop with `output_attentions=True`."""
    theirs, ours = _pair(SMALL, device)
    lengths = np.random.default_rng(0).integers(6, 26, (SENTENCES, 2)).tolist()
    ids = [
        (random_ids(1, s, i)[0].tolist(), random_ids(1, t, i + 1)[0].tolist())
        for i, (s, t) in enumerate(lengths)
    ]
    pairs = [(" ".join(map(str, source)), " ".join(map(str, target))) for source, target in ids]

    def loop() -> None:
        for source, target in ids:
            output = theirs(
                input_ids=torch.tensor([[*source, 0]], device=device),
                decoder_input_ids=torch.tensor([[START, *target]], device=device),
                output_attentions=True,
                use_cache=False,
            )
            for maps in (output.encoder_attentions, output.decoder_attentions, output.cross_attentions):
                torch.cat(maps).cpu().numpy()

    def traced() -> None:
        for trace in core.trace_many(ours, pairs, record=WEIGHTS):
            for stack, block in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
                trace.stacked(stack, block, "weights")

    yield Row.of(
        f"{SMALL}, the weights of {SENTENCES} pairs of 6 to 25 tokens", in_turn(loop, traced, 3, device), 5.0
    )


def memory() -> Iterator[Row]:
    """Peak memory of a full 512 × 512 trace of 6 layers × 8 heads, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.engine"]
    sizes = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    work = f"512 × 512 trace of 6 × 8 heads: peak {sizes['peak'] >> 20} MiB ÷ kept {sizes['kept'] >> 20} MiB"
    yield Row(work, None, None, sizes["peak"] / sizes["kept"], "≤ 1.5")


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "weights": lambda: passes(SMALL, False, 1.15),
    "everything": lambda: passes(SMALL, True, 1.15),
    "weights-base": lambda: passes(BASE, False, 1.15),
    "steps": lambda: steps(SMALL, 2.0),
    "steps-base": lambda: steps(BASE, 2.0),
    "greedy": lambda: batches(1, 1.6),
    "beam": lambda: batches(5, 1.6),
    "training": training,
    "late-steps": late_steps,
    "stream": stream,
    "memory": memory,
}


if __name__ == "__main__":
    print_memory()
