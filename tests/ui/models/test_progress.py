"""An import as the wizard drives it: from files to a first translation, and every mistake as one sentence."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from core.api import Checkpoint
from core.checkpoints import files
from core.errors import AtlasError, CheckpointError
from core.experiments.corpus import load_atlas
from core.experiments.default_heads import default_heads
from core.importing import plan as import_plan
from core.language import speaking
from tests import students
from tests.core.importing.exported import export, sentences
from ui.models.import_progress import (
    DraftImport,
    answer_value,
    sentence,
    store_vocabulary,
    vocabulary_answers,
)
from ui.models.importing import unanswered

MAX = 10**7


def picked(*files: Path) -> list[tuple[str, BytesIO]]:
    return [(file.name, BytesIO(file.read_bytes())) for file in files]


def content(file: Path) -> list[tuple[str, bytes]]:
    return [(file.name, file.read_bytes())]


def read(place: Path, files: list[tuple[str, BytesIO]], **more: Any) -> DraftImport:
    """A draft that has read these files into the new folder `place`."""
    place.mkdir()
    draft = DraftImport()
    draft.start(("id",), lambda folder: None)
    draft.read(place, files, MAX, **more)
    return draft


def begun(
    tmp_path: Path, source: Sequence[str] = students.ENGLISH, target: Sequence[str] = students.ENGLISH
) -> tuple[DraftImport, dict[str, Path]]:
    """A draft that has read a student's weights, and the student's files."""
    files = students.write_student(tmp_path / "student", source, target)
    draft = read(tmp_path / "draft", picked(files["student.pt"]))
    assert not draft.problems
    return draft, files


def give_vocabularies(draft: DraftImport, files: dict[str, Path], **split: Any) -> None:
    assert draft.folder is not None
    places = vocabulary_answers(draft.folder, content(files["source.txt"]), content(files["target.txt"]), "x")
    draft.answer("vocabulary", **places, **split)


def test_a_right_to_left_model_is_imported_to_its_first_translation(tmp_path: Path) -> None:
    draft, files = begun(tmp_path, students.ARABIC, students.HEBREW)
    first, assumed = draft.questions()
    assert first[0].name == "heads"
    assert {"pad_id", "bos_id", "eos_id"} <= {each.name for each in first}
    assert "norm_placement" in {each.name for each in assumed}
    draft.problems["answer"] = unanswered(first, {})
    assert "pad_id" in draft.problems["answer"]
    give_vocabularies(draft, files, split="whitespace")
    assert [each.name for each in draft.questions()[0]] == ["heads"], "the specials were found by name"
    assert not draft.problems, "what was said of fields that are gone is gone with them"
    draft.answer("answer", heads=3)
    assert draft.plan is not None and draft.plan.problems
    assert sentence(AtlasError(draft.plan.problems[0])).startswith("d_model 16 does not divide into 3 heads")
    draft.answer("answer", heads=students.HEADS)
    assert draft.plan is not None and draft.plan.ready
    draft.try_out("رجل يركب دراجة ؟")
    draft.check()
    assert draft.written is not None and draft.report is not None
    assert set(draft.written.written.split()) <= set(students.HEBREW)
    assert draft.written.unknown == ("؟",)
    assert draft.report.passed and draft.report.sources == ("رجل يركب دراجة ؟",)
    assert draft.examples == [{"source": draft.written.text, "translation": draft.written.written}]


def test_the_new_card_names_the_heads_that_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen over the sentences that were tried, in bounded time."""
    asked: list[tuple[list[str], float]] = []

    def choose(checkpoint: Checkpoint, sources: Sequence[str], seconds: float) -> dict[str, Any]:
        asked.append((list(sources), seconds))
        return default_heads(checkpoint, sources, seconds)

    monkeypatch.setattr("core.experiments.default_heads.default_heads", choose)
    draft, picked = begun(tmp_path)
    give_vocabularies(draft, picked, split="whitespace")
    draft.answer("answer", heads=2)
    draft.try_out("a dog")
    draft.try_out("a man")
    draft.write(tmp_path / "out", "mine")
    card = json.loads((tmp_path / "out" / "card.json").read_text("utf-8"))
    assert {"encoder-self", "decoder-self"} <= set(card["default_heads"]), "random weights need not align"
    ((sources, seconds),) = asked
    assert sources == ["a man", "a dog"] and 0 < seconds <= 30
    assert card["default_heads"]["encoder-self"]["sentences"] <= len(sources)
    assert [example["source"] for example in card["examples"]] == sources
    out = tmp_path / "out"
    atlas = load_atlas(out, files.read_config(out), files.folder_digest(out))
    assert sorted(drawn.sentence.source for drawn in atlas.sample) == sorted(sources)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("split", "text", "unknown"),
    [
        ({"split": "chars"}, "a dog.", ()),
        ({"split": "chars"}, "A dog!", ("A", "!")),
        ({"split": "chars", "lowercase": True}, "A dog.", ()),
        ({"split": "regex", "pattern": r"[a-z. ]"}, "a dog.", ()),
    ],
)
def test_a_character_level_model_is_cut_as_it_is_told(
    tmp_path: Path, split: dict[str, Any], text: str, unknown: tuple[str, ...]
) -> None:
    draft, files = begun(tmp_path, students.LETTERS, students.LETTERS)
    give_vocabularies(draft, files, **split)
    draft.answer("answer", heads=2)
    draft.try_out(text)
    assert draft.written is not None, draft.problems
    assert draft.written.unknown == unknown
    draft.check()
    assert draft.report is not None and draft.report.passed


