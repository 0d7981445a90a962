"""Text that came from a file: it can be sent, is bounded, is no Markdown, and tells nothing of the server's disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.style import screen_text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("un été", "un été"),
        ("a\ud800b", "a\ufffdb"),
        ("a\x00b\x1b[0m", "a b [0m"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("می‌خواهم", "می‌خواهم"),  # a zero-width non-joiner is spelling
        (None, ""),
        (10**400, ""),
    ],
)
def test_plain_text_can_always_be_sent(value: object, shown: str) -> None:
    assert screen_text.plain(value) == shown
    assert isinstance(shown.encode(), bytes)


def test_a_long_text_is_cut_and_says_so() -> None:
    assert screen_text.plain("x" * 10**6) == "x" * 599 + "…"
    assert screen_text.plain("x" * 600) == "x" * 600


@pytest.mark.parametrize(
    "words",
    [
        "![x](http://example.org/p.png)",
        "[a](b) **bold** `code` ~~gone~~ $x^2$",
        ":red[alarm] :material/home: :smile:",
        "# head",
        "<img src=x>",
        "http://example.org www.example.org me@example.org",
    ],
)
def test_a_label_holds_no_markdown(words: str) -> None:
    label = screen_text.label(words)
    unescaped = label.replace("\u2060", "").replace("\\", "")
    assert unescaped == words, "nothing is lost to a reader"
    for sign in "*`[]()!#$<>~_":
        assert label.count(sign) == label.count(f"\\{sign}")
    for beginning in (":red", ":material", ":smile", "://", "www.", "www\\.", "@e"):
        assert beginning not in label


def test_a_label_is_one_short_line() -> None:
    assert screen_text.label("a\n\n# b\tc") == "a \\# b c"
    assert len(screen_text.label("x" * 5000)) == screen_text.LONGEST_LABEL


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("/srv/lab/checkpoints/mine/model.safetensors is damaged; copy it again.", "model.safetensors is damaged; copy it again."),
        ("'/home/a/b' is a file", "'b' is a file"),
        ("there is no ~/secret/models/x; and/or 3/4 of it", "there is no x; and/or 3/4 of it"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
    ],
)  # fmt: skip
def test_a_sentence_hides_the_servers_folders(error: str, told: str) -> None:
    assert screen_text.sentence(ValueError(error)) == told


def test_a_folder_known_by_name_is_hidden_whatever_it_is_called() -> None:
    folder = Path("/srv/my models/really mine")
    assert screen_text.sentence(f"{folder}/card.json is missing", folder) == "card.json is missing"
    assert screen_text.sentence(f"{folder} holds both", folder) == "really mine holds both"
    assert len(screen_text.sentence("x" * 10**6)) == screen_text.LONGEST_SENTENCE
