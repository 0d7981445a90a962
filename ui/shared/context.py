"""`CheckpointView`: the checkpoint, selection and device of a page, with everything cached for them, its own weights included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from core.decoding import inputs
from core.errors import AtlasError, CheckpointError, InputError
from core.language import language, numeral
from core.model.trace import Trace
from core.tokenizer import Reading
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cache, make_decode, models
from ui.shared.cache import Job, Made
from ui.shared.checkpoints import ENGLISH, Entry, first_sentence
from ui.shared.decode import Decode, with_pin

if TYPE_CHECKING:
    import numpy as np

    from core.analysis.norms import NormParameters, NormSite
    from core.api import Checkpoint
    from core.checkpoints.summary import ParameterLine


Kept = TypeVar("Kept")
_FIRST: Final = Selection()
_TEXT_LIMIT: Final = 20_000  # characters looked at before counting tokens
_LONG_TEXT: Final = 1000
"""Characters from which on reading a text may take a hundred milliseconds with a tokenizer that anybody wrote."""


@dataclass(frozen=True)
class CheckpointView:
    """A checkpoint on a device (None: the one picked at start), and what the visitor has selected."""

    entry: Entry
    selection: Selection = _FIRST
    device: str | None = None

    def now(self) -> Self:
        """The same with the session's selection of this moment, for fragments that run again on their own; the URL
        then says that selection too, and the frame around the page shows it.
        """
        state.redraw_frame()
        state.write_url()
        return replace(self, selection=state.selection())

    @property
    def checkpoint(self) -> CheckpointView:
        """The view without a decode, for what does not depend on the sentence."""
        return CheckpointView(self.entry, self.selection, self.device)

    # -- the model

    @property
    def is_loaded(self) -> bool:
        """Whether `load` would answer at once."""
        return models.is_loaded(self.entry, self.device)

    def load(self) -> Checkpoint:
        """The loaded checkpoint. Raises `AtlasError`."""
        return models.model(self.entry, self.device)

    # -- the sentence

    @property
    def text(self) -> str:
        """The sentence that the selection is about: the example's where it names none."""
        return example_text(self.entry) if self.selection.text is None else self.selection.text

    @property
    def stored_example(self) -> Decode | None:
        """The stored example, where the selection asks for it while the model is loading."""
        if self.is_loaded or make_decode.options(self.selection) != ("greedy", ()):
            return None
        example = _example(self.entry)
        return example if example is not None and example.source_text == self.text else None

    @property
    def decoded(self) -> DecodeView:
        """With the decode that the selection asks for, which is looked up once a run.

        The stored example while the model is loading, else what the model writes. Raises `AtlasError` with the sentence
        for whatever cannot be decoded.
        """
        name = (
            "decode",
            self.entry.stamp,
            self.device,
            self.selection.text,
            make_decode.options(self.selection),
        )
        decode = state.once_a_run(name, self._decode)
        return DecodeView(self.entry, with_pin(self.selection, decode), self.device, decode=decode)

    def _decode(self) -> Decode:
        if (example := self.stored_example) is not None:
            return example
        text = self.text
        key = (self.entry.stamp, self.device, text, *make_decode.options(self.selection))
        return models.shared(cache.DECODES, key, lambda: self._run(text, key))

    def _run(self, text: str, key: tuple[Any, ...]) -> Decode:
        source = read_text(self.entry, text)
        self.load()  # before the turn is asked for

        def look() -> None:
            # Where others wait for the same decode it is finished, also for a visitor who has gone on.
            if cache.DECODES.wanted_by(key) < 2:
                state.give_way()

        def decode() -> Decode:
            return make_decode.run(self.load(), source, self.selection, key, look)

        with models.turn(key, heavy=make_decode.is_heavy(source, self.selection)):
            return models.with_room(self.entry, decode)

    # -- what is kept

    def key(self, *name: Any) -> tuple[Any, ...]:
        """The name of something computed with this checkpoint on this device; `name` says what else it depends on."""
        return (self.entry.stamp, self.device, *name)

    def memo(self, name: tuple[Any, ...], make: Callable[[], Kept], heavy: bool = False) -> Kept:
        """What `make` gives, kept by `key(*name)` and, as it may hold sentences, by the language.

        `heavy`: an experiment, which waits for its turn; it holds numbers only and is kept once for all languages.
        """
        key = self.key(*name) if heavy else (*self.key(*name), language())

        def made() -> Kept:
            if not heavy:
                return models.with_room(self.entry, make)
            with models.turn(key, heavy=True):
                return models.with_room(self.entry, make)

        return models.shared(cache.RESULTS, key, made)

    def known(self, name: tuple[Any, ...]) -> Any:
        """What `memo` keeps under this name; None when it was not made yet."""
        return cache.RESULTS.peek(self.key(*name))

    def job(self, name: tuple[Any, ...]) -> Job[Any] | None:
        """This session's `Job` that measures what is to be kept under this name; None when it was never started."""
        return state.jobs().get(str(self.key(*name)))

    def measure_behind(
        self,
        name: tuple[Any, ...],
        steps: Callable[[], Iterator[Made]],
        outcome: Callable[[Made], Any] = lambda last: last,
    ) -> None:
        """Start measuring behind the page; this session's other measurements stop.

        What `outcome` makes of the last step is kept under this name.
        """

        def done(last: Made) -> None:
            self.memo(name, lambda: outcome(last), heavy=True)

        state.start_job(str(self.key(*name)), lambda wanted: Job(steps, done, wanted))


