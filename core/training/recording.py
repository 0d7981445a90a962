"""Records the training dynamics: head scores and probe maps of the current weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.heads import SCORES, head_scores, mean_score
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, Hooks, Site
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.batches import Example, make_batch
from core.training.data import Pair
from core.training.dynamics import KINDS, Dynamics, Probe, pack

PROBES = 8
MAP_BYTES = 5_000_000  # of all maps together before compression; bounds the length of a probe
SCORED = 40  # validation sentences whose mean is a head's score
_SITES = {kind.name: (kind.stack, kind.block) for kind in ATTENTION.values()}


def longest_probe(config: ModelConfig, steps: int) -> int:
    """Tokens a side that keep `steps` records of all heads' maps within MAP_BYTES."""
    maps = config.heads * (config.encoder_layers + 2 * config.decoder_layers)
    return min(40, max(4, math.isqrt(MAP_BYTES // max(1, maps * steps * PROBES))))


class Recorder:
    """Collects one record per chosen step; its `records` are plain tensors, saved with the training state."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        examples: Sequence[Example],
        tokenizers: tuple[Tokenizer, Tokenizer],
        *,
        longest: int,
    ) -> None:
        """pairs and examples of the validation set, in the same order; probes have at most `longest` tokens a side."""
        self.tokenizers = tokenizers
        self.items = list(zip(pairs, examples, strict=True))
        fitting = [
            i
            for i, (_, example) in enumerate(self.items)
            if max(len(example.source), len(example.target)) <= longest
        ]
        # Spread over the lengths, so that the probes are not the eight shortest.
        fitting.sort(key=lambda i: len(self.items[i][1].source))
        spread = np.linspace(len(fitting) // 4, max(0, len(fitting) - 1), PROBES).round()
        self._choose([fitting[i] for i in dict.fromkeys(map(int, spread))] if fitting else [])
        self.records: list[dict[str, Any]] = []

    def _choose(self, probes: list[int]) -> None:
        self.chosen = probes
        self.probes = [self.items[i] for i in probes]
        self.scored = self.probes + [item for i, item in enumerate(self.items[:SCORED]) if i not in probes]

    def state(self) -> dict[str, Any]:
        """The state that a resumed run needs."""
        return {"records": self.records, "probes": self.chosen}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore `state`, with its probes: maps of different sentences cannot be combined."""
        self.records = state["records"]
        self._choose(state["probes"])

    def record(
        self, model: Transformer, step: int, *, train_loss: float, valid_loss: float, bleu: float
    ) -> None:
        """Add the state of every head at `step`, replacing a record of the same step."""
        weights = _attention(model, [example for _, example in self.scored])
        entry: dict[str, Any] = {
            "step": step,
            "train_loss": train_loss,
            "valid_loss": valid_loss,
            "bleu": bleu,
        }
        for kind in KINDS:
            scores = [self._scores(weights[kind][i], kind, i) for i in range(len(self.scored))]
            entry[f"{kind}.scores"] = torch.from_numpy(mean_score(scores).astype(np.float16))
            packed = [pack(weights[kind][i]) for i in range(len(self.probes))]
            flat = np.concatenate(packed) if packed else np.zeros(0, np.uint8)
            entry[f"{kind}.maps"] = torch.from_numpy(flat)
        self.records = [old for old in self.records if old["step"] != step] + [entry]

    def _scores(self, weights: NDArray[np.float32], kind: str, index: int) -> NDArray[np.float64]:
        """(M, L, H) scores of one sentence."""
        probe = self.probe(index)
        queries, keys = probe.sides(kind)
        values = head_scores(weights, kind, queries=queries, keys=keys)
        return np.stack(list(values.values()))

    def probe(self, index: int) -> Probe:
        """The texts and token labels of the scored sentence `index`; the probes come first."""
        pair, example = self.scored[index]
        source, target = self.tokenizers
        return Probe(
            source=pair.source,
            target=pair.target,
            source_tokens=tuple(source.labels(example.source)),
            target_tokens=tuple(target.labels([target.bos_id, *example.target[:-1]])),
            written_tokens=tuple(target.labels(example.target)),
        )

    def dynamics(self) -> Dynamics:
        """Everything recorded so far."""
        rows = sorted(self.records, key=lambda row: row["step"])

        def column(name: str) -> NDArray[np.float32]:
            return np.array([row[name] for row in rows], dtype=np.float32)

        return Dynamics(
            steps=np.array([row["step"] for row in rows], dtype=np.int64),
            train_loss=column("train_loss"),
            valid_loss=column("valid_loss"),
            bleu=column("bleu"),
            probes=tuple(self.probe(i) for i in range(len(self.probes))),
            score_names=tuple(SCORES),
            scores={kind: np.stack([row[f"{kind}.scores"].numpy() for row in rows]) for kind in KINDS},
            packed={kind: np.stack([row[f"{kind}.maps"].numpy() for row in rows]) for kind in KINDS},
            scored_sentences=len(self.scored),
        )


@torch.inference_mode()
def _attention(model: Transformer, examples: Sequence[Example]) -> Mapping[str, list[NDArray[np.float32]]]:
    """Each example's maps, kind → list of (L, H, Tq, Tk) without padding, at the reference translation."""
    config = model.config
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    batch = make_batch(
        examples,
        range(len(examples)),
        source_pad=config.source_padding,
        target_pad=config.pad_id,
        bos=config.bos_id,
    )
    hooks = Hooks(record=["*.weights"])
    model(batch.source.to(device), batch.target.to(device), hooks=hooks)
    model.train(was_training)
    maps: dict[str, list[NDArray[np.float32]]] = {}
    for kind, (stack, block) in _SITES.items():
        layers = config.encoder_layers if stack == "encoder" else config.decoder_layers
        stacked = torch.stack([hooks.records[Site(stack, i, block, "weights")] for i in range(layers)], dim=1)
        array = stacked.float().cpu().numpy()
        maps[kind] = []
        for row, example in enumerate(examples):
            queries = len(example.source) if kind == "encoder-self" else len(example.target)
            keys = len(example.target) if kind == "decoder-self" else len(example.source)
            maps[kind].append(array[row, :, :, :queries, :keys])
    return maps
