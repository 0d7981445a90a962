"""Students' own models through the page: uploaded, asked about, tried, checked, named and explored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import students

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Visit = Callable[..., "Page"]
LISTENS = (
    400  # milliseconds until Streamlit's uploader listens to the field that it has drawn; no person is faster
)


@pytest.fixture
def page(visit: Visit) -> Iterator[Page]:
    """The page Import in a tab, and so a session, of its own."""
    tab = visit("checkpoints", shows="text=Drop all files", desk="import")
    yield tab
    assert tab.locator('[data-testid="stException"]').count() == 0


def upload(page: Page, card: str, place: int, *files: Path) -> None:
    """Into the uploader number `place` of a card, and wait until the page has taken it."""
    hand_over(page, card, place, *files)
    page.locator(f".st-key-card_{card}").get_by_text(files[-1].name).wait_for()


def hand_over(page: Page, card: str, place: int, *files: Path) -> None:
    """The same without waiting."""
    field = page.locator(f'.st-key-card_{card} input[type="file"]').nth(place)
    field.wait_for(state="attached")
    page.wait_for_timeout(LISTENS)
    field.set_input_files([str(file) for file in files])


def choose(page: Page, label: str, option: str) -> None:
    """Open a list and pick from it; a page that is drawn again at that moment closes the list, so it is opened again."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    offered = page.get_by_role("option", name=option).first
    for _ in range(6):
        page.get_by_label(label).first.click()
        try:
            offered.wait_for(timeout=5_000)
            break
        except PlaywrightTimeoutError:
            continue
    offered.click()


def begin(page: Page, files: dict[str, Path], cut: str = "", **answers: str) -> None:
    """Pick the weights, give both vocabularies, answer, up to the last step."""
    upload(page, "pick", 0, files["student.pt"])
    page.get_by_text("Give the vocabulary").wait_for()
    if cut:
        choose(page, "How is text cut into tokens?", cut)
    for label, words in answers.items():
        page.get_by_label(label.replace("_", " ")).fill(words)
        page.get_by_label(label.replace("_", " ")).press("Enter")
    upload(page, "vocabulary", 0, files["source.txt"])
    upload(page, "vocabulary", 1, files["target.txt"])
    page.locator(".st-key-card_vocabulary .atlas-status-dot").wait_for()
    page.get_by_label("How many attention heads").fill(str(students.HEADS))
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name", exact=True).wait_for()


def attempt(page: Page, text: str) -> str:
    """Type a sentence in the last step; returns what the model writes for it."""
    page.get_by_label("A sentence of your own").fill(text)
    page.get_by_label("A sentence of your own").press("Enter")
    pair = page.locator(".st-key-card_finish .atlas-pair dd")
    pair.first.get_by_text(text).wait_for()
    return pair.nth(1).inner_text()


def explore(page: Page, name: str, link: str) -> None:
    """Name the model and open it; `link` is what the URL calls it."""
    page.get_by_text(re.compile(r"^(\d+) of \1 checks pass")).wait_for()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Name", exact=True).press("Enter")
    page.locator(".st-key-widget_explore button").click()
    page.wait_for_url(re.compile(f"[?&]checkpoint={link}"))
    page.locator(".stage .play-count").wait_for()


def test_three_files_dropped_at_once_are_opened_in_four_actions(visit: Visit, tmp_path: Path) -> None:
    files = students.write_student(tmp_path, students.ENGLISH, students.ENGLISH[:-1])
    page = visit("")
    page.get_by_role("link", name="Models").click()
    page.locator(".st-key-card_invitation").wait_for()
    hand_over(page, "invitation", 0, files["target.txt"], files["student.pt"], files["source.txt"])
    page.get_by_text("source.txt for the source, target.txt for the target").wait_for()
    page.get_by_text("12 source tokens, 11 target tokens").wait_for()
    heads = page.get_by_label("How many attention heads")
    heads.fill(str(students.HEADS))
    heads.press("Enter")
    page.get_by_text(re.compile(r"^(\d+) of \1 checks pass")).wait_for()
    before, length = page.url, page.evaluate("history.length")
    page.locator(".st-key-widget_explore button").click()
    page.wait_for_url(re.compile("[?&]checkpoint=my-model"))
    page.locator(".stage .play-count").wait_for()
    assert page.evaluate("history.length") == length + 1
    page.go_back()
    page.wait_for_url(before)


