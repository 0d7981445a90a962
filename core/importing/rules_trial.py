"""Tries a map that somebody wrote, in a child process, before this process follows it.

Its patterns meet keys that come from the same hand, and its sizes become tables: both may take any time and any memory,
in code that holds Python's lock. What the child came through, this process does again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from core.child import Child, ChildError, ChildStoppedError
from core.errors import AtlasError, CheckpointError

SECONDS: Final = 20.0
MEGABYTES: Final = (
    8192  # torch alone takes one, and a model of the largest upload three, of which little is used
)


class RulesTrial:
    """Plans made by the rules in `map_file`, for the files in `folder`, each within SECONDS."""

    def __init__(self, folder: Path, layout: str, map_file: Path, max_bytes: int) -> None:
        setup = {"path": str(folder), "layout": layout, "map_file": str(map_file), "max_bytes": max_bytes}
        self._child = Child("core.importing.rules_trial:planning", setup, MEGABYTES)

    def check(self, answers: Mapping[str, Any]) -> None:
        """Plan with these answers (see `ImportPlan.answer`), up to the model. Raises CheckpointError if that is too much.

        What is wrong with the files or the answers is left for the plan itself to say.
        """
        told = {name: str(value) if isinstance(value, Path) else value for name, value in answers.items()}
        try:
            self._child.ask(told, seconds=SECONDS)
        except ChildStoppedError:
            raise CheckpointError(
                f"these rules take more than {SECONDS:g} seconds, or too much memory; give simpler patterns and smaller sizes."
            ) from None
        except ChildError as error:
            reason = " ".join(str(error).split())[:200]
            raise CheckpointError(f"these rules cannot be followed ({error.kind}: {reason}).") from None


def planning(setup: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Makes the plans; runs in the child."""
    from core.importing.plan import plan_import

    def plan(answers: dict[str, Any]) -> None:
        try:
            made = plan_import(**setup)
            made = made.answer(**answers) if answers else made
            if made.ready:
                _ = made.checkpoint
        except AtlasError:
            return

    return plan
