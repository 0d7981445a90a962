"""How good a model is: losses on the validation set during training; BLEU, chrF, exact match and log-probabilities after it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacremoses import MosesPunctNormalizer, MosesTokenizer

from core.decoding.search import translate_batch
from core.errors import InputError
from core.files import read_lines
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.training.config import LoopConfig
from core.training.data import Pair, read_column, sentence_key
from core.training.objective import autocast, evaluating, mean_loss
from core.training.prepared import IGNORED, Example, make_batch, plan_epoch

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


def log_probabilities(
    model: Transformer, examples: Sequence[Example], batch_tokens: int = 4000
) -> list[float]:
    """log P(target | source) / its tokens of each example, in nats, in single precision and without dropout.

    A target's tokens are those written, with the end mark if it was written; a target without tokens has NaN.
    """
    means = [float("nan")] * len(examples)
    written = [i for i, example in enumerate(examples) if example.target]
    with evaluating(model) as device:
        for chosen in plan_epoch([examples[i] for i in written], batch_tokens, seed=0, epoch=0):
            rows = [written[i] for i in chosen]
            batch = make_batch(examples, rows, model.config).to(device)
            logits = model(batch.source, batch.target).float()  # (B, T, V)
            keep = batch.labels != IGNORED
            picked = logits.log_softmax(-1).gather(-1, batch.labels.clamp(min=0)[..., None])[..., 0]
            totals = (picked * keep).sum(-1) / keep.sum(-1)
            for row, mean in zip(rows, totals.tolist(), strict=True):
                means[row] = mean
    return means


def distribution(means: Sequence[float]) -> dict[str, Any]:
    """`sentences` and `quantiles` ("0.05" → the value that 5 % are below), as on the card."""
    known = np.array([mean for mean in means if np.isfinite(mean)])
    values = np.quantile(known, QUANTILES) if len(known) else []
    return {
        "sentences": len(known),
        "quantiles": {
            f"{share:g}": round(float(value), 4) for share, value in zip(QUANTILES, values, strict=False)
        },
    }


BAND = 300
"""Sentences of one band of lengths at least: 1 % of them are three."""


def by_length(means: Sequence[float], lengths: Sequence[int]) -> list[dict[str, Any]]:
    """`distribution` of the sentences of about one length, the shortest first.

    `lengths` are the sources' in tokens; `longest` of an entry is its last length. A length is in one entry only.
    """
    known = sorted((length, mean) for length, mean in zip(lengths, means, strict=True) if np.isfinite(mean))
    bands: list[list[tuple[int, float]]] = [[]]
    for length, mean in known:
        if len(bands[-1]) >= BAND and bands[-1][-1][0] != length:
            bands.append([])
        bands[-1].append((length, mean))
    if len(bands) > 1 and len(bands[-1]) < BAND:
        rest = bands.pop()
        bands[-1] += rest
    return [{"longest": band[-1][0], **distribution([mean for _, mean in band])} for band in bands if band]


Translate = Callable[[Sequence[str], int], list[str]]  # (sources, beam size) → translations


def appraise(
    translate: Translate,
    pairs: Sequence[Pair],
    *,
    beam: int,
    language: str,
    trained_targets: Collection[str] | None = None,
) -> dict[str, Any]:
    """All scores of one set, as on the card. Every source is translated once by each search.

    Besides the scores against one reference per pair: `greedy`, the same by greedy search where `beam` is above 1;
    `multi_reference`, where a source has several different references; `distinct_targets`, where targets repeat; and
    with `trained_targets` (`sentence_key`s of the training targets) `targets_in_training`: their share in percent, their
    sacreBLEU and that of the others.
    """
    sources = [pair.source for pair in pairs]
    references = [pair.target for pair in pairs]
    distinct = list(dict.fromkeys(sources))

    def written_by(size: int) -> list[str]:
        translated = dict(zip(distinct, translate(distinct, size), strict=True))
        return [translated[text] for text in sources]

    written = written_by(beam)
    figures: dict[str, Any] = {"beam": beam, **_rounded(asdict(score(written, references, language)))}
    several = score_of_sources(sources, written, references, language)
    if several is not None:
        figures["multi_reference"] = _rounded(asdict(several))
    if beam > 1:
        greedy = written_by(1)
        scores = _rounded(asdict(score(greedy, references, language)))
        figures["greedy"] = {name: scores[name] for name in ("bleu", "bleu_tokenised", "chrf", "exact")}
        several = score_of_sources(sources, greedy, references, language)
        if several is not None:
            figures["multi_reference"]["greedy_bleu"] = round(several.bleu, 2)
    if len(answers := set(references)) < len(pairs):
        figures["distinct_targets"] = len(answers)
    if trained_targets is not None:
        figures["targets_in_training"] = _halves(written, references, trained_targets, language)
    return figures


def _halves(
    written: Sequence[str], references: Sequence[str], trained: Collection[str], language: str
) -> dict[str, Any]:
    """The share and score of the references that were trained on, and the score of the others."""
    seen = [sentence_key(text) in trained for text in references]

    def bleu(wanted: bool) -> float | None:
        half = [i for i, known in enumerate(seen) if known is wanted]
        return (
            round(quick_bleu([written[i] for i in half], [references[i] for i in half]), 2) if half else None
        )

    return {
        "pairs": sum(seen),
        "share": round(100 * sum(seen) / len(seen), 2),
        "bleu": bleu(True),
        "bleu_of_the_others": bleu(False),
    }


def in_words(quality: Mapping[str, Mapping[str, Any]], *, generated: bool) -> list[str]:
    """Notes for a reader of the figures, one sentence per topic, from the figures themselves."""
    lines = []
    losses = [
        f"{each['greedy']['bleu']:.2f} against {each['bleu']:.2f} on {name}"
        for name, each in quality.items()
        if "greedy" in each
    ]
    if losses:
        lines.append(
            "The app steps by greedy search, but the scores are of beam search. sacreBLEU, greedy against beam: "
            f"{', '.join(losses)}."
        )
    for name, each in quality.items():
        if several := each.get("multi_reference"):
            lines.append(
                f"{name}: {each['sentences']:,} pairs from {several['sources']:,} sources. With one reference per pair: "
                f"{each['bleu']:.1f} sacreBLEU. With one translation per source and all its references: "
                f"{several['bleu']:.1f}. The two are not comparable."
            )
        if known := each.get("targets_in_training"):
            clauses = [f"{name}: {known['share']:.1f} % of the target sentences are also a training target"]
            if known["bleu"] is not None and known["bleu_of_the_others"] is not None:
                clauses.append(
                    f"these score {known['bleu']:.1f}, the others {known['bleu_of_the_others']:.1f}"
                )
            lines.append("; ".join(clauses) + ".")
        if generated and "distinct_targets" in each:
            lines.append(
                f"{name}: {each['sentences']:,} pairs with {each['distinct_targets']:,} distinct answers."
            )
    return lines


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: round(v, 2) if isinstance(v, float) else v for k, v in values.items()}


@dataclass(frozen=True)
class Quality:
    """Corpus scores of hypotheses against one reference each; all in percent.

    `bleu` is sacreBLEU on the raw text, with `signature`. `bleu_tokenised` is the Multi30k convention: Moses
    punctuation normalisation and tokenisation, lower case, then BLEU on those tokens. The two are not comparable.
    """

    sentences: int
    bleu: float
    signature: str
    bleu_tokenised: float
    chrf: float
    chrf_signature: str
    exact: float


@lru_cache(maxsize=8)
def _moses(language: str) -> tuple[MosesPunctNormalizer, MosesTokenizer]:
    return MosesPunctNormalizer(lang=language), MosesTokenizer(lang=language)


def moses_lowercase(text: str, language: str = "en") -> str:
    """Moses normalisation and tokenisation, lower case; tokens separated by single spaces."""
    normaliser, tokeniser = _moses(language)
    tokenised: str = tokeniser.tokenize(normaliser.normalize(text), escape=False, return_str=True)
    return tokenised.lower()


def score(hypotheses: Sequence[str], references: Sequence[str], language: str = "en") -> Quality:
    """All scores of a corpus. `language` (a two-letter code) is for the Moses rules of the target side."""
    if len(hypotheses) != len(references) or not references:
        raise InputError(
            f"There are {len(hypotheses)} translations and {len(references)} references; the numbers must be equal "
            "and not zero."
        )
    chrf = CHRF()
    return Quality(
        sentences=len(references),
        **_bleus(hypotheses, [[text] for text in references], language),
        chrf=chrf.corpus_score(list(hypotheses), [list(references)]).score,
        chrf_signature=str(chrf.get_signature()),
        exact=exact_match(hypotheses, references),
    )


@dataclass(frozen=True)
class MultiReference:
    """Corpus BLEU where one translation of each source is compared with all of that source's references."""

    sources: int
    references: int
    bleu: float
    signature: str
    bleu_tokenised: float


