"""The card of a trained checkpoint, `card.json`: its training data and recipe, its quality, and examples.

name, description, source_language, target_language, data, terms, limits: the recipe's; `limits` continues with
    the figures below in words
recipe      the recipe without paths of the machine
figures     size and effort (of this run), valid_loss in nats a target token, and
    started_from    the checkpoint from whose weights and tokenizers the run started: name, digest, target_tokens_seen
    quality         test set → scores (`core.training.appraisal`), with the signatures of sacreBLEU
    log_probability of the model's greedy translations of the sentences of `sets`, none of which it was trained on:
                    log P(sequence) / its tokens with the end mark, in nats, natural logarithm, temperature 1;
                    `quantiles` maps "0.05" to the value that 5 % of the `sentences` are below. A sentence far below
                    the "0.01" of the card is far from the training data. `by_set` has the same for each set.
examples    of each: source, translation (the search of the scores), greedy (where that is another search),
            trained_on: the training sources by name that have this sentence, compared by `sentence_key`,
            shows: its features (core/analysis/familiarity.py), added with the default heads
trained     the day, ISO 8601
probe_sentences the recipe's, if it has any: the sentences for choosing the default heads (else the examples)
default_heads   written by the commands `train`, `import` and `example`: by kind of attention, the head that opens
                first, with the counts behind the choice (core/analysis/roles.py); `alignment`, the head of
                cross-attention that aligns best, in the row that predicts a word or the one in which it is fed back
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import torch

from core.decoding import translate_batch
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.appraisal import appraise, distribution, in_words, log_probabilities
from core.training.batches import Example
from core.training.config import TrainingConfig
from core.training.data import Corpus, Pair, read_pairs, sentence_key, source_name
from core.training.evaluate import translate_texts
from core.training.loop import Trainer
from core.training.objective import mean_loss
from core.training.process import clock
from core.training.substitution import Substitution

BEAM = 5
EXAMPLES = 20


class Examiner:
    """Measures one model on pairs that its recipe never trained on."""

    def __init__(
        self,
        config: TrainingConfig,
        corpus: Corpus,
        model: Transformer,
        tokenizers: tuple[Tokenizer, Tokenizer],
        *,
        precision: str = "float32",
        report: Callable[[str], None] = print,
    ) -> None:
        """`corpus` is the recipe's, read with its seed; `model` is in evaluation mode; `report` takes lines."""
        self.config, self.corpus, self.model, self.tokenizers = config, corpus, model, tokenizers
        self.precision, self.report = precision, report
        self.generated = all(source.task for source in config.data.sources)
        # Beam search for language; greedy for generated tasks, which have one answer.
        self.beam = 1 if self.generated else BEAM

    @classmethod
    def of(cls, trainer: Trainer, model: Transformer) -> Examiner:
        """The examiner for a model of a run that is in memory."""
        on_gpu = trainer.process.device.type == "cuda"
        return cls(
            trainer.config,
            trainer.data.corpus,
            model,
            trainer.data.tokenizers,
            precision=trainer.settings.precision if on_gpu else "float32",
            report=trainer.reporter.line,
        )

    def translate(self, texts: Sequence[str], beam: int) -> list[str]:
        """Translations in the order of the texts."""
        return translate_texts(self.model, *self.tokenizers, texts, beam_size=beam, precision=self.precision)

    def sets(self) -> dict[str, list[Pair]]:
        """Validation, every test set of the recipe, and every held-back set, by name."""
        data, seed = self.config.data, self.config.training.seed
        sets: dict[str, list[Pair]] = {}
        if data.valid is not None:
            sets[f"{source_name(data.valid, 0)} (valid)"] = self.corpus.valid
        for index, source in enumerate(data.test):
            sets[f"{source_name(source, index)} (test)"] = read_pairs(source, seed)
        sets.update(self.held_back())
        return sets

    def held_back(self) -> dict[str, list[Pair]]:
        """The held-back pairs of each source, by the name of their figures."""
        return {f"{name} (held back)": pairs for name, pairs in self.corpus.held_back.items()}

    def quality(self) -> dict[str, dict[str, Any]]:
        """The scores of every set."""
        report = self.report
        scores: dict[str, dict[str, Any]] = {}
        trained = {sentence_key(pair.target) for pair in self.corpus.train}
        language = self.config.data.target_language or "en"
        for name, pairs in self.sets().items():
            report(f"Scoring {name}: {len(pairs):,} pairs.")
            known = trained if name in self.held_back() else None
            scores[name] = appraise(
                self.translate, pairs, beam=self.beam, language=language, trained_targets=known
            )
            report(
                f"  BLEU {scores[name]['bleu_tokenised']:.2f} (tokenised, lower case), {scores[name]['bleu']:.2f} "
                f"(sacreBLEU), chrF {scores[name]['chrf']:.2f}, exact {scores[name]['exact']:.2f} %"
            )
        return scores

    def log_probability(self) -> dict[str, Any]:
        """Log-probabilities of the model's own greedy translations of the test and held-back sentences.

        Without the validation set, which selected the weights, unless there is nothing else.
        """
        sets = self.sets()
        chosen = {name: pairs for name, pairs in sets.items() if not name.endswith("(valid)")} or sets
        means = {name: self._means([pair.source for pair in pairs]) for name, pairs in chosen.items()}
        return {
            "sets": list(means),
            "search": "greedy",
            **distribution([mean for each in means.values() for mean in each]),
            "by_set": {name: distribution(each) for name, each in means.items()},
        }

    def _means(self, texts: Sequence[str]) -> list[float]:
        """Log-probability per token of the translation of each distinct text."""
        rows = self.tokenizers[0].encode_batch(list(dict.fromkeys(texts)))
        with torch.inference_mode():
            written = translate_batch(self.model, rows, beam_size=1)
        return log_probabilities(self.model, [Example(a, b) for a, b in zip(rows, written, strict=True)])

    def examples(self) -> list[dict[str, Any]]:
        """The recipe's example sentences, or validation sentences, with the model's own translations, good or bad."""
        corpus, texts = self.corpus, list(self.config.examples)
        if not texts:
            texts = list({sentence_key(pair.source): pair.source for pair in corpus.valid}.values())
            texts = texts[:EXAMPLES]
        rows: list[dict[str, Any]] = [
            {"source": text, "translation": written}
            for text, written in zip(texts, self.translate(texts, self.beam), strict=True)
        ]
        greedy = self.translate(texts, 1) if self.beam > 1 else []
        for row, written in zip(rows, greedy, strict=False):
            row["greedy"] = written
        for row, sources in zip(rows, self._trained_on(texts), strict=True):
            row["trained_on"] = sources
        return rows

    def _trained_on(self, texts: Sequence[str]) -> list[list[str]]:
        """For each text the training sources that contain it."""
        data = self.config.data
        masked: Callable[[str], str] = str
        if data.substitution is not None:
            masked = Substitution.of(data.substitution, data.source_language, data.target_language).masked
        keys = [sentence_key(masked(text)) for text in texts]
        read = {
            name: {sentence_key(masked(text)) for text in known}
            for name, known in self.corpus.sentences.items()
        }
        return [[name for name, known in read.items() if key in known] for key in keys]

    def limits(self, quality: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """The recipe's limits, and notes on the figures."""
        return [*self.config.data.limits, *in_words(quality, generated=self.generated)]


def valid_loss(trainer: Trainer, model: Transformer) -> float:
    """Nats per token of the validation targets, in single precision."""
    return mean_loss(
        model,
        trainer.data.valid_examples,
        batch_tokens=trainer.settings.batch_tokens,
        precision="float32",
        device=trainer.process.device,
    )


def write_card(trainer: Trainer, model: Transformer, weights_from: str) -> dict[str, Any]:
    """The card of a finished run whose checkpoint is `model`."""
    examiner, data = Examiner.of(trainer, model), trainer.config.data
    figures = {"weights": weights_from, **_effort(trainer, model, valid_loss(trainer, model))}
    if trainer.start is not None:
        figures["started_from"] = trainer.start.to_json()
    figures["quality"] = examiner.quality()
    figures["log_probability"] = examiner.log_probability()
    return {
        "name": trainer.config.name,
        "description": trainer.config.description,
        "source_language": data.source_language,
        "target_language": data.target_language,
        "data": list(data.description),
        "terms": list(data.terms),
        "recipe": trainer.config.to_json(),
        "figures": figures,
        "limits": examiner.limits(figures["quality"]),
        "examples": examiner.examples(),
        **({"probe_sentences": list(probes)} if (probes := trainer.config.probe_sentences) else {}),
        "trained": datetime.now(UTC).date().isoformat(),
    }


def _effort(trainer: Trainer, model: Transformer, loss: float) -> dict[str, Any]:
    """Size of the model, length of the training, and its loss."""
    return {
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
    }


def _device_name(trainer: Trainer) -> str:
    device, world = trainer.process.device, trainer.process.world
    if device.type == "cuda":
        name = torch.cuda.get_device_name(device)
    else:
        name = f"{device.type}, {torch.get_num_threads()} threads"
    return f"{world} × {name}" if world > 1 else name
