"""`Selection`: what is being looked at, each field declared once, and how it changes as a whole. Pure."""

# ruff: noqa: RUF009  # `_field` gives a dataclasses.field
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from core.analysis import alignment
from core.experiments import edits as changes
from core.experiments.edits import Edits, Kind
from core.learning import mistakes, tutorials
from ui.session import codec
from ui.session.codec import MEAN as MEAN
from ui.session.codec import UNPINNED, Codec, Pin

Strategy = Literal["greedy", "sample", "beam", "given"]
View = Literal["encoder", "causal", "cross", "joint"]
How = Literal["mean", "max"]
Draw = Literal["weights", "scores", "masked"]
Measure = Literal["weight", "lengths", "residual", "alti", "zeroing", "rollout"]
Versus = Literal["head", "sentence", "step", "checkpoint"]
Desk = Literal["gallery", "inspect", "import"]
Sort = Literal["model", "high", "low"]
Tone = Literal["weight", "log", "each"]
Scale = Literal["weight", "log"]
Direction = Literal["restored", "disturbed"]
Watch = Literal["replay", "live", "mask"]
Task = Literal["reverse", "copy", "sort", "dates"]
Off = changes.How
Reading = alignment.Reading
By = alignment.By
Zoom = tuple[int, int, int, int]
Cell = tuple[int, int | None, int | None]

TEXT_LIMIT: Final = 2000  # characters of a sentence that a link carries
FORCE_LIMIT: Final = 64  # forced words that a selection holds
OVERLAY_LIMIT: Final = 7  # heads laid over the open one
PIN_LIMIT: Final = 32  # pinned tokens that a link holds
GOLD_LIMIT: Final = 200  # links marked by hand that a link holds
ANSWER_LIMIT: Final = 20  # answered questions that a link holds
SEEDS: Final = 1_000_000  # seeds run from 0 to one less
SLIDE_NAME: Final = r"[A-Za-z0-9_-]{1,60}"  # how cards are called in links

# Fields whose new value makes others meaningless: another sentence, another translation of it, other maps.
_SENTENCE: Final = ("checkpoint", "text")
_TRANSLATION: Final = (*_SENTENCE, "strategy", "target")
_WRITING: Final = (*_TRANSLATION, "temperature", "top_k", "top_p", "seed", "beam")
_MAP: Final = ("checkpoint", "kind")
# The side of a `token` that is a row of a map, and how far it is ahead: cross-attention's row is named by what it writes.
_ROWS: Final[dict[Kind, tuple[str, int]]] = {"encoder": ("s", 0), "causal": ("t", 0), "cross": ("t", 1)}


