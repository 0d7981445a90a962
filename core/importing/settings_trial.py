"""What an imported model writes, and how sure it is of it, with the values that were given and with others.

The trust report cannot tell whether this is the model that was trained: its maps agree with its computations also with
wrong heads, norms, special tokens or a vocabulary in another order. Its output can tell a person who knows what the
trained model wrote. Other values are a hint, never a decision: no shape contradicts another number of heads, scale of
scores or norm placement, but with a wrong one a trained model is less sure of its output. So the mean log-probability of
its own greedy output, or of translations that it is known to give, is highest with the values it was trained with. One
sentence proves little and a made-up one nothing: docs/importing.md has the measurements. All settings are tried side by
side, since each wrong one makes others look wrong.
"""

from __future__ import annotations

import dataclasses
import math
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import torch

from core.analysis.readout import WordRun, how_many, word_difference
from core.decoding.inputs import choices
from core.decoding.search import padded, translate_batch
from core.importing.rules import SOURCE_FRAME
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.model.config import ModelConfig


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
    source, wanted = padded(rows, config.source_padding, device), padded(written, config.pad_id, device)
    with torch.inference_mode():
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


def _spellings(checkpoint: Checkpoint, text: str) -> set[str]:
    """The text as given, and as the target vocabulary spells it, if it knows all of it."""
    tokenizer = checkpoint.target_tokenizer
    spellings = {_plain(text)}
    if not tokenizer.unknown(text):
        spellings.add(_plain(tokenizer.decode(tokenizer.encode(text, eos=False))))
    return spellings


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


CANDIDATES: Final = 8
SENTENCES: Final = 10
_SOURCE_TOKENS: Final = 80
_STEPS: Final = 40
_PARAMETERS: Final = 200_000_000  # larger models would take minutes
# The relative improvement over the given value's mean that counts, with one, two and more sentences (measured; see docs).
_CLEARLY: Final = (0.25, 0.1, 0.04)
_OTHERS_CLEARLY: Final = (0.25, 0.25, 0.1)  # for options other than heads, which change less
_AROUND_CLEARLY: Final = (0.25, 0.25, 0.25)  # for the tokens around a source text, which change least
_AGREE: Final = 2 / 3  # share of the sentences that must agree
_FLUENT: Final = -1.0  # a model that is less sure of its best output is not informative
_OTHERS_FLUENT: Final = -0.5  # with a wrong vocabulary some other option is often surer, and not sure
_SCALES: Final = ("head", "model")

Ids = Sequence[int]
Scores = list[tuple[list[int], float]]  # for each sentence the tokens and the mean of their log-probabilities


@dataclass(frozen=True)
class Setting:
    """One option with another value: the change of the configuration, or of the tokens around a source text."""

    name: str
    value: Any
    changes: Mapping[str, Any] = field(default_factory=dict)
    before: tuple[int, ...] | None = None
    after: tuple[int, ...] | None = None


@dataclass(frozen=True)
class SettingsTried:
    """The mean log-probability per token with the given values, and with each other value alone.

    `expected`: of translations that the trained model is known to give; else of the model's own output.
    """

    given: Mapping[str, Any]
    mean: float
    others: tuple[tuple[Setting, float], ...]
    sentences: int
    expected: bool
    better: Setting | None  # the best, if it is clearly better than what was given

    def means(self, name: str) -> dict[Any, float]:
        """The mean by value of one option, the value given among them."""
        tried = {setting.value: mean for setting, mean in self.others if setting.name == name}
        return {self.given[name]: self.mean, **tried} if tried else {}

    @property
    def warning(self) -> str | None:
        """One sentence, if another value is clearly better."""
        if self.better is None:
            return None
        name, value, given = (
            self.better.name,
            in_words(self.better.value),
            in_words(self.given[self.better.name]),
        )
        tried = self.means(name)
        of = "the translations you expect" if self.expected else "what it writes"
        others = ", ".join(f"{in_words(each)}: {mean:.2f}" for each, mean in sorted(tried.items(), key=str))
        return (
            f"with {name} = {value} the model would be clearly surer of {of} than with {name} = {given} (mean "
            f"log-probability per token {tried[self.better.value]:.3f} against {self.mean:.3f}, on "
            f"{how_many(self.sentences, 'sentence')}; {others}), so doubt {name} = {given}, and after it whatever else "
            "nothing has checked."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "given": dict(self.given),
            "mean": self.mean,
            "others": [{"name": each.name, "value": each.value, "mean": mean} for each, mean in self.others],
            "sentences": self.sentences,
            "measured_on": "expected" if self.expected else "written",
            "better": {"name": self.better.name, "value": self.better.value} if self.better else None,
        }


