"""The live page opened from a disk, without a network: what it shows, what it computes, and what it lets run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import core
from core.checkpoints.bundle import Bundle, save
from core.cli.main import main
from core.experiments.edits import Edits, HeadsStep
from core.experiments.what_if import what_if
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from tests.browser.golden_reading import menu_file, table
from tests.live_page import expected
from ui.export.live.pack import rounded_to_halves
from ui.export.live.page import live_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

DATES = Path(__file__).parents[2] / "checkpoints" / "dates"
TEXT = "the 4th of July, 1999"
HOSTILE = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'>"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "atlas.html"
    assert main(["page", str(DATES), "--out", str(path)]) == 0
    return path


@pytest.fixture
def opened(written: Path, chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    """The page in a tab without a network, and what it asked for or complained of."""
    context = chromium.new_context(offline=True, viewport={"width": 1440, "height": 900})
    page, noted = context.new_page(), []
    page.on("request", lambda request: noted.append(request.url))
    page.on("console", lambda message: noted.append(message.text))
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.goto(written.as_uri())
    yield page, noted
    context.close()


def translated(page: Page, text: str) -> Any:
    return page.evaluate("(text) => window.atlas.translate(text)", text)


def test_it_translates_as_core_does_and_asks_for_nothing(
    opened: tuple[Page, list[str]], written: Path
) -> None:
    page, noted = opened
    checkpoint = core.load(DATES, "cpu")
    halves = rounded_to_halves(checkpoint)
    session = core.DecodeSession(halves, TEXT)
    session.run()
    assert translated(page, TEXT) == {"text": session.text, "ids": session.ids}
    expect_text(page, session.text)
    assert written.stat().st_size < 1.5e6
    assert noted == [written.as_uri()]


def expect_text(page: Page, text: str) -> None:
    """The stage has written `text`."""
    from playwright.sync_api import expect

    expect(page.locator("#stage .stage-text")).to_have_text(text, timeout=60_000)
    expect(page.locator("#stage .play-count")).to_contain_text("of", timeout=60_000)


def test_a_head_opened_just_after_a_step_stays_open(opened: tuple[Page, list[str]]) -> None:
    """The stage reports a step a moment later: by then another head may be open, which the report must not undo."""
    page, _ = opened
    title = page.locator("#detail-cross .card-title")
    before = title.inner_text().strip()
    other = 0 if before != "Head 0.0" else 1
    page.locator("#wall-cross .wall-head").nth(other).wait_for()
    page.locator("#stage .play-count").wait_for()
    page.evaluate(
        """(other) => {
          document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
          document.querySelectorAll('#wall-cross .wall-head')[other].click();
        }""",
        other,
    )
    page.wait_for_timeout(600)  # longer than the stage waits before its report
    assert title.inner_text().strip() == f"Head 0.{other}"


@pytest.mark.thorough
def test_the_stored_example_is_there_before_the_model(written: Path, chromium: Browser) -> None:
    """Stage, wall and one head are drawn from the file alone; the model is damaged here, which the page says."""
    path = written.with_name("damaged.html")
    path.write_text(re.sub(r'class="model">\w{40}', 'class="model">' + "A" * 40, written.read_text("utf-8")))
    page = chromium.new_page()
    page.goto(path.as_uri())
    page.get_by_text("The model in this page is damaged").wait_for()
    assert page.locator("#stage .stage-line").is_visible()
    assert page.locator("#wall-cross .wall-head").count() == 8
    assert page.locator("#detail-cross .card-title").inner_text().startswith("Head ")
    page.close()


def test_a_reader_types_opens_heads_and_is_told_of_mistakes(
    opened: tuple[Page, list[str]], tmp_path: Path
) -> None:
    """The numbers of each kind's open head are those of core on the same weights."""
    from playwright.sync_api import expect

    page, _ = opened
    page.locator("#text").fill(TEXT)
    page.keyboard.press("Enter")
    expect_text(page, "1999-07-04")
    halves = rounded_to_halves(core.load(DATES, "cpu"))
    source = list(halves.source_tokenizer.encode(TEXT))
    ids = translated(page, TEXT)["ids"]
    expect_text(page, "1999-07-04")
    maps = expected(halves, source, ids)
    tabs = {"cross": "Cross-attention", "causal": "Causal self", "encoder": "Encoder self"}
    for kind, tab in tabs.items():
        page.get_by_role("tab", name=tab).click()
        title = page.locator(f"#detail-{kind} .card-title")
        head = 1 if title.inner_text().strip() == "Head 1.2" else 2
        page.locator(f"#wall-{kind} .wall-head").nth(4 + head).click()
        expect(title).to_have_text(f"Head 1.{head} ")
        lines = table(menu_file(page, f"#detail-{kind}", "csv", tmp_path))
        values = np.array([float(line["value"] or "nan") for line in lines])
        wanted = maps[kind][1, head]
        legal = np.tril(np.ones_like(wanted)) > 0 if kind == "causal" else np.ones_like(wanted) > 0
        assert len(values) in (wanted.size, legal.sum())
        assert np.abs(values[np.isfinite(values)] - wanted[legal]).max() < 2e-5
        changed = page.locator("#ablation .card-title")
        expect(changed).to_have_text(re.compile(rf"^Without head 1\.{head} the (translation|model) "))
        edits = Edits((HeadsStep(kind, 1, (head,)),))  # type: ignore[arg-type]
        outcome = what_if(halves, source, ids, edits)
        after = halves.target_tokenizer.decode(outcome.rewritten)
        assert page.locator("#ablation dd").all_inner_texts() == ["1999-07-04", after]
        told = re.findall(r"([\d.]+) % → ([\d.]+) %", page.locator(".ablation-words").inner_text())
        both = [np.exp(outcome.next_word(which)) for which in ("before", "after")]
        rows = {tuple(f"{100 * float(share):.1f}" for share in pair) for pair in zip(*both, strict=True)}
        assert len(told) >= 4 and {*told} <= rows
    page.locator("#text").fill("x" * 80)
    page.keyboard.press("Enter")
    expect(page.locator(".live-status")).to_contain_text("The sentence is 81 tokens long", timeout=60_000)


