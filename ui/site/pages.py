"""The static site: `write_site(out)` writes every page of it in English and French.

It needs no server: a page refers only to files beside it, opens from a disk, and its content policy keeps it from asking
any other host for anything. The models are the live pages of `python -m core page`, the one on the front page in a frame.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import InputError
from core.language import languages, message, speaking, tr
from core.learning.lesson import Lesson
from ui.export.files import escaped, font_faces, json_text
from ui.export.live.page import live_page
from ui.learn.shelf import fill, shelf
from ui.site import lessons, pictures
from ui.web.contract import script, sheet, words

if TYPE_CHECKING:
    from markdown_it.token import Token

VIEW: Final = "site"
ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
MODELS: Final = ("en-fr", "de-en", "dates")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src data:; frame-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'"
)
_DOES: Final = {
    "en-fr": message("Everyday English sentences into French"),
    "de-en": message("German sentences into English: the verb at the end comes forward"),
    "dates": message("Dates as people write them into numbers"),
}
_DOCS: Final = {  # in English, as the documentation is
    "screens": "Every place of the app, its keys, links and exports",
    "models": "The models that ship, their data and figures",
    "bring-your-model": "Open a model of your own",
    "importing": "The language for other layouts, and the families",
    "python": "Notebooks, hooks, and checks for your own code",
    "command-line": "Translate, trace, verify, measure",
    "training": "Train a model and record how its heads take shape",
    "lessons": "Write lessons of your own",
    "operating": "Serve many users: limits, settings, safety",
    "code": "The map of the code",
    "mutations": "What the tests notice, measured",
}


@dataclass(frozen=True)
class Page:
    """One page: its path in the site, its title, what is in it, and the same page in another language."""

    path: str
    language: str
    title: str
    body: str
    other: str
    section: str


def write_site(out: Path) -> list[Path]:
    """Write the site into the folder `out`, which is new or empty → its files. Raises `InputError` otherwise."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            f"{out} is not empty; give --out a new folder, so that nothing old stays in the site."
        )
    if not DOCS.is_dir():
        raise InputError(
            "The site shows the documentation, which is not installed; run the command in a clone."
        )
    out.mkdir(parents=True, exist_ok=True)
    for page in pages():
        _write(out / page.path, _html(page))
    for name in MODELS:
        _write(out / "models" / f"{name}.html", live_page(pictures.shipped(name).load()))
    _write(out / "assets" / "site.js", script(VIEW, ""))
    _write(out / "assets" / "site.css", f"{font_faces()}\n{sheet(VIEW)}")
    shutil.copy(ROOT / "ui" / "style" / "icon.png", out / "assets" / "icon.png")
    for image in sorted(DOCS.glob("*.png")):
        shutil.copy(image, out / "docs" / image.name)
    return sorted(path for path in out.rglob("*") if path.is_file())


def pages() -> Iterator[Page]:
    """Every page of the site but the models."""
    yield from _docs()
    for code in languages():
        with speaking(code):
            yield _front(code)
            yield _gallery(code)
            yield from _lessons(code)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# -- the frame of every page ------------------------------------------------------------------------------------


def _at(code: str, path: str) -> str:
    """Where a page of one language is: English at the top, others in a folder."""
    return path if code == "en" else f"{code}/{path}"


def _html(page: Page) -> str:
    def to(target: str) -> str:
        return posixpath.relpath(target, posixpath.dirname(page.path) or ".")

    code = page.language
    with speaking(code):
        sections = {
            "": (tr("Try it"), _at(code, "index.html")),
            "gallery": (tr("Gallery"), _at(code, "gallery.html")),
            "lessons": (tr("Lessons"), _at(code, "lessons/index.html")),
            "docs": (tr("Docs"), "docs/index.html"),
        }
        links = "".join(
            f'<a href="{to(path)}"{" aria-current=page" if name == page.section else ""}>{escaped(title)}</a>'
            for name, (title, path) in sections.items()
        )
        others = "".join(
            f'<a href="{to(_at(other, page.other))}" hreflang="{other}" lang="{other}">{escaped(name)}</a>'
            for other, name in languages().items()
            if other != code
        )
        spoken = json_text(words(VIEW))
        mode, skip = escaped(tr("Light or dark")), escaped(tr("To the content"))
        foot = escaped(tr("Everything here runs in your browser. Nothing is requested from any other place."))
    return f"""<!doctype html>
<html lang="{code}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(page.title)} · Attention Atlas</title>
<link rel="icon" href="{to("assets/icon.png")}">
<link rel="stylesheet" href="{to("assets/site.css")}">
<script src="{to("assets/site.js")}" defer></script>
</head>
<body class="site">
<a class="skip" href="#content">{skip}</a>
<header class="site-head"><a class="site-brand" href="{to(_at(code, "index.html"))}">Attention Atlas</a>
<nav aria-label="Attention Atlas">{links}</nav>
<div class="site-tools">{others}<button id="mode" type="button" aria-label="{mode}" title="{mode}">◐</button></div></header>
<main id="content" tabindex="-1">
{page.body}
</main>
<footer class="site-foot"><p>{foot}</p></footer>
<script type="application/json" id="words">{spoken}</script>
</body>
</html>
"""


