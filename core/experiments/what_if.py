"""What a model does with some of its attention changed: the scores of the translation it wrote, its maps, and what it
writes instead.

`Edits` say what is changed, `intervention.hook_edits` how. The unedited run goes through the same functions, so that
before and after differ in the edits alone. One sentence pair under many small changes is one batch, whose rows differ in
what is switched off: so `why` (what each head, source word and prefix word adds to the log-odds of two words) and
`swap_costs` (what each swap of two positions costs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.api import trace, trace_ids
from core.decoding.inputs import choices, step_limit
from core.decoding.path import Path
from core.decoding.strategies import greedy_token, log_probabilities
from core.errors import AtlasError, InputError
from core.experiments.edits import Edits, Head, Kind, SwapPositions, all_heads
from core.experiments.intervention import NOTHING, Reference, hook_edits, names_no_target_row
from core.model.hooks import ATTENTION, LOGITS, Edit, Hooks, Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


BATCH: Final = 32
"""Variants in one pass."""


class Pair(NamedTuple):
    """A source and what was written for it, both with their end token."""

    source: tuple[int, ...]
    written: tuple[int, ...]


class Variant(NamedTuple):
    """What is ablated: heads (their output is zero), source words and prefix words (hidden from all others).

    Prefix words count the decoder's inputs, the start token first.
    """

    heads: frozenset[Head] = frozenset()
    source: frozenset[int] = frozenset()
    prefix: frozenset[int] = frozenset()


def by_kind(config: ModelConfig, values: Mapping[Head, float]) -> dict[Kind, np.ndarray]:
    """One number a head as one array (L, H) a kind, NaN where there is none."""
    tables: dict[Kind, np.ndarray] = {
        kind: np.full(config.shape(attention.stack), np.nan)  # type: ignore[misc]
        for kind, attention in ATTENTION.items()
        if config.layers(attention.stack)
    }
    for (kind, layer, head), value in values.items():
        tables[kind][layer, head] = value
    return tables


def run_variants(
    model: Transformer,
    pair: Pair,
    variants: Sequence[Variant],
    take: Callable[[Tensor], Tensor],
    batch: int = BATCH,
) -> Iterator[np.ndarray]:
    """`take` of the log-probabilities (B, T, V) of each batch of variants, in order, as numpy with B rows."""
    config, device = model.config, next(model.parameters()).device
    source = torch.tensor([list(pair.source)], device=device)
    read = torch.tensor([[config.bos_id, *pair.written[:-1]]], device=device)
    for start in range(0, len(variants), batch):
        chosen = variants[start : start + batch]
        hooks = Hooks(edit=_edits(config, chosen, len(pair.source), read.shape[1], device))
        with torch.inference_mode():
            logits = model(source.expand(len(chosen), -1), read.expand(len(chosen), -1), hooks)
            yield take(logits.float().log_softmax(-1)).cpu().numpy()


def _edits(
    config: ModelConfig, variants: Sequence[Variant], source: int, target: int, device: torch.device
) -> dict[Site | str, Edit]:
    by_site: dict[Site | str, Edit] = {}
    gates = head_gates(config, variants, device)
    for kind, table in gates.items():
        by_site |= gated(kind, table)
    own = torch.eye(source, dtype=torch.bool, device=device)
    words = _marked([variant.source for variant in variants], source, device)[:, None, None, :]
    later = torch.ones(target, target, dtype=torch.bool, device=device).tril(-1)
    prefix = _marked([variant.prefix for variant in variants], target, device)[:, None, None, :]
    for kind, closed in (("encoder", words & ~own), ("cross", words), ("causal", prefix & later)):
        if bool(closed.any()):
            attention = ATTENTION[kind]
            by_site |= {
                Site(attention.stack, layer, attention.block, name): edit
                for layer in range(config.layers(attention.stack))
                for name, edit in (("masked_scores", _closing(closed)), ("weights", torch.nan_to_num))
            }
    return by_site


def _closing(closed: Tensor) -> Edit:
    return lambda scores: scores.masked_fill(closed, -torch.inf)


def _marked(places: Sequence[frozenset[int]], length: int, device: torch.device) -> Tensor:
    """(B, length) bool."""
    marked = torch.zeros(len(places), length, dtype=torch.bool)
    for row, those in enumerate(places):
        marked[row, sorted(those)] = True
    return marked.to(device)


def head_gates(config: ModelConfig, variants: Sequence[Variant], device: torch.device) -> dict[str, Tensor]:
    """1 for a head that computes, 0 for one that is off: (L, B, H) a kind, where any is off."""
    gates: dict[str, Tensor] = {}
    for row, variant in enumerate(variants):
        for kind, layer, head in variant.heads:
            layers, heads = config.shape(ATTENTION[kind].stack)
            table = gates.setdefault(kind, torch.ones(layers, len(variants), heads))
            table[layer, row, head] = 0.0
    return {kind: table.to(device) for kind, table in gates.items()}


def gated(kind: str, table: Tensor) -> dict[Site | str, Edit]:
    """Edits that multiply head outputs (B, H, T, d_h) by `table` (L, B, H); by 1 they stay as they are, to the bit."""
    attention = ATTENTION[kind]

    def gate(rows: Tensor) -> Edit:
        return lambda output: output * rows[:, :, None, None].to(output.dtype)

    return {
        Site(attention.stack, layer, attention.block, "head_output"): gate(rows)
        for layer, rows in enumerate(table)
    }


@dataclass(frozen=True)
class Pass:
    """One pass over a source and a given translation of T tokens.

    `log_probabilities` (T, V) in nats: row t is what token t was chosen from, given the tokens before it alone, also where
    the pass itself sees later ones. `maps`: the weights of each attention kind, (L, H, T, S), by its key; a source that got
    padding has more keys than it has words.
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
        choices, places = self.before if which == "before" else self.after, list(self.choices)
        nats = np.zeros(len(self.written), dtype=np.float64)
        nats[places] = choices.log_probabilities[places, [self.written[position] for position in places]]
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
        raise InputError.tr("There is no translation to compare with; write at least one token.")
    edits.check(checkpoint.config, len(source), len(written))
    before = passed(checkpoint, source, written, Edits(), reference)
    patterns = {
        Site(kind.stack, layer, kind.block, "weights"): torch.from_numpy(maps)
        for key, kind in ATTENTION.items()
        for layer, maps in enumerate(before.maps.get(key, ()))
    }
    known = Reference(reference.means, patterns)
    after = before if not edits else passed(checkpoint, source, written, edits, known)
    unedited = _rewritten(checkpoint, source, Edits(), written, before, known)
    rewritten = unedited if not edits else _rewritten(checkpoint, source, edits, written, after, known)
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
    """One pass under `edits` that reads the start token and all of `written` but its last.

    Where the decoder sees later tokens, this pass has read the tokens that it scores, as decoding has not: there, each
    row of the log-probabilities is from a pass over its prefix.
    """
    model = checkpoint.model
    changed, ids = hook_edits(model, edits, len(source), reference), padded(model, source, edits)
    trace = trace_ids(checkpoint, ids, written, ("*.weights", LOGITS), changed)
    sees_later = edits.opens_future or not model.config.causal
    logits = prefix_logits(checkpoint, ids, written, changed) if sees_later else trace.array(LOGITS)
    maps = {
        key: trace.stacked(kind.stack, kind.block, "weights")
        for key, kind in ATTENTION.items()
        if model.config.layers(kind.stack)
    }
    return Pass(log_probabilities(logits).astype(np.float32), maps)


