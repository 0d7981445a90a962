"""A mistake on one sentence: the maps of the correct and of the faulty model, shapes at the fault, the symptom in numbers.

A study runs the core with one operation replaced: by hooks, by a layer that shares its weights with the model, or by a
mask. The faulty variant lives for one study and has no configuration of its own, so it is never saved and never loaded.

    study = pitfall("scale-by-d-model").study(checkpoint.model, Sentence.of(trace, spell))
    study.right.values, study.wrong.values     # two maps, rows attend to columns
    study.numbers                              # the symptom, right and wrong
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.decoding.path import to_cpu
from core.errors import InputError
from core.language import message, tr
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, LOGITS, Edit, Hooks, Site, attention_of
from core.model.trace import Trace
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor

Kind = Literal["encoder", "causal", "cross"]
Unit = Literal["share", "number", "count", "nats", "rows"]
Spell = Callable[[Sequence[int]], Sequence[str]]
Filled = tuple[str, Mapping[str, str]]
"""A message and its fields."""
Words = str | Filled
"""Words of a study, which `in_language` puts into the language in use: a message, a formula, or a message and its fields."""


def in_language(words: Words) -> str:
    """Words of a study in the language in use."""
    text, fields = (words, {}) if isinstance(words, str) else words
    return tr(text, **{name: tr(value) for name, value in fields.items()})


@dataclass(frozen=True)
class Sentence:
    """Ids and labels of one sentence pair. `target_ids` are the decoder's inputs, T of them."""

    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    written: tuple[str, ...]
    spell: Spell

    @classmethod
    def of(cls, trace: Trace, spell: Spell) -> Sentence:
        """The pair of a trace; `spell` gives labels of target ids. Raises `InputError` where nothing is written yet."""
        if not trace.target_ids or not trace.source_ids:
            raise InputError("Nothing is written of this sentence yet; step the decoder first.")
        return cls(trace.source_ids, trace.target_ids, *trace.tokens, spell)


@dataclass(frozen=True)
class Map:
    """One picture: rows attend to columns, in 0..1; a row of NaN holds nothing. `where` names its head.

    `reads`: what each decoder row reads, where rows are what it writes; else empty.
    """

    values: NDArray[np.float32]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    kind: Kind
    where: Words
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shape:
    """A tensor at the place of the fault: its axes in letters and its sizes, correct and as written."""

    name: Words
    right: Words
    wrong: Words


@dataclass(frozen=True)
class Number:
    """A symptom, measured: what, in the correct model, and as written. NaN where there is nothing to measure."""

    what: Words
    right: float
    wrong: float
    unit: Unit = "number"

    @classmethod
    def both(cls, what: Words, values: Iterable[float], unit: Unit = "number") -> Number:
        """From the two values in their order: the correct model's, and as written."""
        right, wrong = values
        return cls(what, right, wrong, unit)


@dataclass(frozen=True)
class Study:
    """The correct model and the code as written. `python_says`: the error that Python raises, where it raises one."""

    right: Map
    wrong: Map
    _: KW_ONLY
    shapes: tuple[Shape, ...]
    numbers: tuple[Number, ...]
    python_says: Words = ""


# -- passes -------------------------------------------------------------------------------------------------

RECORD = ("*.weights", "decoder.final.logits")
Edits = Mapping[Site | str, Edit]
Array = NDArray[np.float32]


@dataclass(frozen=True)
class Seen:
    """What one pass over one pair recorded, without the batch axis."""

    config: ModelConfig
    records: Mapping[Site, Array]

    @property
    def logits(self) -> Array:
        """(T, V)."""
        return self.records[LOGITS]

    def maps(self, kind: Kind) -> Array:
        """Attention weights (L, H, queries, keys) of one kind."""
        return self.stacked(kind, "weights")

    def first(self, kind: Kind, what: str) -> Array:
        """One kind of record of the first layer of a kind of attention."""
        attention = ATTENTION[kind]
        return self.records[Site(attention.stack, 0, attention.block, what)]

    def embedded(self, what: str, stack: str = "encoder") -> Array:
        """What was recorded where tokens enter a stack, (T, d_model)."""
        return self.records[Site(stack, 0, "embed", what)]

    def stream(self, layer: int) -> Array:
        """The encoder's residual stream after a layer, (S, d_model): after its last norm where that follows the sum."""
        kind = "norm_output" if self.config.norm_placement == "post" else "residual_after"
        return self.records[Site("encoder", layer, "ffn", kind)]

    def after_ffn(self, layer: int) -> Array:
        """What an encoder layer's last residual sum reported, (S, d_model)."""
        return self.records[Site("encoder", layer, "ffn", "residual_after")]

    def stacked(self, kind: Kind, what: str) -> Array:
        """One kind of record of every attention layer of a kind, (L, …)."""
        attention = ATTENTION[kind]
        layers = range(self.config.layers(attention.stack))
        return np.stack(
            [self.records[Site(attention.stack, layer, attention.block, what)] for layer in layers]
        )


