"""Every session key of the app, the URL that says the same, and whether the visitor is still connected."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from core.experiments.edits import Kind
from core.language import ask, plural, tr, use
from ui.session.selection import FIELDS, FRAMED, PARAMETER_OF, Selection

if TYPE_CHECKING:
    from core.analysis.alignment import GoldFile


AWAY_S: Final = 15.0
"""Seconds without a connection after which work for a session ends; a reload or a short loss of the network takes fewer."""


def is_open(session: str) -> bool:
    """Whether a browser is connected to a session now."""
    from streamlit import runtime

    # Without a server (a test that runs the script alone) nobody leaves.
    return not runtime.exists() or runtime.get_instance().get_client(session) is not None


def stays(
    session: str,
    away_s: float = AWAY_S,
    connected: Callable[[str], bool] = is_open,
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[], bool]:
    """A question to ask again and again: False from when it has found the session away for `away_s`."""
    away_since: float | None = None

    def asked() -> bool:
        nonlocal away_since
        if connected(session):
            away_since = None
        elif away_since is None:
            away_since = clock()
        return away_since is None or clock() - away_since < away_s

    return asked


PARAMETERS: Final = tuple(PARAMETER_OF.values())
"""The names of all parameters."""


def parse(params: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """The selection a link describes, and the names of its parameters that could not be read.

    Unknown names are ignored; a value outside its bounds falls back to the default.
    """
    values: dict[str, Any] = {}
    refused: list[str] = []
    for each in FIELDS:
        if (name := PARAMETER_OF[each.name]) in params:
            try:
                values[each.name] = each.metadata["codec"].read(str(params[name]))
            except ValueError:
                refused.append(name)
    return Selection(**values), tuple(refused)


def to_params(selection: Selection) -> dict[str, str]:
    """The URL parameters of a selection: only values that differ from the default, in a fixed order."""
    values = ((each, getattr(selection, each.name)) for each in FIELDS)
    return {
        PARAMETER_OF[each.name]: each.metadata["codec"].write(value)
        for each, value in values
        if value != each.default
    }


def refusal(refused: tuple[str, ...]) -> str:
    """One quiet sentence about the parts of a link that could not be used."""
    if not refused:
        return ""
    *others, last = (tr("“{word}”", word=name) for name in refused)
    named = tr("{first} and {last}", first=", ".join(others), last=last) if others else last
    return plural(
        "{named} in this link could not be read, so the standard view is shown there.",
        "{named} in this link could not be read, so the standard view is shown for them.",
        len(refused),
        named=named,
    )


Value = TypeVar("Value")

# -- the session and its URL --------------------------------------------------------------------------------

_MOST_PARTS: Final = 100_000  # of one message from a browser view
_LARGEST: Final = 2**53  # beyond it JavaScript's whole numbers are not exact


def _run_context() -> Any:
    """What Streamlit knows of the run that asks; None outside of one."""
    if "streamlit" not in sys.modules:  # a notebook, or a page written where the app is not installed
        return None
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    return get_script_run_ctx(suppress_warning=True)


def _session() -> Any:
    """Streamlit's values of this session by name. Imported here: what writes a page from the command line needs none."""
    import streamlit as st

    return st.session_state


def _url() -> Any:
    """The parameters of the page's address."""
    import streamlit as st

    return st.query_params


class SessionValue(Generic[Value]):
    """One value of a session that is not in its URL: calling it reads it, `set` writes it; `default` until then."""

    def __init__(self, name: str, default: Value) -> None:
        self.name, self._default = name, default

    @property
    def is_set(self) -> bool:
        """Whether this session has a value of its own."""
        return self.name in _session()

    def __call__(self) -> Value:
        if _run_context() is None:
            return self._default
        value: Value = _session().get(self.name, self._default)
        return value

    def set(self, value: Value) -> None:
        """Keep a value for this session."""
        _session()[self.name] = value


