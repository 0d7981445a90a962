"""The joint view: encoder self-, cross- and decoder self-attention of one decoding step, replayed in the browser."""

from __future__ import annotations

from collections.abc import Callable

from ui.components.base import register
from ui.components.joint_data import JointData
from ui.session.state import reported

_mount = register("joint")


def joint_view(joint: JointData, *, on_step: Callable[[int], None], key: str = "joint_view") -> None:
    """Draw the three together; play, back and scrub run in the browser, `on_step` hears the step reached by hand."""

    def changed() -> None:
        reached = reported(key, "stepped")
        if isinstance(reached, (int, float)) and 0 <= reached < 1e6:
            on_step(int(reached))

    _mount(key=key, data=joint, on_stepped_change=changed)