def test_a_students_model_is_imported_and_explored(page: Page, tmp_path: Path) -> None:
    begin(page, students.write_student(tmp_path, students.ENGLISH, students.ENGLISH))
    page.get_by_text("1 answered by you").wait_for()
    detected = page.locator(".st-key-card_detected .atlas-grid")
    marks = {
        name: detected.locator("div", has=page.locator("dt", has_text=name))
        .locator("small")
        .all_inner_texts()
        for name in ("heads", "norm_placement", "d_model")
    }
    assert marks == {
        "heads": ["your answer, not checked"],
        "norm_placement": ["assumed, not checked"],
        "d_model": [],
    }
    page.get_by_text("A text made of its own vocabulary").wait_for()
    page.get_by_text("These checks cannot tell whether this is the model that was trained").wait_for()
    explore(page, "my student", "my-student")


@pytest.mark.thorough
def test_the_page_loaded_again_keeps_the_imported_model(
    page: Page, chromium: Browser, tmp_path: Path
) -> None:
    begin(page, students.write_student(tmp_path, students.ENGLISH, students.ENGLISH))
    explore(page, "kept", "kept")
    address = page.url
    page.reload()
    page.locator(".stage .play-count").wait_for()
    assert page.get_by_text("There is no checkpoint called").count() == 0
    assert re.search("[?&]checkpoint=kept", page.url)
    # Another browser, which has a secret of its own, does not see it.
    other = chromium.new_context()
    another = other.new_page()
    another.set_default_timeout(60_000)
    another.goto(address)
    another.get_by_text("There is no checkpoint called kept").wait_for()
    other.close()


@pytest.mark.thorough
def test_what_the_trained_model_writes_is_compared(page: Page, tmp_path: Path) -> None:
    begin(page, students.write_student(tmp_path, students.ENGLISH, students.ENGLISH))
    finish = page.locator(".st-key-card_finish")
    expected = page.get_by_label("what the trained model writes for it")
    expected.fill("the <b>dog</b>")
    expected.press("Enter")
    finish.get_by_text("Type the source sentence too").wait_for()
    written = attempt(page, "a man sees the dog")
    rate = finish.get_by_text("Mean log-probability").inner_text()
    assert re.search(r"−\d\.\d{3} per token, over \d+ tokens\.", rate), rate
    difference = finish.locator(".atlas-difference")
    difference.wait_for()
    gone, new = (" ".join(difference.locator(tag).all_inner_texts()) for tag in ("del", "ins"))
    assert "<b>dog</b>" in gone and set(new.split()) <= set(written.split())
    finish.get_by_role("status").get_by_text("nothing has checked heads = 2 (told)").wait_for()
    expected.fill(f" {written} ")
    expected.press("Enter")
    finish.get_by_text("This is what you expect.").wait_for()
    assert difference.count() == 0


@pytest.mark.thorough
def test_a_right_to_left_model_comes_to_its_first_translation(page: Page, tmp_path: Path) -> None:
    begin(page, students.write_student(tmp_path, students.ARABIC, students.HEBREW))
    written = attempt(page, "رجل يركب دراجة")
    assert set(written.split()) <= set(students.HEBREW)
    directions = page.eval_on_selector_all(
        ".st-key-card_finish .atlas-pair dd", "all => all.map(each => getComputedStyle(each).direction)"
    )
    assert directions == ["rtl", "rtl"]
    explore(page, "نموذج عربي", "imported")
    assert page.get_by_label("Sentence to translate").input_value() == "رجل يركب دراجة"
    page.get_by_role("link", name="Models").click()
    card = page.locator('[class*="st-key-card_checkpoint_"]').filter(has_text="نموذج عربي")
    card.get_by_text("in use").wait_for()
    assert card.locator(".atlas-pair dd").all_inner_texts() == ["رجل يركب دراجة", written]


