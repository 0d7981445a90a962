"""Resources: checkpoint folders good and bad, the stored example without torch, decodes kept and bounded."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.errors import AtlasError, CheckpointError, InputError
from core.tokenizer import Frame, Tokenizer
from tests.conftest import wait_for_preloads
from ui.session.selection import Selection
from ui.shared import cache, context, make_decode, models
from ui.shared import checkpoints as listing
from ui.shared.checkpoints import Entry
from ui.shared.decode import Decode

EXAMPLE = "The dog is chasing a white ball."


def entry() -> Entry:
    return listing.find("tiny")[0]


def decoded(text: str | None = None, **options: Any) -> Decode:
    return context.CheckpointView(entry(), Selection(text=text, **options)).decoded.decode


def preloaded() -> None:
    models.preload(entry())
    wait_for_preloads()


def test_the_list_shows_what_a_folder_says(checkpoints: Path) -> None:
    (only,) = listing.entries()
    assert (only.name, only.languages, only.problem) == ("tiny", "en → fr", "")
    assert only.size_line.startswith("2+2 layers · 2 heads · ")
    assert only.examples[0] == EXAMPLE


def test_an_unknown_name_falls_back_with_a_sentence(checkpoints: Path) -> None:
    found, sentence = listing.find("nowhere")
    assert found.name == "tiny"
    assert sentence == "There is no checkpoint called nowhere; tiny is shown instead."
    assert listing.find("") == (found, "")


def test_without_any_checkpoint_there_is_one_sentence(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "FOLDER", checkpoints / "empty")
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        listing.find("tiny")


def test_further_folders_come_from_the_environment(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "FOLDER", tmp_path / "none")
    monkeypatch.setenv(listing.EXTRA, str(checkpoints))
    assert [each.name for each in listing.entries()] == ["tiny"]


def test_a_changed_file_is_a_new_checkpoint(checkpoints: Path) -> None:
    before = entry().stamp
    card = checkpoints / "tiny" / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "description": "changed"}))
    assert entry().stamp != before


def test_the_first_paint_needs_no_torch(checkpoints: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from ui.shared import checkpoints, context; from ui.session.selection import Selection\n"
        f"checkpoints.FOLDER = Path({str(checkpoints)!r})\n"
        "entry, _ = checkpoints.find('')\n"
        "decode = context.CheckpointView(entry, Selection()).decoded.decode\n"
        "assert decode.stored and decode.steps and all(fact.holds for fact in decode.facts)\n"
        "assert 'torch' not in sys.modules, 'torch was imported'\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_model_draws_what_the_stored_example_drew(checkpoints: Path) -> None:
    stored = decoded()
    models.model(entry())
    live = decoded()
    assert (stored.stored, live.stored) == (True, False)
    assert stored.trace.written_ids == live.trace.written_ids
    for place in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
        np.testing.assert_allclose(
            stored.trace.stacked(*place, "weights"), live.trace.stacked(*place, "weights"), atol=1e-3
        )
    assert [step.ids[0] for step in stored.steps] == [step.ids[0] for step in live.steps]


def test_every_fact_holds_and_stepping_was_compared(checkpoints: Path) -> None:
    decode = decoded("I am tired.")
    assert [str(fact) for fact in decode.facts] == [
        "rows sum to 1\u00a0✓",
        "nothing looks ahead\u00a0✓",
        "step by step = all at once\u00a0✓",
    ]


def test_a_decode_is_kept_by_text_and_options(checkpoints: Path) -> None:
    first = decoded("I am tired.")
    assert decoded("I am tired.", kind="causal", layer=1) is first
    assert decoded("I am tired.", strategy="beam", beam=2) is not first


def test_a_forced_word_is_written_and_what_follows_is_decoded_anew(checkpoints: Path) -> None:
    free = decoded("A man.")
    other = next(token for token in free.steps[1].ids if token not in (free.trace.written_ids[1], 2))
    forced = decoded("A man.", force=((1, other),))
    assert forced.trace.written_ids[:2] == (free.trace.written_ids[0], other)
    assert forced.forced == (1,)
    assert forced.steps[1].forced


def test_sampling_can_be_repeated_by_its_seed(checkpoints: Path) -> None:
    one = decoded("A man.", strategy="sample", seed=5, top_p=0.9)
    cache.DECODES.drop(lambda key: True)
    two = decoded("A man.", strategy="sample", seed=5, top_p=0.9)
    assert one.trace.written_ids == two.trace.written_ids
    assert one.steps[0].cut is not None
    assert one.steps[0].cut.label == "nucleus p = 0.90"


def test_a_beam_keeps_its_tree_and_any_path_can_be_followed(checkpoints: Path) -> None:
    best = decoded("A man.", strategy="beam", beam=3)
    assert best.tree[0].parent is None
    assert any(not node.kept for node in best.tree)
    node = next(node for node in best.tree if node.step == 2 and not node.best)
    followed = decoded("A man.", strategy="beam", beam=3, node=node.id)
    assert len(followed.trace.written_ids) == 2
    assert followed.node == node.id


def test_ones_own_translation_is_read_as_given(checkpoints: Path) -> None:
    decode = decoded("A man.", strategy="given", target="Un homme.")
    assert decode.text == "Un homme."
    assert decode.finished


def test_more_can_be_recorded_of_the_same_tokens(checkpoints: Path) -> None:
    decode = decoded("A man.")
    view = context.DecodeView(entry(), decode=decode)
    trace = view.recorded(("*.scores", "*.masked_scores"))
    assert trace.written_ids == decode.trace.written_ids
    assert view.recorded(("*.scores", "*.masked_scores")) is trace
    assert view.recorded(("*.weights",)) is decode.trace


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The sentence is empty"),
        (" \t\n ", "The sentence is empty"),
        ("word " * 10_000, "10,000 words; the model reads at most 64 tokens"),
        ("man " * 100, "tokens long; this model reads at most 64"),
    ],
)
def test_a_text_that_cannot_be_read_gets_one_sentence(checkpoints: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        context.read_text(entry(), text)


def test_a_long_text_is_read_in_its_turn_and_a_short_one_at_once(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[object] = []

    @contextmanager
    def turn(name: object) -> Iterator[None]:
        turns.append(name)
        yield

    monkeypatch.setattr(models, "turn", turn)
    context.read_text(entry(), "a man")
    assert not turns
    with pytest.raises(InputError, match="tokens long"):
        context.read_text(entry(), "man " * 300)
    assert len(turns) == 1


@pytest.mark.parametrize(("before", "after"), [((), ()), ((), (2,)), ((1,), (2,)), ((3, 1), (2,))])
def test_the_page_and_the_core_agree_on_whether_there_is_anything_to_read(
    checkpoints: Path, before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    letters = Tokenizer.from_vocabulary(
        ["<pad>", "<s>", "</s>", "<unk>", *"ab "], split="regex", pattern="[a-z ]"
    )
    tokenizer = letters.framed(Frame(before=before, after=after))
    other: Any = SimpleNamespace(
        stamp=f"{before}{after}", config=entry().config, tokenizers=(tokenizer, tokenizer)
    )
    with pytest.raises(InputError, match="holds no character that this model reads"):
        context.read_text(other, "!")
    assert context.read_text(other, "a").ids == tuple(tokenizer.encode("a"))


@pytest.mark.parametrize("text", ["😀🎉", "مرحبا بالعالم", "<script>alert(1)</script>", "naïve Ω"])
def test_strange_texts_are_read_and_unknown_pieces_named(checkpoints: Path, text: str) -> None:
    decode = decoded(text)
    assert text.isascii() or decode.unknown
    assert all(fact.holds for fact in decode.facts)


def test_a_model_that_cannot_be_loaded_says_why(checkpoints: Path) -> None:
    config = checkpoints / "tiny" / "config.json"
    data = json.loads(config.read_text())
    config.write_text(json.dumps({**data, "d_ff": 48}))
    with pytest.raises(AtlasError, match="shape"):
        _ = decoded("A man.")
    preloaded()
    assert "shape" in models.failure(entry())


def test_the_trust_report_is_made_behind_the_page(checkpoints: Path) -> None:
    cache.REPORTS.clear()
    preloaded()
    report = models.trust(entry())
    assert report is not None
    assert report.passed
    line = models.device_line(entry())
    assert line is not None
    assert line.precision == "float32"


def test_a_model_that_is_there_without_its_checks_is_checked(checkpoints: Path) -> None:
    """Whoever loaded it: the page's own run, or a thread that came to grief after it."""
    cache.REPORTS.clear()
    models.model(entry())
    assert models.trust(entry()) is None
    preloaded()
    assert models.trust(entry()) is not None