# Every value that a session keeps beside its URL: name, default, meaning.
selection: Final = SessionValue("selection", Selection())
"""What this session is looking at."""
_written: Final = SessionValue[dict[str, str] | None]("url_written", None)
"""The parameters as this session last saw or wrote them."""
_earlier: Final = SessionValue[tuple[dict[str, str], ...]]("url_earlier", ())
"""Parameters it wrote before those, the latest ones."""
_linked: Final = SessionValue[dict[str, str] | None]("url_linked", None)
"""Parameters that the sidebar's links carry."""
_tab_links: Final = SessionValue[tuple[dict[str, str], ...]]("url_tab_links", ())
"""Parameters that the tabs' links carry."""
_named: Final = SessionValue[tuple[str, ...]]("url_named", ())
"""Names of the parameters of the link that was followed last."""
_page: Final = SessionValue[str | None]("page", None)
"""The page of the last full run; "" is the front page."""
_arrived: Final = SessionValue("arrived", False)
"""Whether this run took the selection from a link."""
_framed: Final = SessionValue[tuple[Any, ...]]("framed", ())
"""What the frame around the page was drawn from in the last full run."""
_run: Final = SessionValue[tuple[Any, dict[Hashable, Any]]]("run", (None, {}))
"""What was made once for all of this run (`once_a_run`), and what tells the run from others."""
notice: Final = SessionValue("notice", "")
"""The quiet sentence about this session's link, if there is one."""
mistake: Final = SessionValue("mistake", "")
"""The sentence about what was typed last, if it could not be used."""
draft: Final = SessionValue[str | None]("draft", None)
"""What is in the sentence box when it is not the selection's text."""
device: Final = SessionValue[str | None]("device", None)
"""The device this session asked for, None for the one picked at start."""
tabs: Final = SessionValue[Mapping[str, str]]("tabs", {})
"""The page of each place that was open last, by the place's name."""
imported: Final = SessionValue[tuple[tuple[str, Path], ...]]("imported", ())
"""(name, folder) of the checkpoints this session brought."""
import_in_progress: Final = SessionValue[Any]("draft_import", None)
"""What this session's import has come to."""
gold_file: Final[SessionValue[GoldFile | None]] = SessionValue("gold_file", None)
"""The gold alignments that this session brought."""
_jobs: Final = SessionValue[dict[str, Any] | None]("jobs", None)
"""This session's measurements that run behind the page (ui/shared/cache.py), by name."""
without_norms: Final = SessionValue[Any]("without_norms", None)
"""The key of the decode that this session asked to run without norms (ui/inside/norms.py)."""
source_measures: Final = SessionValue[Any]("source_measures", None)
"""The decode's key and the step whose source words this session asked every measure about (ui/what_if/why.py)."""
code_line: Final = SessionValue[tuple[str, int]]("code_line", ("", 0))
"""The lesson's step and its line of code, from 0, that was pressed last (ui/learn/code_lines.py)."""
training: Final = SessionValue[str | None]("training", None)
"""The token of this session's training (ui/learn/trainings.py)."""
training_problem: Final = SessionValue("training_problem", "")
"""The sentence about a training that could not begin."""
corpus: Final = SessionValue[Any]("corpus", None)
"""The sentences of its own (ui/heads/atlas.py) that this session measures heads on; None: the checkpoint's example sentences."""
corpus_problem: Final = SessionValue("corpus_problem", "")
"""The sentence about sentences that could not be used."""

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
    now = address()
    moved, known = _page() != page, selection.is_set
    _page.set(page)
    own = moved and known and now in ({}, _linked())
    late = not moved and not _went_back() and now in _earlier() and now not in _tab_links()
    _arrived.set(not known or (now != _written() and not own and not late))
    if _arrived():
        new, refused = parse(now)
        selection.set(new)
        _named.set(tuple(name for name in now if name in PARAMETERS))
        notice.set(refusal(refused))
        set_draft(None)
        if known and not moved and not _went_back():
            # A tab of the page in view: Streamlit leaves the address in the browser as it is, and so do events until ours is there.
            _remember(_written())
            _url().from_dict(now)
        _written.set(now)
    elif moved and selection().full and not selection().lesson:
        selection.set(replace(selection(), full=""))  # the other page has other cards
    write_url()
    _framed.set(_frame())
    return selection()


