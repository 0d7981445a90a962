"""Find by trying how to call a user's own module: its forward pass may be written in any way.

The ids go in by the names of the arguments, in either order, in one tuple or mapping, as rows, as columns or one sentence at a
time; the masks as attention masks, or with True at the padding or at what is kept. What gives logits for every position is a
candidate, and the comparison of maps and logits decides between those.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import torch
from torch import Tensor, nn

from core.errors import InputError
from core.importing.originals import full_precision, readings, shapes
from core.importing.recorded_maps import Layers, RecordedMaps

Outputs = Mapping[str, Any]
"""Logits (B, T, V) as "logits", or a list of ways to read them, and the maps of each kind of `ATTENTION`, (L, B, H, T, S)."""

Masks = Literal["named", "keep", "padding", "keep with heads", "keep with queries"]
"""What a mask is: by its name (padding where that says so, else (T, T) of attention), or of padding: True at what is kept or at
the padding, (B, S); True at what is kept, with the causal mask, (B, 1, T, S) for all heads or (B, T, S).
"""
_TARGET: Final = re.compile(r"tgt|trg|target|(?<![a-z])(dec|out)|labels|^y\b", re.I)
_SOURCE: Final = re.compile(r"src|source|(?<![a-z])enc", re.I)
_NAMES: Final = (
    ("src", "tgt"),
    ("src", "trg"),
    ("source", "target"),
    ("input_ids", "decoder_input_ids"),
    ("x", "y"),
)
_LENGTHS: Final = (7, 4, 5)  # tokens of the sentences on which a way is tried
_MOST_WAYS: Final = 4


@dataclass(frozen=True)
class Way:
    """One way to hand over a batch."""

    ids: tuple[str, str] | None = None  # the names of (source, target) by keyword; None: by position
    swapped: bool = False  # the target comes first
    packed: type | None = None  # both in one tuple or mapping
    masks: Masks = "named"
    rows: bool = True  # sentences are rows, not columns
    alone: bool = False  # without a batch axis, one sentence at a time
    longer: bool = False  # with one more token at the end, for a module that drops the last one itself


def calls(
    model: nn.Module, layers: Layers, vocabulary: tuple[int, int], batch_first: bool = True
) -> list[Run]:
    """The ways to call `model` that give logits for every position, at most `_MOST_WAYS`, the likeliest first.

    `layers`: how many of its layers have each kind of attention. `vocabulary`: tokens of the source and the target. Raises
    InputError with one sentence where there is none.
    """
    model = _in_one_pass(model)
    names = _arguments(model)
    generator = torch.Generator().manual_seed(0)
    device = next(model.parameters()).device
    rows = (torch.arange(max(_LENGTHS))[None] < torch.tensor(_LENGTHS)[:, None]).to(device)
    source, target = (
        # Without the first ids and the last: where padding usually is, which a module may look for itself.
        torch.randint(min(4, size - 1), max(size - 1, 5), (len(_LENGTHS), width), generator=generator)
        .clamp(max=size - 1)
        .to(device)
        for size, width in zip(vocabulary, (max(_LENGTHS), max(_LENGTHS) - 1), strict=True)
    )
    batch = (source, target, rows, rows[:, :-1])
    found: list[Run] = []
    failure, returned = "", ""
    for way in _ways(model, names, batch_first):
        run = Run(model, layers, tuple(names), way)
        try:
            with torch.inference_mode(), full_precision(device):
                result = run(
                    *(batch if run.takes_padding else (*batch[:2], *map(torch.ones_like, batch[2:])))
                )
        except _UnreadableError as error:
            returned = returned or str(error)
            continue
        except InputError as error:
            failure = failure or str(error)
            continue
        if _finite(result, batch[3] if run.takes_padding else torch.ones_like(batch[3])):
            found.append(run)
            if len(found) == _MOST_WAYS:
                break
    if not found:
        raise InputError(
            f"{type(model).__name__}.forward returns {returned} for ids {tuple(target.shape)}; give a module that returns the "
            "logits of every target position."
            if returned
            else f"{type(model).__name__}.forward could not be called with ids and masks ({failure}); name its arguments as "
            "PyTorch's translation tutorial does."
        )
    return found


class _InOnePass(nn.Module):
    """A module that encodes, decodes and projects by methods of their own, with a forward pass that calls them in turn."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Any:
        encode = list(inspect.signature(self.model.encode).parameters)
        states = self.model.encode(*(src_mask if _is_mask(name) else src for name in encode))

        def given(name: str) -> Tensor:
            if _is_mask(name):
                return tgt_mask if _of_target(name) else src_mask
            return tgt if _TARGET.match(name) or name == "x" else states

        return self.model.decode(*map(given, inspect.signature(self.model.decode).parameters))