def test_a_wrong_answer_is_a_sentence_and_can_be_answered_again(tmp_path: Path) -> None:
    draft, files = begun(tmp_path)
    give_vocabularies(draft, files)
    draft.answer("answer", heads=3)
    assert draft.plan is not None and not draft.plan.ready
    assert len(draft.plan.problems) == 1 and "heads" in draft.plan.problems[0]
    assert [each.name for each in draft.questions()[0]] == ["heads"], "it is still there to be corrected"
    draft.answer("answer", heads=2, norm_placement="pre")
    assert draft.plan.ready
    assert [each.name for each in draft.questions()[0]] == ["heads", "norm_placement"]
    before = draft.plan
    draft.answer("answer", bos_id="<start>")
    assert draft.problems["answer"].startswith("'<start>', given as bos, is not in the vocabulary")
    assert draft.plan is before
    draft.answer("answer", bos_id="<bos>")
    assert not draft.problems


def test_a_mistake_while_trying_is_a_sentence(tmp_path: Path) -> None:
    draft, files = begun(tmp_path)
    give_vocabularies(draft, files, split="regex", pattern="(")
    draft.answer("answer", heads=2)
    draft.try_out("a dog")
    assert draft.trial is None
    assert draft.problems["finish"].count("\n") == 0 and "(" in draft.problems["finish"]
    draft.answer("vocabulary", split="whitespace", pattern=None)
    draft.try_out("a dog " * 6000)
    assert "tokens" in draft.problems["finish"]
    draft.try_out("a dog")
    assert draft.trial is not None and "finish" not in draft.problems


def shipped_dates(tmp_path: Path, heads: int) -> DraftImport:
    """The shipped model of dates, brought as a state dict of torch.nn.Transformer."""
    tmp_path.mkdir(exist_ok=True)
    _, arguments = export("dates", tmp_path)
    place = tmp_path / "draft"
    draft = read(place, picked(Path(arguments[0])))
    sides = [[(f"{side}.json", (tmp_path / f"{side}.json").read_bytes())] for side in ("source", "target")]
    draft.answer("vocabulary", **vocabulary_answers(place, sides[0], sides[1], "whitespace"))
    answers = {
        "norm_placement": "pre",
        "source_before": "",
        "pad_id": 0,
        "bos_id": 1,
        "eos_id": 2,
        "unk_id": 3,
    }
    draft.answer("answer", heads=heads, **answers)
    assert draft.plan is not None and draft.plan.ready, draft.problems
    return draft


@pytest.mark.thorough
def test_what_is_expected_is_compared_with_what_is_written(tmp_path: Path) -> None:
    draft = shipped_dates(tmp_path, 4)
    draft.try_out("3rd of May, 1979", "1979-05-03")
    assert draft.comparison is not None and draft.comparison.matched == "greedy"
    assert draft.trial is not None and draft.trial.warnings == []
    assert draft.written is not None and -0.1 < draft.written.log_probability < 0
    draft.try_out("3rd of May, 1979", "1979-05-04")
    assert draft.comparison is not None and draft.comparison.matched is None
    assert draft.comparison.difference == [("missing", "1979-05-04"), ("extra", "1979-05-03")]
    assert "nothing has checked heads = 4 (told)" in draft.trial.warnings[0]
    draft.write(tmp_path / "out", "dates")
    report = json.loads((tmp_path / "out" / "import-report.json").read_text())
    assert report["trial"]["matched"] is False and report["trial"]["expected"][0]["expected"] == "1979-05-04"
    draft.try_out("3rd of May, 1979")
    assert draft.comparison is None and draft.trial.matched is None


