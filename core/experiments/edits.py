"""`Edits`: what a reader changes in a model's attention, as an immutable value that a link can hold.

A step is one thing the reader did; taking back the last one is dropping it. Nothing here runs a model and nothing
imports torch, so that a link can be read before torch is there.

Written, steps are joined by `_`. Kinds are e (encoder self), d (decoder self), c (cross), numbers count from 0:

| text            | what it does |
|-----------------|--------------|
| `zc2-5`         | head 2.5 of cross-attention gives zeros; `m` its mean over the reference sentences, `u` an even pattern, |
|                 | `f` the pattern of the unedited run; `zc2-1.5` two heads, `zc2` a whole layer, `zc` the whole kind |
| `n`             | no causal mask: the decoder's self-attention sees later words |
| `h3`            | source token 3 is hidden from everyone but itself |
| `o2`            | two padding tokens after the source, which no mask hides |
| `wc2-5-3-1-700` | row 3 of cross head 2.5 gives 0.700 to key 1, and its other weights are scaled so that it sums to 1 |
| `ps1-4`         | source tokens 1 and 4 swap their positions (`pt`: the decoder's) |
| `r7`            | the source's positions are shuffled with seed 7 |
| `rt7-9`         | the first nine positions of the decoder are shuffled with seed 7 |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from core.errors import InputError
from core.language import numeral, tr
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.model.config import ModelConfig

Kind = Literal["encoder", "causal", "cross"]
How = Literal["zero", "mean", "uniform", "frozen"]
Side = Literal["source", "target"]
Head = tuple[Kind, int, int]

STEPS: Final = 128
"""Steps that one value holds."""
TEXT: Final = 2000
"""Characters of a written value."""
PADDING: Final = 16
_KINDS: Final[dict[str, Kind]] = {"e": "encoder", "d": "causal", "c": "cross"}
_HOWS: Final[dict[str, How]] = {"z": "zero", "m": "mean", "u": "uniform", "f": "frozen"}
_SIDES: Final[dict[str, Side]] = {"s": "source", "t": "target"}
_LETTER: Final = {value: letter for table in (_KINDS, _HOWS, _SIDES) for letter, value in table.items()}
_LAYERS, _HEADS, _PARTS = 128, 256, 1000


def all_heads(config: ModelConfig) -> list[Head]:
    """Every head of the model: encoder, then decoder, then cross-attention."""
    return [
        (kind, layer, head)  # type: ignore[misc]
        for kind, attention in ATTENTION.items()
        for layer in range(config.layers(attention.stack))
        for head in range(config.of(attention.stack).heads)
    ]


class HeadsStep(NamedTuple):
    """An ablation of heads. `layer` None: all layers of the kind; `heads` None: all heads of the layer."""

    kind: Kind
    layer: int | None
    heads: tuple[int, ...] | None
    how: How = "zero"

    def __str__(self) -> str:
        layer = "" if self.layer is None else str(self.layer)
        heads = "" if self.heads is None else "-" + ".".join(map(str, self.heads))
        return f"{_LETTER[self.how]}{_LETTER[self.kind]}{layer}{heads}"

    def covers(self, kind: Kind, layer: int, head: int) -> bool:
        """Whether it speaks of this head."""
        return (
            self.kind == kind and self.layer in (None, layer) and (self.heads is None or head in self.heads)
        )


class NoCausalMask(NamedTuple):
    """The decoder's self-attention sees later positions too."""

    def __str__(self) -> str:
        return "n"


class HideSource(NamedTuple):
    """Source token `token` is no key for anyone but itself, in the encoder and in cross-attention."""

    token: int

    def __str__(self) -> str:
        return f"h{self.token}"


class OpenPadding(NamedTuple):
    """`tokens` of padding follow the source, and the mask that should hide them is open."""

    tokens: int

    def __str__(self) -> str:
        return f"o{self.tokens}"