def run_ids(
    model: Transformer,
    source: Sequence[int],
    target: Sequence[int],
    edit: Edits | None = None,
    record: Sequence[str] = (),
) -> Seen:
    """One recorded pass over ids."""
    hooks = Hooks((*RECORD, *record), edit)
    with torch.inference_mode():
        model(ids(model, source), ids(model, target), hooks)
        return Seen(model.config, to_cpu(hooks.records))


def run_sentence(
    model: Transformer, sentence: Sentence, edit: Edits | None = None, record: Sequence[str] = ()
) -> Seen:
    """One recorded pass over a sentence."""
    return run_ids(model, sentence.source_ids, sentence.target_ids, edit, record)


def compared(
    model: Transformer, sentence: Sentence, edit: Edits, record: Sequence[str] = ()
) -> tuple[Seen, Seen]:
    """A pass of the model as it is, and one under edits."""
    return run_sentence(model, sentence, None, record), run_sentence(model, sentence, edit, record)


def ids(model: nn.Module, row: Sequence[int]) -> Tensor:
    """(1, n) int64 where the model is."""
    return torch.tensor([list(row)], device=next(model.parameters()).device)


def replaced(module: nn.Module, kind: type[nn.Module] | None = None, **parts: Any) -> nn.Module:
    """A shallow copy of `module`, as a `kind` of module and with some attributes replaced; the parameters are shared."""
    twin = copy.copy(module)
    twin.__class__ = kind or type(module)
    twin._modules = dict(module._modules)
    for name, part in parts.items():
        setattr(twin, name, part)
    return twin


def with_layers(model: Transformer, change: Callable[[nn.Module], nn.Module], *stacks: str) -> Transformer:
    """The model with every layer of `stacks` changed; its weights are shared and it is left as it was."""
    parts = {
        f"{stack}_layers": nn.ModuleList(map(change, getattr(model, f"{stack}_layers"))) for stack in stacks
    }
    twin = replaced(model, None, **parts)
    assert isinstance(twin, Transformer)
    return twin


# -- ids near a sentence ------------------------------------------------------------------------------------


def other_word(config: ModelConfig, token: int, size: int) -> int:
    """Another token than this one that is no special token of the configuration, if the vocabulary has one."""
    special = {config.pad_id, config.bos_id, config.eos_id, config.unk_id, config.source_padding}
    for step in range(1, size):
        if (other := (token + step) % size) not in special:
            return other
    return (token + 1) % size


def last_source_changed(model: Transformer, sentence: Sentence) -> tuple[list[int], int]:
    """The source with its last word (not its end token) replaced, and its position."""
    position = max(0, len(sentence.source_ids) - 2)
    changed = list(sentence.source_ids)
    changed[position] = other_word(model.config, changed[position], model.config.source_vocab_size)
    return changed, position


def last_target_changed(model: Transformer, sentence: Sentence) -> list[int]:
    """The decoder's inputs with the last one replaced."""
    last = other_word(model.config, sentence.target_ids[-1], model.config.target_vocab_size)
    return [*sentence.target_ids[:-1], last]


def first_step_moves(
    model: Transformer, sentence: Sentence, edit: Callable[[], Edits | None] = lambda: None
) -> float:
    """How far the first step's logits move when the decoder's last input is replaced: 0 without a leak."""
    one = run_sentence(model, sentence, edit()).logits[0]
    two = run_ids(model, sentence.source_ids, last_target_changed(model, sentence), edit()).logits[0]
    return far(one, two)


# -- maps ---------------------------------------------------------------------------------------------------


def far(a: NDArray[np.floating] | Tensor, b: NDArray[np.floating] | Tensor) -> float:
    """The largest absolute difference of two arrays or tensors."""
    return float(np.abs(np.asarray(a) - np.asarray(b)).max(initial=0.0))


def logit_change(right: Seen, wrong: Seen) -> Number:
    """The largest change of a logit between two runs."""
    return Number(message("largest change of a logit"), 0.0, far(right.logits, wrong.logits))


