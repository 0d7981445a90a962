"""Browser views as Streamlit inline components; also Plotly figures and the watch for theme changes."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, get_args

import numpy as np
import numpy.typing as npt
import streamlit as st

from core.language import language
from ui.session import state
from ui.session.state import reported
from ui.shared import context
from ui.style import theme
from ui.web.contract import UnreadableError, address, file_stem, pack, read, words

if TYPE_CHECKING:
    import plotly.graph_objects as go

Data = TypeVar("Data")

# Streamlit takes a string without a line break for the path of a file.
HTML = '<div class="atlas">\n</div>'

# Streamlit sends a component's code again with every change of its data. The code of all views is therefore fetched once,
# from the server's own address (ui/app/assets.py), which Streamlit's script tells: the app may be below a path.
_LOAD = """const page = document.querySelector('script[src*="static/js/"]').src;
const {{ show }} = await import(new URL("../../{address}", page).href);
export default (mounting) => show("{name}", mounting);
"""


class View(Generic[Data]):
    """A browser view: its `name` in the bundle, the dataclass it draws, and the types of its answers by event.

    Make one for each view, at module level. If an answer has a method `fitted(data)`, its return value is used instead:
    the answer as it applies to what is drawn, or None if it does not.
    """

    def __init__(self, name: str, data: type[Data], **answers: Any) -> None:
        self.name, self.data, self.answers = name, data, answers
        load = _LOAD.format(address=address(), name=name)
        self.component = st.components.v2.component(f"atlas_{name}", html=HTML, js=load)

    def answer(self, name: str, sent: object, data: Data) -> Any:
        """What the browser sent, as the declared answer; None if unreadable. Untrusted input."""
        try:
            answer = read(self.answers[name], sent)
        except UnreadableError:
            return None
        return answer.fitted(data) if hasattr(answer, "fitted") else answer


def mount(
    view: View[Data], data: Data, /, *, key: str, **on: Callable[[Any], object] | None
) -> Callable[[str], Any]:
    """Draw a view; each function in `on` receives the answer of its event before the rerun it causes.

    Returns a function from an event's name to its answer in this run, None without one. None can also be an answer (nothing
    is pinned any more): only `on` distinguishes it from unreadable data.
    """
    if unknown := set(on) - set(view.answers):
        raise TypeError(f"the view {view.name} has no event {', '.join(sorted(unknown))}")

    def taken(name: str) -> None:
        take, answered = on.get(name), reported(key, name)
        answer = view.answer(name, answered, data)
        if take is not None and (
            answer is not None or (answered is None and _may_be_none(view.answers[name]))
        ):
            take(answer)

    callbacks: dict[str, Any] = {f"on_{name}_change": partial(taken, name) for name in view.answers}
    sent = pack(data, column) | ({"language": translated} if (translated := words(view.name)) else {})
    mounted = view.component(key=key, data=sent, **callbacks)
    return lambda name: view.answer(name, mounted.get(name), data)


def _may_be_none(hint: Any) -> bool:
    return type(None) in get_args(hint)


def column(values: npt.NDArray[Any]) -> Any:
    """An array as a column of Arrow, which Streamlit would make of it by way of pandas, ten times slower."""
    import pyarrow as pa  # type: ignore[import-untyped]

    return pa.table([pa.array(values)], names=["0"])


def quantise(weights: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Weights in 0..1 flattened to integers, w·65535 (error ≤ 8e-6).

    Streamlit sends a one-dimensional integer array as a binary Arrow column, which `unpack` (ui/web/base/words.ts) reads.
    NaN is an error of the caller: a fully masked row is zeros.
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.size and not (np.isfinite(values).all() and values.min() >= -1e-6 and values.max() <= 1 + 1e-4):
        raise ValueError(
            f"attention weights must lie in 0..1, got {values.min():.3g} to {values.max():.3g};"
            " scale scores or differences before drawing them"
        )
    return np.rint(np.clip(values, 0, 1) * 65535).astype(np.uint16).ravel()


@dataclass(frozen=True)
class ChartData:
    """The name of the files that a figure leaves the page as."""

    file: str


CHART = View("chart", ChartData)
Given = ParamSpec("Given")


def drawn(make: Callable[Given, go.Figure], *given: Given.args, **more: Given.kwargs) -> go.Figure:
    """What `make` draws from what it is given, built once for all visitors: building a figure takes longer than all else.

    The name it is kept by is made of everything that `make` is given, so it can be nobody else's; nobody may change it.
    """
    name = hashlib.blake2b(
        pickle.dumps((make.__module__, make.__qualname__, given, sorted(more.items()), language()))
    )
    return context.drawing(name.digest(), lambda: _as_sent(make(*given, **more)))


def _as_sent(figure: go.Figure) -> go.Figure:
    """The figure with its JSON ready: Plotly copies and encodes every part of it for each visitor again."""
    text = figure.to_json(validate=False)
    figure.to_dict = lambda: json.loads(text)
    return figure


@contextmanager
def one_export(key: str) -> Iterator[None]:
    """Figures drawn inside leave the page together, as they stand: one "⤓" for PNG, SVG and CSV, made in the browser.

    `key`, unique on the page, also names the files.
    """
    with st.container(key=f"chart_{key}"):
        mount(CHART, ChartData(file_stem(key.replace("_", "-"))), key=f"{key}_menu")
        yield


def draw_figure(
    key: str, make: Callable[..., go.Figure], *given: Any, fills: bool = False, **more: Any
) -> None:
    """Draw what `make` makes of what it is given, in the colours (`mode`) and type (`presenter`) of the page; inside `one_export`.

    `fills`: as tall as its container, which has a height of its own; else as the figure says.
    """
    look = {"mode": theme.current_mode(), "presenter": state.selection().enlarged}
    plotly_chart(drawn(make, *given, **look, **more), key, fills=fills)


def plotly_chart(figure: go.Figure, key: str, *, fills: bool = False) -> None:
    """A figure without the buttons that Plotly puts over it."""
    height: Literal["stretch", "content"] = "stretch" if fills else "content"
    st.plotly_chart(figure, theme=None, config={"displayModeBar": False}, key=key, height=height)


def chart(figure: go.Figure, key: str, *, fills: bool = False) -> None:
    """Draw one figure with its export; see `draw_figure`."""
    with one_export(key):
        plotly_chart(figure, key, fills=fills)


def draw_chart(
    key: str, make: Callable[..., go.Figure], *given: Any, fills: bool = False, **more: Any
) -> None:
    """Draw one figure with its export; see `draw_figure`."""
    with one_export(key):
        draw_figure(key, make, *given, fills=fills, **more)


@dataclass(frozen=True)
class ThemeData:
    """Nothing: the browser knows which colours it has."""


THEME_WATCH = View("theme_watch", ThemeData, switched=str)


def theme_watch() -> None:
    """Put this beside Plotly figures; inside a fragment only the fragment runs again."""
    mount(THEME_WATCH, ThemeData(), key="theme_watch")
