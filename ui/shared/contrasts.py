"""A checkpoint's own sentence pairs that differ in one thing, and what was measured on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from core.errors import AtlasError
from ui.shared import context
from ui.shared.context import CheckpointView

if TYPE_CHECKING:
    from core.experiments.contrast_sets import SetResult

MEASURED: Final = ("contrast sets",)
"""The name under which a session keeps what it measured itself."""


def pairs_of(shown: CheckpointView) -> Mapping[str, list[tuple[str, str]]]:
    """The sentence pairs by the name of their set; empty where the checkpoint has none that can be read."""
    from core.experiments.patching import CONTRASTS, read_contrasts

    path = shown.entry.path / CONTRASTS
    try:
        return context.kept(shown.entry, "contrasts", lambda: read_contrasts(path) if path.is_file() else {})
    except AtlasError:
        return {}


def results(shown: CheckpointView) -> Mapping[str, tuple[SetResult, ...]]:
    """What was measured on those pairs: in this process, or stored with the checkpoint; empty where neither was."""
    from core.experiments.contrast_sets import load_results

    known: Mapping[str, tuple[SetResult, ...]] | None = shown.known(MEASURED)
    if known is not None:
        return known
    entry = shown.entry
    try:
        return context.kept(
            entry, "contrast results", lambda: load_results(entry.path, entry.config, entry.usable.digest)
        )
    except AtlasError:
        return {}