def test_a_word_is_forced_and_words_are_sampled_as_in_core(opened: tuple[Page, list[str]]) -> None:
    from playwright.sync_api import expect

    page, noted = opened
    translated(page, TEXT)
    expect_text(page, "1999-07-04")
    page.locator("#stage .play button").first.click()
    page.locator("#stage .bar", has_text=re.compile("^2")).click()
    halves = rounded_to_halves(core.load(DATES, "cpu"))
    forced = core.DecodeSession(halves, TEXT)
    forced.force(halves.target_tokenizer.id_of("2"))
    forced.run()
    expect(page.locator("#stage .play-count")).to_have_text(re.compile(r"^(step )?1\b"))
    page.keyboard.press("End")
    expect_text(page, forced.text)
    page.get_by_text("Options").click()
    page.get_by_label("Next word").select_option("sample")
    for name, value in {"Temperature": "3", "Top k": "4", "Seed": "7"}.items():
        page.get_by_label(name).fill(value)
    page.keyboard.press("Enter")
    drawn = core.DecodeSession(halves, TEXT, "sample", temperature=3.0, top_k=4, seed=7)
    drawn.run()
    expect_text(page, drawn.text)
    expect(page.locator("#stage .cut")).to_have_text("top 4")
    assert len(noted) == 1


@pytest.mark.thorough
def test_the_page_speaks_french_and_joins_the_three_kinds(opened: tuple[Page, list[str]]) -> None:
    """The reader's language is a choice on the page; what was shown stays."""
    from playwright.sync_api import expect

    page, noted = opened
    translated(page, TEXT)
    expect_text(page, "1999-07-04")
    page.get_by_label("Language").select_option("fr")
    expect(page.get_by_role("button", name="Traduire")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "fr"
    expect(page.locator("#stage .stage-text")).to_have_text("1999-07-04")
    page.get_by_role("tab", name="Les trois").click()
    expect(page.locator("#joint .card-title")).to_have_text(re.compile("^Où le modèle regarde"))
    page.locator("#stage .play button").nth(1).click()
    expect(page.locator("#joint .play-count")).to_have_text(page.locator("#stage .play-count").inner_text())
    assert len(noted) == 1


@pytest.mark.thorough
def test_it_fits_a_phone(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_policy_lets_no_other_script_run_and_nothing_leave(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    policy = page.locator("meta[http-equiv]").get_attribute("content") or ""
    assert re.match(r"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]+';", policy)
    assert "connect-src 'none'" in policy
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); }"
    )
    assert page.evaluate("window.hit") is None
    assert page.evaluate("fetch('data:text/plain,x').then(() => 'sent', () => 'refused')") == "refused"


def test_tokens_of_a_checkpoint_are_text(tmp_path: Path, chromium: Browser) -> None:
    """Every word that the model knows is markup, and so are its card's languages."""
    tokens = [
        "<pad>",
        "<s>",
        "</s>",
        "<unk>",
        "<img/src=x/onerror=window.hit=1>",
        "</script><script>window.hit=1</script>",
    ]
    tokenizer = Tokenizer.from_vocabulary(tokens, split="whitespace")
    config = ModelConfig(source_vocab_size=6, target_vocab_size=6, d_model=8, heads=2, d_ff=8, max_length=12)
    card = {"name": HOSTILE, "source_language": HOSTILE, "examples": [{"source": " ".join(tokens[4:])}]}
    path = tmp_path / "page.html"
    model = Transformer(config).eval().requires_grad_(False)
    path.write_text(live_page(Bundle(model, tokenizer, tokenizer, card)), "utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())
    translated(page, tokens[4])
    assert tokens[4] in page.locator("#stage").inner_text()
    page.get_by_role("tab", name="All three").click()
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    page.close()


@pytest.mark.thorough
def test_the_name_and_examples_of_a_checkpoint_are_text(tmp_path: Path, chromium: Browser) -> None:
    loaded = core.load(DATES, "cpu")
    folder = tmp_path / "hostile"
    shutil.copytree(DATES, folder)
    card = {**loaded.card, "name": HOSTILE, "examples": [{"source": HOSTILE[:40]}, {"source": "1 May 2001"}]}
    save(folder, loaded.model, loaded.source_tokenizer, loaded.target_tokenizer, card)
    path = tmp_path / "page.html"
    path.write_text(live_page(core.load(folder, "cpu")), "utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())
    assert translated(page, "1 May 2001")["text"] == "2001-05-01"
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    page.close()