def prefix_logits(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], changed: Mapping[Site | str, Edit]
) -> np.ndarray:
    """The logits of each token of `written` from a pass over the tokens before it alone, (T, V)."""
    model, rows = checkpoint.model, []
    with torch.inference_mode():
        ids = torch.tensor([list(source)], device=checkpoint.device)
        memory = model.encode(ids, Hooks(edit=changed))
        for length in range(len(written)):
            inputs = torch.tensor([[model.config.bos_id, *written[:length]]], device=checkpoint.device)
            rows.append(model.decode(inputs, memory, ids, Hooks(edit=changed))[0, -1].float().cpu().numpy())
    return np.stack(rows)


def padded(model: Transformer, source: Sequence[int], edits: Edits) -> list[int]:
    """The source with the padding that the edits put behind it."""
    return [*source, *[model.config.source_padding] * edits.padding]


def _rewritten(
    checkpoint: Bundle,
    source: Sequence[int],
    edits: Edits,
    written: Sequence[int],
    over: Pass,
    reference: Reference,
) -> list[int]:
    """What greedy search writes under `edits`; `over`: the pass under them over `written`, which is not run again.

    Its rows say what is written up to the first token that is not in `written`, unless they have seen later tokens.
    """
    config, limit = checkpoint.config, step_limit(checkpoint.config, len(source))
    begun: list[int] = []
    if config.causal and not edits.opens_future:
        for step, (row, token) in enumerate(zip(over.log_probabilities, written, strict=True)):
            begun.append(greedy_token(row, config, step))
            if begun[-1] != token or _finished(checkpoint, begun, limit):
                break
    return (
        begun if _finished(checkpoint, begun, limit) else rewrite(checkpoint, source, edits, begun, reference)
    )


