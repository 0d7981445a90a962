"""temporary"""
from __future__ import annotations
from collections.abc import Sequence
import torch
from core.model import Transformer
from core.tokenizer import Tokenizer
from core.training.batches import pad
from core.training.objective import autocast


@torch.inference_mode()
def greedy(model: Transformer, sources: Sequence[list[int]], tokenizer: Tokenizer, *, precision: str = "float32", batch: int = 100) -> list[str]:
    config = model.config
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    out: list[str] = [""] * len(sources)
    for s in range(0, len(order), batch):
        rows = order[s : s + batch]
        source = pad([sources[i] for i in rows], config.source_padding).to(device)
        with autocast(device, precision):
            state = model.start(model.encode(source), source)
            tokens = torch.full((len(rows),), config.bos_id, device=device)
            done = torch.zeros(len(rows), dtype=torch.bool, device=device)
            written = []
            for _ in range(min(config.max_length, source.shape[1] * 2 + 20)):
                tokens = model.step(tokens, state).argmax(-1)
                written.append(tokens)
                done |= tokens == config.eos_id
                if done.all():
                    break
        for i, ids in zip(rows, torch.stack(written, 1).tolist(), strict=True):
            out[i] = tokenizer.decode(ids[: ids.index(config.eos_id)] if config.eos_id in ids else ids)
    model.train(was_training)
    return out
