"""What was measured of a checkpoint's measures of attribution, and stored in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import AtlasError
from ui.shared import context
from ui.shared.context import CheckpointView

if TYPE_CHECKING:
    from core.experiments.faithfulness import Faithfulness


def stored_results(shown: CheckpointView) -> Faithfulness | None:
    """The stored curves; None where the folder has none that can be read."""
    from core.experiments.faithfulness import stored

    entry = shown.entry
    try:
        return context.kept(
            entry, "faithfulness", lambda: stored(entry.path, entry.config, entry.usable.digest)
        )
    except AtlasError:
        return None
