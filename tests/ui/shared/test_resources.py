"""Resources: checkpoint folders good and bad, the stored example without torch, decodes kept and bounded."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.errors import AtlasError, CheckpointError, InputError
from core.tokenizer import Frame, Tokenizer
from ui.session.selection import Selection
from ui.shared import make_decode, resources
from ui.shared.decode import Decode
from ui.shared.entry import Entry

EXAMPLE = "The dog is chasing a white ball."


def entry() -> Entry:
    return resources.find("tiny")[0]


def test_the_list_shows_what_a_folder_says(checkpoints: Path) -> None:
    (only,) = resources.entries()
    assert (only.name, only.languages, only.problem) == ("tiny", "en → fr", "")
    assert only.size_line.startswith("2+2 layers · 2 heads · ")
    assert only.examples[0] == EXAMPLE


def test_an_unknown_name_falls_back_with_a_sentence(checkpoints: Path) -> None:
    found, sentence = resources.find("nowhere")
    assert found.name == "tiny"
    assert sentence == "There is no checkpoint called nowhere; tiny is shown instead."
    assert resources.find("") == (found, "")


@pytest.mark.parametrize("missing", ["tokenizer.json", "config.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_listed_with_its_sentence(checkpoints: Path, missing: str) -> None:
    import shutil

    shutil.copytree(checkpoints / "tiny", checkpoints / "broken")
    (checkpoints / "broken" / missing).unlink()
    last = resources.entries()[-1]
    assert last.name == "broken"
    assert last.problem.count(".") >= 1
    found, sentence = resources.find("broken")
    assert found.name == "tiny"
    assert sentence.endswith("tiny is shown instead.")
    with pytest.raises(AtlasError):
        _ = last.config


def test_damaged_files_are_told_apart_from_good_ones(checkpoints: Path) -> None:
    import shutil

    for name, content in (
        ("config.json", b"{"),
        ("model.safetensors", b"\x00" * 40),
        ("tokenizer.json", b"[]"),
    ):
        folder = checkpoints / f"bad-{name.split('.')[0]}"
        shutil.copytree(checkpoints / "tiny", folder)
        (folder / name).write_bytes(content)
    listed = resources.entries()
    assert [each.name for each in listed if not each.problem] == ["tiny"]
    assert len([each for each in listed if each.problem]) == 3


def test_without_any_checkpoint_there_is_one_sentence(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "FOLDER", checkpoints / "empty")
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        resources.find("tiny")


def test_further_folders_come_from_the_environment(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "FOLDER", tmp_path / "none")
    monkeypatch.setenv(resources.EXTRA, str(checkpoints))
    assert [each.name for each in resources.entries()] == ["tiny"]


def test_a_changed_file_is_a_new_checkpoint(checkpoints: Path) -> None:
    before = entry().stamp
    card = checkpoints / "tiny" / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "description": "changed"}))
    assert entry().stamp != before


def test_the_first_paint_needs_no_torch(checkpoints: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from ui.shared import resources; from ui.session.selection import Selection\n"
        f"resources.FOLDER = Path({str(checkpoints)!r})\n"
        "entry, _ = resources.find('')\n"
        "decode = resources.decode(entry, Selection())\n"
        "assert decode.stored and decode.steps and all(fact.holds for fact in decode.facts)\n"
        "assert 'torch' not in sys.modules, 'torch was imported'\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_model_draws_what_the_stored_example_drew(checkpoints: Path) -> None:
    stored = resources.decode(entry(), Selection())
    resources.model(entry())
    live = resources.decode(entry(), Selection())
    assert (stored.stored, live.stored) == (True, False)
    assert stored.trace.written_ids == live.trace.written_ids
    for place in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
        np.testing.assert_allclose(
            stored.trace.stacked(*place, "weights"), live.trace.stacked(*place, "weights"), atol=1e-3
        )
    assert [step.ids[0] for step in stored.steps] == [step.ids[0] for step in live.steps]


def test_every_fact_holds_and_stepping_was_compared(checkpoints: Path) -> None:
    decode = resources.decode(entry(), Selection(text="I am tired."))
    assert [str(fact) for fact in decode.facts] == [
        "rows sum to 1 ✓",
        "nothing looks ahead ✓",
        "stepping equals the full pass ✓",
    ]


def test_a_decode_is_kept_by_text_and_options(checkpoints: Path) -> None:
    first = resources.decode(entry(), Selection(text="I am tired."))
    assert resources.decode(entry(), Selection(text="I am tired.", kind="causal", layer=1)) is first
    assert resources.decode(entry(), Selection(text="I am tired.", strategy="beam", beam=2)) is not first


def test_sessions_that_ask_at_once_share_one_decode(checkpoints: Path) -> None:
    found: list[Decode] = []
    threads = [
        threading.Thread(target=lambda: found.append(resources.decode(entry(), Selection(text="A man."))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(decode is found[0] for decode in found)


def test_a_forced_word_is_written_and_what_follows_is_decoded_anew(checkpoints: Path) -> None:
    free = resources.decode(entry(), Selection(text="A man."))
    other = next(token for token in free.steps[1].ids if token not in (free.trace.written_ids[1], 2))
    forced = resources.decode(entry(), Selection(text="A man.", force=((1, other),)))
    assert forced.trace.written_ids[:2] == (free.trace.written_ids[0], other)
    assert forced.forced == (1,)
    assert forced.steps[1].forced


def test_sampling_can_be_repeated_by_its_seed(checkpoints: Path) -> None:
    one = resources.decode(entry(), Selection(text="A man.", strategy="sample", seed=5, top_p=0.9))
    resources._decodes.drop(lambda key: True)
    two = resources.decode(entry(), Selection(text="A man.", strategy="sample", seed=5, top_p=0.9))
    assert one.trace.written_ids == two.trace.written_ids
    assert one.steps[0].cut is not None
    assert one.steps[0].cut[1] == "nucleus p = 0.90"


def test_a_beam_keeps_its_tree_and_any_path_can_be_followed(checkpoints: Path) -> None:
    best = resources.decode(entry(), Selection(text="A man.", strategy="beam", beam=3))
    assert best.tree[0].parent is None
    assert any(not node.kept for node in best.tree)
    node = next(node for node in best.tree if node.step == 2 and not node.best)
    followed = resources.decode(entry(), Selection(text="A man.", strategy="beam", beam=3, node=node.id))
    assert len(followed.trace.written_ids) == 2
    assert followed.node == node.id


def test_ones_own_translation_is_read_as_given(checkpoints: Path) -> None:
    decode = resources.decode(entry(), Selection(text="A man.", strategy="given", target="Un homme."))
    assert decode.text == "Un homme."
    assert decode.finished


def test_more_can_be_recorded_of_the_same_tokens(checkpoints: Path) -> None:
    decode = resources.decode(entry(), Selection(text="A man."))
    trace = resources.recorded(entry(), decode, ("*.scores", "*.masked_scores"))
    assert trace.written_ids == decode.trace.written_ids
    assert resources.recorded(entry(), decode, ("*.scores", "*.masked_scores")) is trace
    assert resources.recorded(entry(), decode, ("*.weights",)) is decode.trace


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
        resources.read_text(entry(), text)


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
        resources.read_text(other, "!")
    assert resources.read_text(other, "a").ids == tuple(tokenizer.encode("a"))


@pytest.mark.parametrize("text", ["😀🎉", "مرحبا بالعالم", "<script>alert(1)</script>", "naïve Ω"])
def test_strange_texts_are_read_and_unknown_pieces_named(checkpoints: Path, text: str) -> None:
    decode = resources.decode(entry(), Selection(text=text))
    assert text.isascii() or decode.unknown
    assert all(fact.holds for fact in decode.facts)


def test_a_model_that_cannot_be_loaded_says_why(checkpoints: Path) -> None:
    config = checkpoints / "tiny" / "config.json"
    data = json.loads(config.read_text())
    config.write_text(json.dumps({**data, "d_ff": 48}))
    with pytest.raises(AtlasError, match="shape"):
        resources.decode(entry(), Selection(text="A man."))
    resources.preload(entry())
    for thread in threading.enumerate():
        if thread.name.startswith("preload-"):
            thread.join(timeout=30)
    assert "shape" in resources.failure(entry())


def test_the_trust_report_is_made_behind_the_page(checkpoints: Path) -> None:
    resources.preload(entry())
    for thread in threading.enumerate():
        if thread.name.startswith("preload-"):
            thread.join(timeout=60)
    report = resources.trust(entry())
    assert report is not None
    assert report.passed
    line = resources.device_line(entry())
    assert line is not None
    assert line.precision == "float32"


def test_a_model_that_is_there_without_its_checks_is_checked(checkpoints: Path) -> None:
    """Whoever loaded it: the page's own run, or a thread that came to grief after it."""
    resources.model(entry())
    assert resources.trust(entry()) is None
    resources.preload(entry())
    for thread in threading.enumerate():
        if thread.name.startswith("preload-"):
            thread.join(timeout=60)
    assert resources.trust(entry()) is not None


