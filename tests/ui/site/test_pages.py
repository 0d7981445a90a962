"""The static site: every link leads somewhere, nothing is asked of another host, and what lessons cover stays covered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from core.cli.main import main
from core.errors import InputError
from core.language import languages, speaking
from core.learning.lesson import Span
from ui.learn.shelf import shelf
from ui.site import pages, pictures
from ui.site.lessons import _spans

DOCS = Path(__file__).parents[3] / "docs"


class Read(HTMLParser):
    """The addresses and names in a page, and the text outside of templates and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str]] = []
        self.names: set[str] = set()
        self.covered = 0
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.covered += tag in ("template", "script", "style")
        for name, value in attrs:
            if name in ("href", "src"):
                self.addresses.append((tag, value or ""))
            if name == "id":
                self.names.add(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.covered -= tag in ("template", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self.covered:
            self.text += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site; packing the two large models takes most of the time, so they are left empty here."""
    out = tmp_path_factory.mktemp("built") / "site"
    whole = pages.live_page
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            pages,
            "live_page",
            lambda checkpoint: whole(checkpoint) if checkpoint.path.name == "dates" else "",
        )
        assert main(["site", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Read]:
    return {
        path: Read(path.read_text("utf-8")) for path in site.rglob("*.html") if path.parent.name != "models"
    }


def test_every_link_inside_leads_to_a_file_and_a_place_of_it(site: Path, read: dict[Path, Read]) -> None:
    assert len(read) == 2 * (2 + 1 + len(shelf().listed("en"))) + 1 + len(list(DOCS.glob("*.md")))
    for path, page in read.items():
        for tag, address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme:
                assert (tag, parts.scheme) == ("a", "https"), f"{path}: {address}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file() and target.is_relative_to(site.resolve()), f"{path}: {address}"
            if parts.fragment and target in read:
                assert parts.fragment in read[target].names, f"{path}: {address}"


def test_nothing_is_asked_of_another_host(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        if not text:
            continue
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
        assert policy is not None and policy[1].startswith("default-src 'none'"), path
        assert "connect-src 'none'" in policy[1] and "unsafe-eval" not in policy[1]
        assert not re.search(r"""<(?:script|img|link|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//""", text), (
            path
        )
        assert not re.search(r"script-src[^;]*unsafe", policy[1])
    style = (site / "assets" / "site.css").read_text("utf-8")
    assert not re.search(r"@import|url\((?!data:)", style)


def test_every_page_is_in_its_language_and_leads_to_the_other(site: Path, read: dict[Path, Read]) -> None:
    for code in languages():
        front = site if code == "en" else site / code
        assert f'<html lang="{code}">' in (front / "index.html").read_text("utf-8")
        with speaking(code):
            for lesson in shelf().listed(code):
                assert lesson.title in read[front / "lessons" / f"{lesson.name}.html"].text
    assert "Regardez un Transformer traduire" in read[site / "fr" / "index.html"].text


def test_what_a_lesson_asks_is_covered(site: Path, read: dict[Path, Read]) -> None:
    """The sentence after an answer, and the value it names, are in templates only."""
    path = site / "lessons" / "story.html"
    text, page = path.read_text("utf-8"), read[path]
    assert text.count('<template class="after" data-right=') == 8
    assert "This model gives" in text and "This model gives" not in page.text
    assert "puts nearly everything" not in page.text
    story = shelf().find("story", "en")
    assert story is not None
    for n, step in enumerate(story.steps, start=1):
        assert step.predict is not None
        found = re.search(rf'id="step-{n}".*?</section>', text, re.DOTALL)
        assert found is not None
        assert f'data-right="{step.predict.expected}"' in found[0], (
            "the choice that holds for the shipped model"
        )
        assert found[0].count("data-choice=") == len(step.predict.choices)


def test_a_link_over_two_lines_is_one_link_and_french_signs_stay_with_their_word() -> None:
    address = "https://example.org"
    spans = [Span("text", "See « "), Span("value", "it"), Span("text", " » ? "), Span("link", "Su", address)]
    spans += [Span("link", " ", address), Span("link", "2021", address), Span("code", "a : b")]
    assert _spans(spans, lambda name: "<b>") == (
        f'See «\u00a0<b>&lt;b&gt;</b>\u00a0»\u00a0? <a href="{address}">Su 2021</a><code>a : b</code>'
    )


def test_the_gallery_has_the_six_topics_and_four_experiments(site: Path) -> None:
    text = (site / "gallery.html").read_text("utf-8")
    assert len(pictures.TOPICS) == text.split('id="experiments"')[0].count("<figure") == 6
    assert text.count("<figure") == text.count(" data-moves") == 10
    links = (DOCS / "screens.md").read_text("utf-8").count("<http://localhost:8501/")
    assert links == (site / "docs" / "screens.html").read_text("utf-8").count('href="../gallery.html#') == 6


def test_markdown_is_text_and_links_stay_inside() -> None:
    html = pages.rendered(
        "# A *b*\n\n<script>x</script> [in](code.md#the-rooms) [out](../CONTRIBUTING.md) [far](https://example.org) "
        "[bad](javascript:alert(1))\n\n## A *b*\n\n| a |\n|---|\n| <b> |\n",
        {"code": "The map"},
    )
    assert "<script>" not in html and "<b>" not in html and "javascript:" not in re.sub(r"\[.*?\)", "", html)
    assert 'href="code.html#the-rooms"' in html and 'href="https://example.org"' in html
    assert "out" in html and "CONTRIBUTING" not in html
    assert '<h1 id="a-b">' in html and '<h2 id="a-b-1">' in html


def test_an_old_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.html").write_text("")
    assert main(["site", "--out", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    with pytest.raises(InputError, match="not empty"):
        pages.write_site(tmp_path / "old.html")