@pytest.mark.thorough
def test_a_character_level_model_comes_to_its_first_translation(page: Page, tmp_path: Path) -> None:
    begin(page, students.write_student(tmp_path, students.LETTERS, students.LETTERS), "into characters")
    attempt(page, "A dog.")
    page.get_by_text("The vocabulary lacks A.").wait_for()
    page.locator(".st-key-card_vocabulary").get_by_text("lower-case").click()
    page.get_by_text("The vocabulary lacks A.").wait_for(state="detached")
    written = page.locator(".st-key-card_finish .atlas-pair dd").nth(1).inner_text()
    assert len(written) > 1 and set(written) <= {*students.LETTERS, "\n"}
    explore(page, "letters", "letters")
    assert page.get_by_label("Sentence to translate").input_value() == "A dog."


@pytest.mark.thorough
def test_text_is_cut_by_a_regular_expression(page: Page, tmp_path: Path) -> None:
    files = students.write_student(tmp_path, students.ENGLISH, students.ENGLISH)
    begin(page, files, "by a regular expression", what_one_token_looks_like=r"\w+")
    attempt(page, "the-dog,runs")
    assert page.get_by_text("The vocabulary lacks").count() == 0
    page.get_by_label("what one token looks like").fill("(")
    page.get_by_label("what one token looks like").press("Enter")
    sentence = page.locator('.st-key-card_finish [role="alert"]')
    sentence.wait_for()
    assert "(" in sentence.inner_text()


@pytest.mark.thorough
def test_rules_of_ones_own_say_how_the_keys_are_read(page: Page, tmp_path: Path) -> None:
    files = students.write_student(tmp_path, students.ENGLISH, students.ENGLISH)
    page.get_by_text("Wrong layout?").click()
    broken = tmp_path / "broken.toml"
    broken.write_text("= <b>no</b>")
    upload(page, "pick", 1, broken)
    upload(page, "pick", 0, files["student.pt"])
    sentence = page.locator('.st-key-card_pick [role="alert"]')
    sentence.wait_for()
    assert "toml" in sentence.inner_text().lower()
    page.locator(".st-key-card_pick").get_by_role("button", name=re.compile("Remove broken")).click()
    page.get_by_text("Recognised by the keys").wait_for()
    rules = tmp_path / "mine.toml"
    rules.write_bytes(Path("core/importing/families/torch.toml").read_bytes())
    upload(page, "pick", 1, rules)
    page.get_by_text("Recognised by the rules of layout.toml").wait_for()
    page.locator(".st-key-card_pick").get_by_role("button", name=re.compile("Remove mine")).click()
    page.get_by_label("layout").first.fill("tutorial-b")  # a list draws no more options than it shows
    page.get_by_role("option", name="tutorial-b").first.click()
    page.locator('[role="alert"]').first.wait_for()
    page.get_by_label("layout").first.fill("torch")
    page.get_by_role("option", name="torch", exact=True).first.click()
    page.get_by_text("As you chose").wait_for()