def _frame() -> tuple[Any, ...]:
    return tuple(getattr(selection(), name) for name in FRAMED)


def redraw_frame() -> None:
    """In a fragment's own run: draw the whole page again where what its frame reads has changed since it was drawn."""
    context = _run_context()
    if context is not None and context.fragment_ids_this_run and _framed() != _frame():
        import streamlit as st

        st.rerun(scope="app")


ask(lambda: selection().language)  # callbacks run before the page, in a thread of their own


def once_a_run(name: Hashable, make: Callable[[], Value]) -> Value:
    """What `make` gives, the same to all who ask under this name during one run of the script or of fragments."""
    context = _run_context()
    if context is None:
        return make()
    run, made = _run()
    if run is not context.cursors:  # Streamlit begins every run with new ones
        made = {}
        _run.set((context.cursors, made))
    if name not in made:
        made[name] = make()
    value: Value = made[name]
    return value


def followed_link() -> Link | None:
    """The link that this run answers: a first visit, a link or the browser's Back; None for an event of the page."""
    return Link(_page() or "", frozenset(_named())) if _arrived() else None


def _went_back() -> bool:
    """Whether this run answers the browser's Back or Forward."""
    context = _run_context()
    return context is not None and context.is_history_navigation


def session_id() -> str:
    """Streamlit's name of the session that asks; empty outside of one."""
    context = _run_context()
    return "" if context is None else context.session_id


def visitor() -> str:
    """Who asks: the session, or outside of one the thread."""
    return session_id() or threading.current_thread().name


def give_way() -> None:
    """End this run where its visitor has asked for another page since; nothing happens outside of a run.

    Streamlit ends such a run where it next draws or looks at its state; long work does neither.
    """
    if _run_context() is not None:
        _session().get(_page.name)


def put(new: Selection) -> None:
    """Make `new` the session's selection; the run that follows writes it into the URL.

    Not here: a message to the browser is where Streamlit breaks a run off for the next event, and inside a callback that
    would drop the callbacks after it.
    """
    if new.checkpoint != selection().checkpoint:
        set_draft(None)  # what another model could not read is no mistake here
    selection.set(new)


def update(**changes: Any) -> None:
    """Change fields of the selection by the rules of `Selection.changed`."""
    put(selection().changed(**changes))


def write_url() -> None:
    """Make the URL say what the selection is, at the start of a run: of the page (`open_page`) or of a fragment."""
    use(selection().language)
    said, before = address(), _written()
    # A link may name what is the standard anyway: it says the same, and another address would be a page of the history.
    known = all(name in PARAMETERS for name in said) and parse(said) == (selection(), ())
    params = said if known else to_params(selection())
    if before != params:
        _remember(before)
    _written.set(params)
    # After Back the browser may have taken in, late, the address of the run before; saying ours again is no news otherwise.
    if said != params or _went_back():
        _url().from_dict(params)


def _remember(written: dict[str, str] | None) -> None:
    """Keep parameters that the session wrote, which events may still carry."""
    if written is not None:
        _earlier.set((*_earlier(), written)[-_REMEMBERED:])


def address() -> dict[str, str]:
    """The parameters of the page's address as they are."""
    parameters: dict[str, str] = _url().to_dict()
    return parameters


def link_params() -> dict[str, str]:
    """Parameters for links to other pages."""
    params = to_params(selection())
    _linked.set(params)
    return params


def params_with(**changes: Any) -> dict[str, str]:
    """Parameters for a link that shows the selection with `changes`."""
    return to_params(selection().changed(**changes))