def _in_one_pass(model: nn.Module) -> nn.Module:
    """The module itself, unless it has no forward pass but methods `encode` and `decode`."""
    steps = callable(getattr(model, "encode", None)) and callable(getattr(model, "decode", None))
    return _InOnePass(model) if steps and type(model).forward is nn.Module.forward else model


_OUTPUTS: Final = (
    "generator",
    "project",
    "projection",
    "projection_layer",
    "output_layer",
    "lm_head",
    "fc_out",
)
"""What a module whose forward pass ends with the decoder's states calls its last step."""


def _projected(model: nn.Module, states: Sequence[Tensor]) -> list[Tensor]:
    """What the module's own last step makes of `states`, where its forward pass leaves that to the caller."""
    inner = model.model if isinstance(model, _InOnePass) else model
    last: Any = next(filter(callable, (getattr(inner, name, None) for name in _OUTPUTS)), None)
    try:
        return [] if last is None else [last(each) for each in states]
    except Exception:  # the forward pass has projected already
        return []


class _UnreadableError(InputError):
    """A forward pass returned something without logits of every position."""


def _finite(result: Outputs, rows: Tensor) -> bool:
    """Whether the first reading of the logits is finite at the real positions: wrong masks leave rows without a key."""
    first: Tensor = result["logits"][0]
    return bool(first.float()[rows].isfinite().all())