def score_multi_reference(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], language: str = "en"
) -> MultiReference:
    """BLEU of one hypothesis per source against its references, of which each source has one or more (Papineni 2002).

    Not comparable with a single-reference score: the more references, the more matches.
    """
    if len(hypotheses) != len(references) or not references or not all(references):
        raise InputError(
            f"There are {len(hypotheses)} translations and {len(references)} lists of references; the numbers must be "
            "equal and not zero, and no list empty."
        )
    return MultiReference(
        sources=len(references),
        references=sum(map(len, references)),
        **_bleus(hypotheses, references, language),
    )


def _bleus(hypotheses: Sequence[str], references: Sequence[Sequence[str]], language: str) -> dict[str, Any]:
    """Both BLEU measures of hypotheses against one reference each or more, and the signature of sacreBLEU's own."""
    raw = BLEU()
    # Effective order matters only where no sentence has four tokens, as with dates, where BLEU would always be 0.
    plain = BLEU(tokenize="none", force=True, effective_order=True)
    tokenised = [[moses_lowercase(text, language) for text in texts] for texts in (hypotheses, *references)]
    return {
        "bleu": raw.corpus_score(list(hypotheses), _streams(references)).score,
        "signature": str(raw.get_signature()),
        "bleu_tokenised": plain.corpus_score(tokenised[0], _streams(tokenised[1:])).score,
    }


