"""The check of a whole encoder-decoder: what its logits react to, and each of its norms, attentions and tables."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.learning import calling
from core.learning.check_attention import attention
from core.learning.check_parts import layer_norm, positional
from core.learning.verdict import Verdict, fails, passes

LENGTH = 6
MOVED = 1e-5
Run = Callable[[nn.Module, Tensor, Tensor], Tensor]


def model(
    module: nn.Module,
    *,
    source_vocab: int | None = None,
    target_vocab: int | None = None,
    pad: int = 0,
    call: Run | None = None,
) -> Verdict:
    """Whether `module(source, target)`, ids (B, S) and (B, T) → logits (B, T, V), keeps to what a Transformer promises.

    `call(module, source, target)` gives the logits where the module is called otherwise. Vocabulary sizes are read from
    its embeddings. The first thing that is wrong is told; a choice of formula that some models make (no √d_model, no
    positions, another placement of the norm) is not called a mistake.
    """
    quiet = calling.quiet_copy(module)
    assert isinstance(quiet, nn.Module)
    tables = [part for part in quiet.modules() if isinstance(part, nn.Embedding)]
    sizes = [part.num_embeddings for part in tables]
    vocabulary = (source_vocab or min(sizes, default=12), target_vocab or min(sizes, default=12))
    run = call or _run
    for look in (_inside, _lengths, _future, _padding, _empty_source, _dropout):
        try:
            verdict = look(quiet, run, vocabulary, pad)
        except Exception as error:  # whatever somebody's code may raise belongs to the verdict
            told = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            if "ambiguous" in told:
                return fails("mask-truth-value", "A mask is asked whether it is true.", told)
            return fails("", "Called with ids of shape (2, 6) and (2, 6) it stops.", told)
        if verdict is not None:
            return verdict
    return passes("An encoder-decoder: causal, its padding hidden, its parts as the paper has them.")


def _run(module: nn.Module, source: Tensor, target: Tensor) -> Tensor:
    return calling.tensors(module(source, target))[0].detach().float()


def _ids(rows: int, length: int, vocabulary: int, seed: int, pad: int) -> Tensor:
    """Ids of real tokens."""
    drawn = torch.randint(
        1, max(2, vocabulary), (rows, length), generator=torch.Generator().manual_seed(seed)
    )
    return (
        drawn
        if pad == 0
        else torch.where(drawn == pad, torch.full_like(drawn, (pad + 1) % vocabulary), drawn)
    )


def _pair(
    vocabulary: tuple[int, int], pad: int, sizes: tuple[int, int] = (LENGTH, LENGTH)
) -> tuple[Tensor, Tensor]:
    return tuple(
        _ids(2, size, count, 3 + place, pad)
        for place, (size, count) in enumerate(zip(sizes, vocabulary, strict=True))
    )  # type: ignore[return-value]


def _other(token: Tensor, vocabulary: int, pad: int) -> int:
    return next(each for each in range(1, vocabulary) if each not in (int(token), pad))


# -- what it reacts to --------------------------------------------------------------------------------------


def _lengths(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> Verdict | None:
    source, target = _pair(vocabulary, pad, (LENGTH + 2, LENGTH))
    try:
        out = run(module, source, target)
    except RuntimeError as error:
        if _swapped(module, run, vocabulary, pad):
            told = str(error).splitlines()[0][:200]
            return fails(
                "cross-qkv-swapped",
                "It stops where source and target differ in length, and leaks where they do not.",
                told,
            )
        raise
    if out.shape[1] == LENGTH + 2:
        example = f"source {tuple(source.shape)}, target {tuple(target.shape)} → {tuple(out.shape)}"
        return fails("cross-qkv-swapped", "The output has a row for each source token.", example)
    return None


def _swapped(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> bool:
    return bool(_moves(module, run, *_pair(vocabulary, pad), vocabulary[1], pad)[:, 0].any())


def _moves(module: nn.Module, run: Run, source: Tensor, target: Tensor, vocabulary: int, pad: int) -> Tensor:
    """(T, T): does row j of the logits move when target token i is replaced?"""
    start, length = run(module, source, target), target.shape[1]
    found = torch.zeros(length, length, dtype=torch.bool)
    for place in range(1, length):
        changed = target.clone()
        changed[0, place] = _other(target[0, place], vocabulary, pad)
        found[place] = (run(module, source, changed)[0] - start[0]).abs().amax(-1) > MOVED
    return found


def _future(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> Verdict | None:
    moved = _moves(module, run, *_pair(vocabulary, pad), vocabulary[1], pad)
    early = moved.tril(-1)
    if not bool(early.any()):
        return None
    place, row = (int(n) for n in early.nonzero()[-1])
    example = f"replacing target token {place} moves the logits of step {row}, which may not know it"
    if _weakly(module, run, vocabulary, pad):
        return fails("mask-leaks", "The causal mask is there and lets some weight through.", example)
    return fails("no-causal-mask", "The decoder sees its own future.", example)


class _Scores(TorchFunctionMode):
    """What this thread gives to a softmax over square maps while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        first = args[0] if args and getattr(func, "__name__", "") == "softmax" else None
        if isinstance(first, Tensor) and first.shape[-2:] == (LENGTH, LENGTH):
            self.found.append(first.detach())
        return func(*args, **(kwargs or {}))


