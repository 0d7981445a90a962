"""The atlas of a corpus, the examples or sentences of the reader's own: a table of heads, stored or measured behind the page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.chance import Chance
from core.analysis.roles import ATLAS_SCORES, ROLES, Role, card_heads, roles_of
from core.analysis.uncertainty import Interval
from core.errors import InputError
from core.experiments.corpus import Atlas, ScoredSentence, load_atlas
from core.language import message, numeral, tr
from core.model.hooks import ATTENTION, attention_of
from ui.session.selection import TEXT_LIMIT, Selection, Sort
from ui.shared import context
from ui.shared.cache import Job
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.mount import View
from ui.style.theme import Kind
from ui.web.contract import Between, derive, file_stem, kind_name

if TYPE_CHECKING:
    from core.experiments.corpus_run import Stage
    from ui.shared.checkpoints import Entry


EXAMPLES: Final = message("example sentences")
UNNAMED: Final = message("sentences")
"""What a corpus is called of which a stored atlas does not say where it comes from."""
KINDS: Final[tuple[Kind, ...]] = ("encoder", "causal", "cross")
COLUMNS: Final[dict[Kind, tuple[str, ...]]] = {
    "encoder": ("previous_share", "next_share", "sink_share", "normalised_entropy"),
    "causal": ("previous_share", "sink_share", "self_share", "normalised_entropy"),
    "cross": ("alignment", "alignment_fed_back", "sink_share", "normalised_entropy"),
}
"""Which scores stand in the table, by kind; the first says most."""
MOST_LINES: Final = 5_000
MOST_CHARACTERS: Final = 1_000_000
LONGEST_LINE: Final = TEXT_LIMIT  # characters: a link must be able to open it


@dataclass(frozen=True)
class Corpus:
    """(sentence, translation) pairs; an empty translation is written by the model."""

    name: str
    pairs: tuple[tuple[str, str], ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the sentences, to tell two corpora apart."""
        checksum = hashlib.sha256()
        for pair in self.pairs:
            checksum.update("\t".join(pair).encode("utf-8", "replace") + b"\n")
        return checksum.hexdigest()


def read_corpus(text: str, name: str) -> Corpus:
    """A corpus from text: a sentence a line, its translation after a tab where there is one; empty lines are passed over.

    Raises `InputError` in one sentence for nothing to read, too much of it, or a line with more than one tab.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError.tr(
            "This text has {count} characters; at most {most} are measured here. For more, use `python -m core heads`.",
            count=numeral(len(text), ","),
            most=numeral(MOST_CHARACTERS, ","),
        )
    pairs = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) > 2 or not cells[0]:
            raise InputError.tr(
                "Line {number} has {count} columns; give a sentence, or a sentence, a tab and its translation.",
                number=number,
                count=len(cells),
            )
        if max(map(len, cells)) > LONGEST_LINE:
            raise InputError.tr(
                "Line {number} has {count} characters; at most {most} are read. Shorten it.",
                number=number,
                count=numeral(max(map(len, cells)), ","),
                most=numeral(LONGEST_LINE, ","),
            )
        pairs.append((cells[0], cells[1] if len(cells) == 2 else ""))
    if not pairs:
        raise InputError.tr("The text holds no sentence; give at least one, one per line.")
    if len(pairs) > MOST_LINES:
        raise InputError.tr(
            "The text has {count} sentences; at most {most} are measured here. For more, use `python -m core heads`.",
            count=numeral(len(pairs), ","),
            most=numeral(MOST_LINES, ","),
        )
    return Corpus(name, tuple(pairs))


def decoded(content: bytes) -> str:
    """The text of an uploaded file. Raises `InputError` where it is not UTF-8 text."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError.tr(
            "The file is not UTF-8 text (byte {start}); save it as UTF-8.", start=error.start
        ) from None
    if "\0" in text:
        raise InputError.tr("The file is not text; give sentences, one per line.")
    return text


