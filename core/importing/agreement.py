"""How far a copy is from its original: logits and all three kinds of maps on the same random ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import torch
from torch import Tensor

from core.errors import InputError
from core.importing.calling import Outputs
from core.importing.originals import as_returned, full_precision
from core.model.hooks import ATTENTION, Hooks, Site
from core.model.transformer import Transformer


def hugging_face_outputs(model: Any) -> Original:
    """The outputs of a Hugging Face model in float32, by the attention that returns its weights."""

    def run(source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor) -> Outputs:
        before = getattr(model.config, "_attn_implementation", None)
        try:
            model.set_attn_implementation("eager")
            theirs = model(
                input_ids=source,
                attention_mask=source_rows.long(),
                decoder_input_ids=target,
                decoder_attention_mask=target_rows.long(),
                output_attentions=True,
                use_cache=False,
                return_dict=True,
            )
        finally:
            if before is not None:
                model.set_attn_implementation(before)
        if getattr(theirs, "logits", None) is None:
            raise InputError(
                f"A {type(model).__name__} has no output layer; give the model with one, such as …ForConditionalGeneration."
            )
        maps = (theirs.encoder_attentions, theirs.decoder_attentions, theirs.cross_attentions)
        return {"logits": theirs.logits} | {
            n: torch.stack(kind) for n, kind in zip(ATTENTION, maps, strict=True)
        }

    return run


TOLERANCE: Final = 1e-5
# Tokens of the sentences; the shorter ones are padded where the original takes padding.
_SOURCES: Final = (28, 17, 23)
_TARGETS: Final = (26, 26, 14)
Original = Callable[[Tensor, Tensor, Tensor, Tensor], Outputs]
"""source (B, S), target (B, T), and where each is no padding, bool → the original's outputs."""


@dataclass(frozen=True)
class Agreement:
    """The largest difference from the original, each relative to its scale: the largest original value, at least 1.

    Measured in single precision over `tokens` decoder inputs of `sentences` random id sequences. An embedding row that
    none of them reads is not compared. `same_ids`: whether a text has the ids that the original's tokenizer gives it; None
    where that was not compared.
    """

    logits: float
    encoder: float
    causal: float
    cross: float
    sentences: int
    tokens: int
    same_ids: bool | None = None
    stored_as: str = ""  # the types of the original's numbers, where they are not float32
    returned: str = ""  # what the original returns, where that is no logits but what follows from them

    @property
    def largest(self) -> float:
        """The largest of the four differences."""
        return max(self.logits, self.encoder, self.causal, self.cross)

    @property
    def agrees(self) -> bool:
        """Whether every difference is at most TOLERANCE; a difference that is no number is none."""
        return all(getattr(self, name) <= TOLERANCE for name in ("logits", *ATTENTION))

    def __str__(self) -> str:
        parts = [f"{field.name} {getattr(self, field.name):.1e}" for field in fields(self)[:4]]
        ids = {
            True: "; the same source ids",
            False: "; OTHER SOURCE IDS than the original's tokenizer",
            None: "",
        }
        return (
            f"largest difference from the original over {self.sentences} sentences, {self.tokens} target tokens: "
            f"{', '.join(parts)}{ids[self.same_ids]}"
            + (f"; stored as {self.stored_as}, read and compared in float32" if self.stored_as else "")
            + (f"; the original returns {self.returned}, which were compared" if self.returned else "")
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{title}</td><td>{getattr(self, name):.1e}</td></tr>"
            for name, title in (
                ("logits", "logits"),
                *((kind.key, kind.title) for kind in ATTENTION.values()),
            )
        )
        return (
            f"<table><caption>{self}</caption><thead><tr><th></th><th>largest difference</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


def measure_agreement(model: Transformer, original: Original, padded: bool) -> Agreement:
    """Both models on the same random ids; `padded`: the sentences have different lengths."""
    config, device = model.config, next(model.parameters()).device
    longest = config.max_length
    sources = [min(length, longest) for length in (_SOURCES if padded else _SOURCES[:1] * 3)]
    # Shorter than the longest source, so that the kinds of attention differ in shape.
    targets = [min(length, max(longest - 1, 1)) for length in (_TARGETS if padded else _TARGETS[:1] * 3)]
    source = _random_ids(config.source_vocab_size, config.source_padding, sources, 1).to(device)
    target = _random_ids(config.target_vocab_size, config.pad_id, targets, 2)
    target[:, 0] = config.bos_id
    target = target.to(device)
    source_rows, target_rows = (_rows(lengths).to(device) for lengths in (sources, targets))
    with torch.inference_mode(), full_precision(device):
        wanted = dict(original(source, target, source_rows, target_rows))
        ours = dict(outputs(model, source, target))
    theirs = wanted.pop("logits")
    logits = ours.pop("logits")
    read = [
        (_gap(form, each, target_rows), name)
        for each in (theirs if isinstance(theirs, list) else [theirs])
        for form, name in [as_returned(logits, each)]
    ]
    rows = {"encoder": source_rows}
    gaps = {name: _gap(ours[name], wanted[name], rows.get(name, target_rows)) for name in ours}
    gaps["logits"], returned = min(read)
    return Agreement(
        logits=gaps["logits"],
        encoder=gaps["encoder"],
        causal=gaps["causal"],
        cross=gaps["cross"],
        sentences=len(sources),
        tokens=int(target_rows.sum()),
        returned=returned,
    )


def outputs(model: Transformer, source: Tensor, target: Tensor) -> Outputs:
    """What `model` gives for one batch."""
    hooks = Hooks(record=["*.weights"])
    compared = {"logits": model(source, target, hooks)}
    for name, kind in ATTENTION.items():
        layers = range(model.config.layers(kind.stack))
        compared[name] = torch.stack(
            [hooks.records[Site(kind.stack, n, kind.block, "weights")] for n in layers]
        )
    return compared


def _random_ids(vocabulary: int, padding: int, lengths: Sequence[int], seed: int) -> Tensor:
    """Random ids (B, longest) that hold `padding` after each row's length and nowhere else."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, max(vocabulary - 1, 1), (len(lengths), max(lengths)), generator=generator)
    ids[ids >= padding] += 1  # every id but the padding's
    ids.clamp_(max=vocabulary - 1)
    for row, length in zip(ids, lengths, strict=True):
        row[length:] = padding
    return ids


def _rows(lengths: Sequence[int]) -> Tensor:
    return torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]


def _gap(ours: Tensor, theirs: Tensor, rows: Tensor) -> float:
    """The largest difference where `rows` (B, T) are real, over the largest original value there, at least 1."""
    theirs = theirs.to(ours.device).float()
    if ours.shape != theirs.shape:
        return float("inf")
    if ours.dim() == 5:  # (L, B, H, T, S) → (B, T, …)
        ours, theirs = (each.permute(1, 3, 0, 2, 4) for each in (ours, theirs))
    ours, theirs = ours[rows], theirs[rows]
    gap = float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1.0))
    return gap if gap == gap else float("inf")