@pytest.mark.thorough
def test_sentences_tried_one_after_another_tell_the_number_of_heads(tmp_path: Path) -> None:
    for told, doubted in ((16, True), (4, False)):
        draft = shipped_dates(tmp_path / str(told), told)
        for text in sentences("dates", 6):
            draft.try_out(text)
        assert draft.tried == sentences("dates", 6)[:0:-1], "the last five, newest first"
        assert draft.written is not None and draft.written.text == draft.tried[0]
        assert draft.trial is not None and draft.trial.settings is not None
        assert draft.trial.settings.sentences == 5
        assert any("with heads = 4 the model would be" in each for each in draft.trial.warnings) == doubted
    draft.answer("vocabulary", lowercase=True)
    assert draft.tried == [] and draft.trial is None


@pytest.mark.thorough
def test_a_made_up_text_is_no_sentence_of_the_report(tmp_path: Path) -> None:
    draft = shipped_dates(tmp_path, 16)
    draft.check()
    draft.try_out()
    assert draft.trial is not None and draft.trial.made_up and draft.trial.settings is None
    assert draft.written is not None and draft.report is not None
    assert draft.report.sources == (draft.written.text,)
    draft.write(tmp_path / "out", "dates")
    assert json.loads((tmp_path / "out" / "import-report.json").read_text())["trial"]["made_up"]


def test_files_that_are_no_checkpoint_are_a_sentence_and_their_folder_goes(tmp_path: Path) -> None:
    for number, (name, data) in enumerate(
        [("x.pt", b"no"), ("notes.docx", b"no"), ("x.zip", b"PK no"), ("config.json", b"{")]
    ):
        place = tmp_path / str(number)
        draft = read(place, [(name, BytesIO(data))])
        assert draft.plan is None
        sentence = draft.problems["pick"]
        named = sentence.startswith(f"{name} ")  # a file keeps its own name
        assert named or sentence[0].isupper() or not sentence[0].isalpha()
        assert "Traceback" not in sentence and "\n" not in sentence
        gone: list[Path] = []
        draft.start((), gone.append)
        assert gone == [place] and draft.problems == {} and draft.folder is None


def test_a_sentence_names_fields_of_the_page_and_no_flags(tmp_path: Path) -> None:
    import torch

    torch.save({"net.0.weight": torch.zeros(3, 3)}, tmp_path / "mlp.pt")
    draft = read(tmp_path / "draft", picked(tmp_path / "mlp.pt"))
    assert "a .toml of your own" in draft.problems["pick"] and "--" not in draft.problems["pick"]
    draft, _ = begun(tmp_path / "student", ["a", "b", "c"], ["a", "b", "c"])
    draft.answer("vocabulary", tokenizer=tmp_path / "none.txt")
    assert "none.txt" in draft.problems["vocabulary"] and "--" not in draft.problems["vocabulary"]


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    draft = DraftImport()
    draft.read(tmp_path / "not there", picked(Path(__file__).with_name("test_progress.py")), MAX)
    assert "pick" in draft.problems
    draft = DraftImport()
    draft.read(tmp_path / "not there", [("model.pt", BytesIO(b"x"))], MAX)
    assert draft.problems["pick"] == "The server has no room for these files."


# Every way of cutting a key into words is tried before the answer is no.
ENDLESS = r"""
[config]
d_model = { count = '((\w+\W?)+)+#(\d)' }
[[rule]]
from = '.*'
ignore = "nothing is taken"
"""


@pytest.mark.thorough
def test_rules_that_take_forever_stop_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_plan, "SECONDS", 2.0)
    files = students.write_student(tmp_path / "student", students.ENGLISH, students.ENGLISH)
    began = time.monotonic()
    draft = read(tmp_path / "draft", picked(files["student.pt"]), rules=ENDLESS.encode())
    assert draft.plan is None
    assert draft.problems["pick"].startswith("These rules take more than 2 seconds")
    assert time.monotonic() - began < 60


def test_rules_of_ones_own_are_taken_with_the_files(tmp_path: Path) -> None:
    rules = (Path(__file__).parents[3] / "core" / "importing" / "families" / "torch.toml").read_bytes()
    files = students.write_student(tmp_path / "student", students.ENGLISH, students.ENGLISH)
    for given, words in ((rules, ""), (b"= no toml", "toml"), (b"x" * 1_000_001, "1,000,000 bytes")):
        draft = read(tmp_path / f"draft{len(given)}", picked(files["student.pt"]), rules=given)
        if words:
            assert draft.plan is None and words in draft.problems["pick"]
        else:
            assert draft.plan is not None and draft.plan.layout_reason == "the rules of layout.toml"
            give_vocabularies(draft, files)
            draft.answer("answer", heads=2)
            assert draft.plan.ready and not draft.problems