@dataclass(frozen=True)
class HeadRow:
    """One head: its point on the map of its kind (None if it has none) and the roles whose thresholds it reaches."""

    kind: Kind
    layer: int
    head: int
    roles: tuple[tuple[Role, float], ...]
    point: tuple[float, float] | None


@dataclass(frozen=True)
class Measured:
    """An atlas, the number of lines given, and the corpus name; `complete` is False if the run was stopped."""

    atlas: Atlas
    given: int
    name: str = EXAMPLES
    complete: bool = True

    @cached_property
    def rows(self) -> tuple[HeadRow, ...]:
        """Every head, in the model's order."""
        listed = []
        for kind in KINDS:
            name = ATTENTION[kind].name
            if name not in self.atlas.scores:
                continue
            places = self.atlas.places(name)
            layers, heads = self.shape(kind)
            for layer in range(layers):
                for head in range(heads):
                    x, y = (float(value) for value in places[layer * heads + head])
                    known = np.isfinite(x) and np.isfinite(y)
                    roles = tuple(roles_of(self.atlas.means(name, layer, head), name))
                    listed.append(HeadRow(kind, layer, head, roles, (x, y) if known else None))
        return tuple(listed)

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """(heads, scores, 9): mean, standard deviation, quantiles and 95 % interval of every score, NaN if unknown."""
        tables = []
        for kind in KINDS:
            name = ATTENTION[kind].name
            table = self.atlas.scores.get(name, {})
            if not table:
                continue
            layers, heads = self.shape(kind)
            whole = np.full((len(ATLAS_SCORES), 9, layers, heads), np.nan)
            for index, score in enumerate(ATLAS_SCORES):
                if score in table:
                    whole[index, 0], whole[index, 1] = table[score].average, table[score].spread
                    whole[index, 2:7] = self.atlas.quantiles(name, score)
                    whole[index, 7:] = self.interval(kind, score)[1:3]
            tables.append(whole.reshape(len(ATLAS_SCORES), 9, -1).transpose(2, 0, 1))
        return np.concatenate(tables).astype(np.float32)

    def shape(self, kind: Kind) -> tuple[int, int]:
        """Layers and heads of a kind."""
        return self.atlas.config.shape(ATTENTION[kind].stack)

    def mean(self, kind: Kind, layer: int, head: int, score: str) -> float:
        """The mean of one score of one head; NaN where it is not defined."""
        table = self.atlas.scores.get(ATTENTION[kind].name, {})
        return float(table[score].average[layer, head]) if score in table else float("nan")

    def has(self, kind: Kind, score: str) -> bool:
        """Whether the atlas has this score for this kind of attention."""
        return score in self.atlas.scores.get(ATTENTION[kind].name, {})

    def interval(self, kind: Kind, score: str) -> Interval:
        """The mean of a score of every head of a kind with its 95 % interval over the sentences, (L, H)."""
        key = kind, score
        if key not in self._intervals:
            self._intervals[key] = self.atlas.interval(ATTENTION[kind].name, score)
        return self._intervals[key]

    @cached_property
    def _intervals(self) -> dict[tuple[Kind, str], Interval]:
        return {}

    def chance(self, kind: Kind, score: str) -> Chance | None:
        """What a score of a kind that has it would be by chance; None where that is not known."""
        key = kind, score
        if key not in self._chances:
            self._chances[key] = self.atlas.chance(ATTENTION[kind].name, score)
        return self._chances[key]

    @cached_property
    def _chances(self) -> dict[tuple[Kind, str], Chance | None]:
        return {}

    def first(self, kind: Kind) -> tuple[int, int]:
        """The head that opens where none was chosen: the one with the most of the first column."""
        table = self.atlas.scores[ATTENTION[kind].name][COLUMNS[kind][0]].average
        if not np.isfinite(table).any():
            return 0, 0
        layer, head = np.unravel_index(int(np.nanargmax(table)), table.shape)
        return int(layer), int(head)

    def opened(self, selection: Selection, kind: Kind, card: Mapping[str, Any]) -> tuple[int, int]:
        """The head that the link names, where there is one; else the card's, as on every page; else `first`."""
        if chosen := selection.head_of(*self.shape(kind)):
            return chosen
        stated = card_heads(card, {ATTENTION[kind].name: self.shape(kind)}).get(ATTENTION[kind].name)
        return (stated.layer, stated.head) if stated is not None else self.first(kind)