@dataclass(frozen=True, kw_only=True)
class DecodeView(CheckpointView):
    """A checkpoint view with a decode; what it keeps belongs to the decode's tokens as well."""

    decode: Decode

    def now(self) -> Self:
        """Likewise, with the pin in force on this decode."""
        now = super().now()
        return replace(now, selection=with_pin(now.selection, self.decode))

    def key(self, *name: Any) -> tuple[Any, ...]:
        trace = self.decode.trace
        return super().key(trace.source_ids, trace.written_ids, *name)

    def recorded(self, record: tuple[str, ...]) -> Trace:
        """More of the decode than its maps: a full pass over the same tokens that records `record` as well."""

        def make() -> Trace:
            self.load()
            with models.turn(self.key(record)):
                return make_decode.trace_again(self.load(), self.decode.trace, record)

        sites = [str(site) for site in self.decode.trace.sites()]
        if all(any(fnmatchcase(site, pattern) for site in sites) for pattern in record):
            return self.decode.trace
        return self.memo(("trace", record), make)


def example_text(entry: Entry) -> str:
    """The sentence that is shown when none was typed."""
    example = _example(entry)
    if example is not None:
        return example.source_text
    if entry.examples:
        return entry.examples[0]
    language = entry.usable.card.get("source_language")
    try:
        return kept(
            entry,
            "first sentence",
            lambda: first_sentence(entry.tokenizers[0], language if isinstance(language, str) else ""),
        )
    except AtlasError:  # without a tokenizer no sentence is read; the page says why
        return ENGLISH


def _example(entry: Entry) -> Decode | None:
    if not entry.usable.has_example:
        return None
    key = (entry.stamp, None, "example")

    def make() -> Decode:
        tokenizers, read, card = entry.tokenizers, partial(read_text, entry), entry.usable.card
        return make_decode.stored_example(entry.path, key, entry.config, tokenizers, read, card)

    try:
        return _unless_refused(entry, "example", lambda: cache.DECODES.get(key, make))
    except AtlasError:  # an unreadable example is not worth a word: the model draws it again
        return None


