"""Every session key of the app, and the URL that says the same.

One `Selection` is shared by all pages. It lives in the URL of every page (`ui.session.link` reads and writes it); the
functions here keep URL and session in step. A page never reads `st.query_params` or `st.session_state` itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ui.session import presence
from ui.session.corpus import Corpus
from ui.session.link import PARAMETERS, parse, refusal, to_params
from ui.session.selection import Selection

if TYPE_CHECKING:
    from core.analysis.alignment import GoldFile

# -- the session and its URL --------------------------------------------------------------------------------

_MOST_PARTS: Final = 100_000  # of one message from a browser view
_LARGEST: Final = 2**53  # beyond it JavaScript's whole numbers are not exact
_SELECTION: Final = "selection"
_WRITTEN: Final = "url_written"  # parameters as this session last saw or wrote them
_EARLIER: Final = "url_earlier"  # parameters it wrote before those, the latest ones
_LINKED: Final = "url_linked"  # parameters that the sidebar's links carry
_PAGE: Final = "page"
_ARRIVED: Final = "arrived"  # whether this run took the selection from a link
_NAMED: Final = "url_named"  # names of the parameters of the link that was followed last
_NOTICE: Final = "notice"  # one quiet sentence about the link, shown once
_MISTAKE: Final = "mistake"  # one sentence about what was typed
_DRAFT: Final = "draft"  # what stands in the sentence box, right or wrong
_DEVICE: Final = "device"
_IMPORTED: Final = "imported"  # (name, folder) of checkpoints that only this session sees
_DRAFT_IMPORT: Final = "draft_import"  # the import in progress
_GOLD_FILE: Final = "gold_file"  # the gold alignments that this session brought
_JOBS: Final = "jobs"  # measurements behind the page, by name
_TRAINING: Final = "training"
_CORPUS: Final = "corpus"  # sentences of this session's own that the heads are measured on
_TRAINING_PROBLEM: Final = "training_problem"  # one sentence about a training that could not begin
_CORPUS_PROBLEM: Final = "corpus_problem"  # one sentence about sentences that could not be used


# How many of its own URLs a session remembers; a reader's events are never so many ahead of the browser.
_REMEMBERED: Final = 40


class Link(NamedTuple):
    """A link that was followed: its page (`""` is the front page) and the names of its parameters, defaults included."""

    page: str
    parameters: frozenset[str]


def open_page(page: str) -> Selection:
    """Call once at the top of every full run: takes over what the URL says when it is news.

    News is a first visit, a link, or the browser's Back. Moving through the app's own links is not: the
    session knows better than a link drawn before the last change. Nor is a URL this session wrote itself and the
    browser has not replaced yet, which every event carries that was quicker than our answer to the one before.
    """
    import streamlit as st

    session, now = st.session_state, st.query_params.to_dict()
    moved = session.get(_PAGE) != page
    session[_PAGE] = page
    own = moved and _SELECTION in session and now in ({}, session.get(_LINKED))
    late = not moved and not _went_back() and now in session.get(_EARLIER, ())
    session[_ARRIVED] = _SELECTION not in session or (now != session.get(_WRITTEN) and not own and not late)
    if session[_ARRIVED]:
        session[_SELECTION], refused = parse(now)
        session[_NAMED] = tuple(name for name in now if name in PARAMETERS)
        session[_NOTICE] = refusal(refused)
        session[_DRAFT] = None
        session[_MISTAKE] = ""
        session[_WRITTEN] = now
    write_url()
    return selection()


def followed_link() -> Link | None:
    """The link that this run answers: a first visit, a link or the browser's Back; None for an event of the page."""
    import streamlit as st

    session = st.session_state
    return Link(session[_PAGE], frozenset(session[_NAMED])) if session.get(_ARRIVED) else None


def _went_back() -> bool:
    """Whether this run answers the browser's Back or Forward."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def visitor() -> str:
    """Who asks: the session, or outside of one the thread."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else threading.current_thread().name


def give_way() -> None:
    """End this run where its visitor has asked for another page since; nothing happens outside of a run.

    Streamlit ends such a run where it next draws or looks at its state; long work does neither.
    """
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    if get_script_run_ctx(suppress_warning=True) is not None:
        st.session_state.get(_PAGE)


