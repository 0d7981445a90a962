"""Once a sentence is decoded, looking at it runs no model: heads, layers, steps, kinds and pages only read the maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest
from streamlit.testing.v1 import AppTest

from core.model.transformer import Transformer
from tests.conftest import wait_for_preloads
from tests.pages.conftest import Open
from ui.session.selection import MEAN, Selection

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches

LINK = {"text": "I am tired.", "kind": "cross", "layer": "0", "head": "0"}
PASSES = ("forward", "encode", "decode", "start", "step")


ran: list[str] = []


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, whatever runs the model raises, and is counted in `ran`."""
    ran.clear()

    def refuse(self: Transformer, *args: Any, **kwargs: Any) -> NoReturn:
        ran.append("the model ran")
        raise AssertionError("the model ran")

    def stop() -> None:
        wait_for_preloads()  # the trust report is made behind the page, once
        for name in PASSES:
            monkeypatch.setattr(Transformer, name, refuse)

    return stop


def looked(app: AppTest, **changes: Any) -> AppTest:
    """The page after the selection changed; nothing may have been raised."""
    found = app.session_state["selection"]
    assert isinstance(found, Selection)
    app.session_state["selection"] = replace(found, **changes)
    app.run()
    assert not app.exception, [error.value for error in app.exception]
    return app


def test_a_click_on_the_wall_runs_no_model(open_app: Open, no_model: Callable[[], None]) -> None:
    app = open_app("attention", LINK)
    no_model()
    for layer, head in ((0, 1), (1, 0), (1, 1), (MEAN, MEAN), (1, MEAN)):
        looked(app, layer=layer, head=head)
    for kind in ("encoder", "causal", "joint", "cross"):
        looked(app, kind=kind, layer=1, head=1)
    looked(app, words=True, hide=True)
    looked(app, overlay=((0, 0), (0, 1)))


@pytest.mark.thorough
def test_comparing_heads_and_steps_runs_no_model(open_app: Open, no_model: Callable[[], None]) -> None:
    app = open_app("compare", LINK)
    no_model()
    looked(app, against="1.1")
    looked(app, versus="step", step=2, other_step=3)


def test_stepping_on_translate_runs_no_model(open_app: Open, no_model: Callable[[], None]) -> None:
    app = open_app("translate", LINK)
    no_model()
    for step in (1, 2, 3):
        looked(app, step=step, layer=1, head=MEAN)


@pytest.mark.thorough
def test_contributions_and_lenses_once_computed_run_no_model(
    open_app: Open, no_model: Callable[[], None]
) -> None:
    app = open_app("attention", {**LINK, "measure": "zeroing"})
    looked(app, measure="alti")
    no_model()
    for measure in ("zeroing", "alti", "lengths", "residual", "rollout"):
        looked(app, measure=measure, layer=1, words=True)
    looked(app, measure="alti", kind="joint", step=2)
    assert not ran


@pytest.mark.thorough
def test_inside_a_head_once_opened_runs_no_model(open_app: Open, no_model: Callable[[], None]) -> None:
    app = open_app("inside", {**LINK, "card": "q"})
    no_model()
    for changes in ({"head": 1}, {"token": "t2"}, {"card": "q", "number": "1.5"}, {"every": True}):
        looked(app, **changes)
    assert not ran