def read_text(entry: Entry, text: str) -> Reading:
    """A text as this checkpoint's model reads it, cut once; a long text waits for its turn.

    Raises `InputError`, one sentence, where it cannot be read.
    """
    limit = entry.config.max_length
    if len(text) > _TEXT_LIMIT:
        raise InputError.tr(
            "This text has {count} words; the model reads at most {limit} tokens. Shorten it.",
            count=numeral(len(text.split()), ","),
            limit=limit,
        )
    key = (entry.stamp, text)

    def read() -> Reading:
        return inputs.read(entry.tokenizers[0], text, limit)

    def in_turn() -> Reading:
        with models.turn(("text", key)):
            return read()

    if len(text) < _LONG_TEXT:
        return cache.READINGS.get(key, read)
    reading: Reading = models.shared(cache.READINGS, key, in_turn)
    return reading


def kept(entry: Entry, name: str, make: Callable[[], Kept]) -> Kept:
    """Something of a checkpoint's files alone, kept by name."""
    value: Kept = _unless_refused(
        entry, name, lambda: cache.OF_FILES.get((entry.stamp, name, language()), make)
    )
    return value


def _unless_refused(entry: Entry, name: str, make: Callable[[], Kept]) -> Kept:
    """`make()`; what it refuses is refused at once until a file of the folder changes: a damaged one is read once."""
    key = (entry.stamp, name, language())
    if (sentence := cache.REFUSED.peek(key)) is not None:
        raise CheckpointError(sentence)
    try:
        return make()
    except AtlasError as error:
        sentence = str(error)
        cache.REFUSED.get(key, lambda: sentence)
        raise


def drawing(name: bytes, make: Callable[[], Kept]) -> Kept:
    """A figure, kept by a digest of everything it is drawn from."""
    figure: Kept = cache.DRAWINGS.get(name, make)
    return figure


def parameter_lines(entry: Entry) -> tuple[ParameterLine, ...]:
    """Every stored parameter with its shape and moments, read from the file."""
    from core.checkpoints.summary import parameter_lines as read

    return kept(entry, "lines", lambda: read(entry.path, _converted(entry)))


def parameter_values(entry: Entry, name: str) -> np.ndarray:
    """The numbers of one stored parameter, flat; read again each time, as they may be many."""
    from core.checkpoints.summary import parameter_values as read

    return read(entry.path, name, _converted(entry))


def _converted(entry: Entry) -> Mapping[str, Any] | None:
    """The tensors in memory of a folder whose files have other names for them; None where they have this project's."""
    if not entry.usable.foreign:
        return None
    from core.checkpoints.bundle import unique_tensors

    return unique_tensors(models.model(entry).model)


def position_table(entry: Entry, length: int, device: str | None = None) -> np.ndarray:
    """The learned position vectors of the encoder, (length, d_model)."""

    def read() -> np.ndarray:
        positions = models.model(entry, device).model.source_embedding.positions
        if positions is None:
            raise InputError.tr(
                "This model adds no positions to its embeddings; choose a checkpoint that does."
            )
        rows: np.ndarray = positions(0, length).detach().float().cpu().numpy()
        return rows

    return kept(entry, f"positions {length}", read)


def norm_parameters(entry: Entry, device: str | None = None) -> dict[NormSite, NormParameters]:
    """γ and β of every norm."""
    from core.analysis.norms import norm_parameters as read

    def make() -> dict[NormSite, NormParameters]:
        loaded = models.model(entry, device)
        return read(loaded.model.state_dict(), loaded.config)

    return kept(entry, "norms", make)


def relative_bias(entry: Entry, stack: str, device: str | None = None) -> np.ndarray:
    """What each head adds to its scores, (buckets, H), for relative positions."""

    def read() -> np.ndarray:
        table = models.model(entry, device).model.bias_table(stack)
        if table is None:
            raise InputError.tr("This model has no relative positions; choose a checkpoint that has them.")
        return table.detach().float().cpu().numpy()

    return kept(entry, f"relative {stack}", read)
