"""A trained model as one HTML file that runs: it needs no network, no server and no installation.

The file holds the packed model (`pack`) deflated, in blocks of base64, and the engine of `ui/web/engine`. Everything
that comes from the checkpoint is text to it: names and tokens are escaped here, or set as text by the view.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import numpy.typing as npt

from core.analysis.glossary import MEASURES
from core.analysis.maps import crossing_pair
from core.analysis.readout import capitalised, subject
from core.errors import AtlasError, InputError
from core.language import languages, numeral, speaking, tr
from core.model.hooks import ATTENTION, attention_of
from ui.export.files import offline_page
from ui.export.live.pack import pack, rounded_to_halves
from ui.session.selection import Selection
from ui.shared.checkpoints import in_words
from ui.shared.decode import Decode, StepData
from ui.style.theme import Kind
from ui.web import contract
from ui.web.contract import Typed, deflated, words

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig

VIEW: Final = "live"
_KINDS: Final[tuple[Kind, ...]] = ("encoder", "causal", "cross")
_METRICS: Final = ("weight", "probability", "rank")
_BLOCK: Final = 3 * 2**18
"""Bytes of a block, so that a page can show how far it has unpacked."""
_EXAMPLES: Final = 8
_LONGEST_NAME: Final = 200
_LONGEST_EXAMPLE: Final = 300
_BODY: Final = """<div class="live"></div>
<noscript><p>The page is drawn by a script inside this file; allow scripts to use it.</p></noscript>"""


@dataclass(frozen=True)
class LivePicture:
    """One decode as the page draws it.

    Rows of the decoder write `target` and read `reads`; `grown` are (characters that stay, text added) of each token.
    `forced` are places of tokens that the reader chose, `ended` whether the last token is the end token. `pair` is the
    row and the source token that the page begins with, where one is chosen. `weights` by kind are (layers, heads,
    queries, keys) as in `shapes`.
    """

    text: str
    source: Sequence[str]
    target: Sequence[str]
    reads: Sequence[str]
    source_ids: Sequence[int]
    ids: Sequence[int]
    steps: Sequence[StepData]
    grown: Sequence[tuple[int, str]]
    forced: Sequence[int]
    ended: bool
    pair: tuple[int, int] | None
    shapes: Mapping[Kind, tuple[int, int, int, int]]
    weights: Mapping[Kind, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class LiveWords:
    """What Python says of the model in one language, and the language's `spoken` words of the views.

    `subjects[l][h]` names a map of the decoder: 0 is the mean over layers or heads, n + 1 layer or head n. `notes` are
    lines at the foot of the page.
    """

    name: str
    spoken: Annotated[Mapping[str, Any], Typed("Spoken", "base/language.ts")]
    about: str
    notes: Sequence[str]
    kinds: Mapping[Kind, str]
    subjects: Sequence[Sequence[str]]
    metrics: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class AblatedWord:
    """A written word, and its probability before and after."""

    label: str
    before: float
    after: float


@dataclass(frozen=True)
class AblationData:
    """What is written without some heads, beside what is written with them; `after` None: it is not known yet."""

    heads: Sequence[str]
    before: str
    after: str | None
    words: Sequence[AblatedWord]


@dataclass(frozen=True)
class LiveData:
    """A live page: `bytes` is the size of the unpacked model (0: the page has none), `heads` (layer, head) open of each kind, `languages` its
    words by code, and `stored` the picture that it shows before the model is unpacked, or all there is without one.
    """

    bytes: int
    name: str
    parameters: str
    examples: Sequence[str]
    heads: Mapping[Kind, tuple[int, int]]
    languages: Mapping[str, LiveWords]
    stored: LivePicture


def live_page(checkpoint: Bundle) -> str:
    """The page of a checkpoint. Raises `InputError` for one that a page cannot hold or run, or that has no example."""
    examples = list(_examples(checkpoint))
    if not examples:
        raise InputError.tr(
            "The card of this checkpoint gives no example sentence that it reads; add one to its examples."
        )
    name = str(checkpoint.card.get("name") or (checkpoint.path.name if checkpoint.path else "a model"))
    name = name[:_LONGEST_NAME]
    content = pack(checkpoint, examples, name)
    compressed = zlib.compress(content, 9)
    blocks = [
        base64.b64encode(compressed[start : start + _BLOCK]).decode("ascii")
        for start in range(0, len(compressed), _BLOCK)
    ]
    data = live_data(checkpoint, rounded_to_halves(checkpoint), name, examples, len(content))
    return offline_page(VIEW, contract.pack(data, deflated), f"Attention Atlas: {name}", _BODY, blocks)


def write_page(checkpoint: Bundle, out: Path) -> int:
    """Write the page of `checkpoint` → its size in bytes."""
    content = live_page(checkpoint).encode()
    out.write_bytes(content)
    return len(content)


def _examples(checkpoint: Bundle) -> Iterator[str]:
    """A few example sentences that the model reads, the one of the folder's stored example first."""
    from core.decoding.inputs import read_source

    listed = checkpoint.card.get("examples")
    texts = [_stored_example(checkpoint)]
    texts += [
        each.get("source") for each in (listed if isinstance(listed, list) else []) if isinstance(each, dict)
    ]
    kept: list[str] = []
    for text in texts:
        if (
            not isinstance(text, str)
            or text in kept
            or len(text) > _LONGEST_EXAMPLE
            or len(kept) == _EXAMPLES
        ):
            continue
        try:
            read_source(checkpoint, text)
        except InputError:
            continue
        kept.append(text)
        yield text


