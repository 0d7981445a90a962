"""A run, from a recipe to a checkpoint on disk: followed by the clock, averaged, chosen, scored, described in its card.

The first look comes after a minute of training, whatever the machine; each look replaces the checkpoint folder by the
model as it is, so that the app can open it while the training runs. What `card.json` has:

name, description, source_language, target_language, data, terms, limits: the recipe's; `limits` continues with
    the figures below in words
recipe      the recipe without paths of the machine
figures     size and effort (of this run), valid_loss in nats a target token, and
    started_from    the checkpoint from whose weights and tokenizers the run started: name, digest, target_tokens_seen
    quality         test set → scores (`core.training.evaluate`), with the signatures of sacreBLEU
    log_probability of the model's greedy translations of the sentences of `sets`, none of which it was trained on:
                    log P(sequence) / its tokens with the end mark, in nats, natural logarithm, temperature 1;
                    `quantiles` maps "0.05" to the value that 5 % of the `sentences` are below. A sentence far below
                    the "0.01" of the card is far from the training data. `by_set` has the same for each set,
                    `by_length` for the sentences of about one length: `longest`, in source tokens with the end mark
    longest_source  tokens of the longest source that was trained on, with the end mark
examples    of each: source, translation (the search of the scores), greedy (where that is another search),
            trained_on: the training sources by name that have this sentence, compared by `sentence_key`,
            shows: its features (core/analysis/familiarity.py), added with the default heads
trained     the day, ISO 8601
probe_sentences the recipe's, if it has any: the sentences for choosing the default heads (else the examples)
further_sentences likewise: with the examples and the probe sentences what the importance of heads is measured on
default_heads   written by the commands `train`, `import` and `example`: by kind of attention, the head that opens
                first, with the counts behind the choice (core/analysis/roles.py); `alignment`, the head of
                cross-attention that aligns best, in the row that predicts a word or the one in which it is fed back
"""

from __future__ import annotations

import contextlib
import copy
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TextIO

import torch