# -- front page and gallery -------------------------------------------------------------------------------------


def _front(code: str) -> Page:
    up = "" if code == "en" else "../"
    cards = (
        (
            "gallery.html",
            tr("Gallery"),
            tr("Six pictures that explain attention, and four experiments that break it"),
        ),
        ("lessons/index.html", tr("Lessons"), tr("Predict first, then see what the model does")),
        (f"{up}docs/index.html", tr("Docs"), tr("Install the app, open your own model, use it in Python")),
    )
    listed = "".join(
        f'<a class="tile" href="{path}"><strong>{escaped(title)}</strong><span>{escaped(text)}</span></a>'
        for path, title, text in cards
    )
    files = "".join(
        f'<li><a href="{up}models/{name}.html#language={code}">{name}</a> <span>{escaped(tr(_DOES[name]))}</span></li>'
        for name in MODELS
    )
    name = escaped(tr("A translation model that runs in this page"))
    body = f"""<div class="hero"><h1>{escaped(tr("Watch a Transformer translate"))}</h1>
<p>{escaped(tr("Type an English sentence. The model runs in your browser; every line and every map is its own attention."))}</p></div>
<iframe class="model" src="{up}models/{MODELS[0]}.html#embed&amp;language={code}" title="{name}" sandbox="allow-scripts allow-forms allow-downloads"></iframe>
<h2>{escaped(tr("Go on"))}</h2>
<div class="tiles">{listed}</div>
<h2>{escaped(tr("The models, each as one file"))}</h2>
<p>{escaped(tr("Each file holds the model and works offline: save it, open it, hand it on."))}</p>
<ul class="files">{files}</ul>"""
    return Page(_at(code, "index.html"), code, tr("Watch a Transformer translate"), body, "index.html", "")


def _gallery(code: str) -> Page:
    def section(shown: pictures.Exhibit) -> str:
        return (
            f'<section class="shown" id="{shown.name}"><h2>{escaped(tr(shown.title))}</h2>'
            f"<p>{escaped(tr(shown.text))}</p>{lessons.figure(shown.make())}</section>"
        )

    topics = "".join(map(section, pictures.TOPICS))
    experiments = "".join(map(section, pictures.EXPERIMENTS))
    body = f"""<div class="hero"><h1>{escaped(tr("Attention in pictures that move"))}</h1>
<p>{escaped(tr("All numbers are those of the English → French model on the front page."))}</p></div>
{topics}
<h2 class="part" id="experiments">{escaped(tr("Four experiments"))}</h2>
{experiments}"""
    return Page(_at(code, "gallery.html"), code, tr("Gallery"), body, "gallery.html", "gallery")


# -- lessons ----------------------------------------------------------------------------------------------------


def _lessons(code: str) -> Iterator[Page]:
    shelved = lessons.listed(code)
    yield Page(
        _at(code, "lessons/index.html"),
        code,
        tr("Lessons"),
        _shelf(shelved, code),
        "lessons/index.html",
        "lessons",
    )
    for n, lesson in enumerate(shelved):
        path = f"lessons/{lesson.name}.html"
        after = shelved[n + 1] if n + 1 < len(shelved) else None
        onward = f'<a class="next" href="{after.name}.html">{escaped(after.title)} →</a>' if after else ""
        script_needed = escaped(tr("The questions and pictures need scripts; allow them for this page."))
        body = f"""<article class="lesson"><div class="hero"><h1>{escaped(lesson.title)}</h1><p>{escaped(lesson.about)}</p></div>
<noscript><p>{script_needed}</p></noscript>
{lessons.lesson_html(lesson, code)}
<p class="onward"><a href="index.html">{escaped(tr("All lessons"))}</a>{onward}</p></article>"""
        yield Page(_at(code, path), code, lesson.title, body, path, "lessons")