def _stored_example(checkpoint: Bundle) -> str | None:
    """The sentence of the folder's stored example, with which the app opens too."""
    from core.decoding.example import load_example

    if checkpoint.path is None:
        return None
    try:
        return checkpoint.source_tokenizer.decode(load_example(checkpoint.path, checkpoint.config).source_ids)
    except AtlasError:
        return None


def live_data(checkpoint: Bundle, halves: Bundle, name: str, examples: Sequence[str], size: int) -> LiveData:
    """The data of a checkpoint's page; `halves` is the checkpoint with weights as float16, which the page runs."""
    from ui.shared.make_decode import run

    decode = run(halves, halves.source_tokenizer.read(examples[0]), Selection(), key=())
    changed = _rounding(checkpoint, halves, examples[0])
    numbers = sum(each.numel() for each in checkpoint.model.parameters())
    return LiveData(
        bytes=size,
        name=name,
        parameters=in_words(numbers),
        examples=examples,
        heads=_open_heads(decode),
        languages=in_languages(
            checkpoint.config, checkpoint.card, languages(), lambda: [_rounding_words(changed)]
        ),
        stored=_picture(decode),
    )


def decode_page(
    decode: Decode,
    config: ModelConfig,
    card: Mapping[str, Any],
    name: str,
    notes: Callable[[], Sequence[str]],
) -> str:
    """One decode as a page that runs no model, in every language; `notes` are lines at its foot."""
    data = LiveData(
        bytes=0,
        name=name,
        parameters="",
        examples=(decode.source_text,),
        heads=_open_heads(decode),
        languages=in_languages(config, card, languages(), notes),
        stored=_picture(decode),
    )
    return offline_page(
        VIEW, contract.pack(data, deflated), f"Attention Atlas: {decode.source_text[:_LONGEST_NAME]}", _BODY
    )


def _picture(decode: Decode) -> LivePicture:
    trace = decode.trace
    weights = {
        kind: trace.stacked(ATTENTION[kind].stack, ATTENTION[kind].block, "weights") for kind in _KINDS
    }
    return LivePicture(
        text=decode.text,
        source=trace.tokens.source,
        target=trace.tokens.written,
        reads=trace.tokens.target,
        source_ids=trace.source_ids,
        ids=trace.written_ids,
        steps=tuple(step.rounded() for step in decode.steps),
        grown=decode.grown,
        forced=decode.forced,
        ended=decode.finished,
        pair=crossing_pair(weights["cross"][decode.first_head]),
        shapes={kind: values.shape for kind, values in weights.items()},
        weights={kind: np.asarray(values, dtype=np.float32) for kind, values in weights.items()},
    )