from core.checkpoints import files
from core.checkpoints.bundle import load_bundle, save
from core.checkpoints.files import check_replaceable
from core.decoding.example import write_example
from core.decoding.search import translate_batch
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.config import TrainingConfig
from core.training.data import Corpus, Pair, Substitution, read_pairs, sentence_key, source_name
from core.training.dynamics import save_dynamics
from core.training.evaluate import (
    appraise,
    by_length,
    distribution,
    in_words,
    log_probabilities,
    translate_texts,
)
from core.training.loop import Trainer
from core.training.objective import mean_loss
from core.training.prepared import Example
from core.training.process import Process, clock, interruptible, join, leave, locked
from core.training.snapshots import forget_run

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
        rows = {name: self._encoded([pair.source for pair in pairs]) for name, pairs in chosen.items()}
        means = {name: self._means(each) for name, each in rows.items()}
        every = [mean for each in means.values() for mean in each]
        return {
            "sets": list(means),
            "search": "greedy",
            **distribution(every),
            "by_set": {name: distribution(each) for name, each in means.items()},
            "by_length": by_length(every, [len(row) for each in rows.values() for row in each]),
        }

    def _encoded(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each distinct text."""
        return self.tokenizers[0].encode_batch(list(dict.fromkeys(texts)))

    def _means(self, rows: Sequence[list[int]]) -> list[float]:
        """Log-probability per token of the translation of each source."""
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
        substitution = Substitution.of(self.config.data)
        masked: Callable[[str], str] = str if substitution is None else substitution.masked
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
    tokens = trainer.settings.batch_tokens
    return mean_loss(model, trainer.data.valid_examples, batch_tokens=tokens, precision="float32")


def write_card(trainer: Trainer, model: Transformer, weights_from: str) -> dict[str, Any]:
    """The card of a finished run whose checkpoint is `model`."""
    examiner, data = Examiner.of(trainer, model), trainer.config.data
    figures = {"weights": weights_from, **_effort(trainer, model, valid_loss(trainer, model))}
    if trainer.start is not None:
        figures["started_from"] = trainer.start.to_json()
    figures["quality"] = examiner.quality()
    figures["log_probability"] = examiner.log_probability()
    return {
        **_named(trainer.config),
        "terms": list(data.terms),
        "recipe": trainer.config.to_json(),
        "figures": figures,
        "limits": examiner.limits(figures["quality"]),
        "examples": examiner.examples(),
        **_sentences(trainer.config),
        "trained": datetime.now(UTC).date().isoformat(),
    }


def _sentences(config: TrainingConfig) -> dict[str, list[str]]:
    """The lists of sentences that the recipe has."""
    lists = {"probe_sentences": config.probe_sentences, "further_sentences": config.further_sentences}
    return {name: list(texts) for name, texts in lists.items() if texts}


def _named(config: TrainingConfig) -> dict[str, Any]:
    """What a card begins with."""
    return {
        "name": config.name,
        "description": config.description,
        "source_language": config.data.source_language,
        "target_language": config.data.target_language,
        "data": list(config.data.description),
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
        "longest_source": max(len(example.source) for example in trainer.data.train.examples),
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


def finish(trainer: Trainer) -> dict[str, Any]:
    """Write the checkpoint folder of a finished run and return its card (the main process only)."""
    config = trainer.config
    model, weights_from = choose_weights(trainer)
    trainer.reporter.line(f"Writing {config.out} with {weights_from}.")
    card = write_card(trainer, model, weights_from)
    save(config.out, model, *trainer.data.tokenizers, card, dtype="float16")
    save_dynamics(config.out / files.DYNAMICS, trainer.recorder.dynamics())
    write_example(load_bundle(config.out, device="cpu"))
    return card


def choose_weights(trainer: Trainer) -> tuple[Transformer, str]:
    """The better, by validation loss, of the last weights and the mean of the last kept ones.

    Both are compared as they will be stored, in half precision. With `keep_start` the start's weights are mixed into both.
    """
    mean, steps = trainer.average.mean(trainer.step)
    last = {name: tensor.cpu() for name, tensor in trainer.model.state_dict().items()}
    candidates: list[tuple[str, Mapping[str, torch.Tensor]]] = [(f"the weights of step {trainer.step}", last)]
    if len(steps) > 1:
        candidates.append((f"the mean of the weights at {len(steps)} steps, {steps[0]} to {steps[-1]}", mean))
    kept = trainer.settings.keep_start
    if trainer.start is not None and kept:
        start = trainer.start.bundle.model.state_dict()
        candidates = [
            (f"{name}, with {kept:.0%} of the weights it started from", _mixed(weights, start, kept))
            for name, weights in candidates
        ]
    losses = []
    for name, weights in candidates:
        model = _with_weights(trainer.model, weights)
        losses.append(valid_loss(trainer, model))
        trainer.reporter.line(f"{name}: valid loss {losses[-1]:.4f}")
    best = min(range(len(losses)), key=losses.__getitem__)
    return _with_weights(trainer.model, candidates[best][1]), candidates[best][0]


def _mixed(
    weights: Mapping[str, torch.Tensor], start: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    return {name: torch.lerp(tensor.float(), start[name].float(), share) for name, tensor in weights.items()}


def _with_weights(model: Transformer, weights: Mapping[str, torch.Tensor]) -> Transformer:
    fresh = copy.deepcopy(model)
    halved = {k: v.half().to(v.dtype) if v.is_floating_point() else v for k, v in weights.items()}
    fresh.load_state_dict(halved)
    return fresh.eval()


def train(
    config: TrainingConfig,
    *,
    restart: bool = False,
    finished: Callable[[Path], None] | None = None,
    follow: Callable[[Trainer], bool] = Trainer.run,
) -> bool:
    """Train, or resume training, and write the checkpoint into `config.out`. False where a signal was received; the same
    call then resumes the run.

    Runs alone or as one of torchrun's processes, of which the first writes. `restart` discards an unfinished run.
    `finished` is called with the folder once it is written, in the process that wrote it. `follow` makes the steps and says
    whether training is over.
    """
    check_replaceable(config.out)  # now, not after hours of training
    process = join(config.training.device, config.training.threads)
    try:
        with locked(config.work) if process.main else nullcontext():
            return _train(config, process, restart, finished, follow)
    finally:
        leave(process)


def _train(
    config: TrainingConfig,
    process: Process,
    restart: bool,
    finished: Callable[[Path], None] | None,
    follow: Callable[[Trainer], bool],
) -> bool:
    if restart and process.main:
        forget_run(config.work)
    process.wait()
    trainer = Trainer(config, process)
    trainer.announce(trainer.resume())
    try:
        if not follow(trainer):
            return False
        if process.main:
            finish(trainer)
            if finished is not None:
                finished(config.out)
        process.wait()  # a process that exits while another still works may end both
        return True
    finally:
        trainer.reporter.close()


LOOKS_S: Final = (60.0, 150.0, 300.0)
"""Seconds of training before the first looks; from then on, one every `AGAIN_S`."""
AGAIN_S: Final = 300.0
LINE_S: Final = 15.0
"""Seconds between two lines of progress."""
SILENCE_S: Final = 20.0
"""Seconds without output after which a line says that the work goes on."""
_SENTENCES: Final = 3
_TRIED: Final = 2  # steps with each number of threads
_KEPT_S: Final = 240.0  # seconds with the better one, until both are tried again
_EXAMPLES: Final = 12


def followed(trainer: Trainer) -> bool:
    """`trainer.run()` with progress and looks by the clock. True when training is over, False when it was interrupted."""
    looks, threads = iter(LOOKS_S), Threads(trainer)
    next_look, last_line = next(looks), 0.0
    with interruptible() as interrupted:
        for event in trainer.events(interrupted):
            if not trainer.process.main or trainer.over:
                continue
            threads.after_step()
            if trainer.seconds - last_line >= LINE_S and event.step:
                trainer.log()
                last_line = trainer.seconds
            if trainer.seconds >= next_look:
                look(trainer)
                next_look = next(looks, trainer.seconds + AGAIN_S)
    return trainer.over


class Threads:
    """Trains with one thread where that is quicker than with all, tried again and again.

    On cores with other work two threads mostly wait for each other: on two busy ones they took ten times as long as one.
    """

    def __init__(self, trainer: Trainer) -> None:
        self._trainer, self._every = trainer, torch.get_num_threads()
        self._tries = self._every > 1 and trainer.process.device.type == "cpu" and trainer.process.world == 1
        self._speed: dict[int, float] = {}  # tokens a second by number of threads
        self._steps, self._begun = 0, (trainer.seconds, trainer.tokens)
        if self._tries:
            torch.set_num_threads(1)

    def after_step(self) -> None:
        """Note how quick the last steps were, and choose the threads of the next."""
        if not self._tries:
            return
        (seconds, tokens), now = self._begun, (self._trainer.seconds, self._trainer.tokens)
        self._steps += 1
        if len(self._speed) == 2:
            if now[0] - seconds < _KEPT_S:
                return
            self._speed.clear()
        elif self._steps < _TRIED:
            return
        elif now[0] > seconds:
            self._speed[torch.get_num_threads()] = (now[1] - tokens) / (now[0] - seconds)
        untried = [number for number in (1, self._every) if number not in self._speed]
        torch.set_num_threads(untried[0] if untried else max(self._speed, key=lambda each: self._speed[each]))
        self._steps, self._begun = 0, now


def look(trainer: Trainer) -> None:
    """Print what the model writes for a few held-back sentences, and write the checkpoint as it is now."""
    texts = list(dict.fromkeys(pair.source for pair in trainer.data.valid_pairs))[:_EXAMPLES]
    references = {pair.source: pair.target for pair in trainer.data.valid_pairs}
    written = translate_texts(trainer.model, *trainer.data.tokenizers, texts)
    trainer.reporter.line(
        f"Look after {clock(trainer.seconds)}, step {trainer.step}, at pairs it never sees:"
    )
    for text, now in list(zip(texts, written, strict=True))[:_SENTENCES]:
        trainer.reporter.line(f"  {text[:90]} → {now[:90]}  (should be: {references[text][:90]})")
    _write(trainer, [{"source": text, "translation": now} for text, now in zip(texts, written, strict=True)])
    trainer.reporter.line(f"Open {trainer.config.out} in the app to see it as it is now.")


@torch.no_grad()
def _write(trainer: Trainer, examples: list[dict[str, Any]]) -> None:
    config = trainer.config
    unfinished = f"{config.description} Unfinished: step {trainer.step} of {trainer.settings.max_steps}."
    card = {
        **_named(config),
        "description": unfinished,
        "recipe": config.to_json(),
        "examples": examples,
    }
    save(config.out, trainer.model, *trainer.data.tokenizers, card, dtype="float16")
    if len(trainer.recorder.records) > 1:
        save_dynamics(config.out / files.DYNAMICS, trainer.recorder.dynamics())
    write_example(load_bundle(config.out, device="cpu"))


class _Heard:
    """A stream that notes when something was last written to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.at = stream, time.monotonic()

    def write(self, text: str) -> int:
        self.at = time.monotonic()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def never_silent(seconds: float = SILENCE_S) -> Iterator[None]:
    """Inside, a line is printed whenever nothing else was for `seconds`: reading, building and scoring say little."""
    heard, over, began = _Heard(sys.stdout), threading.Event(), time.monotonic()

    def speak() -> None:
        while not over.wait(seconds / 20):
            if time.monotonic() - heard.at >= seconds:
                print(f"… still at it, {clock(time.monotonic() - began)} since the start", flush=True)

    thread = threading.Thread(target=speak, name="never-silent", daemon=True)
    with contextlib.redirect_stdout(heard):
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