def rewrite(
    checkpoint: Bundle,
    source: Sequence[int],
    edits: Edits,
    guess: Sequence[int] = (),
    reference: Reference = NOTHING,
) -> list[int]:
    """What greedy search writes under `edits`, the end token included when it was written.

    Where later tokens cannot change earlier rows, one pass checks all of `guess` (a translation that is likely to be
    right, such as the unedited one) and is used as far as it agrees: the result does not depend on it.
    """
    model = checkpoint.model
    changed = hook_edits(model, edits, len(source), reference)
    ids, limit = padded(model, source, edits), step_limit(model.config, len(source))
    if names_no_target_row(edits):
        return greedy_by_steps(checkpoint, ids, changed, limit, guess)
    return _greedy_again(checkpoint, ids, changed, limit, [] if edits.opens_future else guess)


def greedy_by_steps(
    checkpoint: Bundle,
    source: Sequence[int],
    changed: Mapping[Site | str, Edit],
    limit: int,
    guess: Sequence[int] = (),
) -> list[int]:
    """What greedy search writes while `changed` is done at each pass, at most `limit` tokens, read with a cache.

    `changed` does the same to a row of the decoder whatever other rows are read with it.
    """
    config = checkpoint.config
    ahead = list(guess[:limit]) if config.causal else []
    if config.eos_id in ahead:
        ahead = ahead[: ahead.index(config.eos_id) + 1]
    path = Path(checkpoint.model, source, limit, edit=changed, prefix=ahead)
    agreed = 0
    while agreed < len(ahead) and greedy_token(path.rows[agreed].logits, config, agreed) == ahead[agreed]:
        agreed += 1
    while len(path.ids) > agreed:
        path.back()
    while path.pending is not None:
        path.write(greedy_token(path.pending.logits, config, len(path.ids)))
    return path.ids


def _greedy_again(
    checkpoint: Bundle,
    source: Sequence[int],
    changed: Mapping[Site | str, Edit],
    limit: int,
    guess: Sequence[int],
) -> list[int]:
    """The same where an edit names rows by their position: each step reads the whole prefix again."""
    model = checkpoint.model
    tail = list(guess) if model.config.causal else []  # without the mask a pass over a guess sees the guess
    written: list[int] = []
    with torch.inference_mode():
        ids = torch.tensor([list(source)], device=checkpoint.device)
        memory = model.encode(ids, Hooks(edit=changed))
        while not _finished(checkpoint, written, limit):
            ahead = tail[len(written) :] if tail[: len(written)] == written else []
            for token in _chosen(model, memory, ids, changed, written, ahead):
                written.append(token)
                if _finished(checkpoint, written, limit):
                    break
    return written


