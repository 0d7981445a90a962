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

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.learning import calling
from core.learning.calling import Argument, Fn, Verdict, fails, passes, undecided
from core.learning.check_attention import RANDOM, attention
from core.learning.check_parts import layer_norm, mask, positional
from core.learning.probing import (
    BATCH,
    CELL,
    SOURCE,
    TARGET,
    Caller,
    Run,
    changed,
    kind_of,
    masked,
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
    """Whether a model of ids, (B, S) and (B, T) or (S, B) and (T, B) → logits, keeps to what a Transformer promises.

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
        if (inner := _inside(quiet)) is not None:
            return inner
        return _judged(quiet, fn, listed, (source_vocab, target_vocab), pad)
    except Exception as error:  # somebody's code may raise anything, and at any input
        return _stopped(listed, error)


def _stopped(listed: list[Argument], error: Exception) -> Verdict:
    reason = calling.error_line(error)
    if "ambiguous" in reason:
        return fails("mask-truth-value", reason)
    shown = "source, target" if any(each.role == "memory" for each in listed) else "target"
    return undecided(
        f"It could not be called with ids ({reason}). Write the call yourself, and give the vocabularies.",
        f"core.check.model(module, source_vocab=…, target_vocab=…, call=lambda m, {shown}: m({shown}))",
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
    for caller in _callers(quiet, fn, listed, sizes, pad):
        caller = _with_needed(caller)
        try:
            moved = caller.moves(caller.ids())
        except Exception as error:  # the next way may work
            failed = failed or error
            if isinstance(error, ValueError) and f"({BATCH}, {SOURCE}, " in str(error) and not caller.turned:
                return fails("cross-qkv-swapped.logits", calling.error_line(error))
            continue
        if bool(caller.run(caller.ids()).moved(caller.run(caller.ids())).any()):
            return undecided(RANDOM)
        if bool(moved[:, 1 - CELL].any()):
            leaking = leaking or caller
            continue
        return _behaviour(quiet, caller, failed)
    if leaking is not None:
        return fails("batch-leak", "another token in sentence 1 moves the logits of sentence 0")
    return _stopped(listed, failed or ValueError("no known way to call it"))


def _with_needed(caller: Caller) -> Caller:
    """The caller with the first masks that work, for masks that a call must have; None is tried first."""
    needed = calling.masks_among(caller.arguments, required=True)
    for trial in [caller, *masked(caller, needed)] if needed else []:
        try:
            out = trial.run(trial.ids()).out
        except Exception:  # the next form may fit
            continue
        if bool(out.isfinite().all()):
            return trial
    return caller


# -- what it reacts to --------------------------------------------------------------------------------------


def _behaviour(quiet: nn.Module, caller: Caller, failed: Exception | None) -> Verdict:
    notes: list[str] = []
    if caller.lengths[0] == caller.lengths[1] == TARGET and failed is not None and not caller.alone:
        if bool(caller.moves(caller.ids())[:, CELL].tril(-1)[:, 0].any()):
            return fails("cross-qkv-swapped.leaks", calling.error_line(failed))
        notes.append("It stops where source and target differ in length.")
    finding = _future(caller)
    if isinstance(finding, Verdict):
        return finding
    caller, causal = finding
    notes += causal
    for look in (_source, _source_padding):
        outcome = look(quiet, caller)
        if isinstance(outcome, Verdict):
            return outcome
        notes += outcome
    knows = _has_pad(quiet) if caller.alone else _NO_PADDING not in notes
    for inner in (
        _target_padding(quiet, caller) if knows else None,
        _empty_source(quiet, caller) if knows else None,
        _dropout(quiet, caller),
    ):
        if inner is not None:
            return inner
    what = "A model of one sequence" if caller.alone else "An encoder-decoder"
    return passes(
        " ".join(
            [f"{what}, ids read as {'(tokens, batch)' if caller.turned else '(batch, tokens)'}.", *notes]
        )
    )


def _future(caller: Caller) -> Verdict | tuple[Caller, list[str]]:
    """Whether a later target token moves an earlier row; a caller with the masks that keep it from doing so."""
    early = _early(caller)
    if not bool(early.any()):
        return caller, ["Causal."]
    listed = calling.masks_among(caller.arguments, "mask")
    some = [each for each in listed if kind_of(each) == "causal"] or (listed if caller.alone else [])
    start, used, changes = caller.run(caller.ids()), False, False
    for trial in masked(caller, some):
        try:
            after = trial.run(trial.ids())
            used = True
            changes |= bool(start.moved(after).any())
            if not bool(after.out.isnan().any()) and not bool(_early(trial).any()):
                return trial, ["Causal under the mask that it is given."]
        except Exception as error:  # the next form may fit
            if "ambiguous" in calling.error_line(error):
                return fails("mask-truth-value", calling.error_line(error))
    token, row = (int(n) for n in early.nonzero()[-1])
    example = f"replacing target token {token} moves the logits of step {row}, which may not know it"
    if changes:
        return caller, ["Whether its mask hides the future could not be decided: no usual form of it does."]
    if caller.alone and not (some and used):
        return caller, ["Every position sees every other, as in an encoder."]
    if some and not used:
        return caller, ["Its masks could not be given, so the future was not checked."]
    if _weakly(start, caller.lengths[1]):
        return fails("mask-leaks.model", example)
    return fails("no-causal-mask.model", example)


def _early(caller: Caller) -> Tensor:
    """(T, T) bool: token i moves row j < i."""
    return caller.moves(caller.ids())[:, CELL].tril(-1)


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
    ids = caller.ids()
    if ids.source is None:
        return []
    other = ids.source.clone()
    for position in range(other.shape[1]):
        other[CELL, position] = caller.other(other[CELL, position], 0)
    moved = caller.run(ids).moved(caller.run(replace(ids, source=other)))
    if bool(moved[1 - CELL].any()):
        return fails("batch-leak", "another source in sentence 1 moves the logits of sentence 0")
    if not bool(caller.run(ids).out.isfinite().all()):
        return ["Its logits are not finite, so whether it reads the source was not checked."]
    if not bool(moved.any()):
        return fails("source-ignored", "another token at every place of the source changes nothing")
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
    if partly or _has_pad(quiet):
        return fails(
            "source-padding", f"two <pad> after a source change its logits{': ' + partly if partly else ''}"
        )
    return [_NO_PADDING]


def _hides_last_two(weights: Tensor) -> bool:
    """Whether the first sentence gives no weight to the last two keys; (B, …, T, S) or (…·B, T, S)."""
    first = weights[0] if weights.shape[0] == BATCH else weights.reshape(-1, BATCH, *weights.shape[-2:])[:, 0]
    return bool(first[..., -2:].max() < 1e-9)


_NO_PADDING: Final = "Nothing hides padding of the source: batches must be of one length."


def _has_pad(quiet: nn.Module) -> bool:
    """Whether the model has something of its own called after padding; what an embedding is given does not count."""
    return any(
        "pad" in name.lower()
        for part in quiet.modules()
        for name, value in vars(part).items()
        if value is not None and name != "padding_idx" and not name.startswith("_")
    )


def _target_padding(quiet: nn.Module, caller: Caller) -> Verdict | None:
    """Padding among the target's tokens may change no later row, where the model makes its own masks."""
    tables = _target_tables(quiet, caller)
    if not tables or caller.masks or caller.lengths[1] < 5 or bool(_early(caller).any()):
        return None
    ids = caller.ids()
    target = ids.target.clone()
    target[CELL, 2] = caller.pad
    ids = replace(ids, target=target)
    rest = [n for n in range(caller.run(ids).out.shape[-1]) if n != caller.pad]
    start = caller.run(ids)
    with torch.no_grad():
        for each in tables:
            each.weight[caller.pad] += 3.0
    after = caller.run(ids)
    with torch.no_grad():
        for each in tables:
            each.weight[caller.pad] -= 3.0
    if bool(changed(start.out, after.out)[CELL, 3:][..., rest].any()):
        return fails(
            "target-padding-unmasked.model", f"a target with <pad> at place 2 of {caller.lengths[1]}"
        )
    return None


def _target_tables(quiet: nn.Module, caller: Caller) -> list[nn.Embedding]:
    """The embeddings that read the target's ids."""
    ids, tables = caller.ids(), dict[int, nn.Embedding]()
    wanted = ids.target.T if caller.turned else ids.target

    def hook(part: nn.Module, given: Any, out: Any) -> None:
        if (
            isinstance(part, nn.Embedding)
            and given
            and isinstance(given[0], Tensor)
            and torch.equal(given[0].reshape(-1), wanted.reshape(-1))
        ):
            tables[id(part)] = part

    with _hooks([part for part in quiet.modules() if isinstance(part, nn.Embedding)], hook):
        caller.run(ids)
    return list(tables.values())


@contextmanager
def _hooks(parts: Iterable[nn.Module], hook: Callable[[nn.Module, Any, Any], None]) -> Iterator[None]:
    """Forward hooks while a block runs."""
    handles = [part.register_forward_hook(hook) for part in parts]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _empty_source(quiet: nn.Module, caller: Caller) -> Verdict | None:
    """A source of padding only. torch's own attention is not judged by it."""
    ids = caller.ids()
    own = any(isinstance(each, nn.MultiheadAttention) for each in quiet.modules())
    if ids.source is None or caller.masks or own:
        return None
    source = ids.source.clone()
    source[0] = caller.pad
    if bool(caller.run(replace(ids, source=source)).out.isnan().any()):
        return fails("masked-row-nan.model", "a batch whose first source is <pad> throughout")
    return None


def _dropout(quiet: nn.Module, caller: Caller) -> Verdict | None:
    """Dropout that is given what a norm has just given, in more places than at the embeddings."""
    normed: set[int] = set()
    kept: list[Tensor] = []  # so that no address is used twice
    hits: list[str] = []
    names = {part: name for name, part in quiet.named_modules()}

    def hook(part: nn.Module, given: Any, out: Any) -> None:
        if isinstance(part, nn.Dropout):
            hits.extend([names[part]] if given and id(given[0]) in normed and part.p > 0 else [])
        elif isinstance(out, Tensor):
            normed.add(id(out))
            kept.append(out)

    parts = [part for part in quiet.modules() if isinstance(part, nn.Dropout) or _is_norm(part)]
    quiet.train()
    try:
        with _hooks(parts, hook), torch.random.fork_rng(devices=[]):
            caller.run(caller.ids())
    finally:
        quiet.eval()
    if len(hits) > 2:  # some models normalise and drop the embeddings of each side, which is no fault
        return fails("dropout-after-norm", f"{hits[-1]}, {len(hits)} times in one pass")
    return None


# -- its parts ----------------------------------------------------------------------------------------------


def _is_norm(part: nn.Module) -> bool:
    leaf = not any(True for _ in part.children())
    return leaf and "norm" in type(part).__name__.lower()


def _is_attention(part: nn.Module) -> bool:
    name = type(part).__name__.lower()
    linears = sum(isinstance(each, nn.Linear) for each in part.modules())
    return (
        linears >= 2
        and ("attention" in name or "attn" in name)
        and not isinstance(part, nn.MultiheadAttention)
    )


def _parts(module: nn.Module) -> Iterator[tuple[str, Verdict]]:
    seen: set[type] = set()
    for name, part in module.named_modules():
        if type(part) in seen or not name:
            continue
        if _is_norm(part) and not isinstance(part, nn.LayerNorm):
            seen.add(type(part))
            yield name, layer_norm(part)
        elif _is_attention(part) and not any(
            _is_attention(each) for each in part.modules() if each is not part
        ):
            seen.add(type(part))
            yield name, attention(part)
        elif "position" in type(part).__name__.lower() and not any(True for _ in part.parameters()):
            seen.add(type(part))
            yield name, positional(part)


def _inside(module: nn.Module) -> Verdict | None:
    """The verdict on the first part with a mistake that a part shows by itself."""
    telling = ("softmax-axis", "values-from-keys", "unused-projection", "scale-by-tokens", "groups-mixed")
    for name, verdict in _parts(module):
        if verdict.outcome == "faulty" and (verdict.pitfall or verdict.fault in telling):
            return replace(verdict, message=f"{name}: {verdict.message}")
    return None