def selection() -> Selection:
    """What this session is looking at."""
    import streamlit as st

    found = st.session_state.get(_SELECTION)
    return found if isinstance(found, Selection) else Selection()


def put(new: Selection) -> None:
    """Make `new` the session's selection; the run that follows writes it into the URL.

    Not here: a message to the browser is where Streamlit breaks a run off for the next event, and inside a callback that
    would drop the callbacks after it.
    """
    import streamlit as st

    if new.checkpoint != selection().checkpoint:
        set_draft(None)  # what another model could not read is no mistake here
    st.session_state[_SELECTION] = new


def update(**changes: Any) -> None:
    """Change fields of the selection by the rules of `Selection.changed`."""
    put(selection().changed(**changes))


def write_url() -> None:
    """Make the URL say what the selection is, at the start of a run: of the page (`open_page`) or of a fragment."""
    import streamlit as st

    session, params = st.session_state, to_params(selection())
    before = session.get(_WRITTEN)
    if before is not None and before != params:
        session[_EARLIER] = (*session.get(_EARLIER, ()), before)[-_REMEMBERED:]
    session[_WRITTEN] = params
    if st.query_params.to_dict() != params:
        st.query_params.from_dict(params)


def link_params() -> dict[str, str]:
    """Parameters for links to other pages."""
    import streamlit as st

    params = to_params(selection())
    st.session_state[_LINKED] = params
    return params


def params_with(**changes: Any) -> dict[str, str]:
    """Parameters for a link that shows the selection with `changes`."""
    return to_params(selection().changed(**changes))


_OWN: Final = object()


def bind(field: str, shown: Any = _OWN) -> dict[str, Any]:
    """`key` and `on_change` for a widget that shows and sets one field: `st.toggle("words", **bind("words"))`.

    `shown` is what the widget shows where that is not the field as it is, such as what a page chose in its place.
    """

    def take(value: Any) -> None:
        if value is not None or Selection.__dataclass_fields__[field].default is None:
            update(**{field: value})

    return hold(field, getattr(selection(), field) if shown is _OWN else shown, take)


def hold(name: str, shown: Any, take: Callable[[Any], None]) -> dict[str, Any]:
    """`key` and `on_change` for a widget that shows `shown` and hands to `take` what the reader makes of it."""
    import streamlit as st

    key = f"widget_{name}"
    st.session_state[key] = shown
    return {"key": key, "on_change": lambda: take(st.session_state[key])}


def reported(component: str, name: str) -> Any:
    """What a browser view set under `name`, read inside its callback; None when there is nothing, or a number in it
    that no view sends (`_sendable`).
    """
    import streamlit as st

    told = st.session_state.get(component)
    if told is None:
        return None
    found = told.get(name) if hasattr(told, "get") else getattr(told, name, None)
    return found if _sendable(found) else None


def _sendable(message: object) -> bool:
    """Whether every number of a message is finite and small enough for any index, and there are not too many parts.

    1e400 arrives as infinity, which has no integer.
    """
    rest, seen = [message], 0
    while rest:
        part, seen = rest.pop(), seen + 1
        if seen > _MOST_PARTS:
            return False
        if isinstance(part, Mapping):
            rest += part.values()
        elif isinstance(part, list | tuple):
            rest += part
        elif isinstance(part, int | float) and not abs(part) < _LARGEST:
            return False
    return True


def notice() -> str:
    """The quiet sentence about this session's link, if there is one."""
    import streamlit as st

    return str(st.session_state.get(_NOTICE, ""))


def mistake() -> str:
    """The sentence about what was typed last, if it could not be used."""
    import streamlit as st

    return str(st.session_state.get(_MISTAKE, ""))


def draft() -> str | None:
    """What stands in the sentence box when it is not the selection's text."""
    import streamlit as st

    return st.session_state.get(_DRAFT)


def set_draft(text: str | None, sentence: str = "") -> None:
    """Keep what was typed (None: the box shows the selection's text) and what is wrong with it."""
    import streamlit as st

    st.session_state[_DRAFT] = text
    st.session_state[_MISTAKE] = sentence


