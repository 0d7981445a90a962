"""Looking into a forward pass: `Site` names a place, `Hooks` records or edits there, `Trace` keeps what was seen.

A `Hooks` object is passed to the model as an argument and belongs to the caller. Nothing is stored on a
module, so one model serves any number of requests at once. This module imports no torch: a stored `Trace`
can be read and drawn before torch is loaded.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.config import ModelConfig
from core.errors import InputError
from core.sites import ATTENTION, BLOCKS, KINDS, STACKS, Site

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "ATTENTION_MAPS",
    "BLOCKS",
    "KINDS",
    "NO_TAP",
    "STACKS",
    "Edit",
    "Hooks",
    "Site",
    "Tap",
    "Tokens",
    "Trace",
    "tap",
]

Edit = Callable[["Tensor"], "Tensor"]


class Hooks:
    """What one caller wants to see and change in a forward pass.

    `record` lists sites (or patterns such as "decoder.*.cross.weights" or "*.norm_*") to keep in
    `.records`; `edit` maps sites or patterns to functions of the tensor that return its replacement, of the
    same shape. A site is edited before it is recorded. An object serves one forward pass or one step; use a
    new one, or `clear()`, for the next.
    """

    def __init__(self, record: Iterable[Site | str] = (), edit: Mapping[Any, Edit] | None = None) -> None:
        self.record = tuple(record)
        self.edit = dict(edit or {})
        for name in (*self.record, *self.edit):
            if isinstance(name, str) and not any(mark in name for mark in "*?["):
                Site.parse(name)
        self.records: dict[Site, Tensor] = {}
        self._taps: dict[tuple[str, int, str], Tap] = {}

    def wants(self, site: Site) -> bool:
        """Whether `site` is recorded or edited."""
        return self.at(site.stack, site.layer, site.block).wants(site.kind)

    def visit(self, site: Site, tensor: Tensor) -> Tensor:
        """Pass `tensor` through this site: edited if asked, kept if recorded."""
        return self.at(site.stack, site.layer, site.block)(site.kind, tensor)

    def keep(self, site: Site, tensor: Tensor) -> None:
        """Put `tensor` into the records; a copy where something is edited, since an edit may write in place."""
        kept = tensor.detach()
        self.records[site] = kept.clone() if self.edit else kept

    def clear(self) -> None:
        """Forget what was recorded."""
        self.records = {}

    def at(self, stack: str, layer: int, block: str) -> Tap:
        """This object, bound to one block."""
        found = self._taps.get((stack, layer, block))
        if found is None:
            found = self._taps[stack, layer, block] = Tap(self, self._visits(stack, layer, block))
        return found

    def _visits(self, stack: str, layer: int, block: str) -> dict[str, Visit]:
        recorded = _kinds_named(self.record, stack, layer, block)
        edited = {name: _kinds_named((name,), stack, layer, block) for name in self.edit}
        kinds = recorded.union(*edited.values())
        return {
            kind: Visit(
                Site(stack, layer, block, kind),
                kind in recorded,
                tuple(self.edit[name] for name, kinds in edited.items() if kind in kinds),
            )
            for kind in kinds
        }


@lru_cache(maxsize=4096)
def _kinds_named(names: tuple[Site | str, ...], stack: str, layer: int, block: str) -> frozenset[str]:
    """The kinds of one block that any of `names`, sites or patterns, speaks of."""
    sites = [Site(stack, layer, block, kind) for kind in KINDS[block]]
    return frozenset(site.kind for site in sites if any(_matches(name, site) for name in names))


def _matches(name: Site | str, site: Site) -> bool:
    return fnmatchcase(str(site), name) if isinstance(name, str) else name == site


class Visit(NamedTuple):
    """What is wanted of one site."""

    site: Site
    recorded: bool
    edits: tuple[Edit, ...]


class Tap:
    """Where one block reports: call it with a kind and a tensor, use what it returns.

    What is recorded is the tensor itself: nothing in the model writes into a tensor that it has shown.
    """

    __slots__ = ("_hooks", "_visits")

    def __init__(self, hooks: Hooks | None, visits: Mapping[str, Visit]) -> None:
        self._hooks, self._visits = hooks, visits

    def __call__(self, kind: str, tensor: Tensor) -> Tensor:
        visit = self._visits.get(kind)
        if visit is None or self._hooks is None:
            return tensor
        for edit in visit.edits:
            replacement = edit(tensor)
            if replacement.shape != tensor.shape:
                raise InputError(
                    f"The edit at {visit.site} returned shape {tuple(replacement.shape)}; "
                    f"it must keep {tuple(tensor.shape)}."
                )
            tensor = replacement
        if visit.recorded:
            self._hooks.keep(visit.site, tensor)
        return tensor

    def wants(self, *kinds: str) -> bool:
        """Whether any of `kinds` is recorded or edited here."""
        return not self._visits.keys().isdisjoint(kinds)

    def edits(self, *kinds: str) -> bool:
        """Whether any of `kinds` is edited here."""
        return any(kind in self._visits and self._visits[kind].edits for kind in kinds)


NO_TAP = Tap(None, {})


def tap(hooks: Hooks | None, stack: str, layer: int, block: str) -> Tap:
    """The tap of one block; one shared tap that does nothing when `hooks` is None."""
    return NO_TAP if hooks is None else hooks.at(stack, layer, block)


class Tokens(NamedTuple):
    """Readable labels. Row t of a decoder map reads `target[t]` and writes `written[t]`."""

    source: tuple[str, ...]
    target: tuple[str, ...]  # the decoder's inputs: ⟨start⟩, y1, y2, …
    written: tuple[str, ...]  # what each step wrote: y1, y2, …, ⟨end⟩


@dataclass(frozen=True)
class Trace:
    """Everything recorded for one sentence pair, on the CPU, without the batch dimension.

    Sizes: S source tokens, T decoder inputs. `weights("decoder", "cross")` is (L, H, T, S).
    """

    config: ModelConfig
    tokens: Tokens
    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]
    written_ids: tuple[int, ...]
    records: Mapping[Site, np.ndarray] = field(repr=False)

    def array(self, site: Site | str) -> np.ndarray:
        """What was recorded at `site`, as numpy. Raises `InputError` if it was not recorded."""
        place = Site.parse(site) if isinstance(site, str) else site
        if place not in self.records:
            raise InputError(f"{place} was not recorded; ask for it in `record` when tracing.")
        return self.records[place]

    def stacked(self, stack: str, block: str, kind: str) -> np.ndarray:
        """One kind for all layers of a stack, (L, …), as numpy."""
        layers = range(self.config.layers(stack))
        return np.stack([self.array(Site(stack, layer, block, kind)) for layer in layers])

    def get(self, site: Site | str) -> Tensor:
        """What was recorded at `site`, as a torch tensor on the CPU."""
        return _as_torch(self.array(site))

    def weights(self, stack: str, block: str) -> Tensor:
        """Attention weights (L, H, T_query, T_key), float32, on the CPU."""
        return _as_torch(self.stacked(stack, block, "weights"))

    def scores(self, stack: str, block: str, masked: bool = False) -> Tensor:
        """Scaled scores before the softmax, (L, H, T_query, T_key); `masked` adds −inf where attention is forbidden."""
        return _as_torch(self.stacked(stack, block, "masked_scores" if masked else "scores"))

    def has(self, site: Site | str) -> bool:
        """Whether `site` was recorded."""
        return (Site.parse(site) if isinstance(site, str) else site) in self.records

    def sites(self) -> Iterator[Site]:
        """Every recorded site."""
        return iter(self.records)

    def save(self, path: str | Path) -> None:
        """Write `path` (.npz): tokens, one stacked array a map of attention weights, every other site by its name."""
        arrays: dict[str, np.ndarray] = {
            f"{name}_tokens": np.array(row, dtype=str) for name, row in self._labels()
        }
        arrays |= {
            f"{name}_ids": np.array(getattr(self, f"{name}_ids"), dtype=np.int64)
            for name, _ in self._labels()
        }
        arrays["config"] = np.array(json.dumps(self.config.to_json()))
        for stack, block in ATTENTION_MAPS:
            layers = range(self.config.layers(stack))
            if layers and all(Site(stack, layer, block, "weights") in self.records for layer in layers):
                arrays[f"{stack}.{block}.weights"] = self.stacked(stack, block, "weights")
        for site, array in self.records.items():
            if f"{site.stack}.{site.block}.weights" not in arrays or site.kind != "weights":
                arrays[str(site)] = array
        target = Path(path)
        if target.exists() and not target.is_file():  # a device such as /dev/null would be replaced by a file
            raise InputError(f"{path} is a folder or a device; give the name of a file to write.")
        scratch = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with scratch.open("wb") as stream:
                np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # the stub's allow_pickle swallows **
            scratch.replace(target)
        except OSError as error:
            scratch.unlink(missing_ok=True)
            reason = error.strerror or "the disk refused it"
            raise InputError(
                f"{path} cannot be written ({reason}); choose a folder you can write to."
            ) from error

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read what `save` wrote. Raises `InputError` for a file that is not a trace."""
        try:
            with np.load(path, allow_pickle=False) as data:
                arrays = {name: data[name] for name in data.files}
            config = ModelConfig.from_json(json.loads(str(arrays.pop("config"))))
            tokens = Tokens(*(tuple(map(str, arrays.pop(f"{name}_tokens"))) for name in Tokens._fields))
            ids = [tuple(map(int, arrays.pop(f"{name}_ids"))) for name in Tokens._fields]
        except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile, EOFError) as error:
            raise InputError(f"{path} is not a trace; give a file that `core trace --out` wrote.") from error
        records: dict[Site, np.ndarray] = {}
        for name, array in arrays.items():
            if name in _STACKED:
                stack, block = _STACKED[name]
                records |= {Site(stack, layer, block, "weights"): rows for layer, rows in enumerate(array)}
            else:
                records[Site.parse(name)] = array
        return cls(config, tokens, ids[0], ids[1], ids[2], records)

    def _labels(self) -> list[tuple[str, tuple[str, ...]]]:
        return list(zip(Tokens._fields, self.tokens, strict=True))


ATTENTION_MAPS = tuple((kind.stack, kind.block) for kind in ATTENTION.values())
_STACKED = {f"{stack}.{block}.weights": (stack, block) for stack, block in ATTENTION_MAPS}


def _as_torch(array: np.ndarray) -> Tensor:
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))