def _weakly(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> bool:
    """Whether some softmax over a square map has a mask that hides a part of the future, or hides it not enough."""
    with _Scores() as scores:
        run(module, *_pair(vocabulary, pad))
    ahead = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    for each in scores.found:
        future, past = each[..., ahead], each[..., ~ahead]
        hidden = future < -1e8
        if (bool(hidden.any()) and not bool(hidden.all())) or float(future.std()) < 1e-8 < float(past.std()):
            return True
    return False


def _reads(module: nn.Module, run: Run, source: Tensor, target: Tensor) -> dict[str, list[str]]:
    """The names of the embeddings that read the source's ids, and of those that read the target's."""
    found: dict[str, list[str]] = {"source": [], "target": []}

    def watch(name: str) -> Callable[..., None]:
        def hook(part: nn.Module, given: Any, out: Any) -> None:
            for side, ids in (("source", source), ("target", target)):
                if (
                    given
                    and isinstance(given[0], Tensor)
                    and given[0].shape == ids.shape
                    and bool((given[0] == ids).all())
                ):
                    found[side].append(name)

        return hook

    parts = [(name, part) for name, part in module.named_modules() if isinstance(part, nn.Embedding)]
    handles = [part.register_forward_hook(watch(name)) for name, part in parts]
    try:
        run(module, source, target)
    finally:
        for handle in handles:
            handle.remove()
    return found


def _noisy_padding(module: nn.Module, pad: int, tables: list[str]) -> nn.Module:
    """A copy whose embeddings of padding are other ones in these tables."""
    twin = copy.deepcopy(module)
    with torch.no_grad():
        for name in tables:
            table = twin.get_submodule(name)
            assert isinstance(table, nn.Embedding)
            table.weight[pad] += 3.0
    return twin


def _padding(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> Verdict | None:
    if not any(isinstance(part, nn.Embedding) for part in module.modules()):
        return None
    source, target = _pair(vocabulary, pad)
    source, target = source.clone(), target.clone()
    source[0, -2:] = pad
    tables = _reads(module, run, source, target)
    start = run(module, source, target)
    rest = [n for n in range(start.shape[-1]) if n != pad]
    after = run(_noisy_padding(module, pad, tables["source"]), source, target)
    if bool(((after - start)[0][..., rest].abs() > MOVED).any()):
        return fails(
            "",
            "Padding of the source is attended to: other numbers for <pad> give other logits.",
            "a source that ends in <pad>",
        )
    source, target = _pair(vocabulary, pad)
    target = target.clone()
    target[0, 2] = pad
    start, after = (
        run(each, source, target) for each in (module, _noisy_padding(module, pad, tables["target"]))
    )
    if bool(((after - start)[0, 3:][..., rest].abs() > MOVED).any()):
        return fails(
            "target-padding-unmasked",
            "Padding of the target is attended to: other numbers for <pad> give other logits in the rows after it.",
            f"a target with <pad> at place 2 of {LENGTH}",
        )
    return None


def _empty_source(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> Verdict | None:
    source, target = _pair(vocabulary, pad)
    source = source.clone()
    source[0] = pad
    if bool(run(module, source, target).isnan().any()):
        return fails(
            "masked-row-nan",
            "A sentence of padding alone makes NaN.",
            "a batch whose first source is <pad> throughout",
        )
    return None


def _dropout(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> Verdict | None:
    """Dropout that is given what a norm has just given, in more places than at the embeddings."""
    normed: set[int] = set()
    kept: list[Tensor] = []  # so that no address is used twice
    hits: list[str] = []

    def after(name: str) -> Callable[..., None]:
        def hook(part: nn.Module, given: Any, out: Any) -> None:
            if isinstance(part, nn.Dropout):
                hits.extend([name] if given and id(given[0]) in normed and part.p > 0 else [])
            elif isinstance(out, Tensor):
                normed.add(id(out))
                kept.append(out)

        return hook

    parts = [
        (name, part)
        for name, part in module.named_modules()
        if isinstance(part, nn.Dropout) or _is_norm(part)
    ]
    handles = [part.register_forward_hook(after(name)) for name, part in parts]
    try:
        module.train()
        with torch.random.fork_rng(devices=[]):
            run(module, *_pair(vocabulary, pad))
    finally:
        module.eval()
        for handle in handles:
            handle.remove()
    if len(hits) > 2:  # some models normalise and drop the embeddings of each side, which is no fault
        return fails(
            "dropout-after-norm",
            "Dropout is applied to what the norms give, which is the residual stream.",
            f"{hits[-1]}, {len(hits)} times in one pass",
        )
    return None


# -- its parts ----------------------------------------------------------------------------------------------


def _is_norm(part: nn.Module) -> bool:
    leaf = not any(True for _ in part.children())
    return leaf and "norm" in type(part).__name__.lower()


def _is_attention(part: nn.Module) -> bool:
    linears = sum(isinstance(each, nn.Linear) for each in part.children())
    return linears >= 2 and "attention" in type(part).__name__.lower()


def _parts(module: nn.Module) -> Iterator[tuple[str, Verdict]]:
    seen: set[type] = set()
    for name, part in module.named_modules():
        if type(part) in seen:
            continue
        if _is_norm(part) and not isinstance(part, nn.LayerNorm):
            seen.add(type(part))
            yield name, layer_norm(part)
        elif _is_attention(part):
            seen.add(type(part))
            yield name, attention(part)
        elif "position" in type(part).__name__.lower() and not any(True for _ in part.parameters()):
            seen.add(type(part))
            yield name, positional(part)


def _inside(module: nn.Module, run: Run, vocabulary: tuple[int, int], pad: int) -> Verdict | None:
    """The first part that matches a pitfall; what a part alone cannot be called with is no verdict on it."""
    for name, verdict in _parts(module):
        if not verdict and verdict.pitfall:
            return fails(verdict.pitfall, f"{name}: {verdict.said}", verdict.example)
    return None