class DragWeight(NamedTuple):
    """Row `query` of one head gives `thousandths` of its weight to `key`; the others keep their proportions."""

    kind: Kind
    layer: int
    head: int
    query: int
    key: int
    thousandths: int

    def __str__(self) -> str:
        return f"w{_LETTER[self.kind]}{self.layer}-" + "-".join(map(str, self[2:]))


class SwapPositions(NamedTuple):
    """Two tokens of one side get each other's position."""

    side: Side
    first: int
    second: int

    def __str__(self) -> str:
        return f"p{_LETTER[self.side]}{self.first}-{self.second}"


class ShufflePositions(NamedTuple):
    """The source's tokens, or the first `tokens` of the decoder's, get one another's positions, drawn with `seed`.

    `tokens` 0: the source's, all of them. The decoder's are counted, since another translation has another length.
    """

    seed: int
    tokens: int = 0

    @property
    def side(self) -> Side:
        """Whose positions they are."""
        return "target" if self.tokens else "source"

    def __str__(self) -> str:
        return f"rt{self.seed}-{self.tokens}" if self.tokens else f"r{self.seed}"


Step = HeadsStep | NoCausalMask | HideSource | OpenPadding | DragWeight | SwapPositions | ShufflePositions


@dataclass(frozen=True)
class Edits:
    """The steps in the order in which they were made; a later one wins over an earlier one of the same thing.

    Raises `InputError` for more steps than a link holds, or a step out of bounds.
    """

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if len(self.steps) > STEPS:
            raise InputError.tr(
                "{count} edits are given; at most {steps} are kept, so undo some.",
                count=len(self.steps),
                steps=STEPS,
            )
        for step in self.steps:
            if _read(str(step)) != step:
                raise InputError(
                    f"{str(step)[:40]!r} is not an edit; see core.experiments.edits for what is."
                )
        if len(str(self)) > TEXT:
            raise InputError.tr(
                "These edits do not fit into the {given} characters of a link; undo some.",
                given=numeral(TEXT, ","),
            )

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __str__(self) -> str:
        return "_".join(map(str, self.steps))

    @classmethod
    def parse(cls, text: str) -> Edits:
        """The value that `str` wrote. Raises `InputError` for anything else."""
        if len(text) > TEXT or not re.fullmatch(r"[a-z0-9._-]*", text, re.ASCII):
            raise InputError(
                f"{text[:40]!r} is not a list of edits; see core.experiments.edits for how one is written."
            )
        return cls(tuple(_read(part) for part in text.split("_"))) if text else cls()

    # -- changing it ----------------------------------------------------------------------------------------

    def then(self, step: Step) -> Edits:
        """The edits with one more step; an older step that it makes redundant is dropped."""
        return Edits((*(old for old in self.steps if not _replaces(step, old)), step))

    def undone(self) -> Edits:
        """Without the last step."""
        return Edits(self.steps[:-1])

    def without(self, step: Step) -> Edits:
        """The edits without one step."""
        return Edits(tuple(old for old in self.steps if old != step))

    def zeroed(self) -> Edits:
        """The same with every ablated head set to zero."""
        return Edits(
            tuple(step._replace(how="zero") if isinstance(step, HeadsStep) else step for step in self.steps)
        )

    def switched(self, kind: Kind, layer: int, head: int | None, how: How, shape: tuple[int, int]) -> Edits:
        """Ablate a head, or with `head` None its layer, in this way; restore it where all of it is ablated already.

        `shape`: how many layers and heads the kind has.
        """
        every = range(shape[1]) if head is None else (head,)
        if all(self.head(kind, layer, each) is not None for each in every):
            return self._released(kind, layer, frozenset(every), shape)
        return self.then(HeadsStep(kind, layer, None if head is None else (head,), how))

    def _released(self, kind: Kind, layer: int, released: frozenset[int], shape: tuple[int, int]) -> Edits:
        """Steps without these heads of a layer; what they say of other heads stays."""
        kept: list[Step] = []
        for step in self.steps:
            if not isinstance(step, HeadsStep) or step.kind != kind or step.layer not in (None, layer):
                kept.append(step)
                continue
            if step.layer is None:
                kept += [step._replace(layer=other) for other in range(shape[0]) if other != layer]
            spoken = range(shape[1]) if step.heads is None else step.heads
            left = tuple(each for each in spoken if each not in released)
            kept += [step._replace(layer=layer, heads=left)] if left else []
        return Edits(tuple(kept))

    def of_any_sentence(self) -> Edits:
        """The steps that name no word, and so apply to any sentence."""
        return Edits(tuple(s for s in self.steps if isinstance(s, HeadsStep | NoCausalMask | OpenPadding)))

    def head(self, kind: Kind, layer: int, head: int) -> How | None:
        """The edit of one head; None where it computes as it was trained to."""
        last: How | None = None
        for step in self.steps:
            if isinstance(step, HeadsStep) and step.covers(kind, layer, head):
                last = step.how
        return last

    # -- what it comes to -------------------------------------------------------------------------------------

    @property
    def opens_future(self) -> bool:
        """Whether the causal mask is gone."""
        return NoCausalMask() in self.steps

    @property
    def padding(self) -> int:
        """Padding tokens that follow the source."""
        return max((step.tokens for step in self.steps if isinstance(step, OpenPadding)), default=0)

    @property
    def hidden(self) -> frozenset[int]:
        """Source tokens that are hidden."""
        return frozenset(step.token for step in self.steps if isinstance(step, HideSource))

    def heads(self, config: ModelConfig) -> Mapping[Head, How]:
        """The edit of each head that does not compute as it was trained to."""
        return {head: how for head in all_heads(config) if (how := self.head(*head)) is not None}

    def check(self, config: ModelConfig, source: int, target: int) -> None:
        """Raise `InputError` unless a model of `config` can do this to `source` and `target` tokens."""
        for step in self.steps:
            if problem := _misfit(step, config, source, target):
                raise InputError(problem)
        if source + self.padding > config.max_length:
            raise InputError.tr(
                "{source} tokens and {padding} of padding are more than the {max_length} that this model reads; add less padding.",
                source=source,
                padding=self.padding,
                max_length=config.max_length,
            )


