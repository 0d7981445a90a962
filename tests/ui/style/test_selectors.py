"""No rule makes the browser ask the whole page again when one mark of a chart changes.

`:has()` by a class is asked again where that class comes or goes. By an attribute, or of any element, it is asked wherever
anything comes or goes, and all that the rule could reach is styled anew: 26 to 140 ms on a page with charts, not 0.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHEETS = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (ROOT / "ui").rglob("*.css")
    if not {"node_modules", "dist"} & set(path.parts)
}


def asked(text: str) -> Iterator[tuple[str, str]]:
    """For each `:has(…)`: the selector before it ("" if none) and its argument."""
    for start in re.finditer(r":has\(", text):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        before = re.sub(r">\s+$", ">", text[: start.start()])
        yield re.split(r"[\s,{}]", before)[-1], text[start.end() : end - 1]


def test_the_reading_finds_what_there_is() -> None:
    assert list(asked("a:has(> .b), c > :has(i:not(.d *)) e {}")) == [("a", "> .b"), (">", "i:not(.d *)")]
    assert [before for before, _ in asked("html :has(a), :has(b) {}")] == ["", ""]
    assert sum(len(list(asked(text))) for text in SHEETS.values()) > 40


@pytest.mark.parametrize("sheet", [name for name, text in SHEETS.items() if ":has(" in text])
def test_what_is_asked_for_has_a_class_or_a_name(sheet: str) -> None:
    slow = [within for _, within in asked(SHEETS[sheet]) if re.search(r"[\[*]", within)]
    assert not slow, "name it by class"
    assert not [within for before, within in asked(SHEETS[sheet]) if not before], (
        "say what kind of element may hold it"
    )


def test_every_key_that_a_sheet_names_is_given_to_a_container() -> None:
    """A rule for a key that was renamed does nothing, and nobody notices."""
    modules = [ROOT / "app.py", *(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    python = "\n".join(path.read_text("utf-8") for path in modules)
    ways = {"card_": r"\bcard\(\s*", "chart_": r"chart\((?:figure, )?\s*", "": r"(?:\bkey=| else )"}

    # A key that is made of parts begins with what stands before the first of them.
    beginnings = {template.split("{")[0] for template in re.findall(r'key=f"([^"]+)"', python)} - {""}

    def given(key: str) -> bool:
        if any(key.startswith(beginning) for beginning in beginnings):
            return True
        kind = next(each for each in ways if key.startswith(each))
        return bool(re.search(rf'{ways[kind]}"{key.removeprefix(kind)}"', python))

    named = {key for text in SHEETS.values() for key in re.findall(r"st-key-(\w+)\b(?<!_)", text)}
    assert len(named) > 60
    assert not {key for key in named if not given(key)}
    assert 'key=f"pin_{held.kind}"' in python
