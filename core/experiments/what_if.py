"""What a model does with some of its attention changed: the scores of the translation it wrote, its maps, and what it
writes instead.

`Edits` say what is changed, `intervention.hook_edits` how. The unedited run goes through the same functions, so that
before and after differ in the edits alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.distribution import greedy_token
from core.decoding.inputs import choices, step_limit
from core.decoding.strategies import log_probabilities
from core.decoding.tracing import trace_ids
from core.errors import AtlasError, InputError
from core.experiments.edits import Edits
from core.experiments.intervention import NOTHING, Reference, hook_edits
from core.model.hooks import Edit, Hooks
from core.model.sites import ATTENTION, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.checkpoints.bundle import Bundle
    from core.model.transformer import Transformer

LOGITS = Site("decoder", 0, "final", "logits")


@dataclass(frozen=True)
class Pass:
    """One pass over a source and a given translation of T tokens.

    `log_probabilities` (T, V) in nats: row t is what token t was chosen from. `maps`: the weights of each attention
    kind, (L, H, T, S), by its key; a source that got padding has more keys than it has words.
    """

    log_probabilities: np.ndarray
    maps: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class WhatIf:
    """Before and after some edits, over the same source and the same translation `written`.

    `choices` are the places of `written` at which the model had a choice. `unedited` and `rewritten` are what greedy
    search writes without the edits and with them, end tokens included.
    """

    edits: Edits
    source: tuple[int, ...]
    written: tuple[int, ...]
    choices: tuple[int, ...]
    before: Pass
    after: Pass
    unedited: tuple[int, ...]
    rewritten: tuple[int, ...]

    def next_word(self, which: str = "after") -> np.ndarray:
        """log p of each token of the translation given those before it, (T,) nats; `which`: "before" or "after".

        A token that is always written there costs nothing.
        """
        found, places = self.before if which == "before" else self.after, list(self.choices)
        nats = np.zeros(len(self.written), dtype=np.float64)
        nats[places] = found.log_probabilities[places, [self.written[place] for place in places]]
        return nats

    @property
    def change(self) -> float:
        """log p(translation) after − before, in nats."""
        return float(self.next_word("after").sum() - self.next_word("before").sum())


def what_if(
    checkpoint: Bundle,
    source: Sequence[int],
    written: Sequence[int],
    edits: Edits,
    reference: Reference = NOTHING,
) -> WhatIf:
    """Run a source and its translation `written` with and without `edits`.

    `reference` needs means only where a head is set to its mean; the patterns of frozen heads are taken from the
    unedited run. Raises `InputError` for edits that do not fit the model or the sentence.
    """
    if not written:
        raise InputError("There is no translation to compare with; write at least one token.")
    edits.check(checkpoint.config, len(source), len(written))
    before = passed(checkpoint, source, written, Edits(), reference)
    patterns = {
        Site(kind.stack, layer, kind.block, "weights"): torch.from_numpy(maps)
        for key, kind in ATTENTION.items()
        for layer, maps in enumerate(before.maps.get(key, ()))
    }
    known = Reference(reference.means, patterns)
    after = before if not edits else passed(checkpoint, source, written, edits, known)
    unedited = rewrite(checkpoint, source, Edits(), written)
    rewritten = unedited if not edits else rewrite(checkpoint, source, edits, unedited, known)
    free = choices(checkpoint.config, written)
    texts = tuple(unedited), tuple(rewritten)
    return WhatIf(edits, tuple(source), tuple(written), free, before, after, *texts)


def passed(
    checkpoint: Bundle,
    source: Sequence[int],
    written: Sequence[int],
    edits: Edits,
    reference: Reference = NOTHING,
) -> Pass:
    """One pass under `edits` that reads the start token and all of `written` but its last."""
    model = checkpoint.model
    trace = trace_ids(
        checkpoint,
        padded(model, source, edits),
        written,
        ("*.weights", LOGITS),
        hook_edits(model, edits, len(source), reference),
    )
    maps = {
        key: trace.stacked(kind.stack, kind.block, "weights")
        for key, kind in ATTENTION.items()
        if model.config.layers(kind.stack)
    }
    return Pass(log_probabilities(trace.array(LOGITS)).astype(np.float32), maps)


def padded(model: Transformer, source: Sequence[int], edits: Edits) -> list[int]:
    """The source with the padding that the edits put behind it."""
    return [*source, *[model.config.source_padding] * edits.padding]


def rewrite(
    checkpoint: Bundle,
    source: Sequence[int],
    edits: Edits,
    guess: Sequence[int] = (),
    reference: Reference = NOTHING,
) -> list[int]:
    """What greedy search writes under `edits`, the end token included when it was written.

    Each step reads the whole prefix again, since an edit may change what was read. Where later tokens cannot change
    earlier rows, one pass checks all of `guess` (a translation that is likely to be right, such as the unedited one)
    and is used as far as it agrees: the result does not depend on it.
    """
    model, config = checkpoint.model, checkpoint.config
    changed = hook_edits(model, edits, len(source), reference)
    limit = step_limit(config, len(source))
    tail = [] if edits.opens_future else list(guess)
    written: list[int] = []
    with torch.inference_mode():
        ids = torch.tensor([padded(model, source, edits)], device=checkpoint.device)
        memory = model.encode(ids, Hooks(edit=changed))
        while not _finished(checkpoint, written, limit):
            ahead = tail[len(written) :] if tail[: len(written)] == written else []
            for token in _chosen(model, memory, ids, changed, written, ahead):
                written.append(token)
                if _finished(checkpoint, written, limit):
                    break
    return written


def _finished(checkpoint: Bundle, written: Sequence[int], limit: int) -> bool:
    return len(written) >= limit or written[-1:] == [checkpoint.config.eos_id]


def _chosen(
    model: Transformer,
    memory: Tensor,
    source: Tensor,
    changed: Mapping[Site | str, Edit],
    written: Sequence[int],
    ahead: Sequence[int],
) -> Iterator[int]:
    """The next token after `written`, and those after it as long as they are the ones that `ahead` foretold."""
    config = model.config
    inputs = [config.bos_id, *written, *ahead[:-1]]
    logits = model.decode(torch.tensor([inputs], device=memory.device), memory, source, Hooks(edit=changed))
    rows = logits[0, len(written) :].float().cpu().numpy()
    for step, row in enumerate(rows, start=len(written)):
        token = greedy_token(row, config, step)
        yield token
        if step + 1 < len(inputs) and inputs[step + 1] != token:
            return


def mean_outputs(checkpoint: Bundle, sources: Sequence[str]) -> dict[Site, Tensor]:
    """Each head's output, averaged over every position of `sources` and of what the model writes for them.

    → (H, d_h) by the site of `head_output`. Sentences the model cannot read are passed over. Raises `InputError`
    when none is left.
    """
    from core.decoding.tracing import trace

    totals: dict[Site, np.ndarray] = {}
    positions: dict[Site, int] = {}
    for text in sources:
        try:
            found = trace(checkpoint, text, record=("*.head_output",))
        except AtlasError:
            continue
        for site, output in found.records.items():  # (H, T, d_h)
            totals[site] = totals.get(site, 0.0) + output.sum(axis=1, dtype=np.float64)
            positions[site] = positions.get(site, 0) + output.shape[1]
    if not totals:
        raise InputError("None of the reference sentences can be read; give at least one that can.")
    return {
        site: torch.from_numpy((total / positions[site]).astype(np.float32)) for site, total in totals.items()
    }