def test_a_model_that_has_left_is_loaded_again(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its decode may still be kept, and then nothing but the page's preload asks for it."""

    def loaded() -> bool:
        resources.preload(entry())
        for thread in threading.enumerate():
            if thread.name.startswith("preload-"):
                thread.join()
        return resources.device_line(entry()) is not None

    assert loaded()
    resources._models.drop(lambda key: True)
    assert resources.device_line(entry()) is None
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
        assert resources.example_text(entry())
        with pytest.raises(CheckpointError, match="another model's"):
            resources.kept(entry(), "other", lambda: broken(folder / "other"))
    assert reads == ["tiny", "other"]
    (folder / "example.npz").write_bytes(b"xyz")
    resources.example_text(entry())
    assert reads == ["tiny", "other", "tiny"]


def test_a_check_that_breaks_is_no_end_of_the_loading(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(resources, "run_trust", broken)
    failed: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    for _ in range(2):
        resources.preload(entry())
        for thread in threading.enumerate():
            if thread.name.startswith("preload-"):
                thread.join()
    assert resources.is_loaded(entry()) and not failed
    assert [each.message for each in caplog.records] == ["tiny cannot be checked"], "and not tried again"


def test_caches_are_bounded() -> None:
    assert resources._entries._entries <= 512
    for cache in (
        resources.TOKENIZERS,
        resources._models,
        resources._decodes,
        resources._readings,
        resources._traces,
        resources._weights,
        resources._digests,
        resources._reports,
    ):
        assert cache._entries <= 256
    assert resources._decodes._capacity is not None
    assert resources._traces._capacity is not None


def test_a_trust_report_belongs_to_the_model_whatever_folder_holds_it(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    from core import verify as verifying

    made: list[str] = []
    real = verifying.verify

    def counted(checkpoint: Any) -> Any:
        made.append(checkpoint.digest)
        return real(checkpoint)

    monkeypatch.setattr(verifying, "verify", counted)
    for name in ("copy", "other"):
        shutil.copytree(checkpoints / "tiny", checkpoints / name)
    card = checkpoints / "copy" / "card.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "description": "changed"}))
    config = checkpoints / "other" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "norm_eps": 1e-3}))
    tiny, copy, other = (resources.find(name)[0] for name in ("tiny", "copy", "other"))
    report = resources.run_trust(tiny)
    assert resources.trust(copy) is None, "nothing was read from that folder yet"
    assert resources.run_trust(copy) is report
    assert resources.trust(copy) is report
    assert resources.run_trust(other) is not report
    assert len(made) == len(set(made)) == 2
    card.write_text(json.dumps({"name": "copy", "examples": [{"source": "I am tired."}]}))
    resources.model(resources.find("copy")[0])
    assert resources.trust(resources.find("copy")[0]) is report