# -- where it comes from ------------------------------------------------------------------------------------


def stored(entry: Entry) -> Measured:
    """The atlas stored beside the checkpoint's weights. Raises `AtlasError` with one sentence if there is none."""
    if not entry.usable.has_atlas:
        raise InputError.tr(
            "{name} has no stored atlas; measure its example sentences here, or write it with python -m core example.",
            name=entry.name,
        )

    def make() -> Measured:
        stored_atlas = load_atlas(entry.path, entry.config, entry.usable.digest)
        return Measured(
            stored_atlas, stored_atlas.sentences, _corpus_name(stored_atlas, (*entry.examples, *entry.probes))
        )

    return context.kept(entry, "atlas", make)


def _corpus_name(atlas: Atlas, examples: Sequence[str]) -> str:
    """The corpus name of a stored atlas: the card's examples if every kept sentence is one of them."""
    kept = [drawn.sentence for drawn in atlas.sample]
    own = len(kept) == atlas.sentences and all(not each.target for each in kept)
    return EXAMPLES if own and {each.source.strip() for each in kept} <= set(examples) else UNNAMED


def examples(entry: Entry) -> Corpus:
    """The checkpoint's example sentences as a corpus."""
    return Corpus(EXAMPLES, tuple((text, "") for text in entry.examples))


def roles_on(entry: Entry, corpus: Corpus) -> Measured | None:
    """What was measured of a corpus, by whichever session and on whichever device; None when it was not yet."""
    known: Measured | None = CheckpointView(entry).known(_name(corpus))
    # Whoever measured the same sentences may have called them something else.
    return known if known is None or known.name == corpus.name else replace(known, name=corpus.name)


def job(entry: Entry, corpus: Corpus) -> Job[Stage] | None:
    """This session's run over a corpus; None when it was never started."""
    return CheckpointView(entry).job(_name(corpus))


def start(shown: CheckpointView, corpus: Corpus) -> None:
    """Start measuring in the background; this session's other measurements stop."""

    def steps() -> Iterator[Stage]:
        from core.experiments.corpus_run import measure_corpus, readable

        loaded = shown.load()
        return measure_corpus(loaded, readable(loaded, corpus.pairs))

    def outcome(stage: Stage) -> Measured:
        return Measured(stage.atlas, len(corpus.pairs), corpus.name)

    # The same on every device.
    CheckpointView(shown.entry).measure_behind(_name(corpus), steps, outcome)


def partial(entry: Entry, corpus: Corpus) -> Measured | None:
    """What a run that was stopped had measured until then."""
    run = job(entry, corpus)
    if run is None or not run.finished or run.latest is None:
        return None
    return Measured(run.latest.atlas, len(corpus.pairs), corpus.name, run.latest.done == run.latest.total)


def _name(corpus: Corpus) -> tuple[str, str]:
    return ("atlas", corpus.digest)


# -- one head -----------------------------------------------------------------------------------------------


def link_of(example: ScoredSentence, selection: Selection, kind: Kind, head: tuple[int, int]) -> Selection:
    """The selection that shows a sentence of the corpus with this head open."""
    _, source, target = example.sentence
    given = {"strategy": "given", "target": target} if target else {"strategy": "greedy", "target": ""}
    fresh = Selection(checkpoint=selection.checkpoint, presenter=selection.presenter)
    return fresh.changed(text=source).changed(**given).changed(kind=kind).changed(layer=head[0], head=head[1])