def try_settings(
    checkpoint: Checkpoint, texts: Sequence[str], doubted: Collection[str], expected: Sequence[str] = ()
) -> SettingsTried | None:
    """Decode `texts` with other values of the options that are `doubted`, each changed alone.

    Where translations are `expected` of the first texts, those are rated instead of what the model writes. None where
    nothing can be tried, or it would take too long.
    """
    model, tokenizer = checkpoint.model, checkpoint.source_tokenizer
    settings = list(_settings(checkpoint, doubted))
    rows = _Rows.of(checkpoint, texts, expected)
    if not settings or not rows.inner or _too_large(model):
        return None
    before, after = tokenizer.around
    given = rows.score(model, before, after)
    results = [
        (
            each,
            rows.score(
                with_settings(model, each.changes) if each.changes else model,
                before if each.before is None else each.before,
                after if each.after is None else each.after,
            ),
        )
        for each in settings
    ]
    best, scores = max(results, key=lambda pair: _mean(pair[1]))
    return SettingsTried(
        {each.name: _given(checkpoint, each.name) for each in settings},
        _mean(given),
        tuple((each, _mean(scores)) for each, scores in results),
        len(rows.inner),
        bool(rows.wanted),
        best if _clearly(scores, given, best.name) else None,
    )


def measured_scale(
    checkpoint: Checkpoint, texts: Sequence[str], expected: Sequence[str] = ()
) -> tuple[str | None, str]:
    """The divisor of the scores, √d_head or √d_model ("head", "model"; None: not clear), and the measurement in words.

    Both are tried with every number of heads, since a wrong number can make the wrong scale look right: the scale that
    is best of all must also be clearly better with the given number.
    """
    model, config = checkpoint.model, checkpoint.config
    rows = _Rows.of(checkpoint, texts, expected)
    if not rows.inner or _too_large(model):
        return None, "there is no sentence to measure it on"
    counts = [config.heads] if _fixed_heads(config) else candidates(config.d_model, config.heads)
    around = checkpoint.source_tokenizer.around
    results = {
        (heads, scale): rows.score(with_settings(model, {"heads": heads, "score_scale": scale}), *around)
        for heads in counts
        for scale in _SCALES
    }
    _, best = max(results, key=lambda each: _mean(results[each]))
    other = _SCALES[1 - _SCALES.index(best)]
    scores = {scale: results[config.heads, scale] for scale in _SCALES}
    measurement = (
        f"mean log-probability per token {_mean(scores['head']):.3f} with sqrt(d_head) and {_mean(scores['model']):.3f} "
        f"with sqrt(d_model), on {how_many(len(rows.inner), 'sentence')}"
    )
    return (best if _clearly(scores[best], scores[other]) else None), measurement


def candidates(d_model: int, given: int) -> list[int]:
    """`given` and the divisors of `d_model` nearest to the usual eight, at most CANDIDATES in all."""
    divisors = [heads for heads in range(1, min(d_model, 256) + 1) if d_model % heads == 0 and heads != given]
    divisors.sort(key=lambda heads: (abs(math.log(heads / 8)), heads))
    return sorted([given, *divisors[: CANDIDATES - 1]])


def with_settings(model: Transformer, changes: Mapping[str, Any]) -> Transformer:
    """A model with the same tensors and other options, none of which changes a shape or a table of positions."""
    with torch.device("meta"):
        other = Transformer(dataclasses.replace(model.config, **changes)).eval()
    for name, module in other.named_modules():
        same = model.get_submodule(name)
        module._parameters, module._buffers = same._parameters, same._buffers
    return other


