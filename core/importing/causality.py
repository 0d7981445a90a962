"""Whether a model was trained with a causal mask, which its file does not tell and an import assumes.

A decoder that saw the whole translation in training reads the next word from its own future. Given that future it is
almost certain of a known translation, and with the mask, which generation needs, it is not (Vaswani et al. 2017,
section 3.2.3). So the two are compared on translations that the trained model is known to give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import torch

from core.analysis.readout import how_many
from core.decoding.inputs import choices, source_ids, target_ids
from core.model.hooks import Hooks

if TYPE_CHECKING:
    from torch import Tensor

    from core.api import Checkpoint
    from core.model.transformer import Transformer

# The mean without the mask must be at most this share of the mean with it (measured; see docs).
_CLEARLY: Final = 0.5
_SURE: Final = (
    -0.5
)  # a model that sees the next word is surer than this; else the translation is just another one


@dataclass(frozen=True)
class Causality:
    """The mean log-probability per token of known translations, with the causal mask and without it."""

    masked: float
    unmasked: float
    sentences: int

    @property
    def doubtful(self) -> bool:
        """Whether the model is clearly surer when it sees the future."""
        return self.unmasked > max(self.masked * _CLEARLY, _SURE)

    @property
    def warning(self) -> str | None:
        """One sentence, if it is doubtful that the model was trained with a causal mask."""
        if not self.doubtful:
            return None
        return (
            "this model seems to have been trained without a causal mask, and it is imported with one: its mean "
            f"log-probability per token of {how_many(self.sentences, 'expected translation')} is {self.masked:.3f} with "
            f"the mask and {self.unmasked:.3f} without, so what it writes word by word is not what its training "
            "measured; train it with a mask."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "masked": self.masked,
            "unmasked": self.unmasked,
            "sentences": self.sentences,
            "doubtful": self.doubtful,
        }


def try_causality(checkpoint: Checkpoint, texts: Sequence[str], expected: Sequence[str]) -> Causality | None:
    """Rate the translations `expected` of the first `texts` with and without the mask.

    None without any, or where positions are causal.
    """
    model = checkpoint.model
    if not expected or model.config.positions == "relative_buckets":
        return None
    sums, tokens = [0.0, 0.0], 0
    for text, wanted in zip(texts, expected, strict=False):
        source, target = source_ids(checkpoint, text), target_ids(checkpoint, wanted)
        # Without the last token, after which there is nothing to read without a mask.
        chosen = [step for step in choices(model.config, target) if step < len(target) - 1]
        tokens += len(chosen)
        for index, hooks in enumerate((None, _unmasked())):
            rated = _rated(model, source, target, hooks)
            sums[index] += float(sum(rated[step] for step in chosen))
    return Causality(sums[0] / tokens, sums[1] / tokens, len(expected)) if tokens else None


def _rated(
    model: Transformer, source: Sequence[int], target: Sequence[int], hooks: Hooks | None
) -> list[float]:
    """The log-probability of each token of `target` given those before it, in one pass."""
    device = next(model.parameters()).device
    with torch.inference_mode():
        rows = torch.tensor([list(source)], device=device)
        read = torch.tensor([[model.config.bos_id, *target[:-1]]], device=device)
        logs = model(rows, read, hooks)[0].double().log_softmax(dim=-1)  # (T, V)
        wanted = torch.tensor(list(target), device=device)
        rated: list[float] = logs.gather(1, wanted[:, None])[:, 0].tolist()
    return rated


def _unmasked() -> Hooks:
    """Hooks under which the decoder's self-attention sees every token of one sentence without padding."""
    seen: list[Tensor] = []

    def keep(scores: Tensor) -> Tensor:
        seen[:] = [scores]
        return scores

    return Hooks(edit={"decoder.*.self.scores": keep, "decoder.*.self.masked_scores": lambda _: seen[0]})