def tab_params(changes: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Parameters for the links of a page's tabs, each of which changes fields of the selection."""
    params = [params_with(**each) for each in changes]
    _tab_links.set(tuple(params))
    return params


_OWN: Final = object()


def bind(field: str, shown: Any = _OWN) -> dict[str, Any]:
    """`key` and `on_change` for a widget that shows and sets one field: `st.toggle("words", **bind("words"))`.

    `shown` replaces the field's value on screen, such as the page's choice where the field is None.
    """

    def take(value: Any) -> None:
        if value is not None or Selection.__dataclass_fields__[field].default is None:
            update(**{field: value})

    return hold(PARAMETER_OF[field], getattr(selection(), field) if shown is _OWN else shown, take)


def hold(name: str, shown: Any, take: Callable[[Any], None]) -> dict[str, Any]:
    """`key` and `on_change` for a widget that shows `shown` and hands to `take` what the reader makes of it."""
    key = f"widget_{name}"
    _session()[key] = shown
    return {"key": key, "on_change": lambda: take(_session()[key])}


def open_import(field: str) -> None:
    """Open the import where the upload field `field` holds files; called inside the field's callback.

    A field that leaves the page reports a change too, with no file in it, and then the reader is somewhere else.
    """
    if _session().get(field):
        update(desk="import")


def reported(component: str, name: str) -> Any:
    """What a browser view set under `name`, read inside its callback; None without a value, or if it contains a number
    that no view sends (`_sendable`).
    """
    answers = _session().get(component)
    if answers is None:
        return None
    answer = answers.get(name) if hasattr(answers, "get") else getattr(answers, name, None)
    return answer if _sendable(answer) else None


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


def set_draft(text: str | None, sentence: str = "") -> None:
    """Keep what was typed (None: the box shows the selection's text) and what is wrong with it."""
    draft.set(text)
    mistake.set(sentence)


def bind_device(shown: str) -> dict[str, Any]:
    """`key` and `on_change` for the widget that switches the device; `shown` is the one in use."""
    return hold("device", shown, lambda chosen: device.set(chosen or device()))


def look_inside(checkpoint: str) -> None:
    """Make a checkpoint the one in use and show what is inside it."""
    update(checkpoint=checkpoint, desk="inspect")


def pin(kind: Kind, queries: Sequence[int] = (), keys: Sequence[int] = ()) -> None:
    """Pin these tokens of a map of this kind, in place of what is pinned."""
    put(selection().pinning(kind, queries, keys))


def keep_head(layer: int, head: int) -> None:
    """Keep the head in view open where none was chosen: another pin would open another head under the pointer."""
    if selection().layer is None and selection().head is None:
        update(layer=layer, head=head)


def unpin() -> None:
    """Release what is pinned."""
    put(selection().pinning("cross", (), ()))


def add_imported(name: str, folder: Path) -> None:
    """Put a checkpoint into this session's list."""
    imported.set((*imported(), (name, folder)))


def drop_imported(folder: Path) -> None:
    """Take a checkpoint out of this session's list."""
    imported.set(tuple(each for each in imported() if each[1] != folder))


def draft_import(make: Callable[[], Any]) -> Any:
    """What this session's import has come to; `make` gives the empty one."""
    if import_in_progress() is None:
        import_in_progress.set(make())
    return import_in_progress()


def jobs() -> dict[str, Any]:
    """This session's measurements that run behind the page (ui/shared/cache.py), by name."""
    running = _jobs()
    if running is None:
        running = {}
        _jobs.set(running)
    return running


def start_job(name: str, begin: Callable[[Callable[[], bool]], Any]) -> None:
    """Stop this session's other measurements and begin another: `begin` gets the question whether the visitor is still there."""
    for other in jobs().values():
        other.cancel()
    jobs().clear()
    jobs()[name] = begin(stays(visitor()))


def set_corpus(new: Any, problem: str = "") -> None:
    """Measure heads on these sentences (None: the checkpoint's example sentences); `problem`: why others could not be used."""
    corpus.set(new)
    corpus_problem.set(problem)


def entered(key: str) -> Any:
    """What is in a widget, read before it is drawn in this run; None where it has not been drawn yet."""
    return _session().get(key)