def view_of(example: ScoredSentence, shown: CheckpointView, kind: Kind, head: tuple[int, int]) -> DecodeView:
    """The view with a sentence of the corpus and this head open. Raises `AtlasError`."""
    return CheckpointView(shown.entry, link_of(example, shown.selection, kind, head), shown.device).decoded


_NO_ROLE = "none"


@dataclass(frozen=True)
class AtlasPick:
    """A head of the model; layer and head count from 0."""

    kind: Kind
    layer: int
    head: int

    def fitted(self, drawn: AtlasData) -> AtlasPick | None:
        """The same, or None where the model has no such head."""
        of_model = {(each.kind, each.layer, each.head) for each in drawn.heads}
        return self if (self.kind, self.layer, self.head) in of_model else None


@dataclass(frozen=True)
class Listed:
    """How the reader lists the heads: order by `score`, those of one layer or role alone ("none": without a role)."""

    sort: Sort = "model"
    score: str = ""
    layer: Annotated[int, Between(0, 9999)] | None = None
    role: str = ""

    def fitted(self, drawn: AtlasData) -> Listed | None:
        """The same, or None where there is no such score or role."""
        named = self.score in ("", *ATLAS_SCORES)
        return self if named and self.role in ("", _NO_ROLE, *drawn.roles) else None


@dataclass(frozen=True)
class AtlasKind:
    """A kind of attention that the atlas has, and its names."""

    kind: Kind
    words: str
    name: str


@dataclass(frozen=True)
class AtlasHead:
    """A head with its roles, and where its dot stands on the map, None where it has none."""

    kind: Kind
    layer: int
    head: int
    roles: tuple[str, ...]
    position: tuple[float, ...] | None


@dataclass(frozen=True)
class AtlasScore:
    """A score of the atlas; `explained` are lines of (word, what it means)."""

    name: str
    label: str
    units: str
    low: float
    high: float | None
    definition: str
    explained: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class AtlasData:
    """All heads of an atlas; `kind` selects the table and `opened` is the open head.

    `numbers` are (heads, scores, 9), as `Measured.numbers`.
    """

    measured: InitVar[Measured]
    _: KW_ONLY
    kind: Kind
    opened: AtlasPick
    listed: Listed = Listed()
    title: str
    subtitle: str = ""
    file: str = "heads"
    kinds: tuple[AtlasKind, ...] = field(init=False)
    heads: tuple[AtlasHead, ...] = field(init=False)
    scores: tuple[AtlasScore, ...] = field(init=False)
    columns: Mapping[Kind, tuple[str, ...]] = field(init=False)
    roles: tuple[str, ...] = field(init=False)
    sentences: int = field(init=False)
    numbers: NDArray[np.float32] = field(init=False)

    def __post_init__(self, measured: Measured) -> None:
        present = [kind for kind in KINDS if any(row.kind == kind for row in measured.rows)]
        derive(
            self,
            kind=kind_name(self.kind),
            file=file_stem(self.file),
            kinds=tuple(
                AtlasKind(kind, attention.label, attention.name)
                for kind in present
                for attention in [attention_of(measured.atlas.config, kind)]
            ),
            heads=tuple(
                AtlasHead(
                    row.kind,
                    row.layer,
                    row.head,
                    roles=tuple(role.name for role, _ in row.roles),
                    position=None if row.point is None else tuple(round(float(one), 6) for one in row.point),
                )
                for row in measured.rows
            ),
            scores=tuple(
                AtlasScore(
                    score.name,
                    tr(score.label),
                    tr(score.units),
                    score.low,
                    None if score.name.startswith("distance") else score.high,
                    tr(score.definition),
                    tuple((word, means) for word, means in score.details),
                )
                for score in ATLAS_SCORES.values()
            ),
            columns={kind: tuple(names) for kind, names in COLUMNS.items()},
            roles=tuple(role.name for role in ROLES),
            sentences=measured.atlas.sentences,
            numbers=measured.numbers,
        )


ATLAS = View("atlas", AtlasData, picked=AtlasPick, arranged=Listed)