def test_a_new_import_starts_from_nothing(tmp_path: Path) -> None:
    draft, _ = begun(tmp_path)
    draft.questions()
    number = draft.number
    draft.start(("other",), lambda folder: None)
    assert (draft.plan, draft.asked, draft.files, draft.number) == (None, {}, ("other",), number + 1)


# -- vocabularies --------------------------------------------------------------------------------------------


def test_one_vocabulary_serves_both_sides(tmp_path: Path) -> None:
    told = vocabulary_answers(tmp_path, [("../../tokens.TXT", b"a\n")], [], "whitespace")
    assert told == {
        "tokenizer": tmp_path / "vocabulary-source" / "tokens.txt",
        "source": None,
        "target": None,
    }
    two = vocabulary_answers(tmp_path, [("a.spm", b"a")], [("b.json", b"b")], "whitespace")
    assert two["tokenizer"] is None
    assert [two[side].name for side in ("source", "target")] == ["tokens.spm", "tokens.json"]
    assert vocabulary_answers(tmp_path, [], [], "numbers")["tokenizer"] == "numbers"


def test_files_that_belong_together_keep_their_names(tmp_path: Path) -> None:
    pair = store_vocabulary(tmp_path, "source", [("vocab.json", b"{}"), ("merges.txt", b"")])
    assert pair.name == "vocab.json" and pair.with_name("merges.txt").is_file()
    marian = [("source.spm", b"s"), ("target.spm", b"t"), ("vocab.json", b"{}")]
    folder = store_vocabulary(tmp_path, "source", marian)
    assert sorted(file.name for file in folder.iterdir()) == ["source.spm", "target.spm", "vocab.json"]
    assert store_vocabulary(tmp_path, "source", [("x.txt", b"new")]).read_bytes() == b"new"
    assert [file.name for file in folder.iterdir()] == ["tokens.txt"], "what was given before is gone"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ([], [("b.txt", b"b")]),
        ([("a.txt", b""), ("b.txt", b"")], []),
        ([("vocab.json", b"{}"), ("vocab.json", b"{}")], []),
        ([("vocab.json", b"{}"), ("tokens.txt", b"")], []),
        ([("source.spm", b""), ("target.spm", b""), ("vocab.json", b"{}")], [("b.txt", b"b")]),
    ],
)
def test_files_that_do_not_belong_together_are_a_sentence(
    tmp_path: Path, source: list[tuple[str, bytes]], target: list[tuple[str, bytes]]
) -> None:
    with pytest.raises(CheckpointError, match="give"):
        vocabulary_answers(tmp_path, source, target, "whitespace")


def test_vocab_and_merges_make_a_byte_level_vocabulary(tmp_path: Path) -> None:
    tokens = ["<unk>", "<pad>", "<bos>", "<eos>", "d", "o", "g", "do", "dog", "Ġ", "a", "c"]
    draft, _ = begun(tmp_path, tokens, tokens)
    assert draft.folder is not None
    pair = [
        ("vocab.json", json.dumps({token: n for n, token in enumerate(tokens)}).encode()),
        ("merges.txt", b"#version: 0.2\nd o\ndo g\n"),
    ]
    draft.answer("vocabulary", **vocabulary_answers(draft.folder, pair, [], "whitespace"))
    draft.answer("answer", heads=2, unk=0)
    draft.try_out("a dog")
    assert draft.plan is not None and draft.plan.vocabularies is not None, draft.problems
    assert draft.plan.vocabularies[0].title == "vocab.json + merges.txt"
    assert draft.written is not None, draft.problems
    assert (
        draft.plan.checkpoint.source_tokenizer.labels(draft.plan.checkpoint.encode_source("dog"))[-2] == "dog"
    )


def test_answers_are_read_as_what_they_are() -> None:
    assert [answer_value(text) for text in ("8", "true", "0.5", " <pad> ")] == [8, True, 0.5, "<pad>"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "my-run.ckpt is empty or cut short (1 B); copy it again."),
        ("fr", "my-run.ckpt est vide ou tronqué (1\u00a0o)\u00a0; copiez-le à nouveau."),
    ],
)
def test_a_file_is_called_as_it_was_given(tmp_path: Path, code: str, said: str) -> None:
    draft = DraftImport()
    with speaking(code):
        draft.read(tmp_path, [("my-run.ckpt", BytesIO(b"x"))], MAX)
    assert draft.problems["pick"] == said


def test_files_without_weights_are_named_so(tmp_path: Path) -> None:
    draft = DraftImport()
    draft.read(tmp_path, [("config.toml", BytesIO(b"x"))], MAX)
    assert draft.problems["pick"].startswith("None of these files holds weights; give them too")