def score_of_sources(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str], language: str = "en"
) -> MultiReference | None:
    """`score_multi_reference` of parallel lists in which a source may repeat; None where none has two references.

    The hypothesis of a source is its first one. A repeated reference counts once.
    """
    best: dict[str, str] = {}
    of_source: dict[str, dict[str, None]] = {}
    for source, hypothesis, reference in zip(sources, hypotheses, references, strict=True):
        best.setdefault(source, hypothesis)
        of_source.setdefault(source, {})[reference] = None
    if all(len(texts) == 1 for texts in of_source.values()):
        return None
    return score_multi_reference(list(best.values()), [list(texts) for texts in of_source.values()], language)


def _streams(references: Sequence[Sequence[str]]) -> list[list[str]]:
    """The references transposed for sacreBLEU: the first of every source, the second, …; None where there are no more."""
    most = max(map(len, references))
    return [[texts[i] if i < len(texts) else None for texts in references] for i in range(most)]  # type: ignore[misc]


def quick_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """sacreBLEU on raw text, for the log of a training."""
    return float(BLEU().corpus_score(list(hypotheses), [list(references)]).score)


def exact_match(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Percentage of translations equal to their reference."""
    same = sum(a.strip() == b.strip() for a, b in zip(hypotheses, references, strict=True))
    return 100 * same / max(1, len(references))


@dataclass(frozen=True)
class Measurement:
    """`valid_loss` in nats per target token; BLEU (sacreBLEU, greedy) and exact match in percent, NaN if not asked."""

    valid_loss: float
    bleu: float = math.nan
    exact: float = math.nan


def measure(
    model: Transformer,
    pairs: Sequence[Pair],
    examples: Sequence[Example],
    tokenizers: tuple[Tokenizer, Tokenizer],
    settings: LoopConfig,
    *,
    translate: bool,
) -> Measurement:
    """Loss over all examples and, if requested, scores of the first `settings.evaluate_pairs` translations."""
    loss = mean_loss(model, examples, batch_tokens=settings.batch_tokens, precision=settings.precision)
    if not translate:
        return Measurement(loss)
    few = pairs[: settings.evaluate_pairs]
    written = translate_texts(model, *tokenizers, [pair.source for pair in few], precision=settings.precision)
    references = [pair.target for pair in few]
    return Measurement(loss, quick_bleu(written, references), exact_match(written, references))


def translate_texts(
    model: Transformer,
    source: Tokenizer,
    target: Tokenizer,
    texts: Sequence[str],
    *,
    beam_size: int = 1,
    precision: str = "float32",
    batch_tokens: int = 4000,
) -> list[str]:
    """Translations of many texts, in order, in batches of similar length and at most `batch_tokens` × beam tokens.

    Raises InputError for a text the model cannot read.
    """
    ids = source.encode_batch(list(texts))
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    written: list[str] = [""] * len(ids)
    with evaluating(model) as device, autocast(device, precision):
        while order:
            count = 1
            # Sorted by length, so the last row of a batch is its longest.
            while count < len(order) and (count + 1) * len(ids[order[count]]) * beam_size <= batch_tokens:
                count += 1
            rows, order = order[:count], order[count:]
            outputs = translate_batch(model, [ids[i] for i in rows], beam_size=beam_size, batch_size=count)
            for i, output in zip(rows, outputs, strict=True):
                written[i] = target.decode(output)
    return written


def read_side(location: str) -> list[str]:
    """Sentences of `FILE` (one a line) or `FILE:COLUMN` (tab-separated, columns from 0); .gz is read too."""
    name, _, column = location.rpartition(":")
    if name and column.isdecimal() and not Path(location).exists():
        return read_column(name, int(column))
    return [line.strip() for line in read_lines(location)]


def read_test_set(source: str, reference: str) -> tuple[list[str], list[str]]:
    """The two sides of a test set, without the pairs whose source is empty."""
    left, right = read_side(source), read_side(reference)
    if len(left) != len(right):
        raise InputError(
            f"{source} has {len(left)} sentences and {reference} has {len(right)}; they must be parallel."
        )
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a]
    if not pairs:
        raise InputError(f"{source} has no sentences to translate.")
    return [a for a, _ in pairs], [b for _, b in pairs]


Required = tuple[tuple[str, ...], ...]
"""What a translation must keep: for each item the ways to write it, of which one is enough."""


def read_required(path: str) -> list[tuple[str, Required]]:
    """Sentences with what their translations must keep, of a tab-separated file: sentence, then items parted by `|`.

    A `/` separates ways to write an item (`9:35/9.35`). The first line names the columns; lines with # are comments.
    """
    rows = [
        line.rstrip().split("\t") for line in read_lines(path) if line.strip() and not line.startswith("#")
    ]
    if not rows or len(rows[0]) != 2 or rows[0][1] != "keep":
        raise InputError(
            f"The first line of {path} must name two columns, a language and `keep`, separated by a tab."
        )
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != 2 or not all(way for item in row[1].split("|") for way in item.split("/")):
            raise InputError(
                f"Row {number} of {path} needs a sentence, a tab and items such as Anna|9:35/9.35."
            )
    required = [(text, tuple(tuple(item.split("/")) for item in keep.split("|"))) for text, keep in rows[1:]]
    if not required:
        raise InputError(f"{path} has no sentences to translate.")
    return required


def keeps(translation: str, required: Required) -> bool:
    """Whether each item is in the translation as a whole word or number, written in one of its ways."""
    return all(
        any(re.search(rf"(?<!\w){re.escape(way)}(?!\w)", translation) for way in ways) for ways in required
    )


def table(quality: Quality, *, beam_size: int, seconds: float, several: MultiReference | None = None) -> str:
    """The scores as printed by `python -m core evaluate`; `several` where sources repeat."""
    rows = [
        ("sentences", f"{quality.sentences:,}"),
        ("search", f"beam {beam_size}" if beam_size > 1 else "greedy"),
        ("BLEU, tokenised lower case (Moses)", f"{quality.bleu_tokenised:.2f}"),
        ("BLEU, sacreBLEU on raw text", f"{quality.bleu:.2f}"),
        ("  signature", quality.signature),
        ("chrF", f"{quality.chrf:.2f}"),
        ("  signature", quality.chrf_signature),
        ("exact match", f"{quality.exact:.1f} %"),
        *_of_sources(several),
        ("time", f"{seconds:.1f} s, {quality.sentences / max(seconds, 1e-9):.0f} sentences/s"),
    ]
    width = max(len(name) for name, _ in rows) + 2
    return "\n".join(f"{name:<{width}}{value}".rstrip() for name, value in rows)


def _of_sources(several: MultiReference | None) -> list[tuple[str, str]]:
    if several is None:
        return []
    return [
        (f"against all {several.references:,} references of {several.sources:,} sources", ""),
        ("  BLEU, tokenised lower case (Moses)", f"{several.bleu_tokenised:.2f}"),
        ("  BLEU, sacreBLEU on raw text", f"{several.bleu:.2f}"),
        ("  signature", several.signature),
    ]
