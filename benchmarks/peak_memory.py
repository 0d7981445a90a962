"""Memory of one full trace in its own process: `python -m benchmarks.peak_memory` prints bytes as JSON. Linux only."""

from __future__ import annotations

import json
import re
from pathlib import Path

import torch

from core.api import Checkpoint
from core.decoding.tracing import trace_ids
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer

LENGTH = 512


def resident(name: str) -> int:
    """`VmRSS` (now) or `VmHWM` (the most so far) of this process, in bytes."""
    match = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    assert match
    return int(match[1]) << 10


def main() -> None:
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


if __name__ == "__main__":
    main()