def _shelf(shelved: Sequence[Lesson], code: str) -> str:
    phrases = shelf().words_in(code)
    listed = "".join(
        f'<a class="tile" href="{lesson.name}.html"><strong>{escaped(lesson.title)}</strong><span>{escaped(lesson.about)}</span>'
        f"<small>{escaped(fill(phrases.minutes, n=lesson.minutes))} · {escaped(fill(phrases.steps, n=len(lesson.steps)))}</small></a>"
        for lesson in shelved
    )
    about = escaped(
        tr("Each step asks before it shows. The numbers are those of the English → French model.")
    )
    return f'<div class="hero"><h1>{escaped(tr("Lessons"))}</h1><p>{about}</p></div><div class="tiles">{listed}</div>'


# -- documentation ----------------------------------------------------------------------------------------------


def _docs() -> Iterator[Page]:
    """The files of docs/ as pages, in English; a file that no list names stands at its end."""
    files = sorted(
        DOCS.glob("*.md"),
        key=lambda path: (list(_DOCS).index(path.stem) if path.stem in _DOCS else 99, path.stem),
    )
    names = {path.stem: _title(path.read_text("utf-8")) for path in files}
    with speaking("en"):
        listed = "".join(
            f'<a class="tile" href="{name}.html"><strong>{escaped(title)}</strong><span>{escaped(_DOCS.get(name, ""))}</span></a>'
            for name, title in names.items()
        )
        start = escaped("pip install -r requirements.txt && streamlit run app.py")
        body = f"""<div class="hero"><h1>Documentation</h1><p>This command starts the app on the shipped English → French model:</p></div>
<pre tabindex="0"><code>{start}</code></pre><div class="tiles">{listed}</div>"""
        yield Page("docs/index.html", "en", "Documentation", body, "index.html", "docs")
        for path in files:
            html = rendered(path.read_text("utf-8"), names)
            body = f'<p class="crumb"><a href="index.html">Documentation</a></p><article class="doc">{html}</article>'
            yield Page(f"docs/{path.stem}.html", "en", names[path.stem], body, "index.html", "docs")


def _title(text: str) -> str:
    return next((line.removeprefix("# ").strip() for line in text.splitlines() if line.startswith("# ")), "")


def rendered(text: str, names: Mapping[str, str]) -> str:
    """Markdown of docs/ as HTML: links between its files lead to their pages, those to the app's course pictures to the
    gallery, and links to files outside of docs/ are their words.
    """
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL))
    seen: set[str] = set()
    topics = iter(pictures.TOPICS)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug(tokens[at + 1].content, seen))
        elif token.type == "fence":
            token.info = ""
        if token.children:
            token.children = list(_linked(token.children, names, topics))
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    # What is too wide for a phone scrolls, by keys as well.
    html = re.sub(r"<th( [^>]*)?></th>", "<td></td>", html.replace("<pre>", '<pre tabindex="0">'))
    return html.replace("<table>", '<div class="wide" tabindex="0"><table>').replace(
        "</table>", "</table></div>"
    )


def _linked(
    children: Sequence[Token], names: Mapping[str, str], topics: Iterator[pictures.Exhibit]
) -> Iterator[Token]:
    """The parts of a line with its links led to where they are in the site."""
    dropped, renamed = False, ""
    for child in children:
        if renamed and child.type == "text":
            child.content, renamed = renamed, ""
        if child.type == "link_open":
            target = str(child.attrGet("href") or "")
            file, _, part = target.partition("#")
            if target.startswith("http://localhost:8501/") and (topic := next(topics, None)) is not None:
                child.attrSet("href", f"../gallery.html#{topic.name}")
                renamed = tr(topic.title)
            elif file.endswith(".md") and file.removesuffix(".md") in names:
                child.attrSet("href", file.removesuffix(".md") + ".html" + (f"#{part}" if part else ""))
            elif not target.startswith(("https://", "#")):
                dropped = True
                continue
        elif child.type == "link_close" and dropped:
            dropped = False
            continue
        yield child


def slug(title: str, seen: set[str]) -> str:
    """The name of a heading in links, as GitHub makes it."""
    kept = "".join(sign for sign in title.lower() if sign in "-_ " or unicodedata.category(sign)[0] in "LN")
    base = kept.replace(" ", "-")
    name, n = base, 0
    while name in seen:
        n += 1
        name = f"{base}-{n}"
    seen.add(name)
    return name