@dataclass(frozen=True)
class _Rows:
    """The source texts without the tokens around them, and the translations to rate, if there are any."""

    inner: Sequence[Ids]
    wanted: Sequence[Ids]

    @classmethod
    def of(cls, checkpoint: Checkpoint, texts: Sequence[str], expected: Sequence[str]) -> _Rows:
        from core.decoding.inputs import target_ids

        wanted = [target_ids(checkpoint, text) for text in expected][:SENTENCES]
        inner = [checkpoint.source_tokenizer.encode(text, eos=False) for text in texts]
        if wanted:
            return cls(inner[: len(wanted)], wanted)
        return cls([row for row in inner if len(row) <= _SOURCE_TOKENS][:SENTENCES], ())

    def score(self, model: Transformer, before: Ids, after: Ids) -> Scores:
        rows = [[*before, *row, *after] for row in self.inner]
        if not self.wanted:
            return greedy(model, rows, min(_STEPS, model.config.max_length))
        return list(zip(map(list, self.wanted), means(model, rows, self.wanted), strict=True))


def _settings(checkpoint: Checkpoint, doubted: Collection[str]) -> Iterator[Setting]:
    """Other values worth trying, of the options that are doubted."""
    config, tokenizer = checkpoint.config, checkpoint.source_tokenizer
    if "heads" in doubted and not _fixed_heads(config):
        counts = candidates(config.d_model, config.heads)
        yield from (Setting("heads", heads, {"heads": heads}) for heads in counts if heads != config.heads)
    if "score_scale" in doubted and config.score_scale in _SCALES and config.heads > 1:
        other = _SCALES[1 - _SCALES.index(config.score_scale)]
        yield Setting("score_scale", other, {"score_scale": other})
    if "embedding_scale" in doubted:
        yield Setting(
            "embedding_scale", not config.embedding_scale, {"embedding_scale": not config.embedding_scale}
        )
    if "norm_placement" in doubted:
        other = "post" if config.norm_placement == "pre" else "pre"
        changes = {"norm_placement": other, "dropout_placement": "before_norm"}
        yield Setting("norm_placement", other, changes)
    if "bos_id" in doubted and config.forced_bos_id is None:
        starts = {config.eos_id, config.pad_id, *_named_starts(checkpoint.target_tokenizer)}
        others = sorted(start for start in starts - {config.bos_id} if start is not None)
        yield from (Setting("bos_id", start, {"bos_id": start}) for start in others)
    before, after = tokenizer.around
    for name, own, standing in (
        ("source_before", tokenizer.bos_id, before),
        ("source_after", tokenizer.eos_id, after),
    ):
        if name in doubted and own is not None and standing in ((), (own,)):
            changed = () if standing else (own,)
            word = {"source_before": "start", "source_after": "end"}[name] if changed else ""
            sides = {"before": changed} if name == "source_before" else {"after": changed}
            yield Setting(name, word, **sides)  # type: ignore[arg-type]


def _given(checkpoint: Checkpoint, name: str) -> Any:
    before, after = checkpoint.source_tokenizer.around
    if name == "source_before":
        return "start" if before else ""
    return ("end" if after else "") if name == "source_after" else getattr(checkpoint.config, name)


def _named_starts(tokenizer: Tokenizer) -> Iterator[int]:
    """The start token by its common names, where the vocabulary has one."""
    from core.tokenizer.files import named_specials

    token_id = named_specials(tokenizer.vocabulary)["bos"]
    if token_id is not None:
        yield token_id


def _fixed_heads(config: ModelConfig) -> bool:
    """Whether the shapes leave no choice of the number of heads."""
    relative = config.positions == "relative_buckets"
    return not config.alike or config.head_dim is not None or config.shared_head_projection or relative


def _too_large(model: Transformer) -> bool:
    return sum(parameter.numel() for parameter in model.parameters()) > _PARAMETERS


def _mean(scores: Scores) -> float:
    """The mean over all tokens of all sentences."""
    return sum(mean * len(ids) for ids, mean in scores) / sum(len(ids) for ids, _ in scores)


def _clearly(best: Scores, given: Scores, name: str = "heads") -> bool:
    """Whether another value of the option `name` is clearly better than the one that was given."""
    needs = _AROUND_CLEARLY if name in SOURCE_FRAME else _CLEARLY if name == "heads" else _OTHERS_CLEARLY
    fluent = _FLUENT if name == "heads" else _OTHERS_FLUENT
    surer, less = _mean(best), _mean(given)
    agreed = sum(one[1] >= other[1] for one, other in zip(best, given, strict=True))
    if surer <= less:
        return False
    needed = needs[min(len(given), len(needs)) - 1]
    return surer > fluent and 1 - surer / less >= needed and agreed >= _AGREE * len(given)


def in_words(value: Any) -> str:
    """The value of an option as `--set` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value in (None, "") else str(value)[:40]
