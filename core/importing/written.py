"""What an imported model writes for a few sentences, for a person who knows what the trained one wrote.

The trust report cannot tell whether this is the model that was trained: its maps agree with its computations also with
wrong heads, norms, special tokens or a vocabulary in another order. Its output can tell.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import torch

from core.analysis.readout import WordRun, word_difference
from core.decoding import translate_batch
from core.decoding.inputs import choices

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.model.transformer import Transformer

_TOGETHER: Final = 32  # sentences in one batch
_BEAMS: Final = 5


@dataclass(frozen=True)
class Written:
    """One source text, its greedy translation, and the model's confidence in it.

    `log_probability` is the mean natural logarithm over the tokens written, with the end token and without a forced
    token;
    0 if all were forced. `lacking` of `pieces` are unknown to the vocabulary, which spell `unknown`.
    """

    text: str
    written: str
    log_probability: float
    tokens: int
    pieces: int
    lacking: int
    unknown: tuple[str, ...] = ()

    @property
    def mostly_unknown(self) -> bool:
        """Whether most of the text is unknown to the model."""
        return 2 * self.lacking > self.pieces

    def to_json(self) -> dict[str, Any]:
        return {
            "source": self.text,
            "written": self.written,
            "mean_log_probability": self.log_probability,
            "tokens": self.tokens,
            "unknown_pieces": f"{self.lacking} of {self.pieces}",
        }


@dataclass(frozen=True)
class Comparison:
    """The translation of `text` that the trained model is known to write, and the one that this model writes."""

    text: str
    expected: str
    written: str
    matched: Literal["greedy", "beam"] | None

    @property
    def difference(self) -> list[WordRun]:
        """Runs of words: the same, missing (expected and not written) and extra (written and not expected)."""
        return word_difference(self.expected, self.written)

    def to_json(self) -> dict[str, Any]:
        return {
            "source": self.text,
            "expected": self.expected,
            "written": self.written,
            "matched": self.matched,
            "difference": difference_text(self.difference),
        }


def difference_text(runs: Sequence[WordRun]) -> str:
    """`a [-expected-] {+written+} b`, the format of `git diff --word-diff`."""
    marks = {"same": "{}", "missing": "[-{}-]", "extra": "{{+{}+}}"}
    return " ".join(marks[kind].format(words) for kind, words in runs)


def write(checkpoint: Checkpoint, texts: Sequence[str]) -> list[Written]:
    """The translation of each text. Raises InputError for a text that the model cannot read."""
    rows = [checkpoint.encode_source(text) for text in texts]
    tokenizer, results = checkpoint.source_tokenizer, []
    for text, (ids, mean) in zip(texts, greedy(checkpoint.model, rows), strict=True):
        pieces = tokenizer.encode(text, eos=False)
        lacking = sum(piece == tokenizer.unk_id for piece in pieces)
        unknown = tuple(tokenizer.unknown(text)) if lacking else ()
        written = checkpoint.target_tokenizer.decode(ids)
        results.append(Written(text, written, mean, len(ids), len(pieces), lacking, unknown))
    return results


def compare(checkpoint: Checkpoint, written: Written, expected: str) -> Comparison:
    """Whether the model writes `expected`, by greedy search or by a beam of five, up to white space."""
    wanted = _spellings(checkpoint, expected)
    if _plain(written.written) in wanted:
        return Comparison(written.text, expected, written.written, "greedy")
    beam = checkpoint.translate(written.text, "beam", _BEAMS)
    if _plain(beam) in wanted:
        return Comparison(written.text, expected, beam, "beam")
    return Comparison(written.text, expected, written.written, None)


def greedy(
    model: Transformer, rows: Sequence[Sequence[int]], max_steps: int | None = None
) -> list[tuple[list[int], float]]:
    """For each source: the ids of the greedy translation, and the mean of their log-probabilities."""
    outputs: list[tuple[list[int], float]] = []
    for first in range(0, len(rows), _TOGETHER):
        batch = rows[first : first + _TOGETHER]
        written = translate_batch(model, batch, max_steps=max_steps)
        outputs += zip(written, means(model, batch, written), strict=True)
    return outputs


def means(model: Transformer, rows: Sequence[Sequence[int]], written: Sequence[Sequence[int]]) -> list[float]:
    """The mean log-probability of each sentence's `written` tokens, computed step by step."""
    config, device = model.config, next(model.parameters()).device
    source, wanted = _padded(rows, config.source_padding), _padded(written, config.eos_id)
    with torch.inference_mode():
        source, wanted = source.to(device), wanted.to(device)
        state = model.start(model.encode(source), source)
        token = torch.full_like(wanted[:, 0], config.bos_id)
        scores = []
        for index in range(wanted.shape[1]):
            logits = model.step(token, state).float()  # (B, V)
            token = wanted[:, index]
            scores.append(logits.log_softmax(dim=-1).gather(1, token[:, None])[:, 0])
        rated = torch.stack(scores, dim=1).double().tolist()
    means = []
    for row, ids in zip(rated, written, strict=True):
        chosen = [row[index] for index in choices(config, ids)]
        means.append(sum(chosen) / len(chosen) if chosen else 0.0)
    return means


def _padded(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows])


def _spellings(checkpoint: Checkpoint, text: str) -> set[str]:
    """The text as given, and as the target vocabulary spells it, if it knows all of it."""
    tokenizer = checkpoint.target_tokenizer
    spellings = {_plain(text)}
    if not tokenizer.unknown(text):
        spellings.add(_plain(tokenizer.decode(tokenizer.encode(text, eos=False))))
    return spellings


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
