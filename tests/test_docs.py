"""README and docs as a reader meets them: rendered, every link and picture there, every table whole."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


class Rendered(HTMLParser):
    """A page as a browser would build it: pictures, links, headings, and the cells of each row of each table."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.pictures: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.rows: list[list[str]] = []
        self.text = ""
        self._in: list[str] = []
        self._heading = ""
        self.feed(MarkdownIt("commonmark").enable("table").render(page.read_text("utf-8")))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "img":
            self.pictures.append(values["src"] or "")
        elif tag == "a":
            self.links.append(values["href"] or "")
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("img", "br", "hr"):
            self._in.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._in:
            while self._in.pop() != tag:
                pass
        if tag in ("h1", "h2", "h3"):
            words = re.sub(r"[^\w\s-]", "", self._heading.lower()).strip()
            self.anchors.add(re.sub(r"\s", "-", words))
            self._heading = ""

    def handle_data(self, data: str) -> None:
        self.text += "" if "pre" in self._in or "code" in self._in else data
        if any(tag in ("h1", "h2", "h3") for tag in self._in):
            self._heading += data
        if any(tag in ("td", "th") for tag in self._in):
            self.rows[-1][-1] += data


def test_the_readme_is_a_newcomer_s_page() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 150
    commands = re.findall(r"^```sh\n(.*?)^```", readme, re.M | re.S)
    assert "streamlit run app.py" in commands[0]
    assert "pytest" in commands[1]
    assert commands[1].split("&& ")[1].strip() in (ROOT / ".ci" / "run").read_text("utf-8"), (
        "CI runs the README's test command"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_renders_whole(page: Path) -> None:
    """Markdown that was re-wrapped shows its pipes, brackets and stars as text."""
    rendered = Rendered(page)
    assert "](" not in rendered.text
    assert "**" not in rendered.text
    assert not re.search(r"\|\s*\|", rendered.text), "a row of a table is no row"
    drawn = re.findall(r"!\[", page.read_text("utf-8"))
    assert len(rendered.pictures) == len(drawn)
    assert len({len(row) for row in rendered.rows if row}) < 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    rendered = Rendered(page)
    for target in (*rendered.links, *rendered.pictures):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in Rendered(file).anchors, f"{page.name} links to {target}"


def test_every_page_of_docs_can_be_reached_from_the_readme() -> None:
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        local = [link.partition("#")[0] for link in Rendered(page).links if "://" not in link]
        todo += [(page.parent / link).resolve() for link in local if link.endswith(".md")]
    assert set((ROOT / "docs").glob("*.md")) <= reached
