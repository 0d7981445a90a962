"""What a run takes over from the URL: a link and Back are news, a URL the browser has not replaced yet is not."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from ui.session import state


def app() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from ui.session import state

    def silently() -> None:
        """Changes the selection while any message to the browser would break the run off."""
        context = get_script_run_ctx()
        assert context is not None
        sending = context._enqueue

        def interrupted(message: object) -> None:
            raise AssertionError(f"a callback sent {message}")

        context._enqueue = interrupted
        try:
            state.update(least=0.25)
        finally:
            context._enqueue = sending

    selection = state.open_page("attention")
    state.tab_params([{"sort": "model"}, {"sort": "high"}])
    st.button("step", on_click=state.update, kwargs={"step": (selection.step or 0) + 1})
    st.button("nothing", on_click=lambda: None)
    st.button("silently", on_click=silently)
    st.text(f"step {selection.step} least {selection.least} sort {selection.sort}")


def told(run: AppTest) -> str:
    assert not run.exception, run.exception
    return str(run.text[0].value)


def url(run: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in run.query_params.items()}


def press(run: AppTest, label: str) -> str:
    next(button for button in run.button if button.label == label).click()
    return told(run.run())


@pytest.fixture
def run() -> AppTest:
    return AppTest.from_function(app).run()


def test_an_event_that_carries_an_url_of_before_loses_nothing(run: AppTest) -> None:
    press(run, "step")
    assert press(run, "step") == "step 2 least None sort model"
    for late in ({}, {"step": "1"}):
        run.query_params = dict(late)
        assert press(run, "nothing") == "step 2 least None sort model"
        assert url(run) == {"step": "2"}, "and the browser is told again"


def test_back_to_an_url_of_before_is_news(run: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    press(run, "step")
    press(run, "step")
    monkeypatch.setattr(state, "_went_back", lambda: True)
    run.query_params = {"step": "1"}
    assert told(run.run()) == "step 1 least None sort model"


def test_an_url_never_written_here_is_news(run: AppTest) -> None:
    press(run, "step")
    run.query_params = {"step": "1", "sort": "high"}
    assert told(run.run()) == "step 1 least None sort high"


def test_a_tab_s_link_is_news_also_where_its_url_is_one_of_before(run: AppTest) -> None:
    press(run, "step")
    run.query_params = {"step": "1", "sort": "high"}
    assert told(run.run()) == "step 1 least None sort high"
    assert press(run, "step") == "step 2 least None sort high"
    for late in ({}, {"step": "1", "sort": "high"}):
        run.query_params = dict(late)
        assert press(run, "nothing") == "step 2 least None sort high"
    run.query_params = {"step": "2"}
    assert told(run.run()) == "step 2 least None sort model"
    run.query_params = {"step": "2", "sort": "high"}
    assert told(run.run()) == "step 2 least None sort high", (
        "and back, though the session has written it before"
    )


def test_a_callback_sends_nothing_so_that_no_other_callback_is_dropped(run: AppTest) -> None:
    assert press(run, "silently") == "step None least 0.25 sort model"
    assert url(run) == {"least": "0.25"}


def test_a_link_that_names_a_default_stays_as_it_is_until_something_changes(run: AppTest) -> None:
    run.query_params = {"kind": "cross", "sort": "high"}
    assert told(run.run()) == "step None least None sort high"
    assert url(run) == {"kind": "cross", "sort": "high"}, "another address would be a page of the history"
    press(run, "step")
    assert url(run) == {"step": "1", "sort": "high"}
    run.query_params = {"kind": "cross", "sort": "high"}  # of an event that was quicker than the new address
    assert press(run, "nothing") == "step 1 least None sort high"
    run.query_params = {"kind": "cross", "sort": "high", "unknown": "1"}
    run.run()
    assert "unknown" not in url(run)