def _finished(checkpoint: Bundle, written: Sequence[int], limit: int) -> bool:
    return len(written) >= limit or list(written[-1:]) == [checkpoint.config.eos_id]


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

    totals: dict[Site, np.ndarray] = {}
    positions: dict[Site, int] = {}
    for text in sources:
        try:
            seen = trace(checkpoint, text, record=("*.head_output",))
        except AtlasError:
            continue
        for site, output in seen.records.items():  # (H, T, d_h)
            totals[site] = totals.get(site, 0.0) + output.sum(axis=1, dtype=np.float64)
            positions[site] = positions.get(site, 0) + output.shape[1]
    if not totals:
        raise InputError.tr("None of the reference sentences can be read; give at least one that can.")
    return {
        site: torch.from_numpy((total / positions[site]).astype(np.float32)) for site, total in totals.items()
    }


@dataclass(frozen=True)
class Why:
    """log p(word) − log p(other) at one step, and how far it falls, in nats, when a head or word is removed.

    A positive effect speaks for `word`. `heads` (L, H) a kind: the head gives zeros. `source` (S,): only the word
    itself looks at it. `prefix` (step,): no later row of the decoder looks at that input (the start token is
    number 0); the input that the step itself reads cannot be hidden, since its vector is what the step works on.
    """

    step: int
    word: int
    other: int
    log_odds: float
    heads: Mapping[Kind, np.ndarray]
    source: np.ndarray
    prefix: np.ndarray


def check_words(config: ModelConfig, word: int, other: int | None) -> None:
    """Raises `InputError` for a token that does not exist, and for a word held against itself."""
    size = config.target_vocab_size
    for token in (word, *(() if other is None else (other,))):
        if not 0 <= token < size:
            raise InputError.tr(
                "Token {token} does not exist; this vocabulary has tokens 0 to {value}.",
                token=token,
                value=size - 1,
            )
    if other == word:
        raise InputError.tr("Both words are the same; choose another one to compare it with.")


def why(model: Transformer, pair: Pair, step: int, other: int, batch: int = 32) -> Why:
    """Why token `step` of the pair's translation was written, and not `other`.

    Raises `InputError` for a step or token that does not exist, and for a word held against itself.
    """
    if not 0 <= step < len(pair.written):
        raise InputError(f"There is no step {step}; this translation has steps 0 to {len(pair.written) - 1}.")
    word = pair.written[step]
    check_words(model.config, word, other)
    heads = all_heads(model.config)
    variants = [
        Variant(),
        *(Variant(heads=frozenset({head})) for head in heads),
        *(Variant(source=frozenset({position})) for position in range(len(pair.source))),
        *(Variant(prefix=frozenset({position})) for position in range(step)),
    ]
    seen = Pair(pair.source, pair.written[: step + 1])  # later words cannot matter

    def odds(logs: Tensor) -> Tensor:
        return logs[:, step, word] - logs[:, step, other]

    odds_of = np.concatenate(list(run_variants(model, seen, variants, odds, batch))).astype(np.float64)
    effects = odds_of[0] - odds_of[1:]
    of_source = effects[len(heads) : len(heads) + len(pair.source)]
    tables = by_kind(model.config, dict(zip(heads, effects.tolist(), strict=False)))
    prefix = effects[len(heads) + len(pair.source) :]
    return Why(step, word, other, float(odds_of[0]), tables, of_source, prefix)


NEAREST: Final = 12
"""Partners that are tried; each takes a pass."""


def candidates(token: int, count: int) -> list[int]:
    """The tokens of a source of `count` that `token` is tried with: the nearest ones, its end token left out."""
    others = [other for other in range(count - 1) if other != token] or [
        other for other in range(count) if other != token
    ]
    return sorted(sorted(others, key=lambda other: abs(other - token))[:NEAREST])


def swap_costs(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], token: int
) -> dict[int, float]:
    """Log-probability of `written` when `token` swaps positions with each of its candidates, by candidate."""
    free = list(choices(checkpoint.config, written))
    ids = [written[position] for position in free]
    costs: dict[int, float] = {}
    for other in candidates(token, len(source)):
        edits = Edits((SwapPositions("source", *sorted((token, other))),))
        after = passed(checkpoint, source, written, edits)
        costs[other] = float(np.asarray(after.log_probabilities, dtype=np.float64)[free, ids].sum())
    return costs