def test_a_model_that_has_left_is_loaded_again(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its decode may still be kept, and then nothing but the page's preload asks for it."""

    def loaded() -> bool:
        preloaded()
        return models.device_line(entry()) is not None

    assert loaded()
    cache.MODELS.drop(lambda key: True)
    assert models.device_line(entry()) is None
    assert loaded()


def test_a_file_that_cannot_be_used_is_read_once_until_it_changes(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few megabytes can unpack to hundreds, which no visitor's every click may do again."""
    folder = checkpoints / "tiny"
    reads: list[str] = []

    def broken(path: Path, *_: Any) -> Any:
        reads.append(path.name)
        raise CheckpointError("It is another model's.")

    monkeypatch.setattr(make_decode, "load_example", broken)
    (folder / "example.npz").write_bytes(b"x")
    for _ in range(3):
        assert context.example_text(entry())
        with pytest.raises(CheckpointError, match="another model's"):
            context.kept(entry(), "other", lambda: broken(folder / "other"))
    assert reads == ["tiny", "other"]
    (folder / "example.npz").write_bytes(b"xyz")
    context.example_text(entry())
    assert reads == ["tiny", "other", "tiny"]


def test_a_check_that_breaks_is_no_end_of_the_loading(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(models, "run_trust", broken)
    failed: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    for _ in range(2):
        preloaded()
    assert models.is_loaded(entry()) and not failed
    assert [each.message for each in caplog.records] == ["tiny cannot be checked"], "and not tried again"


def test_caches_are_bounded() -> None:
    held = [each for each in vars(cache).values() if isinstance(each, cache.BoundedCache)]
    assert len(held) >= 13
    assert all(each._entries <= (512 if each is cache.ENTRIES else 368) for each in held)
    assert cache.DECODES._capacity is not None
    assert cache.RESULTS._capacity is not None
    assert set(map(id, held)) == set(map(id, cache._CACHES)), "each is emptied with the others"


def test_a_trust_report_belongs_to_the_model_whatever_folder_holds_it(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.verify import checking as verifying

    made: list[str] = []
    real = verifying.verify

    def counted(checkpoint: Any) -> Any:
        made.append(checkpoint.digest)
        return real(checkpoint)

    monkeypatch.setattr(verifying, "verify", counted)
    cache.REPORTS.clear()
    for name in ("copy", "other"):
        shutil.copytree(checkpoints / "tiny", checkpoints / name)
    card = checkpoints / "copy" / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "description": "changed"}))
    config = checkpoints / "other" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "norm_eps": 1e-3}))
    tiny, copy, other = (listing.find(name)[0] for name in ("tiny", "copy", "other"))
    report = models.run_trust(tiny)
    assert models.trust(copy) is None, "nothing was read from that folder yet"
    assert models.run_trust(copy) is report
    assert models.trust(copy) is report
    assert models.run_trust(other) is not report
    assert len(made) == len(set(made)) == 2
    card.write_text(json.dumps({"name": "copy", "examples": [{"source": "I am tired."}]}))
    models.model(listing.find("copy")[0])
    assert models.trust(listing.find("copy")[0]) is report
