"""The form of an import: what waits for an answer and is given none is said once."""

from __future__ import annotations

import pytest

from core.importing import Question
from ui.models.import_questions import unanswered


def question(name: str, blocking: bool) -> Question:
    return Question(name, f"{name} is not in the file.", f"--{name}", None if blocking else "relu")


ASKED = [question("heads", True), question("norm", True), question("activation", False)]


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_answer_says_so(empty: str | None) -> None:
    told = unanswered(ASKED, {"heads": empty, "norm": "pre", "activation": empty})
    assert told.startswith("This field is still empty: heads.")
    assert "heads, norm" in unanswered(ASKED, {"heads": empty, "activation": "relu"})


def test_zero_and_no_are_answers() -> None:
    assert unanswered(ASKED, {"heads": 0, "norm": False, "activation": ""}) == ""