UNEDITED: Final = Edits()


def _misfit(step: Step, config: ModelConfig, source: int, target: int) -> str:
    """The sentence that says what a model or sentence lacks for this step; empty where it fits."""
    if isinstance(step, HeadsStep | DragWeight):
        layers = config.layers(ATTENTION[step.kind].stack)
        heads = (step.head,) if isinstance(step, DragWeight) else step.heads or ()
        if step.layer is not None and step.layer >= layers:
            return tr(
                "The edit {step} concerns layer {layer}, but this model has layers 0 to {last}; undo it.",
                step=step,
                layer=step.layer,
                last=layers - 1,
            )
        count = config.of(ATTENTION[step.kind].stack).heads
        if any(head >= count for head in heads):
            return tr(
                "The edit {step} concerns head {head}, but this model has heads 0 to {last}; undo it.",
                step=step,
                head=max(heads),
                last=count - 1,
            )
    if isinstance(step, DragWeight):
        queries, keys = _sides(step.kind, source, target)
        if (
            step.query >= queries
            or step.key >= keys
            or (step.kind == "causal" and config.causal and step.key > step.query)
        ):
            return tr("The edit {step} concerns a cell that this sentence does not have; undo it.", step=step)
    if isinstance(step, HideSource) and step.token >= source:
        return tr(
            "The edit {step} concerns source token {token}, but this sentence has tokens 0 to {last}; undo it.",
            step=step,
            token=step.token,
            last=source - 1,
        )
    moves = isinstance(step, SwapPositions | ShufflePositions)
    if moves and config.positions in ("none", "relative_buckets", "rotary"):
        return tr(
            "The edit {step} needs positions that are added to the embeddings, which this model does not have; undo it.",
            step=step,
        )
    if isinstance(step, ShufflePositions) and step.tokens > target:
        return tr(
            "The edit {step} shuffles {count} tokens, but the decoder reads {target}; undo it.",
            step=step,
            count=step.tokens,
            target=target,
        )
    if isinstance(step, SwapPositions):
        length = source if step.side == "source" else target
        if max(step.first, step.second) >= length:
            return tr(
                "The edit {step} concerns a token that the {side} does not have; undo it.",
                step=step,
                side=tr(step.side),
            )
    return ""


