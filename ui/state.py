"""Every session key and every URL parameter of the app: typed, bounded, whitelisted, in this one file.

One `Selection` is shared by all pages and sessions' links. It lives in the URL of every page; `parse` and
`to_params` are pure, the functions below them keep URL and session in step. A page never reads
`st.query_params` or `st.session_state` itself.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, get_args

from ui.selection import FORCE_LIMIT, MEAN, Desk, Draw, How, Selection, Strategy, Versus, View

TEXT_LIMIT: Final = 2000  # characters of a sentence that a link carries


# -- reading and writing one parameter ----------------------------------------------------------------------


def _choice(kind: Any) -> Callable[[str], str]:
    allowed = get_args(kind)

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
            raise ValueError(text)
        return int(text)

    return read


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text) if len(text) <= 12 else math.nan
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return read


def _index(high: int) -> Callable[[str], int]:
    number = _whole(0, high)
    return lambda text: MEAN if text == "mean" else number(text)


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"


def _matching(pattern: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text, re.ASCII):
            raise ValueError(text)
        return text

    return read


def _words(text: str) -> str:
    if len(text) > TEXT_LIMIT or not text.strip():
        raise ValueError(text)
    return text


def _forced(text: str) -> tuple[tuple[int, int], ...]:
    """ "3:512,7:18" → ((3, 512), (7, 18)), positions rising."""
    if not re.fullmatch(r"\d{1,4}:\d{1,7}(,\d{1,4}:\d{1,7})*", text, re.ASCII):
        raise ValueError(text)
    pairs = [(int(a), int(b)) for a, b in (part.split(":") for part in text.split(","))]
    places = [place for place, _ in pairs]
    if len(pairs) > FORCE_LIMIT or places != sorted(set(places)):
        raise ValueError(text)
    return tuple(pairs)


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "checkpoint": _matching(r"[\w.\-]{1,80}"),
    "text": _words,
    "strategy": _choice(Strategy),
    "target": _words,
    "temperature": _number(0.05, 5.0),
    "top_k": _whole(0, 1000),
    "top_p": _number(0.01, 1.0),
    "seed": _whole(0, 999_999),
    "beam": _whole(2, 12),
    "node": _whole(1, 99_999),
    "force": _forced,
    "step": _whole(0, 100_000),
    "kind": _choice(View),
    "layer": _index(127),
    "head": _index(255),
    "how": _choice(How),
    "draw": _choice(Draw),
    "words": _flag,
    "hide": _flag,
    "versus": _choice(Versus),
    "against": _matching(r"\d{1,3}\.\d{1,3}"),
    "other_text": _words,
    "other_step": _whole(1, 100_000),
    "other_checkpoint": _matching(r"[\w.\-]{1,80}"),
    "token": _matching(r"[st]\d{1,5}"),
    "place": _matching(r"(encoder|decoder)\.\d{1,3}\.(self|cross|ffn|embed|final)"),
    "pair": _whole(0, 8191),
    "offset": _whole(1, 200),
    "desk": _choice(Desk),
    "presenter": _flag,
}
assert set(_READERS) == {field.name for field in dataclasses.fields(Selection)}


def parse(params: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """The selection a link describes, and the names of its parameters that made no sense.

    Names outside the whitelist are ignored; a value outside its bounds falls back to the default.
    """
    values: dict[str, Any] = {}
    refused: list[str] = []
    for name, read in _READERS.items():
        if name not in params:
            continue
        try:
            values[name] = read(str(params[name]))
        except ValueError:
            refused.append(name)
    return Selection(**values), tuple(refused)


def to_params(selection: Selection) -> dict[str, str]:
    """The URL parameters of a selection: only what differs from the default, in a fixed order."""
    params = {}
    for field in dataclasses.fields(selection):
        value = getattr(selection, field.name)
        if value != field.default:
            is_mean = field.name in ("layer", "head") and value == MEAN
            params[field.name] = "mean" if is_mean else _written(value)
    return params


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return ",".join(f"{place}:{token}" for place, token in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def refusal(refused: tuple[str, ...]) -> str:
    """One quiet sentence about the parts of a link that could not be used."""
    if not refused:
        return ""
    return f"This link's {' and '.join(refused[:3])} could not be read, so the standard view is shown there."


# -- the session and its URL --------------------------------------------------------------------------------

_SELECTION: Final = "selection"
_WRITTEN: Final = "url_written"  # parameters as this session last saw or wrote them
_LINKED: Final = "url_linked"  # parameters that the sidebar's links carry
_PAGE: Final = "page"
_NOTICE: Final = "notice"  # one quiet sentence about the link, shown once
_MISTAKE: Final = "mistake"  # one sentence about what was typed
_DRAFT: Final = "draft"  # what stands in the sentence box, right or wrong
_DEVICE: Final = "device"
_IMPORTED: Final = "imported"  # (name, folder) of checkpoints that only this session sees
_BENCH: Final = "import_bench"  # the import in progress


def open_page(page: str) -> Selection:
    """Call once at the top of every full run: takes over what the URL says when it is news.

    News is a first visit, a link, or the browser's Back. Moving through the app's own links is not: the
    session knows better than a link drawn before the last change.
    """
    import streamlit as st

    session, now = st.session_state, st.query_params.to_dict()
    moved = session.get(_PAGE) != page
    session[_PAGE] = page
    own = moved and _SELECTION in session and now in ({}, session.get(_LINKED))
    if _SELECTION not in session or (now != session.get(_WRITTEN) and not own):
        session[_SELECTION], refused = parse(now)
        session[_NOTICE] = refusal(refused)
        session[_DRAFT] = None
        session[_MISTAKE] = ""
        session[_WRITTEN] = now
    _write_url()
    return selection()


def selection() -> Selection:
    """What this session is looking at."""
    import streamlit as st

    found = st.session_state.get(_SELECTION)
    return found if isinstance(found, Selection) else Selection()


def put(new: Selection) -> None:
    """Make `new` the session's selection and write it into the URL."""
    import streamlit as st

    st.session_state[_SELECTION] = new
    _write_url()


def update(**changes: Any) -> None:
    """Change fields of the selection by the rules of `Selection.changed`."""
    put(selection().changed(**changes))


def _write_url() -> None:
    import streamlit as st

    params = to_params(selection())
    if st.query_params.to_dict() != params:
        st.query_params.from_dict(params)
    st.session_state[_WRITTEN] = params


def link_params() -> dict[str, str]:
    """Parameters for links to other pages."""
    import streamlit as st

    params = to_params(selection())
    st.session_state[_LINKED] = params
    return params


def bind(field: str, name: str = "") -> dict[str, Any]:
    """`key` and `on_change` for a widget that shows and sets one field: `st.toggle("words", **bind("words"))`."""
    import streamlit as st

    key = f"widget_{name or field}"
    st.session_state[key] = getattr(selection(), field)

    def take() -> None:
        value = st.session_state[key]
        if value is not None or Selection.__dataclass_fields__[field].default is None:
            update(**{field: value})

    return {"key": key, "on_change": take}


def notice() -> str:
    """The quiet sentence about this session's link, if there is one."""
    import streamlit as st

    return str(st.session_state.get(_NOTICE, ""))


def set_notice(sentence: str) -> None:
    """Put one quiet sentence above the page."""
    import streamlit as st

    st.session_state[_NOTICE] = sentence


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


def bench(make: Callable[[], Any]) -> Any:
    """What this session's import has come to; `make` gives the empty one."""
    import streamlit as st

    return st.session_state.setdefault(_BENCH, make())
