"""The heads of a checkpoint that open first, chosen by what each written token loses without each source token.

The source token without which a written token loses most of its log-probability is the one it translates (prediction
difference, Li et al. 2019, section 4), whatever any head attends to. The heads are chosen once over the checkpoint's
example sentences and stored in its card; so is what each of these sentences shows, for which the words that the heads
link are needed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from core.analysis.alignment import READINGS, Link, WordAxes, word_links
from core.analysis.familiarity import card_features, example_features
from core.analysis.glossary import KINDS
from core.analysis.roles import ALIGNMENT, Counted, DefaultHead, aligned, best, outward
from core.analysis.scores import AxisTokens
from core.analysis.uncertainty import interval
from core.api import trace
from core.checkpoints import files
from core.checkpoints.bundle import folder_of
from core.decoding.inputs import choices
from core.decoding.search import padded
from core.errors import AtlasError
from core.files import replacing
from core.model.trace import Trace

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.checkpoints.bundle import Bundle


_TOKENS_AT_ONCE: Final = 2048


def losses(checkpoint: Bundle, source: Sequence[int], written: Sequence[int]) -> np.ndarray:
    """log p(y_t | source) − log p(y_t | source without token j) in nats, (T, S), temperature 1.

    `source` has S tokens, `written` T. A source token that is no text, or is all there is of the source, costs nothing; a
    token that is always written loses nothing.
    """
    texts = [position for position, word in enumerate(checkpoint.source_tokenizer.words(source)) if word >= 0]
    table = np.zeros((len(written), len(source)))
    if texts:
        changes = _changes(checkpoint, source, written, texts)
        counted = np.isin(np.arange(len(written)), list(choices(checkpoint.config, written)))
        table[:, texts] = -np.concatenate(list(changes)).T * counted[:, None]
    return table


def _changes(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], positions: Sequence[int]
) -> Iterator[np.ndarray]:
    """What each written token gains without each of the source tokens, (positions, T) nats, as many as fit a batch."""
    whole = _log_probabilities(checkpoint, [list(source)], written)[0]
    at_once = max(1, _TOKENS_AT_ONCE // (len(source) + len(written)))
    for start in range(0, len(positions), at_once):
        some = positions[start : start + at_once]
        rest = [[*source[:position], *source[position + 1 :]] for position in some]
        known = [number for number, row in enumerate(rest) if _says_something(checkpoint, row)]
        changes = np.zeros((len(rest), len(written)))
        if known:
            changes[known] = (
                _log_probabilities(checkpoint, [rest[number] for number in known], written) - whole
            )
        yield changes


def _says_something(checkpoint: Bundle, row: Sequence[int]) -> bool:
    return any(number >= 0 for number in checkpoint.source_tokenizer.words(row))


def _log_probabilities(
    checkpoint: Bundle, sources: Sequence[Sequence[int]], written: Sequence[int]
) -> np.ndarray:
    """log p(y_t | source) in nats, temperature 1, of every written token after each source, (sources, T)."""
    config, device = checkpoint.config, checkpoint.device
    read = torch.tensor([[config.bos_id, *written[:-1]]], device=device).expand(len(sources), -1)
    labels = torch.tensor([list(written)], device=device).expand(len(sources), -1)
    with torch.inference_mode():
        logits = checkpoint.model(padded(sources, config.source_padding, device), read).double()
        picked = logits.log_softmax(-1).gather(-1, labels[..., None])[..., 0]
    return np.asarray(picked.cpu().numpy())


PROBES: Final = 200  # sentences that are run at most
EXAMPLES: Final = 20  # of a card that are looked at, as a page does
_RECORD: Final = ("*.weights",)


def default_heads(
    checkpoint: Checkpoint,
    sources: Sequence[str] | None = None,
    seconds: float | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, dict[str, Any]]:
    """The head to open for each attention kind, as the card keeps it: kind → layer, head, share, words, sentences, low, high.

    `cross` is the head that aligns best where a word is predicted; `alignment` the one that aligns best in either reading.
    Neither is there where no written word needs a source token (`core.analysis.roles.NEEDED`). `low` and `high` are the ends of the
    95 % interval of the share of that head, by bootstrap over sentences (`core.analysis.uncertainty`).
    `sources` (default: the card's `probe_sentences`, or else its examples) are decoded greedily with all attention
    weights recorded; nothing but each sentence's counts is kept. Sentences the model cannot read are passed over. Empty when
    none is left. After `seconds` no further sentence is begun; the card says over how many it was counted. `step(done,
    total)` is called before the first sentence and after each.
    """
    found: dict[str, list[Counted]] = {}
    begun = time.monotonic()
    texts = probes(checkpoint, sources)
    step(0, len(texts))
    for number, text in enumerate(texts, 1):
        for name, counted in _counted(checkpoint, _traced(checkpoint, text)).items():
            if counted.total:
                found.setdefault(name, []).append(counted)
        step(number, len(texts))
        if seconds is not None and time.monotonic() - begun > seconds:
            break
    named: dict[str, Sequence[str]] = {kind: (kind,) for kind in KINDS} | {
        "cross": READINGS[:1],
        ALIGNMENT: READINGS,
    }
    return {
        kind: _stated(names, found) for kind, names in named.items() if any(name in found for name in names)
    }


def write_default_heads(
    checkpoint: Checkpoint, step: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, dict[str, Any]]:
    """Choose the heads of a stored checkpoint and put them into its card, and what each of its examples shows.

    The rest of the card stays as it is, what it already says of an example too. `step` as in `default_heads`. Raises `InputError` if it has no folder or the card cannot be written.
    """
    folder = folder_of(checkpoint, remedy="save it first")
    heads = default_heads(checkpoint, step=step)
    file = folder / files.CARD
    examples = examples_shown(checkpoint, heads.get(ALIGNMENT))
    text = (
        json.dumps({**checkpoint.card, **examples, "default_heads": heads}, indent=2, ensure_ascii=False)
        + "\n"
    )
    with replacing(file) as stream:
        stream.write(text.encode())
    return heads


def examples_shown(checkpoint: Checkpoint, aligner: Mapping[str, Any] | None) -> dict[str, list[Any]]:
    """`examples` of the card with `shows` (core/analysis/familiarity.py) where it is missing; nothing for a card without any.

    The links are those of the cross-attention head `aligner` (its layer, head and reading) while greedy search writes.
    """
    listed = checkpoint.card.get("examples")
    if not isinstance(listed, list):
        return {}
    language = str(checkpoint.card.get("source_language", ""))
    rows = []
    for row in listed:
        source, written = (
            (row.get("source"), row.get("translation")) if isinstance(row, dict) else (None, None)
        )
        if isinstance(source, str) and isinstance(written, str) and card_features(row) is None:
            links = _links(checkpoint, source, aligner) if aligner else set()
            row = {**row, "shows": list(example_features(source, written, language, links))}
        rows.append(row)
    return {"examples": rows}


def _links(checkpoint: Checkpoint, source: str, cross: Mapping[str, Any]) -> set[Link]:
    """Word links of one sentence by one head; none where it cannot be read."""
    trace = _traced(checkpoint, source)
    if trace is None:
        return set()
    tokenizers = checkpoint.source_tokenizer, checkpoint.target_tokenizer
    read, written = tokenizers[0].words(trace.source_ids), tokenizers[1].words(trace.written_ids)
    axes = WordAxes.of(written, read, trace.source_ids, checkpoint.config.eos_id)
    weights = trace.stacked("decoder", "cross", "weights")[cross["layer"], cross["head"]]
    return word_links(weights, axes, cross.get("reading", "writing"))


def probes(checkpoint: Bundle, sources: Sequence[str] | None) -> list[str]:
    """The first `PROBES` of `sources` (default: the card's `probe_sentences`, or else its examples)."""
    if sources is None:
        sources = _texts(_listed(checkpoint, "probe_sentences")) or example_sources(checkpoint)
    return _texts(sources)[:PROBES]


def example_sources(checkpoint: Bundle) -> list[str]:
    """The sources of the first `EXAMPLES` example sentences of the card."""
    rows = _listed(checkpoint, "examples")
    return _texts([row.get("source") if isinstance(row, dict) else row for row in rows])[:EXAMPLES]


def _listed(checkpoint: Bundle, name: str) -> list[Any]:
    """A list of the card, which may hold anything; empty where there is none."""
    value = checkpoint.card.get(name)
    return value if isinstance(value, list) else []


def _texts(rows: Sequence[object]) -> list[str]:
    """What of `rows` is a text that holds anything."""
    return [text for text in rows if isinstance(text, str) and text.strip()]


def _traced(checkpoint: Checkpoint, text: str) -> Trace | None:
    try:
        return trace(checkpoint, text, record=_RECORD)
    except AtlasError:
        return None


def _counted(checkpoint: Checkpoint, trace: Trace | None) -> dict[str, Counted]:
    """The counts of one sentence for the heads of each kind, and for the two readings of cross-attention."""
    counted: dict[str, Counted] = {}
    if trace is None:
        return counted
    tokens, config = trace.tokens, trace.config
    if config.decoder_layers:
        cross = trace.stacked("decoder", "cross", "weights")
        lost = losses(checkpoint, trace.source_ids, trace.written_ids)
        sides = AxisTokens.from_labels(tokens.written), AxisTokens.from_labels(tokens.source)
        counted |= {name: aligned(cross, lost, *sides, name) for name in READINGS}
        counted["decoder-self"] = outward(trace.stacked("decoder", "self", "weights"), tokens.target)
    if config.encoder_layers:
        counted["encoder-self"] = outward(trace.stacked("encoder", "self", "weights"), tokens.source)
    return counted


def _stated(names: Sequence[str], found: Mapping[str, Sequence[Counted]]) -> dict[str, Any]:
    """The head with the largest share in one of the counts `names`, as the card keeps it; the first of equals."""
    totals = {name: sum(found[name][1:], found[name][0]) for name in names if name in found}
    name = max(totals, key=lambda each: totals[each].share.max())
    layer, head = best(totals[name])
    hits = [each.hits[layer, head] for each in found[name]]
    share = interval(hits, [each.total for each in found[name]])
    shown = DefaultHead(
        layer,
        head,
        round(float(share.value), 4),
        totals[name].total,
        share.sentences,
        name if name in READINGS else "",
        round(float(share.low), 4),
        round(float(share.high), 4),
    )
    return {name: value for name, value in asdict(shown).items() if value != ""}