def _field(
    default: Any, written: Codec, meaning: str, reset_by: tuple[str, ...] = (), parameter: str = ""
) -> Any:
    """A field: default, codec in a link, meaning, the fields that reset it, and its URL parameter if that has another name."""
    metadata = {"codec": written, "meaning": meaning, "reset_by": reset_by, "parameter": parameter}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Selection:
    """What is being looked at. The defaults are the first view: the checkpoint's own example.

    The order of the fields is that of the parameters of a link. Fields with a `reset_by` go back to their defaults when
    one of those changes (`changed`).
    """

    checkpoint: str = _field("", codec.NAME, "the checkpoint's name; empty: the first of the list")
    text: str | None = _field(
        None,
        codec.words(TEXT_LIMIT),
        "the source sentence; None: the checkpoint's own example",
        reset_by=("checkpoint",),
    )
    strategy: Strategy = _field(
        "greedy", codec.one_of(get_args(Strategy)), "how the translation is written", reset_by=("checkpoint",)
    )
    target: str = _field(
        "",
        codec.words(TEXT_LIMIT),
        'the reader\'s own translation, with strategy "given"',
        reset_by=_SENTENCE,
    )
    temperature: float = _field(1.0, codec.number(0.05, 5.0), "of sampling")
    top_k: int = _field(
        0, codec.integer(0, 1000), "of sampling: how many of the likeliest words are kept; 0: all"
    )
    top_p: float = _field(
        1.0, codec.number(0.01, 1.0), "of sampling: the probability that the kept words reach together"
    )
    seed: int = _field(0, codec.integer(0, SEEDS - 1), "of sampling")
    beam: int = _field(5, codec.integer(2, 12), "hypotheses kept by a beam")
    node: int | None = _field(
        None,
        codec.integer(1, 99_999),
        "the node of the beam's tree that is followed; None: the best hypothesis",
        reset_by=_WRITING,
    )
    force: tuple[tuple[int, int], ...] = _field(
        (),
        codec.pairs(r"\d{1,4}", ":", r"\d{1,7}", FORCE_LIMIT),
        "(target position, token id) pairs that the reader wrote, in order",
        reset_by=_WRITING,
    )
    step: int | None = _field(
        None,
        codec.integer(0, 100_000),
        "tokens shown as written, as a still; None: the finished translation (Translate), or the page's choice",
        reset_by=_WRITING,
    )
    kind: View = _field("cross", codec.one_of(get_args(View)), "the kind of attention, or the joint view")
    layer: int | None = _field(
        None, codec.index(127), "the open layer; None: the page's choice; MEAN: all of them", reset_by=_MAP
    )
    head: int | None = _field(None, codec.index(255), "the open head, likewise", reset_by=_MAP)
    overlay: tuple[tuple[int, int], ...] = _field(
        (), codec.heads(OVERLAY_LIMIT), "(layer, head) pairs laid over the open head", reset_by=_MAP
    )
    how: How = _field("mean", codec.one_of(get_args(How)), "how several heads are taken together")
    draw: Draw = _field("weights", codec.one_of(get_args(Draw)), "what a map shows of attention")
    measure: Measure = _field(
        "weight",
        codec.one_of(get_args(Measure)),
        "what maps hold in place of weights (core/analysis/contributions.py)",
    )
    words: bool = _field(False, codec.FLAG, "whether the pieces of a word are merged")
    hide: bool = _field(False, codec.FLAG, "whether special tokens are hidden")
    versus: Versus = _field("head", codec.one_of(get_args(Versus)), "what two maps are compared by")
    against: str = _field(
        "",
        codec.matching(r"\d{1,3}\.\d{1,3}"),
        'the second head of two, "2.5"; empty: the page\'s choice',
        reset_by=_MAP,
    )
    other_text: str = _field(
        "", codec.words(TEXT_LIMIT), "the second sentence of two", reset_by=("checkpoint",)
    )
    other_step: int | None = _field(
        None, codec.integer(1, 100_000), "the second step of two", reset_by=_WRITING
    )
    other_checkpoint: str = _field("", codec.NAME, "the second checkpoint of two", reset_by=("checkpoint",))
    token: str = _field(
        "",
        codec.matching(r"[st]\d{1,5}"),
        'the token in hand: "s3" of the source, counted from 0, or "t2" of the decoder\'s input',
        reset_by=_TRANSLATION,
    )
    pin: Pin | None = _field(
        None,
        codec.PIN,
        'the pinned pair of tokens, "t5-s7": decoder position 5 and source token 7; every place answers about it; None: '
        "the example's own pair, and none for other sentences",
        reset_by=_TRANSLATION,
    )
    pins: tuple[str, ...] = _field(
        (),
        codec.pins(PIN_LIMIT),
        'pinned tokens that are no pair, of a map of `kind`: "q3" (query) and "k0" (key)',
        reset_by=(*_TRANSLATION, "kind", "token", "pin"),
    )
    only_kind: Literal["", "encoder", "causal", "cross"] = _field(
        "",
        codec.one_of(("encoder", "causal", "cross")),
        "the one kind whose roles are shown; empty: all",
        reset_by=("checkpoint",),
    )
    sort: Sort = _field(
        "model",
        codec.one_of(get_args(Sort)),
        "the order of heads on the wall and in the table",
        reset_by=(*_MAP, "measure"),
    )
    badge: str = _field(
        "",
        codec.matching(r"[a-z_]{1,40}"),
        "the score that is sorted and filtered by",
        reset_by=(*_MAP, "measure"),
    )
    least: float | None = _field(
        None, codec.number(-1000, 1000), "the smallest score shown", reset_by=(*_MAP, "measure", "badge")
    )
    only_layer: int | None = _field(
        None, codec.integer(0, 127), "the one layer that the table lists", reset_by=(*_MAP, "measure")
    )
    only_role: str = _field(
        "",
        codec.matching(r"[a-z][a-z -]{0,39}"),
        'the one role that the table lists (core/analysis/roles.py), or "none"',
        reset_by=(*_MAP, "measure"),
    )
    tone: Tone | None = _field(
        None, codec.one_of(get_args(Tone)), "how the wall's colours are scaled; None: what its size suggests"
    )
    threshold: int | None = _field(
        None,
        codec.integer(0, 50),
        "weights below this percentage are left out of the open map; None: what its size suggests",
    )
    scale: Scale | None = _field(
        None, codec.one_of(get_args(Scale)), "the colour scale of the open map; None: what its size suggests"
    )
    zoom: Zoom | None = _field(
        None,
        codec.ZOOM,
        "the part of the open map that is drawn: first row, end row, first column, end column",
        reset_by=(*_TRANSLATION, "kind", "measure", "words", "hide"),
    )
    cell: Cell | None = _field(
        None,
        codec.CELL,
        "the pinned cell of a comparison: (map 0 to 2, row, column), None for all of a row or column",
        reset_by=(
            *_TRANSLATION,
            "kind",
            "measure",
            "words",
            "hide",
            "versus",
            "against",
            "layer",
            "head",
            "how",
            "step",
            "other_text",
            "other_step",
            "other_checkpoint",
            "pitfall",
            "game",
            "round",
            "deal",
        ),
    )
    lens: str = _field(
        "",
        codec.matching(r"\d{1,5}\.\d{1,3}"),
        'the pinned cell of the logit lens, "3.2" (step, depth)',
        reset_by=_WRITING,
    )
    card: str = _field("", codec.matching(r"[a-z_]{1,24}"), "the open operation inside a head")
    number: str = _field(
        "",
        codec.matching(r"\d{1,5}\.\d{1,6}"),
        'the pinned cell of its matrix, "3.17" (row, column)',
        reset_by=(*_TRANSLATION, "kind", "card"),
    )
    every: bool = _field(False, codec.FLAG, "whether all operations are shown at once")
    norm_site: str = _field(
        "",
        codec.matching(r"(encoder|decoder)\.\d{1,3}\.(self|cross|ffn|embed|final)"),
        'the norm or sub-layer looked at, "encoder.1.ffn"',
        reset_by=("checkpoint",),
        parameter="place",
    )
    pair: int = _field(
        0, codec.integer(0, 8191), "the pair of sine and cosine looked at", reset_by=("checkpoint",)
    )
    offset: int = _field(1, codec.integer(1, 200), "the distance between two positions")
    swap: int | None = _field(
        None,
        codec.integer(0, 100_000),
        "the source token that swaps positions with the chosen one; None: the one whose swap costs most",
        reset_by=(*_SENTENCE, "token"),
    )
    desk: Desk = _field(
        "gallery", codec.one_of(get_args(Desk), differ="inspect"), "the view of the Checkpoints page"
    )
    edits: Edits | None = _field(
        None,
        codec.EDITS,
        'what the What if page changes in the model, "none" for nothing; None: all heads of the kind are ablated',
        reset_by=("checkpoint",),
    )
    off: Off = _field("zero", codec.one_of(get_args(Off)), "what takes the place of an ablated head there")
    ablated: int | None = _field(
        None,
        codec.integer(0, 4096),
        "how many heads that slider ablates, by the weight of the pinned pair; None: the page's choice",
        reset_by=(*_TRANSLATION, "pin", "kind"),
    )
    alternative: int | None = _field(
        None,
        codec.integer(0, 1_999_999),
        "the token held against the one written at `step`",
        reset_by=(*_TRANSLATION, "step"),
    )
    clean: str = _field(
        "",
        codec.words(TEXT_LIMIT),
        "the first of two sentences whose difference is carried over; empty: the checkpoint's own pair",
        reset_by=("checkpoint",),
    )
    corrupted: str = _field("", codec.words(TEXT_LIMIT), "the second one", reset_by=("checkpoint",))
    direction: Direction = _field(
        "restored", codec.one_of(get_args(Direction)), "from which sentence activations are carried over"
    )
    taken: int = _field(
        0,
        codec.integer(0, 64),
        "how many of the heads that carry most are taken out there",
        reset_by=("checkpoint", "clean", "corrupted"),
    )
    probe: bool | None = _field(
        None, codec.FLAG, "whether heads are measured on the example sentences; None: where that is stored"
    )
    reading: Reading | None = _field(
        None, codec.one_of(get_args(Reading)), "the row a word is aligned in; None: the card's"
    )
    by: By = _field("weight", codec.one_of(get_args(By)), "what links go by")
    joined: bool = _field(
        False,
        codec.FLAG,
        "whether links are joined with those of the other direction",
        reset_by=("checkpoint",),
    )
    gold: str = _field(
        "",
        codec.gold(GOLD_LIMIT),
        'links marked by hand, "a1b2c3:1-1,2p3": a digest of their words, and the links',
        reset_by=_SENTENCE,
    )
    pitfall: str = _field("", codec.one_of(mistakes.IDS), "the mistake shown (core/learning/mistakes.toml)")
    deal: int = _field(0, codec.integer(0, 9999), "which ten mistakes are played, in which order")
    game: str = _field(
        "",
        codec.matching(r"[1-4]{1,10}"),
        "the choices made in that game, round by round",
        reset_by=("checkpoint", "deal"),
    )
    round: int | None = _field(
        None,
        codec.integer(1, 11),
        "its open round, 11 for the result; None: the first without a choice",
        reset_by=("checkpoint", "deal"),
    )
    lesson: str = _field(
        "",
        codec.matching(r"[a-z0-9][a-z0-9_-]{0,39}\.\d{1,2}"),
        'the open step of a lesson, "attention.3", counted from 1',
    )
    answers: tuple[tuple[int, int], ...] = _field(
        (),
        codec.pairs(r"\d{1,2}", "-", r"\d", ANSWER_LIMIT),
        "the choices made in it: (step, choice), from 1",
    )
    handout: str = _field(
        "", codec.matching(r"[a-z0-9][a-z0-9_-]{0,39}"), "the lesson whose printed page Lessons shows"
    )
    solutions: bool = _field(False, codec.FLAG, "whether it has the answers", reset_by=("handout",))
    language: str = _field(
        "en", codec.matching(r"[a-z]{2,3}(-[a-z0-9]{2,8})?"), "the language of the app and its lessons"
    )
    watch: Watch = _field("replay", codec.one_of(get_args(Watch)), "what the page of trainings shows")
    at: int | None = _field(
        None,
        codec.integer(0, 10**9 - 1),
        "the training step; None: the page's choice",
        reset_by=("checkpoint",),
    )
    sentence: int | None = _field(
        None,
        codec.integer(0, 63),
        "which of the followed sentences; None: the page's choice",
        reset_by=("checkpoint",),
    )
    task: Task = _field("reverse", codec.one_of(get_args(Task)), "what is learnt live")
    tutorial: str = _field(
        "", codec.one_of(tutorials.TUTORIALS), "the write-up shown (core/learning/tutorials.toml)"
    )
    claim: str = _field(
        "",
        codec.matching(r"[a-z][a-z0-9-]{1,29}"),
        "the claim that it opens on (core/learning/claims.toml); empty: its first",
        reset_by=("tutorial",),
    )
    presenter: bool = _field(False, codec.FLAG, "whether everything is enlarged for a lecture hall")
    full: str = _field(
        "",
        codec.matching(SLIDE_NAME),
        "the card shown alone, as a slide (ui/web/base/slide.ts); empty: the whole page",
    )

    @property
    def enlarged(self) -> bool:
        """Whether type has presenter size: by the reader's wish, or on a slide."""
        return self.presenter or bool(self.full)

    def head_of(self, layers: int, heads: int) -> tuple[int, int] | None:
        """The selected layer and head, if both are set and below these numbers; else None."""
        layer, head = self.layer, self.head
        if layer is None or head is None or not (0 <= layer < layers and 0 <= head < heads):
            return None
        return layer, head

    def changed(self, **changes: Any) -> Selection:
        """This selection with `changes`, and the fields reset that had a meaning only with the old values."""
        new = {name for name, value in changes.items() if value != getattr(self, name)}
        forgotten = {
            each.name: each.default for each in FIELDS if not new.isdisjoint(each.metadata["reset_by"])
        }
        if self.edits and "text" in changes and changes["text"] != self.text and "edits" not in changes:
            forgotten.setdefault("edits", self.edits.of_any_sentence())
        if "target" in forgotten and self.strategy == "given":
            forgotten["strategy"] = "greedy"  # one's own translation belongs to its sentence
        return dataclasses.replace(self, **{**forgotten, **changes})

    def forced(self, position: int, token: int) -> Selection:
        """Write `token` at this target position: earlier forced words stay, later ones are dropped."""
        kept = tuple(pair for pair in self.force if pair[0] < position)
        return dataclasses.replace(
            self, force=(*kept, (position, token))[-FORCE_LIMIT:], step=position + 1, node=None
        )

    def unforced(self, count: int) -> Selection:
        """Take back the last `count` forced words and stand where the first of them was."""
        kept, dropped = self.force[:-count], self.force[-count:]
        return dataclasses.replace(self, force=kept, step=dropped[0][0] + 1 if dropped else self.step)

    def typed(self, text: str) -> Selection:
        """A new sentence, which writes itself and rests on the finished translation."""
        return self.changed(text=text)

    def drawn_again(self) -> Selection:
        """Another sample: the next seed."""
        return self.changed(seed=(self.seed + 1) % SEEDS)

    def followed(self, node: int, step: int) -> Selection:
        """The beam's hypothesis that runs through `node`, at that word; the root means the best one again."""
        return dataclasses.replace(self, node=node or None, step=step or None)

    def viewed(self, step: int, layer: int | None, head: int | None) -> Selection:
        """Where the reader of a decode came to rest; layer or head None is the mean over them."""
        return dataclasses.replace(
            self,
            step=step,
            layer=MEAN if layer is None else layer,
            head=MEAN if head is None else head,
        )

    @property
    def map_kind(self) -> Kind:
        """The kind of attention that is looked at; of the joint view, which has all, cross-attention."""
        return self.kind if self.kind in ("encoder", "causal") else "cross"

    def pinned_tokens(self, kind: Kind) -> tuple[list[int], list[int]]:
        """The queries and keys that are pinned without being a pair, in the map of a kind; else the token in hand as its row."""
        if self.pins:
            listed = self.pins if kind == self.map_kind else ()
            queries, keys = ([int(each[1:]) for each in listed if each[0] == side] for side in "qk")
            return queries, keys
        side, later = _ROWS[kind]
        row = int(self.token[1:]) - later if self.token.startswith(side) else -1
        return ([row] if row >= 0 else []), []

    def pinning(self, kind: Kind, queries: Sequence[int], keys: Sequence[int]) -> Selection:
        """These tokens of a map pinned and no others: one of each side is the pair, none unpins.

        A pinned row alone is the token in hand too, which a row of cross-attention is as the decoder's next input.
        """
        if len(queries) == len(keys) == 1:
            return self.changed(pin=Pin(kind, queries[0], keys[0]), pins=(), token="")
        if not queries and not keys:
            return self.changed(pin=UNPINNED, pins=(), token="")
        side, later = _ROWS[kind]
        pins = (*(f"q{each}" for each in queries), *(f"k{each}" for each in keys))
        seen = self if self.map_kind == kind else self.changed(kind=kind)
        return seen.changed(
            pin=None, pins=pins[:PIN_LIMIT], token=f"{side}{queries[-1] + later}" if queries else ""
        )

    def at_step(self, step: int) -> Selection:
        """The same view after another number of written tokens."""
        return dataclasses.replace(self, step=step)


FRAMED: Final = (*_WRITING, "node", "force", "kind", "pin", "pins", "token")
"""The fields that the frame around every page is drawn from: its sentence, what is pinned, and the strip."""
FIELDS: Final = dataclasses.fields(Selection)
PARAMETER_OF: Final = {each.name: each.metadata["parameter"] or each.name for each in FIELDS}
"""The URL parameter of each field."""
