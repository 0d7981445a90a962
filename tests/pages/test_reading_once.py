"""A sentence is cut into tokens once when it is new, and never again for looking at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
import tokenizers

from core.tokenizer import Tokenizer
from tests.pages.conftest import ROOT, Open
from ui.session.selection import Selection
from ui.shared import checkpoints as listing
from ui.shared import context

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches

TEXT = "The dog 😀 is tired."


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was cut by one tokenizer, by whichever of its functions; the language hint asks those of other models."""
    counted: Counter[str] = Counter()
    by_one: Counter[tuple[int, str]] = Counter()
    single, many, parts = Tokenizer._encoding, Tokenizer.encode_batch, Tokenizer._pre_tokenized

    def count(tokenizer: Tokenizer, text: str) -> None:
        by_one[id(tokenizer), text] += 1
        counted[text] = max(counted[text], by_one[id(tokenizer), text])

    def encoding(self: Tokenizer, text: str) -> tokenizers.Encoding:
        count(self, text)
        return single(self, text)

    def batch(self: Tokenizer, texts: list[str], eos: bool = True) -> list[list[int]]:
        for text in texts:
            count(self, text)
        return many(self, texts, eos)

    def pre_tokenized(self: Tokenizer, text: str) -> list[tuple[str, tuple[int, int]]]:
        count(self, text)
        return parts(self, text)

    monkeypatch.setattr(Tokenizer, "_encoding", encoding)
    monkeypatch.setattr(Tokenizer, "encode_batch", batch)
    monkeypatch.setattr(Tokenizer, "_pre_tokenized", pre_tokenized)
    return counted


@pytest.mark.parametrize("options", [{}, {"strategy": "beam", "node": 5}, {"strategy": "sample", "top_k": 3}])
def test_a_new_sentence_is_cut_once_and_a_known_one_never(
    checkpoints: Path, cuts: Counter[str], options: Mapping[str, object]
) -> None:
    entry, _ = listing.find("tiny")
    selection = Selection(text=TEXT, **options)  # type: ignore[arg-type]
    shown = context.CheckpointView(entry, selection).decoded.decode
    assert shown.unknown == ("😀",)
    assert cuts[TEXT] == 1
    assert context.CheckpointView(entry, selection).decoded.decode is shown
    assert cuts[TEXT] == 1


def test_ones_own_translation_is_cut_once_too(checkpoints: Path, cuts: Counter[str]) -> None:
    entry, _ = listing.find("tiny")
    target = "Un homme."
    _ = context.CheckpointView(entry, Selection(text=TEXT, strategy="given", target=target)).decoded.decode
    assert (cuts[TEXT], cuts[target]) == (1, 1)


@pytest.mark.thorough
def test_a_typed_sentence_is_cut_once_and_every_rerun_and_page_reads_what_is_kept(
    open_app: Open, cuts: Counter[str]
) -> None:
    app = open_app()
    app.text_input(key="widget_sentence").set_value(TEXT).run()
    assert not app.exception
    assert cuts[TEXT] == 1
    app.run()
    for page in sorted(path.stem for path in (ROOT / "pages").glob("*.py")):
        app.switch_page(f"pages/{page}.py")
        app.run()
        assert not app.exception
    assert cuts[TEXT] == 1
