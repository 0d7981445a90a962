"""The end of a run: average, choose, score, and write the checkpoint with its card."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import torch

import core.checkpoint
from core import stored
from core.example import write_example
from core.model import Transformer
from core.training.data import Pair, read_pairs, sentence_key, source_name
from core.training.dynamics import save_dynamics
from core.training.evaluate import translate_texts
from core.training.loop import Trainer
from core.training.objective import mean_loss
from core.training.progress import clock
from core.training.scores import Quality, score

BEAM = 5
EXAMPLES = 20


def finish(trainer: Trainer) -> dict[str, Any]:
    """Write the checkpoint folder of a finished run and return its card (the main process only)."""
    config = trainer.config
    model, weights_from = choose_weights(trainer)
    trainer.reporter.line(f"Writing {config.out} with {weights_from}.")
    figures = {"weights": weights_from, **_figures(trainer, model)}
    card = _card(trainer, figures, _examples(trainer, model))
    core.checkpoint.save(config.out, model, *trainer.data.tokenizers, card, dtype="float16")
    save_dynamics(config.out / stored.DYNAMICS, trainer.recorder.dynamics())
    write_example(core.checkpoint.load(config.out, device="cpu"))
    return card


def choose_weights(trainer: Trainer) -> tuple[Transformer, str]:
    """The better, by validation loss, of the last weights and the mean of the last kept ones.

    Both are compared as they will be stored, in half precision.
    """
    mean, steps = trainer.average.mean(trainer.step)
    last = {name: tensor.cpu() for name, tensor in trainer.model.state_dict().items()}
    candidates: list[tuple[str, Mapping[str, torch.Tensor]]] = [(f"the weights of step {trainer.step}", last)]
    if len(steps) > 1:
        candidates.append((f"the mean of the weights at {len(steps)} steps, {steps[0]} to {steps[-1]}", mean))
    losses = []
    for name, weights in candidates:
        model = _with_weights(trainer.model, weights)
        losses.append(_valid_loss(trainer, model))
        trainer.reporter.line(f"{name}: valid loss {losses[-1]:.4f}")
    best = min(range(len(losses)), key=losses.__getitem__)
    return _with_weights(trainer.model, candidates[best][1]), candidates[best][0]


def _with_weights(model: Transformer, weights: Mapping[str, torch.Tensor]) -> Transformer:
    fresh = copy.deepcopy(model)
    halved = {k: v.half().to(v.dtype) if v.is_floating_point() else v for k, v in weights.items()}
    fresh.load_state_dict(halved)
    return fresh.eval()


def _valid_loss(trainer: Trainer, model: Transformer) -> float:
    settings = trainer.settings
    return mean_loss(
        model,
        trainer.data.valid_examples,
        batch_tokens=settings.batch_tokens,
        precision="float32",
        device=trainer.process.device,
    )


def _figures(trainer: Trainer, model: Transformer) -> dict[str, Any]:
    """What the card says about size, effort and quality; scores come with the search that was used."""
    loss = _valid_loss(trainer, model)
    figures: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "steps": trainer.step,
        "epochs": round(trainer.epoch + trainer.position / max(1, trainer.batches_in_epoch()), 2),
        "target_tokens_seen": trainer.tokens,
        "training_time": clock(trainer.seconds),
        "device": _device_name(trainer),
        "precision": trainer.settings.precision,
        "training_pairs": len(trainer.data.train),
        "pairs_by_source": trainer.data.corpus.counts,
        "valid_loss": round(loss, 4),
        "valid_perplexity": round(math.exp(loss), 3),
        "quality": {},
    }
    for name, pairs in _test_sets(trainer).items():
        trainer.reporter.line(f"Scoring {name}: {len(pairs):,} pairs.")
        quality = evaluate_pairs(trainer, model, pairs)
        figures["quality"][name] = {"beam": beam_size(trainer), **_rounded(quality)}
        trainer.reporter.line(
            f"  BLEU {quality.bleu_tokenised:.2f} (tokenised, lower case), {quality.bleu:.2f} (sacreBLEU), "
            f"chrF {quality.chrf:.2f}, exact {quality.exact:.2f} %"
        )
    return figures


def evaluate_pairs(trainer: Trainer, model: Transformer, pairs: Sequence[Pair]) -> Quality:
    """Score the model on pairs, by the recipe's search."""
    written = translate_texts(
        model,
        *trainer.data.tokenizers,
        [pair.source for pair in pairs],
        beam_size=beam_size(trainer),
        precision=trainer.settings.precision if trainer.process.device.type == "cuda" else "float32",
    )
    return score(written, [pair.target for pair in pairs], trainer.config.data.target_language or "en")


def beam_size(trainer: Trainer) -> int:
    """Beam search for language; greedy for generated tasks, which have one answer."""
    return 1 if all(source.task for source in trainer.config.data.sources) else BEAM


def _test_sets(trainer: Trainer) -> dict[str, list[Pair]]:
    """Validation, every test set of the recipe, and every held-back set, by name."""
    data, seed = trainer.config.data, trainer.settings.seed
    sets: dict[str, list[Pair]] = {}
    if data.valid is not None:
        sets[f"{source_name(data.valid, 0)} (valid)"] = trainer.data.corpus.valid
    for index, source in enumerate(data.test):
        sets[f"{source_name(source, index)} (test)"] = read_pairs(source, seed)
    for name, pairs in trainer.data.corpus.held_back.items():
        sets[f"{name} (held back)"] = pairs
    return sets


def _examples(trainer: Trainer, model: Transformer) -> list[dict[str, str]]:
    """The recipe's example sentences, or validation sentences, with the model's own answers."""
    texts = list(trainer.config.examples)
    if not texts:
        texts = list({sentence_key(pair.source): pair.source for pair in trainer.data.corpus.valid}.values())[
            :EXAMPLES
        ]
    written = translate_texts(model, *trainer.data.tokenizers, texts, beam_size=beam_size(trainer))
    return [{"source": a, "translation": b} for a, b in zip(texts, written, strict=True)]


def _card(trainer: Trainer, figures: dict[str, Any], examples: list[dict[str, str]]) -> dict[str, Any]:
    data = trainer.config.data
    return {
        "name": trainer.config.name,
        "description": trainer.config.description,
        "source_language": data.source_language,
        "target_language": data.target_language,
        "data": list(data.description),
        "terms": list(data.terms),
        "recipe": trainer.config.to_json(),
        "figures": figures,
        "limits": list(data.limits),
        "examples": examples,
        "trained": datetime.now(UTC).date().isoformat(),
    }


def _rounded(quality: Quality) -> dict[str, Any]:
    return {k: round(v, 2) if isinstance(v, float) else v for k, v in quality.to_json().items()}


def _device_name(trainer: Trainer) -> str:
    device, world = trainer.process.device, trainer.process.world
    if device.type == "cuda":
        name = torch.cuda.get_device_name(device)
    else:
        name = f"{device.type}, {torch.get_num_threads()} threads"
    return f"{world} × {name}" if world > 1 else name