def device() -> str | None:
    """The device this session asked for, None for the one picked at start."""
    import streamlit as st

    return st.session_state.get(_DEVICE)


def bind_device(shown: str) -> dict[str, Any]:
    """`key` and `on_change` for the widget that switches the device; `shown` is the one in use."""
    import streamlit as st

    key = "widget_device"
    st.session_state[key] = shown

    def take() -> None:
        st.session_state[_DEVICE] = st.session_state[key] or st.session_state.get(_DEVICE)

    return {"key": key, "on_change": take}


def look_inside(checkpoint: str) -> None:
    """Make a checkpoint the one in use and show what is inside it."""
    update(checkpoint=checkpoint, desk="inspect")


def imported() -> tuple[tuple[str, Path], ...]:
    """(name, folder) of the checkpoints this session brought; none outside a session."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    if get_script_run_ctx(suppress_warning=True) is None:
        return ()
    return tuple(st.session_state.get(_IMPORTED, ()))


def add_imported(name: str, folder: Path) -> None:
    """Put a checkpoint into this session's list."""
    import streamlit as st

    st.session_state[_IMPORTED] = (*imported(), (name, folder))


def drop_imported(folder: Path) -> None:
    """Take a checkpoint out of this session's list."""
    import streamlit as st

    st.session_state[_IMPORTED] = tuple(each for each in imported() if each[1] != folder)


def draft_import(make: Callable[[], Any]) -> Any:
    """What this session's import has come to; `make` gives the empty one."""
    import streamlit as st

    return st.session_state.setdefault(_DRAFT_IMPORT, make())


def gold_file() -> GoldFile | None:
    """The gold file that this session brought."""
    import streamlit as st

    return st.session_state.get(_GOLD_FILE)


def set_gold_file(file: GoldFile | None) -> None:
    """Keep a gold file for this session, or forget it."""
    import streamlit as st

    st.session_state[_GOLD_FILE] = file


def jobs() -> dict[str, Any]:
    """This session's measurements that run behind the page (ui/shared/jobs.py), by name."""
    import streamlit as st

    found: dict[str, Any] = st.session_state.setdefault(_JOBS, {})
    return found


def start_job(name: str, begin: Callable[[Callable[[], bool]], Any]) -> None:
    """Stop this session's other measurements and begin another: `begin` gets the question whether the visitor is still there."""
    for other in jobs().values():
        other.cancel()
    jobs().clear()
    jobs()[name] = begin(presence.stays(visitor()))


def training() -> str | None:
    """What finds this session's training (ui/learn/live.py); None when there is none."""
    import streamlit as st

    found: str | None = st.session_state.get(_TRAINING)
    return found


def set_training(token: str | None) -> None:
    """Keep what finds this session's training, or nothing."""
    import streamlit as st

    st.session_state[_TRAINING] = token


def corpus() -> Corpus | None:
    """The sentences of its own that this session measures heads on; None for the checkpoint's example sentences."""
    import streamlit as st

    found = st.session_state.get(_CORPUS)
    return found if isinstance(found, Corpus) else None


def set_corpus(new: Corpus | None, problem: str = "") -> None:
    """Measure heads on these sentences (None: the checkpoint's example sentences); `problem`: why others could not be used."""
    import streamlit as st

    st.session_state[_CORPUS] = new
    st.session_state[_CORPUS_PROBLEM] = problem


def corpus_problem() -> str:
    """The sentence about sentences that could not be used; empty where there is none."""
    import streamlit as st

    return str(st.session_state.get(_CORPUS_PROBLEM, ""))


def training_problem() -> str:
    """The sentence about a training that could not begin; empty where there is none."""
    import streamlit as st

    return str(st.session_state.get(_TRAINING_PROBLEM, ""))


def set_training_problem(sentence: str) -> None:
    """Keep what was wrong with a training that was asked for; empty: nothing."""
    import streamlit as st

    st.session_state[_TRAINING_PROBLEM] = sentence


def entered(key: str) -> Any:
    """What stands in a form's widget, read inside the callback of its button; None where the widget was not drawn."""
    import streamlit as st

    return st.session_state.get(key)