def mistaken(name: str, content: bytes) -> Any:
    return pytest.param(name, content, id=re.sub(r"\W+", "-", name))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        mistaken("<img src=x onerror=window.__ran=1>.pt", b"not a checkpoint"),
        mistaken("weights.zip", b"PK\x03\x04 cut short"),
        mistaken("model.safetensors", b"\xff" * 64),
        mistaken("essay.docx", b"words"),
        mistaken("config.json", b'{"model_type": "gpt2"}'),
    ],
)
def test_a_file_of_something_else_is_one_sentence(
    page: Page, tmp_path: Path, name: str, content: bytes
) -> None:
    odd = tmp_path / name
    odd.write_bytes(content)
    hand_over(page, "pick", 0, odd)
    sentence = page.get_by_role("alert")
    sentence.wait_for()
    words = sentence.inner_text()
    assert words.endswith(".") and "\n" not in words and "Traceback" not in words
    assert page.evaluate("window.__ran") is None
    assert page.get_by_text("What can be read").is_visible(), "the page stays as it was"


@pytest.mark.thorough
def test_a_wrong_answer_is_one_sentence_and_is_put_right(page: Page, tmp_path: Path) -> None:
    files = students.write_student(tmp_path, students.ENGLISH, students.ENGLISH)
    upload(page, "pick", 0, files["student.pt"])
    upload(page, "vocabulary", 1, files["target.txt"])
    page.locator('.st-key-card_vocabulary [role="alert"]').get_by_text(
        "Only the target’s vocabulary"
    ).wait_for()
    upload(page, "vocabulary", 0, files["source.txt"])
    page.locator(".st-key-card_vocabulary .atlas-status-dot").wait_for()
    heads = page.get_by_label("How many attention heads")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("alert").filter(has_text="heads is still empty.").wait_for()
    assert page.get_by_role("alert").count() == 1, "one message and not two"
    assert not page.get_by_test_id("InputInstructions").filter(visible=True).count(), "no text over the value"
    for wrong, words in (("3", "does not divide into 3 heads"), ("many", "heads")):
        heads.fill(wrong)
        page.get_by_role("button", name=re.compile("Continue|Take these")).click()
        page.get_by_role("alert").filter(has_text=words).wait_for()
        assert page.get_by_label("Name", exact=True).count() == 0
        assert (
            page.get_by_role("alert").count() == 1 and not page.get_by_text("All questions answered").count()
        )
    heads.fill("2")
    page.get_by_role("button", name=re.compile("Continue|Take these")).click()
    page.get_by_label("Name", exact=True).wait_for()
    assert page.get_by_role("alert").count() == 0


@pytest.mark.thorough
def test_the_gallery_opens_a_model_and_two_are_compared(visit: Visit) -> None:
    tab = visit("attention")
    tab.get_by_role("link", name="Models").click()
    tiny = tab.locator('[class*="st-key-card_checkpoint_"]').filter(has=tab.locator("h3", has_text="tiny"))
    tiny.get_by_text("in use").wait_for()
    tab.get_by_role("link", name="Inspect").click()
    tab.locator(".st-key-card_differ").wait_for()
    choose(tab, "compare with", "dates")
    tab.get_by_role("heading", name=re.compile(r"tiny and dates differ in \d+ of 18 options")).wait_for()
    assert "other_checkpoint=dates" in tab.url
    cells = [row.split("\t") for row in tab.locator(".atlas-config tbody tr").all_inner_texts()]
    assert cells and all(mine != theirs for _, mine, theirs in cells)
    tab.reload()
    tab.get_by_role("heading", name=re.compile("tiny and dates differ")).wait_for()
    assert tab.title() == "Inspect · Attention Atlas"
    tab.get_by_role("link", name="Gallery").click()
    dates = tab.locator('[class*="st-key-card_checkpoint_"]').filter(has=tab.locator("h3", has_text="dates"))
    dates.get_by_role("link", name="Open").click()
    tab.wait_for_url(re.compile("[?&]checkpoint=dates"))
    tab.locator(".atlas .stage-root > *:visible").first.wait_for()
    assert tab.locator('[data-testid="stException"]').count() == 0
    tab.go_back()
    tab.wait_for_url(re.compile("/checkpoints[?]checkpoint=tiny"))
    tiny.get_by_text("in use").wait_for()