def _sides(kind: Kind, source: int, target: int) -> tuple[int, int]:
    return {"encoder": (source, source), "causal": (target, target), "cross": (target, source)}[kind]


def _replaces(new: Step, old: Step) -> bool:
    """Whether `new` makes `old` redundant."""
    if isinstance(new, DragWeight) and isinstance(old, DragWeight):
        return new[:5] == old[:5]
    if isinstance(new, HeadsStep) and isinstance(old, HeadsStep):
        layer = new.layer is None or new.layer == old.layer
        heads = new.heads is None or (old.heads is not None and set(old.heads) <= set(new.heads))
        return new.kind == old.kind and layer and heads
    if isinstance(new, ShufflePositions) and isinstance(old, ShufflePositions):
        return new.side == old.side
    return type(new) is type(old) and (new == old or isinstance(new, OpenPadding))


def _within(text: str, least: int, most: int) -> int:
    number = int(text)
    if not least <= number <= most:
        raise ValueError(text)
    return number


def _heads(how: str, kind: str, layer: str | None, heads: str | None) -> HeadsStep:
    named = None if heads is None else tuple(_within(part, 0, _HEADS - 1) for part in heads.split("."))
    if named is not None and len(set(named)) < len(named):
        raise ValueError(heads)
    return HeadsStep(
        _KINDS[kind], None if layer is None else _within(layer, 0, _LAYERS - 1), named, _HOWS[how]
    )


def _drag(kind: str, layer: str, head: str, query: str, key: str, part: str) -> DragWeight:
    return DragWeight(_KINDS[kind], int(layer), int(head), int(query), int(key), _within(part, 0, _PARTS))


def _swap(side: str, first: str, second: str) -> SwapPositions:
    if int(first) == int(second):
        raise ValueError(first)
    return SwapPositions(_SIDES[side], int(first), int(second))


_READERS: Final[tuple[tuple[str, Callable[..., Step]], ...]] = (
    (r"([zmuf])([edc])(?:(\d{1,3})(?:-(\d{1,3}(?:\.\d{1,3})*))?)?", _heads),
    (r"n", NoCausalMask),
    (r"h(\d{1,4})", lambda token: HideSource(int(token))),
    (r"o(\d{1,2})", lambda tokens: OpenPadding(_within(tokens, 1, PADDING))),
    (r"w([edc])(\d{1,3})-(\d{1,3})-(\d{1,4})-(\d{1,4})-(\d{1,4})", _drag),
    (r"p([st])(\d{1,4})-(\d{1,4})", _swap),
    (r"r(\d{1,6})", lambda seed: ShufflePositions(int(seed))),
    (r"rt(\d{1,6})-(\d{1,4})", lambda seed, tokens: ShufflePositions(int(seed), _within(tokens, 2, 9999))),
)
"""Pattern of each step, and what builds it from the groups; raises ValueError for a number out of range."""


def _read(text: str) -> Step:
    """One step. Raises `InputError`."""
    for pattern, made in _READERS:
        if match := re.fullmatch(pattern, text):
            try:
                return made(*match.groups())
            except ValueError:
                break
    raise InputError(f"{text[:40]!r} is not an edit; see core.experiments.edits for how one is written.")


assert set(get_args(Kind)) == set(ATTENTION)
