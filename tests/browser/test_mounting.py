"""A view lives as long as its element, however Streamlit's calls and clean-ups for new data come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.looking import ELEMENT
from tests.browser_code import code_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# `steps` are calls (a name) and clean-ups (the name after a minus) in their order, then the element goes.
_PLAY = """(steps) => {{
  {code}
  {element}
  const told = {{ made: 0, ended: 0, data: null }};
  const create = () => {{
    told.made += 1;
    return {{ update: (data) => {{ told.data = data.step; }}, destroy: () => {{ told.ended += 1; }} }};
  }};
  const after = {{}};
  const play = (step) => {{
    if (step.startsWith('-')) return after[step.slice(1)]();
    const data = {{ fields: {{ step }}, arrays: [] }};
    const given = {{ parentElement, data, setTriggerValue() {{}}, setStateValue() {{}} }};
    after[step] = {view}.mount(given, create);
  }};
  const [during, gone] = steps;
  during.forEach(play);
  const before = {{ ...told }};
  parentElement.remove();
  gone.forEach(play);
  return [before, told.made, told.ended];
}}"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("during", "gone"),
    [
        (["one"], ["-one"]),
        (["one", "two"], ["-two"]),
        (["one", "two", "-one"], ["-two"]),  # cleaned up late
        (["one", "two", "-two", "three"], ["-three"]),  # overtaken, and cleaned up before the newer call
        (["one", "two", "-two"], ["-one"]),  # the newer call never came
    ],
)
def test_a_view_is_made_once_and_ends_with_its_element(
    chromium: Browser, during: list[str], gone: list[Any]
) -> None:
    code, view = code_of("base/view.ts")
    page = chromium.new_page()
    play = _PLAY.format(code=code, element=ELEMENT, view=view)
    before, made, ended = page.evaluate(play, [during, gone])
    shown = [step for step in during if not step.startswith("-")][-1]
    assert before == {"made": 1, "ended": 0, "data": shown}
    assert (made, ended) == (1, 1)
    page.close()
