"""`core.check`: check a function or a module for the known mistakes.

    import core
    core.check.attention(my_attention)            # a function of q, k, v, masks or not, or a module with projections
    core.check.positional(my_table)               # fn(length, d_model) → (length, d_model), or a module
    core.check.mask(my_mask)                      # fn(length) or fn(tokens) → who may attend
    core.check.layer_norm(MyNorm(64))             # fn(x) → the same shape
    core.check.model(my_transformer)              # module(source, target) → logits
    core.check.attention(module, call=lambda m, x, mask: m(x, x, x, mask))

Each returns a `Verdict`, which is true when the code is correct and prints itself in words. A faulty one names what is
wrong, the pitfall (`core.learning.mistakes`) where there is one, and the example that shows it. An undecided one accuses
of nothing: the code could not be called, and the call to write is printed, or something could not be measured. Layouts,
polarities and formulas that are only different are not faults. What is handed over is called, never changed: modules
are copied first, and the copy gets seeded random weights where weights would hide a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

import torch
from torch import Tensor, nn

from core.learning import calling, check_layers
from core.learning.calling import Argument, Fn, Verdict, fails, passes, undecided
from core.learning.check_attention import RANDOM, attention, inside, relative
from core.learning.check_parts import layer_norm, mask, positional
from core.learning.probing import (
    BATCH,
    CELL,
    SOURCE,
    TARGET,
    Caller,
    Ids,
    Run,
    changed,
    kind_of,
    masked,
    projections,
    randomised,
)

__all__ = ["Verdict", "attention", "layer_norm", "mask", "model", "positional"]


def model(
    module: nn.Module,
    *,
    source_vocab: int | None = None,
    target_vocab: int | None = None,
    pad: int = 0,
    call: Fn | None = None,
) -> Verdict:
    """Whether a model of ids, (B, S) and (B, T) or (S, B) and (T, B) → logits, behaves as a Transformer should.

    Source, target and masks are recognised by the names of the arguments; without names the source comes first. Masks
    that the caller has to make are made, in every usual form. A model of one argument is a language model or an
    encoder. `call(module, source, target)` gives the logits where the module is called otherwise. Vocabulary sizes are
    read from the embeddings; `pad` is the id of padding on both sides. Weights are seeded random ones in a copy.

    The first thing that is wrong is reported; a choice that some models make (no √d_model, no positions, another
    placement of the norm) is not called a mistake. The verdict is undecided where no call works.
    """
    quiet = randomised(module)
    assert isinstance(quiet, nn.Module)
    fn = calling.bound(quiet, call)
    listed = calling.arguments(fn, ids=True)
    try:
        return _judged(quiet, fn, listed, (source_vocab, target_vocab), pad)
    except Exception as error:  # a user's code may raise anything, at any input
        return _stopped(listed, error)


def _stopped(listed: list[Argument], error: Exception) -> Verdict:
    reason = calling.error_line(error)
    if "ambiguous" in reason:
        return fails("mask-truth-value", reason)
    shown = "source, target" if any(each.role == "memory" for each in listed) else "target"
    return undecided(
        f"It could not be called with ids ({reason}). Write the call yourself, and give the vocabularies.",
        example=f"core.check.model(module, source_vocab=…, target_vocab=…, call=lambda m, {shown}: m({shown}))",
    )


# -- a model that can be called -----------------------------------------------------------------------------


def _callers(
    quiet: nn.Module, fn: Fn, listed: list[Argument], sizes: tuple[int | None, int | None], pad: int
) -> Iterator[Caller]:
    """Every layout and length."""
    tables = [part.num_embeddings for part in quiet.modules() if isinstance(part, nn.Embedding)]
    small = min((each for each in tables if each > 2), default=12)
    vocabulary = (sizes[0] or small, sizes[1] or small)
    fixed = calling.sizes_of(quiet, "sequence_length", "seq_len", "block_size", "max_length", "max_len")
    lengths = [(SOURCE, TARGET), (TARGET, TARGET), *((each, each) for each in fixed if 3 <= each <= 64)]
    for pair in dict.fromkeys(lengths):
        for turned in (False, True):
            yield Caller(fn, listed, vocabulary, pad, turned, pair)


def _judged(
    quiet: nn.Module, fn: Fn, listed: list[Argument], sizes: tuple[int | None, int | None], pad: int
) -> Verdict:
    leaking: Caller | None = None
    failed: Exception | None = None
    remarks: list[str] | None = None
    for caller in _callers(quiet, fn, listed, sizes, pad):
        caller = _with_needed(caller)
        try:
            moved = caller.moves(caller.ids())
        except Exception as error:  # the next way may work
            failed = failed or error
            if isinstance(error, ValueError) and f"({BATCH}, {SOURCE}, " in str(error) and not caller.turned:
                return fails("cross-qkv-swapped.logits", calling.error_line(error))
            continue
        run = partial(caller.run, caller.ids())
        first = run()
        if bool(first.moved(run()).any()):
            if first.dropped:
                return fails("dropout-in-evaluation", "two calls with the same input give different numbers")
            return undecided(RANDOM)
        if remarks is None:
            finding = _inside(quiet, check_layers.attentions(quiet, run, set(caller.lengths)))
            if isinstance(finding, Verdict):
                return finding
            remarks = finding
        if bool(moved[:, 1 - CELL].any()):
            leaking = leaking or caller
            continue
        return _behaviour(quiet, caller, moved[:, CELL], failed, remarks)
    if leaking is not None:
        return fails("batch-leak", "another token in sentence 1 moves the logits of sentence 0")
    return _stopped(listed, failed or ValueError("no known way to call it"))


def _with_needed(caller: Caller) -> Caller:
    """The caller with the first masks that work, for masks that a call must have; None is tried first."""
    needed = calling.masks_among(caller.arguments, required=True)
    for trial in [caller, *masked(caller, needed)] if needed else []:
        try:
            run = trial.run(trial.ids())
        except Exception:  # the next form may fit
            continue
        empty = any(bool((each.scores < -1e3).all(-1).any()) for each in run.softmaxes)
        if bool(run.out.isfinite().all()) and not empty:
            return trial
    return caller


# -- what it reacts to --------------------------------------------------------------------------------------


def _behaviour(
    quiet: nn.Module, caller: Caller, moved: Tensor, failed: Exception | None, remarks: list[str]
) -> Verdict:
    """`moved` (T, T) bool: target token i moves row j."""
    what = "A model of one sequence" if caller.alone else "An encoder-decoder"
    notes = [f"{what}, ids read as {'(tokens, batch)' if caller.turned else '(batch, tokens)'}."]
    if caller.lengths[0] == caller.lengths[1] == TARGET and failed is not None and not caller.alone:
        if bool(moved.tril(-1)[:, 0].any()):
            return fails("cross-qkv-swapped.leaks", calling.error_line(failed))
        notes.append("It stops where source and target differ in length.")
    finding = _future(quiet, caller, moved)
    if isinstance(finding, Verdict):
        return finding
    caller, moved, causal = finding
    notes.append(causal)
    later = moved.triu(1).any(1)[:-1]
    if not bool(later.all()):
        token = int((~later).nonzero()[0])
        return fails("prefix-ignored", f"another token {token} moves no row after it")
    for look in (_source, _source_padding, _layers):
        outcome = look(quiet, caller)
        if isinstance(outcome, Verdict):
            return outcome
        notes += outcome
    return passes(*notes, *remarks)


def _future(quiet: nn.Module, caller: Caller, moved: Tensor) -> Verdict | tuple[Caller, Tensor, str]:
    """Whether a later target token moves an earlier row; a caller with the masks that keep it from doing so, and what moves then."""
    early = moved.tril(-1)
    if not bool(early.any()):
        return caller, moved, "Causal."
    listed = calling.masks_among(caller.arguments, "mask")
    some = [each for each in listed if kind_of(each) == "causal"] or (listed if caller.alone else [])
    start, used, changes = caller.run(caller.ids()), False, False
    for trial in masked(caller, some):
        try:
            after = trial.run(trial.ids(), False)
            used = True
            changes |= bool(start.moved(after).any())
            if not bool(after.out.isnan().any()):
                under = trial.moves(trial.ids())[:, CELL]
                if not bool(under.tril(-1).any()):
                    return trial, under, "Causal under the mask that it is given."
        except Exception as error:  # the next form may fit
            if "ambiguous" in calling.error_line(error):
                return fails("mask-truth-value", calling.error_line(error))
    token, row = (int(n) for n in early.nonzero()[-1])
    example = f"replacing target token {token} moves the logits of step {row}, which may not know it"
    partly = _weakly(start, caller.lengths[1]) or not bool(early[-1, 0])
    if changes:
        return (
            caller,
            moved,
            "Whether its mask hides the future could not be decided: no usual form of it does.",
        )
    if some and not used and (caller.alone or any(each.name != "mask" for each in some)):
        return caller, moved, "Its masks could not be given, so the future was not checked."
    if caller.alone and not (some and used) and not partly and not _called_causal(quiet):
        return caller, moved, "Every position sees every other, as in an encoder."
    return fails("mask-leaks.model" if partly else "no-causal-mask.model", example)


def _called_causal(quiet: nn.Module) -> bool:
    """Whether a class is named after what writes from left to right."""
    names = " ".join(type(part).__name__.lower() for part in quiet.modules())
    return any(word in names for word in ("causal", "gpt", "decoder", "autoregressive"))


def _weakly(run: Run, length: int) -> bool:
    """Whether some map between target tokens hides a part of the future, or hides it not enough."""
    ahead = torch.ones(length, length, dtype=torch.bool).triu(1)
    for each in run.softmaxes:
        if each.scores.shape[-2:] != ahead.shape:
            continue
        future, past = each.scores[..., ahead], each.scores[..., ~ahead]
        hidden = future < -1e8
        if (bool(hidden.any()) and not bool(hidden.all())) or float(future.std()) < 1e-8 < float(past.std()):
            return True
    return False


def _source(quiet: nn.Module, caller: Caller) -> Verdict | list[str]:
    """Whether the logits depend on each token of their own source, and on no other source."""
    ids = caller.ids()
    if ids.source is None:
        return []
    start, silent = caller.run(ids), []
    if not bool(start.out.isfinite().all()):
        return ["Its logits are not finite, so whether it reads the source was not checked."]
    count = ids.source.shape[1]
    for position in range(count):
        other = ids.source.clone()
        other[CELL, position] = caller.other(other[CELL, position], 0)
        moved = start.moved(caller.run(replace(ids, source=other), False))
        if bool(moved[1 - CELL].any()):
            return fails("batch-leak", "another source in sentence 1 moves the logits of sentence 0")
        silent += [] if bool(moved.any()) else [position]
    if len(silent) == count:
        return fails("source-ignored", "another token at every place of the source changes nothing")
    if silent:
        return fails(
            "source-partly", f"another token at place {silent[0]} of {count} of the source changes nothing"
        )
    scores = [each.scores for each in start.softmaxes if each.scores.dim() >= 3]
    over_source = [each for each in scores if each.shape[-2:] == (caller.lengths[1], count)]
    if any(each.shape[-1] == 1 for each in scores) or (
        over_source and all(float((each - each[..., :1]).abs().max()) < 1e-6 for each in over_source)
    ):
        return fails(
            "source-partly", f"a source of {count} tokens has one state that can be told from others"
        )
    return []


def _source_padding(quiet: nn.Module, caller: Caller) -> Verdict | list[str]:
    """Padding after a source may change nothing."""
    ids, (count, target) = caller.ids(), caller.lengths
    if ids.source is None:
        return []
    longer = caller.ids((count + 2, target)).source
    assert longer is not None
    longer[0, -2:] = caller.pad
    padded = replace(ids, source=longer)
    of_source = [each for each in calling.masks_among(caller.arguments) if kind_of(each) == "source"]
    subsets = (calling.masks_among(of_source, "padding"), calling.masks_among(of_source, "mask"), of_source)
    partly = ""
    for trial in [caller, *(each for some in subsets for each in masked(caller, some))]:
        try:
            short, run = trial.run(ids), trial.run(padded)
        except Exception:  # the next form may fit, or the length is fixed
            continue
        if bool(run.out.isnan().any()):
            continue
        moved = changed(short.out[0], run.out[0])
        moved[..., caller.pad] = False
        if not bool(moved.any()):
            return []
        maps = [each.weights for each in run.softmaxes if each.weights.dim() >= 3]
        hides = [_hides_last_two(each) for each in maps if each.shape[-1] == count + 2]
        if any(hides) and not all(hides):
            partly = f"{hides.count(False)} of {len(hides)} attention maps over the source see it"
    if partly or _knows_padding(quiet, caller, padded, of_source):
        return fails(
            "source-padding", f"two <pad> after a source change its logits{': ' + partly if partly else ''}"
        )
    return ["Nothing hides padding of the source: batches must be of one length."]


def _hides_last_two(weights: Tensor) -> bool:
    """Whether the first sentence gives no weight to the last two keys; (B, …, T, S) or (…·B, T, S)."""
    first = weights[0] if weights.shape[0] == BATCH else weights.reshape(-1, BATCH, *weights.shape[-2:])[:, 0]
    return bool(first[..., -2:].max() < 1e-9)


def _knows_padding(quiet: nn.Module, caller: Caller, padded: Ids, masks: list[Argument]) -> bool:
    """Whether a model says by a name, or by what it does, that this id is padding, or takes a mask for it.

    By what it does: <pad> and a word of the same embedding make a difference.
    """
    named = (
        name
        for part in quiet.modules()
        for name, value in vars(part).items()
        if value is not None and not name.startswith("_")
    )
    if masks or any("pad" in name.lower() for name in named):
        return True
    source = padded.source
    assert source is not None
    word = caller.other(torch.tensor(caller.pad), 0)
    target = padded.target.clone()
    target[0, -1] = caller.pad
    padded = replace(padded, target=target)
    instead = Ids(*(each.masked_fill(each == caller.pad, word) for each in (source, target)))
    kept = [each.detach().clone() for each in quiet.parameters()]
    with torch.no_grad():
        for each in quiet.parameters():
            if each.dim() == 2 and each.shape[0] >= min(caller.vocabulary):
                each[caller.pad] = each[word]
    try:
        return bool(changed(caller.run(padded, False).out[0], caller.run(instead, False).out[0]).any())
    except Exception:  # a model may refuse a sentence without padding
        return False
    finally:
        with torch.no_grad():
            for each, values in zip(quiet.parameters(), kept, strict=True):
                each.copy_(values)


def _layers(quiet: nn.Module, caller: Caller) -> Verdict | list[str]:
    """Residual paths, layers that reach nothing or are one, positions, and where dropout is applied."""
    ids = caller.ids()
    run = partial(caller.run, ids, False)
    flipped = Ids(None if ids.source is None else ids.source.flip(0), ids.target.flip(0))
    if bool(changed(run().out, caller.run(flipped, False).out.flip(0)).any()):
        return fails("batch-order", "two sentences that change places get other logits")
    target = ids.target.clone()
    target[CELL, 0] = caller.other(target[CELL, 0], 1)
    other = partial(caller.run, replace(ids, target=target), False)
    ends = (run, other)
    if ids.source is not None:
        source = ids.source.clone()
        source[CELL, 0] = caller.other(source[CELL, 0], 0)
        ends = (run, partial(caller.run, replace(ids, source=source), False))
    for found in (
        check_layers.shared(quiet),
        check_layers.idle(quiet, run),
        check_layers.positions_twice(quiet, run),
    ):
        if found is not None:
            return found
    around = check_layers.layers(
        quiet, check_layers.attentions(quiet, partial(caller.run, ids), set(caller.lengths))
    )
    for name, part in around.items():
        one, two = (run, other) if check_layers.reads(part, run, other) else ends
        passed = partial(_differ, one, two)
        verdict = check_layers.residual(name, part, passed)
        if verdict is not None:
            return verdict
    return list(check_layers.dropout(quiet, run))


def _differ(one: Callable[[], Run], two: Callable[[], Run]) -> bool:
    return bool(one().moved(two()).any())


# -- its parts ----------------------------------------------------------------------------------------------


def _called_attention(part: nn.Module) -> bool:
    """Whether a part with projections is called attention, and none inside it."""
    called = ["att" in type(each).__name__.lower() for each in part.modules()]
    return called[0] and not any(called[1:]) and len(projections(part)) >= 2


def _inside(module: nn.Module, found: dict[str, nn.Module]) -> Verdict | list[str]:
    """The verdict on the first part with a mistake that a part shows by itself, else the remarks on parts."""
    remarks: list[str] = []
    for name, verdict in _parts(module, found):
        if verdict.outcome == "faulty" and (verdict.pitfall or verdict.fault in _TELLING):
            if verdict.fault == "no-scale" and relative(module):
                continue
            return replace(verdict, message=f"{name}: {verdict.message}")
        remarks += verdict.remarks
    return remarks


_TELLING: Final = (
    "softmax-axis",
    "values-from-keys",
    "unused-projection",
    "scale-by-tokens",
    "no-scale",
    "scale-without-root",
    "norm-axis",
    "no-epsilon",
)


def _parts(module: nn.Module, found: dict[str, nn.Module]) -> Iterator[tuple[str, Verdict]]:
    named = {name: part for name, part in module.named_modules() if name and _called_attention(part)}
    yield from inside({name: part for name, part in {**named, **found}.items() if name})
    seen: set[type] = set()
    for name, part in module.named_modules():
        if type(part) in seen or not name:
            continue
        seen.add(type(part))
        if check_layers.is_norm(part) and not isinstance(part, nn.LayerNorm):
            yield name, layer_norm(part)
        elif "position" in type(part).__name__.lower() and not any(True for _ in part.parameters()):
            yield name, positional(part)
