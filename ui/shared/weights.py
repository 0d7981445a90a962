"""A checkpoint's own weights for the pages, independent of a sentence. Every function raises `AtlasError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from ui.shared import context, models
from ui.shared.entry import Entry

if TYPE_CHECKING:
    import numpy as np

    from core.analysis.norms import NormParameters, NormSite
    from core.checkpoints.summary import ParameterLine


def parameter_lines(entry: Entry) -> tuple[ParameterLine, ...]:
    """Every stored parameter with its shape and moments, read from the file."""
    from core.checkpoints.summary import parameter_lines as read

    return context.kept(entry, "lines", lambda: read(entry.path, _converted(entry)))


def parameter_values(entry: Entry, name: str) -> np.ndarray:
    """The numbers of one stored parameter, flat; read again each time, as they may be many."""
    from core.checkpoints.summary import parameter_values as read

    return read(entry.path, name, _converted(entry))


def _converted(entry: Entry) -> Mapping[str, Any] | None:
    """The tensors in memory of a folder whose files have other names for them; None where they have this project's."""
    if not entry.usable.foreign:
        return None
    from core.checkpoints.bundle import unique_tensors

    return unique_tensors(models.model(entry).model)


def position_table(entry: Entry, stack: str, length: int, device: str | None = None) -> np.ndarray:
    """The learned position vectors of one stack, (length, d_model)."""

    def read() -> np.ndarray:
        model = models.model(entry, device).model
        table = model.source_embedding if stack == "encoder" else model.target_embedding
        if table.positions is None:
            raise InputError("This model adds no positions to its embeddings; choose a checkpoint that does.")
        rows: np.ndarray = table.positions(0, length).detach().float().cpu().numpy()
        return rows

    return context.kept(entry, f"positions {stack} {length}", read)


def norm_parameters(entry: Entry, device: str | None = None) -> dict[NormSite, NormParameters]:
    """γ and β of every norm."""
    from core.analysis.norms import norm_parameters as read

    def make() -> dict[NormSite, NormParameters]:
        loaded = models.model(entry, device)
        return read(loaded.model.state_dict(), loaded.config)

    return context.kept(entry, "norms", make)


def relative_bias(entry: Entry, stack: str, device: str | None = None) -> np.ndarray:
    """What each head adds to its scores, (buckets, H), for relative positions."""

    def read() -> np.ndarray:
        table = models.model(entry, device).model.bias_table(stack)
        if table is None:
            raise InputError("This model has no relative positions; choose a checkpoint that has them.")
        return table.detach().float().cpu().numpy()

    return context.kept(entry, f"relative {stack}", read)