def furthest_head(right: Array, wrong: Array) -> tuple[int, int]:
    """Layer and head of (L, H, …) where two runs differ most in the mean."""
    distance = np.abs(np.nan_to_num(right) - np.nan_to_num(wrong)).mean(axis=(-2, -1))
    layer, head = np.unravel_index(int(distance.argmax()), distance.shape)
    return int(layer), int(head)


def words(sentence: Sentence, kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of a kind's rows and columns: an encoder row reads its word, a decoder row writes it."""
    if kind == "encoder":
        return sentence.source, sentence.source
    return sentence.written, sentence.target if kind == "causal" else sentence.source


def pictured(values: Array, sentence: Sentence, kind: Kind, where: Words) -> Map:
    """A map over a sentence's own words."""
    rows, columns = words(sentence, kind)
    reads = () if kind == "encoder" else sentence.target
    return Map(np.asarray(values, dtype=np.float32), rows, columns, kind, where, reads)


def named(config: ModelConfig, kind: Kind, layer: int, head: int) -> Words:
    """Where a map is from: `encoder self-attention, head 1.3`."""
    return message("{kind}, head {head}"), {
        "kind": attention_of(config, kind).phrase,
        "head": f"{layer}.{head}",
    }


def pair(right: Seen, wrong: Seen, sentence: Sentence, kind: Kind) -> tuple[Map, Map]:
    """The map of the head where two runs differ most, of both."""
    one, two = right.maps(kind), wrong.maps(kind)
    layer, head = furthest_head(one, two)
    where = named(right.config, kind, layer, head)
    return tuple(pictured(each[layer, head], sentence, kind, where) for each in (one, two))  # type: ignore[return-value]


def entropy(weights: Array) -> float:
    """Mean entropy of the rows in nats."""
    logs = np.log(np.where(weights > 0, weights, 1.0))
    return float(-(weights * logs).sum(-1).mean())


def shaped(letters: str, *sizes: int) -> str:
    """`(N, H, T, d_h) = (1, 8, 9, 32)`."""
    return f"({letters}) = ({', '.join(map(str, sizes))})"


# -- what a model with a mistake in it writes ---------------------------------------------------------------

Logits = Callable[[Sequence[int]], Array]


@dataclass(frozen=True)
class Output:
    """The ids that are written, with the end token where one is; or, in `problem`, why nothing is (to be translated).

    `same`: the mistake does not touch what the model writes, so nothing was run again.
    """

    ids: tuple[int, ...] = ()
    problem: str = ""
    same: bool = False


SAME: Final = Output(same=True)
RAISES: Final = Output(problem=message("The code stops with an error before it writes a word."))
NOT_A_NUMBER: Final = Output(problem=message("Every logit is NaN, so no word can be chosen."))


def greedy(model: Transformer, logits: Logits, limit: int) -> Output:
    """The largest logit again and again, until the end token or `limit` tokens."""
    c = model.config
    written: list[int] = []
    while len(written) < limit:
        row = logits((c.bos_id, *written))
        if not np.isfinite(row).all():
            return NOT_A_NUMBER
        written.append(int(row.argmax()))
        if written[-1] == c.eos_id:
            break
    return Output(tuple(written))


def edited_logits(edit: Callable[[Transformer], Edits]) -> Callable[[Transformer, Sentence], Logits]:
    """The logits of the model under edits that are made anew for every pass."""

    def of(model: Transformer, sentence: Sentence) -> Logits:
        return lambda target: run_ids(model, sentence.source_ids, target, edit(model)).logits[-1]

    return of


def twin_logits(
    change: Callable[[Transformer, Sentence], Transformer], edit: Edits | None = None
) -> Callable[[Transformer, Sentence], Logits]:
    """The logits of a changed copy of the model."""

    def of(model: Transformer, sentence: Sentence) -> Logits:
        faulty = change(model, sentence)
        return lambda target: run_ids(faulty, sentence.source_ids, target, edit).logits[-1]

    return of


def _any_model(config: ModelConfig) -> str:
    return ""


class Pitfall(NamedTuple):
    """A mistake on a model.

    `study` shows it; `unfit` says in one sentence why a model of a configuration cannot show it, or nothing. `logits` are
    those of the model with the mistake in it, None where it does not touch what the model writes.
    """

    study: Callable[[Transformer, Sentence], Study]
    unfit: Callable[[ModelConfig], str] = _any_model
    logits: Callable[[Transformer, Sentence], Logits] | None = None
