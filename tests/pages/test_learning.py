"""Watch it learn: a stored training opens where its link says; a live one is started, held, stopped, found again, bounded."""

from __future__ import annotations

import base64
import html
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.api import load
from core.checkpoints import files
from core.training.dynamics import stored_dynamics
from core.training.live_run import Progress
from tests.golden_training import write_training
from tests.mounted import Mounted, watch
from tests.pages.test_pages import Open, change_card, measured, press, shown, sound, words
from ui import uploads
from ui.learn import dynamics, trainings
from ui.learn import watch as watching
from ui.learn.dynamics import TrainingLook
from ui.session import state


@pytest.fixture
def arrays(checkpoints: Path) -> dict[str, np.ndarray]:
    return write_training(checkpoints / "tiny", files.read_config(checkpoints / "tiny"))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its browser views, and their callbacks."""
    return watch(monkeypatch, dynamics, watching)


class FakeRun:
    """A run whose progress the test sets."""

    def __init__(self, task: str, folder: Path, before: object = None) -> None:
        self.task, self.folder, self.checkpoint = task, folder, folder / "checkpoint"
        self.before = before
        self.progress = Progress(
            "training", step=40, steps=400, seconds=3.0, curve=((40, 1.234),), exact=((30, 25.0),)
        )
        self.asked: list[str] = []

    def pause(self) -> None:
        self.asked.append("pause")
        self.progress = replace(self.progress, phase="paused")

    def resume(self) -> None:
        self.asked.append("resume")
        self.progress = replace(self.progress, phase="training")

    def stop(self) -> None:
        self.asked.append("stop")

    def cancel(self) -> None:
        self.asked.append("cancel")
        self.progress = replace(self.progress, phase="stopped")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakeRun]]:
    """The runs that are started in place of processes."""
    made: list[FakeRun] = []

    def make(task: str, folder: Path, before: object = None) -> FakeRun:
        made.append(FakeRun(task, folder, before))
        return made[-1]

    monkeypatch.setattr(trainings, "LiveRun", make)
    trainings.end_all()
    yield made
    trainings.end_all()


def test_a_stored_training_opens_where_the_link_says(
    arrays: dict[str, np.ndarray], open_app: Open, drawn: Mounted
) -> None:
    link_to = {
        "kind": "encoder",
        "layer": "1",
        "head": "0",
        "at": "24",
        "badge": "next_share",
        "sentence": "1",
    }
    app = sound(open_app("learning", link_to))
    assert "atlas-mistake" not in words(app)
    meta = drawn["dynamics"]
    assert list(meta["looked"].values()) == [24, 1, 0, "next_share"] and meta["kind"] == "encoder"
    assert meta["source"] == "quiet birds sleep while rain falls" and meta["sentences"] == 37
    assert meta["about"] == "tiny" and meta["file"] == "learning-tiny-encoder"
    assert meta["kind_words"] == "Encoder self-attention"
    drawn.on["dynamics", "looked"](TrainingLook(50, 0, 1, "entropy"))
    app = sound(open_app("learning"))
    meta = drawn["dynamics"]
    assert meta["source"] == "quiet birds sleep while rain falls", "the longest sentence opens"
    assert list(meta["looked"].values()) == [None, 0, 0, "normalised_entropy"], (
        "the newest record, the head that fell the most"
    )
    assert shown(app).watch == "replay"


def test_values_of_a_link_that_cannot_be_fall_back(
    arrays: dict[str, np.ndarray], open_app: Open, drawn: Mounted
) -> None:
    app = sound(
        open_app(
            "learning",
            {"at": "-4", "sentence": "99", "task": "<b>", "watch": "x", "layer": "90", "head": "0"},
        )
    )
    assert "could not be read" in words(app)
    assert list(drawn["dynamics"]["looked"].values())[:3] == [None, 0, 0]
    app = sound(open_app("learning", {"sentence": "40"}))
    assert drawn["dynamics"]["source"] == "quiet birds sleep while rain falls"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("start", "said"),
    [
        (
            {"name": "older", "target_tokens_seen": 17_298_827},
            "the weights of “older”, which had read 17.3 M target tokens. The heads of that model had already formed",
        ),
        (
            {"name": "<b>old", "target_tokens_seen": True},
            "the weights of “<b>old”. The heads of that model had already formed.",
        ),
        (
            {"name": ["a"], "target_tokens_seen": -1},
            "the weights of another checkpoint. The heads of that model had already formed.",
        ),
        ({"name": "older", "target_tokens_seen": 10**400}, "the weights of “older”. The heads"),
        ("older", ""),
        (None, ""),
    ],
)
def test_a_training_that_went_on_says_from_where(
    arrays: dict[str, np.ndarray],
    checkpoints: Path,
    open_app: Open,
    drawn: Mounted,
    start: Any,
    said: str,
) -> None:
    change_card(checkpoints / "tiny", figures={"started_from": start})
    shutil.copytree(checkpoints / "tiny", checkpoints / "dates")
    app = sound(open_app("learning", {"checkpoint": "tiny"}))
    found = html.unescape(words(app))
    offers = [
        each for each in app.button if each.label.startswith("Replay “dates”, which begins with random")
    ]
    assert len(offers) == bool(said), (
        "where a record begins late, one that begins with random weights is offered"
    )
    assert said in found
    assert ("went on from" in found) is bool(said)
    assert drawn["dynamics"]["trained"] is bool(said), "then no head is said to have taken shape in it"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("broken", [False, True])
def test_without_a_training_it_says_so_in_one_sentence(
    checkpoints: Path, open_app: Open, drawn: Mounted, broken: bool
) -> None:
    if broken:
        (checkpoints / "tiny" / "dynamics.npz").write_bytes(b"PK\x03\x04<script>")
    app = sound(open_app("learning"))
    said = words(app)
    assert ("cannot be read" if broken else "has no record of its training") in said
    assert "dynamics" not in drawn and "<script>" not in said and str(checkpoints) not in said


def test_a_live_run_is_started_held_and_stopped(
    checkpoints: Path, open_app: Open, drawn: Mounted, runs: list[FakeRun]
) -> None:
    app = sound(open_app("learning", {"watch": "live", "task": "sort"}))
    assert "the same letters sorted from a to j out" in words(app)
    # A stored run of the same task plays until one's own is there.
    assert drawn["dynamics"]["about"] == "sort" and drawn["dynamics"]["plays"]
    assert "a stored run of the same task" in words(app)
    press(app, "live_start")
    (run,) = runs
    assert run.task == "sort" and drawn["run_token"]["token"] and "Learning: " in words(app)
    bar = app.get("progress")[0].proto
    assert bar.value == 10 and bar.text == "Step 40 of 400 · loss 1.23 · 25 % exact · 3 s"
    press(app, "live_hold")
    assert run.asked == ["pause"] and app.button(key="live_hold").label == "Resume"
    press(app, "live_hold")
    press(app, "live_stop")
    assert run.asked == ["pause", "resume", "stop"]
    press(app, "live_discard")
    assert run.asked[-1] == "cancel" and not run.folder.exists()
    assert app.button(key="live_start")


@pytest.mark.thorough
def test_a_measurement_of_the_session_leaves_its_training_alone(
    checkpoints: Path, open_app: Open, drawn: Mounted, runs: list[FakeRun]
) -> None:
    app = sound(open_app("learning", {"watch": "live", "task": "sort"}))
    press(app, "live_start")
    sound(app.switch_page("pages/heads.py").run())
    measured(press(app, "measure_corpus"))
    sound(app.switch_page("pages/learning.py").run())
    assert "Learning: " in words(app) and len(runs) == 1
    assert app.button(key="live_stop") and not runs[0].asked


def test_a_finished_run_is_listed_and_opens_everywhere(
    checkpoints: Path, open_app: Open, drawn: Mounted, runs: list[FakeRun]
) -> None:
    app = sound(open_app("learning", {"watch": "live"}))
    app.button(key="live_start").click().run()
    run = runs[0]
    shutil.copytree(checkpoints / "tiny", run.checkpoint)
    config = files.read_config(run.checkpoint)
    found = write_training(run.checkpoint, config)
    dynamics = stored_dynamics(run.checkpoint, config)
    run.progress = replace(run.progress, phase="done", step=400, dynamics=dynamics)
    sound(app.run())
    assert app.session_state["imported"] == (("live-reverse", run.checkpoint),)
    links = [each.proto for each in app.get("page_link") if "live-reverse" in each.proto.query_string]
    assert [each.label for each in links] == ["See its heads", "Let it write", "Replay its training"]
    assert "25\u00a0% of held-out pairs exact" in words(app)
    meta = drawn["dynamics"]
    assert (
        meta["losses"][0]["points"] == [[40, 1.234]]
        and meta["about"] == "Learning: reverse"
        and not meta["live"]
    )
    assert meta["steps"] == found["steps"].tolist()
    for page in ("attention", "translate", "checkpoints"):
        app.query_params["checkpoint"] = "live-reverse"
        app.switch_page(f"pages/{page}.py")
        sound(app.run())
    assert load(run.checkpoint, device="cpu").config.heads == 2
    trainings.end_all()


def test_a_run_that_the_limit_of_time_ended_says_so_and_goes_on(
    checkpoints: Path, open_app: Open, drawn: Mounted, runs: list[FakeRun]
) -> None:
    app = press(sound(open_app("learning", {"watch": "live"})), "live_start")
    run = runs[0]
    shutil.copytree(checkpoints / "tiny", run.checkpoint)
    for ended, says in (
        ("time", "The limit of 5 minutes ended live-reverse after 99"),
        ("stop", "You ended live-"),
    ):
        run.progress = replace(run.progress, phase="done", step=99, ended=ended)  # type: ignore[arg-type]
        app = sound(app.run())
        assert says in words(app) and "can continue" in words(app)
    assert app.button(key="live_go_on").label == "Continue at step 99"
    app = press(app, "live_go_on")
    assert len(runs) == 2 and runs[1].before is run and runs[1].folder == run.folder
    assert app.session_state["imported"] == () and "Learning: " in words(app)
    runs[1].progress = replace(runs[1].progress, phase="done", step=400)
    app = sound(app.run())
    assert app.session_state["imported"] == (("live-reverse", run.checkpoint),)
    assert "live_go_on" not in {each.key for each in app.button}
    trainings.end_all()


def test_one_run_a_session_and_few_on_the_server(
    checkpoints: Path,
    open_app: Open,
    drawn: Mounted,
    runs: list[FakeRun],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(trainings.SWITCH, "1")
    first, second = (sound(open_app("learning", {"watch": "live"})) for _ in range(2))
    press(first, "live_start")
    assert not [each for each in first.button if each.key == "live_start"], "one at a time"
    third = sound(open_app("learning", {"watch": "live", "task": "sort"}))
    for app in (second, third):
        press(app, "live_start")
    # A tenth is done after 10 s: 90 s are left. The one before it takes a minute more.
    assert len(runs) == 1 and "In the queue: reverse" in words(second)
    assert "You are next, about 1 minute" in words(second)
    runs[0].progress = replace(runs[0].progress, seconds=10.0)
    assert "1 before you, about 2 minutes" in words(sound(third.run()))
    assert "This server trains 1 model at a time" in words(third)
    # Who leaves gives the place to those behind; a turn begins the training of whoever's it is.
    press(second, "live_leave")
    assert second.button(key="live_start") and "You are next, about 2 minutes" in words(sound(third.run()))
    runs[0].progress = replace(runs[0].progress, phase="done")
    sound(second.run())
    assert [each.task for each in runs] == ["reverse", "sort"] and "Learning: sort" in words(
        sound(third.run())
    )
    monkeypatch.setattr(trainings, "MOST_WAITING", 0)
    second.button(key="live_start").click().run()
    assert "0 trainings are already waiting" in words(second)
    monkeypatch.setenv(trainings.SWITCH, "0")
    second.button(key="live_start").click().run()
    assert "Trainings are off on this server." in words(second)
    for text, count in (("", 2), ("x", 2), ("-1", 2), ("7", 7)):
        monkeypatch.setenv(trainings.SWITCH, text)
        assert trainings.at_once() == count


@pytest.mark.thorough
def test_a_reload_finds_the_run_again_and_nobody_else_does(
    checkpoints: Path,
    open_app: Open,
    drawn: Mounted,
    runs: list[FakeRun],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected = {"old", "new"}
    now = {"session": "old"}
    monkeypatch.setattr(state, "session_id", lambda: now["session"])
    monkeypatch.setattr(state, "is_open", lambda session: session in connected)
    uploads._keeper.cache_clear()
    old = sound(open_app("learning", {"watch": "live"}))
    old.button(key="live_start").click().run()
    token = drawn["run_token"]["token"]
    now["session"] = "new"
    new = sound(open_app("learning", {"watch": "live"}))
    assert drawn["run_token"]["token"] == "" and new.button(key="live_start")
    claims: list[bool] = []
    monkeypatch.setattr(trainings, "claim", lambda said, claim=trainings.claim: claims.append(claim(said)))

    def claim(said: object) -> AppTest:
        def mount(view: Any, data: Any, /, **given: Any) -> object:
            answer = drawn.mount(view, data, **given)
            if view.name == "run_token":
                given["claimed"](said)
            return answer

        monkeypatch.setattr(watching, "mount", mount)
        return sound(new.run())

    for wrong in ("", "x" * 22, None, {"a": 1}, token[:-1], f"{token}x"):
        claim(wrong)
    claim(token)  # the session it belongs to is still there
    assert claims == [False] * 7
    connected.discard("old")
    claim(token)
    assert claims[-1] is True
    sound(new.run())
    assert drawn["run_token"]["token"] == token and "Learning: " in words(new)
    assert len(runs) == 1 and base64.urlsafe_b64decode(token + "==")
    uploads._keeper.cache_clear()