def _arguments(model: nn.Module) -> list[inspect.Parameter]:
    """The parameters of `forward` without those that gather the rest. Raises InputError where it holds the real model."""
    every = list(inspect.signature(model.forward).parameters.values())
    names = [each for each in every if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if not names and type(model).forward is nn.Module.forward:
        raise InputError(
            f"{type(model).__name__} has no forward pass; give it one that takes source and target ids and returns the logits."
        )
    holder = next(
        (
            name
            for name, part in model.named_children()
            if any(isinstance(each, nn.TransformerDecoder) for each in part.modules())
            and not isinstance(part, nn.Transformer)
        ),
        None,
    )
    if len(names) < 2 and len(names) == len(every) and holder is not None:
        raise InputError(
            f"{type(model).__name__}.forward takes {len(names)} arguments; it must take source and target ids; give the part "
            f".{holder} alone, if that does."
        )
    return names


def _is_mask(name: str) -> bool:
    return ("mask" in name or "pad" in name) and not re.search(r"id(x|s)?$|value$", name)


def _of_target(name: str) -> bool:
    return bool(_TARGET.search(name)) and not (_SOURCE.search(name) and not _TARGET.match(name))


def _ways(model: nn.Module, names: Sequence[inspect.Parameter], batch_first: bool) -> Iterator[Way]:
    """Every way to try, the likeliest first."""
    ids = _id_names(names)
    styles: list[Masks] = ["named"]
    if any(_is_mask(each.name) and "memory" not in each.name for each in names):
        styles += ["keep", "padding", "keep with heads", "keep with queries"]
    gathers = {each.kind for each in inspect.signature(model.forward).parameters.values()}
    starts: list[Way] = []
    if len(ids) >= 2:
        keyword = any(each.kind == each.KEYWORD_ONLY for each in names)
        first, second = ids[0], ids[1]
        turned = _of_target(first) and not _of_target(second)
        named = (second, first) if turned else (first, second)
        orders = [named] if turned or _of_target(second) or _SOURCE.search(first) else [named, named[::-1]]
        starts += [Way(ids=order) for order in orders]
        assert keyword or starts
    elif len(ids) == 1:
        starts += [Way(packed=tuple), Way(packed=dict)]
    elif inspect.Parameter.VAR_POSITIONAL in gathers:
        starts += [Way(), Way(swapped=True)]
    if inspect.Parameter.VAR_KEYWORD in gathers:
        starts += [Way(ids=pair) for pair in _NAMES if not ids]
    for start in starts:
        for rows in (batch_first, not batch_first):
            for masks in styles:
                yield replace(start, masks=masks, rows=rows)
    for start in starts:
        yield replace(start, rows=batch_first, longer=True)
        yield replace(start, alone=True)


def _id_names(names: Sequence[inspect.Parameter]) -> list[str]:
    """The arguments that may be ids: neither masks nor lengths, those without a default first."""
    rest = [
        each
        for each in names
        if not _is_mask(each.name) and not re.search(r"len|device|ratio|forcing", each.name)
    ]
    needed = [each.name for each in rest if each.default is each.empty]
    optional = [each.name for each in rest if each.default is not each.empty]
    return [*needed, *(optional if len(needed) < 2 else [])]


@dataclass(frozen=True)
class Run:
    """Calls the module in one way, and keeps its attention weights."""

    model: nn.Module
    layers: Layers
    names: Sequence[inspect.Parameter]
    way: Way

    @property
    def takes_padding(self) -> bool:
        """Whether the module is told which tokens of the source are padding."""
        masks = [each.name for each in self.names if _is_mask(each.name) and "memory" not in each.name]
        return (
            bool(masks)
            and not self.way.alone
            and (self.way.masks != "named" or any("pad" in each for each in masks))
        )

    def __call__(self, source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor) -> Outputs:
        recorded = RecordedMaps(source.shape[1], target.shape[1], None if self.way.alone else len(source))
        try:
            with recorded:
                logits = self._logits(source, target, source_rows, target_rows)
        except InputError:
            raise
        except Exception as error:  # the user's code
            raise InputError(" ".join(str(error).split())[:100] or type(error).__name__) from None
        return {"logits": logits} | recorded.stacked(self.layers, len(source) if self.way.alone else 1)

    def _logits(
        self, source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor
    ) -> list[Tensor]:
        """Every reading of what the module returns."""
        if self.way.longer:
            target, target_rows = (torch.cat([each, each[:, -1:]], dim=1) for each in (target, target_rows))
        length = target.shape[1] - self.way.longer
        if self.way.alone:
            each = [self._result(source[n], target[n], None, None) for n in range(len(source))]
            found = [
                torch.cat(parts)
                for parts in zip(*(readings(_with_batch(one), 1, length) for one in each), strict=False)
            ]
            result = each[0]
        else:
            result = self._result(source, target, source_rows, target_rows)
            found = readings(result, len(target), length)
            found += _projected(self.model, found)
        if not found:
            raise _UnreadableError(shapes(result))
        return found

    def _result(
        self, source: Tensor, target: Tensor, source_rows: Tensor | None, target_rows: Tensor | None
    ) -> Any:
        way = self.way
        texts = (source, target) if way.rows or way.alone else (source.t(), target.t())
        given: dict[str, Any] = {}
        for each in self.names:
            if each.name in (way.ids or ()):
                continue
            if (
                _is_mask(each.name)
                and "memory" not in each.name
                and source_rows is not None
                and target_rows is not None
            ):
                given[each.name] = self._mask(each.name, source, target, source_rows, target_rows)
            elif each.default is each.empty and "len" in each.name:
                ids, rows = (target, target_rows) if _of_target(each.name) else (source, source_rows)
                given[each.name] = rows.sum(dim=1) if rows is not None else torch.tensor(len(ids))
            elif each.default is each.empty and "device" in each.name:
                given[each.name] = source.device
            elif each.default is each.empty and re.search("ratio|forcing", each.name):
                given[each.name] = 1.0
            elif "memory" in each.name and each.default is each.empty:
                padded = source_rows is not None and "pad" in each.name
                given[each.name] = ~source_rows if padded and source_rows is not None else None
        if way.ids is not None:
            return self._by_name(dict(zip(way.ids, texts, strict=True)) | given)
        if way.packed is tuple:
            return self.model(texts, **_without_first(self.names, given))
        if way.packed is dict:
            both = {name: text for pair in _NAMES for name, text in zip(pair, texts, strict=True)}
            return self.model(both, **_without_first(self.names, given))
        return self.model(*(texts[::-1] if way.swapped else texts), **given)

    def _by_name(self, given: Mapping[str, Any]) -> Any:
        """Call with arguments by name, but by position where a parameter takes no name."""
        first = [
            given[each.name]
            for each in self.names
            if each.kind == each.POSITIONAL_ONLY and each.name in given
        ]
        others = {each.name for each in self.names if each.kind == each.POSITIONAL_ONLY}
        return self.model(*first, **{name: value for name, value in given.items() if name not in others})

    def _mask(
        self, name: str, source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor
    ) -> Tensor:
        of_target = _of_target(name)
        rows, length = (target_rows, target.shape[1]) if of_target else (source_rows, source.shape[1])
        if self.way.masks == "named" and "pad" not in name:
            square = torch.ones(length, length, dtype=torch.bool, device=target.device).triu(1)
            return square if of_target else torch.zeros_like(square)
        if self.way.masks in ("padding", "named"):
            return ~rows
        if self.way.masks == "keep":
            return rows
        keep = rows[:, None, None] if self.way.masks == "keep with heads" else rows[:, None]
        if not of_target:
            return keep
        return keep & torch.ones(length, length, dtype=torch.bool, device=rows.device).tril()


def _without_first(names: Sequence[inspect.Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != names[0].name}


def _with_batch(result: Any) -> Any:
    """The tensors of one sentence's result with a batch axis, so that they are read as a batch's."""
    if isinstance(result, Tensor):
        return result[None] if result.dim() == 2 else result
    if isinstance(result, Mapping):
        return {name: _with_batch(each) for name, each in result.items()}
    return [_with_batch(each) for each in result] if isinstance(result, (tuple, list)) else result
