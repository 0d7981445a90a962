"""`Trace`: everything recorded for one sentence pair, with its file format.

Imports no torch, so that a stored trace can be read and drawn before torch is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from core import notebook
from core.errors import InputError
from core.files import damage_as, read_npz, replacing
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, ATTENTION_MAPS, Site

if TYPE_CHECKING:
    from torch import Tensor


ROUNDED: Final = 1e-2
"""How far from 1 a row of weights may sum: bfloat16 rounds each by 0.4 % of itself."""


class Tokens(NamedTuple):
    """Readable labels. Row t of a decoder map reads `target[t]` and writes `written[t]`.

    Maps of `core.from_maps` have one label a row, in `target`, and `written` is empty.
    """

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
    as_given: bool = False  # maps of another program: see `core.from_generate` and `core.from_maps`

    def array(self, site: Site | str) -> np.ndarray:
        """What was recorded at `site`, as numpy. Raises `InputError` if it was not recorded."""
        key = Site.parse(site) if isinstance(site, str) else site
        if key not in self.records and self.as_given:
            raise InputError(
                f"{key} is not there: this trace holds the weights of {', '.join(self.kinds)} as given, not recomputed; "
                "core.wrap(model, tokenizer) gives a checkpoint whose trace records everything."
            )
        if key not in self.records:
            raise InputError(f"{key} was not recorded; ask for it in `record` when tracing.")
        return self.records[key]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of attention that have recorded weights and a row: of "encoder", "causal" and "cross"."""
        return tuple(
            key
            for key, kind in ATTENTION.items()
            if (layers := self.config.layers(kind.stack))
            and (self.target_ids or kind.stack == "encoder")
            and all(Site(kind.stack, layer, kind.block, "weights") in self.records for layer in range(layers))
        )

    def require(self, kind: str | None) -> None:
        """Raise `InputError`, naming the kinds that are here, unless maps of `kind` are: "joint" for all, None for any."""
        wanted = tuple(ATTENTION) if kind == "joint" else () if kind is None else (kind,)
        if self.kinds and all(each in self.kinds for each in wanted):
            return
        if not self.target_ids and not self.as_given and wanted != ("encoder",):
            raise InputError.tr("Nothing is written yet; take a step first, or draw the encoder.")
        if not self.kinds:
            raise InputError.tr(
                "This trace holds no attention weights; make it with record=['*.weights'] among the rest."
            )
        there = ", ".join(self.kinds)
        if kind == "joint":
            raise InputError.tr(
                "The joint view draws all three kinds, and this trace has: {kinds}.", kinds=there
            )
        raise InputError.tr("This trace has no {kind} maps; it has: {kinds}.", kind=kind, kinds=there)

    def stacked(self, stack: str, block: str, kind: str) -> np.ndarray:
        """One kind for all layers of a stack, (L, …), as numpy. Raises `InputError` if it was not recorded."""
        # Without a layer, what is asked for is named as missing.
        layers = range(self.config.layers(stack) or 1)
        return np.stack([self.array(Site(stack, layer, block, kind)) for layer in layers])

    def get(self, site: Site | str) -> Tensor:
        """What was recorded at `site`, as a torch tensor on the CPU."""
        return _as_torch(self.array(site))

    def weights(self, stack: str, block: str) -> Tensor:
        """Attention weights (L, H, T_query, T_key), float32 (float64 if `core.from_maps` was given that), on the CPU."""
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
        """Write `path` (.npz): tokens, attention weights stacked per map, every other site under its name."""
        arrays: dict[str, np.ndarray] = {
            f"{name}_tokens": np.array(row, dtype=str) for name, row in self._labels()
        }
        arrays |= {
            f"{name}_ids": np.array(getattr(self, f"{name}_ids"), dtype=np.int64)
            for name, _ in self._labels()
        }
        arrays["config"] = np.array(json.dumps(self.config.to_json()))
        if self.as_given:
            arrays["as_given"] = np.array(True)
        for stack, block in ATTENTION_MAPS:
            layers = range(self.config.layers(stack))
            if layers and all(Site(stack, layer, block, "weights") in self.records for layer in layers):
                arrays[f"{stack}.{block}.weights"] = self.stacked(stack, block, "weights")
        for site, array in self.records.items():
            if f"{site.stack}.{site.block}.weights" not in arrays or site.kind != "weights":
                arrays[str(site)] = array
        with replacing(path) as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # the stub's allow_pickle swallows **

    @classmethod
    def load(cls, path: str | Path, most_bytes: int = 2**32) -> Trace:
        """Read what `save` wrote. Raises `InputError` for a file that is not a trace or unpacks to more than `most_bytes`."""
        wrong = f"{path} is not a trace; give a file that `core trace --out` wrote."
        with damage_as(InputError, lambda reason: wrong):
            arrays = read_npz(path, most_bytes)
            config = ModelConfig.from_json(json.loads(str(arrays.pop("config"))))
            tokens = Tokens(*(tuple(map(str, arrays.pop(f"{name}_tokens"))) for name in Tokens._fields))
            ids = [tuple(map(int, arrays.pop(f"{name}_ids"))) for name in Tokens._fields]
            as_given = bool(arrays.pop("as_given", False))
            records = dict(_records(arrays))
        return cls(config, tokens, ids[0], ids[1], ids[2], records, as_given)

    def _repr_html_(self) -> str | None:
        """HTML for a notebook: the wall of heads and one open head (`core.notebook`)."""
        return notebook.html(self)

    def _labels(self) -> list[tuple[str, tuple[str, ...]]]:
        return list(zip(Tokens._fields, self.tokens, strict=True))


def _records(arrays: Mapping[str, np.ndarray]) -> Iterator[tuple[Site, np.ndarray]]:
    for name, array in arrays.items():
        if name in _STACKED:
            stack, block = _STACKED[name]
            yield from ((Site(stack, layer, block, "weights"), rows) for layer, rows in enumerate(array))
        else:
            yield Site.parse(name), array


_STACKED = {f"{stack}.{block}.weights": (stack, block) for stack, block in ATTENTION_MAPS}


def _as_torch(array: np.ndarray) -> Tensor:
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))