def _open_heads(decode: Decode) -> dict[Kind, tuple[int, int]]:
    """The head of each kind that a page begins with: the card's, else the first one, and the surest of cross-attention."""
    return {kind: decode.stated_head(kind) or (0, 0) for kind in _KINDS} | {"cross": decode.first_head}


def in_languages(
    config: ModelConfig,
    card: Mapping[str, Any],
    spoken: Mapping[str, str],
    notes: Callable[[], Sequence[str]],
) -> dict[str, LiveWords]:
    made = {}
    for code, own_name in spoken.items():
        with speaking(code):
            made[code] = _words(config, card, own_name, notes())
    return made


def _words(config: ModelConfig, card: Mapping[str, Any], name: str, notes: Sequence[str]) -> LiveWords:
    layers, heads = config.shape("decoder")
    return LiveWords(
        name=name,
        spoken=words(VIEW),
        about=" · ".join(filter(None, (_languages(card), _size(config)))),
        notes=notes,
        kinds={kind: capitalised(tr(attention_of(config, kind).phrase)) for kind in _KINDS},
        subjects=tuple(
            tuple(subject(layer, one, heads=heads, layers=layers) for one in (None, *range(heads)))
            for layer in (None, *range(layers))
        ),
        metrics=tuple((tr(MEASURES[each].label).lower(), tr(MEASURES[each].definition)) for each in _METRICS),
    )


def _languages(card: Mapping[str, Any]) -> str:
    """“English → French”, by the codes of a card; empty where it names none."""
    from babel import Locale, UnknownLocaleError

    from core.language import language

    names = []
    for field in ("source_language", "target_language"):
        try:
            code = card.get(field)
            names.append(Locale.parse(code).get_display_name(language()) if isinstance(code, str) else None)
        except (ValueError, UnknownLocaleError):
            return ""
    return " → ".join(str(each) for each in names) if all(names) else ""


def _size(config: ModelConfig) -> str:
    return tr(
        "Transformer, {encoder} + {decoder} layers of {heads} heads",
        encoder=config.encoder_layers,
        decoder=config.decoder_layers,
        heads=" + ".join(map(str, config.layer_heads)),
    )


def _rounding(checkpoint: Bundle, halves: Bundle, text: str) -> tuple[bool, float] | None:
    """What float16 changes: whether the translation of `text` stays, and the largest change of a weight; None: nothing."""
    from core.api import trace_ids
    from core.decoding.inputs import source_ids
    from core.decoding.search import translate_batch

    pairs = zip(checkpoint.model.parameters(), halves.model.parameters(), strict=True)
    if all(bool((one == other).all()) for one, other in pairs):
        return None
    source = source_ids(checkpoint, text)
    written, other = (translate_batch(each.model, [source])[0] for each in (checkpoint, halves))
    exact, rounded = (
        trace_ids(each, source, written, record=("*.weights",)).records for each in (checkpoint, halves)
    )
    largest = max(float(np.abs(exact[site] - rounded[site]).max(initial=0.0)) for site in exact)
    return written == other, largest


def _rounding_words(changed: tuple[bool, float] | None) -> str:
    """One sentence on what float16 changes."""
    if changed is None:
        return tr("The weights are stored as float16, here as in the checkpoint.")
    same, largest = changed
    text = (
        tr(
            "The weights are rounded to float16: the first example keeps its translation, and its attention weights "
            "change by at most {largest}."
        )
        if same
        else tr(
            "The weights are rounded to float16: the first example gets another translation, and its attention weights "
            "change by at most {largest}."
        )
    )
    return text.format(largest=numeral(largest, ".1e"))
