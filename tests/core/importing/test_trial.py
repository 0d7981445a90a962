"""What an import says that it cannot check: what the model writes, what is expected of it, other numbers of heads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from core.api import Checkpoint
from core.cli.main import main
from core.errors import AtlasError
from core.importing.plan import ImportPlan, plan_import
from core.importing.settings_trial import Comparison, candidates, difference_text, greedy, with_settings
from core.importing.trial import try_import
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from tests.core.importing.exported import HEADS, export, given, sentences
from tests.core.importing.untrusted_files import good

Files = tuple[Checkpoint, list[str]]
CAPSYS = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return export("en-fr", tmp_path_factory.mktemp("english"))


@pytest.fixture(scope="module")
def dates(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return export("dates", tmp_path_factory.mktemp("dates"))


def run(files: Files, *more: object, heads: int) -> int:
    return main(["import", *files[1], "--heads", str(heads), *(str(each) for each in more)])


# -- the number of heads -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.thorough] * (each == "en-fr")) for each in HEADS]
)
@pytest.mark.parametrize(
    "factor", [0.5, 1, *(pytest.param(each, marks=pytest.mark.thorough) for each in (0.25, 2, 4))]
)
def test_a_wrong_number_of_heads_is_doubted_and_the_right_one_named(
    request: pytest.FixtureRequest, capsys: CAPSYS, name: str, factor: float
) -> None:
    """Ten sentences of each card's own kind; a smaller number of them tells less (docs/importing.md)."""
    files = request.getfixturevalue({"en-fr": "english", "dates": "dates"}[name])
    true, told = HEADS[name], int(HEADS[name] * factor)
    assert run(files, *given(name, 10), heads=told) == 0
    warned = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    if told == true:
        assert warned == []
    else:
        (warning,) = warned
        assert f"heads = {true} " in warning and f"doubt heads = {told}," in warning


@pytest.mark.thorough
def test_the_number_of_heads_is_never_decided(english: Files, tmp_path: Path, capsys: CAPSYS) -> None:
    assert run(english, *given("en-fr", 3), "--out", tmp_path / "out", heads=32) == 0
    report = json.loads((tmp_path / "out" / "import-report.json").read_text())
    assert report["config"]["heads"] == 32
    trial = report["trial"]
    settings = trial["settings"]
    assert settings["given"]["heads"] == 32 and settings["better"] == {"name": "heads", "value": 8}
    means = {each["value"]: each["mean"] for each in settings["others"] if each["name"] == "heads"}
    assert 32 not in means and means[8] > settings["mean"]
    assert "heads = 32 (told)" in trial["not_checked"]
    page = (tmp_path / "out" / "import-report.md").read_text()
    assert "| heads | 32 | told | told | not checked |" in page
    assert "**Warning:** with heads = 8" in page


@pytest.mark.thorough
def test_a_made_up_text_says_nothing_about_heads(english: Files, capsys: CAPSYS, tmp_path: Path) -> None:
    """On words in a random row the measure is at its highest anywhere."""
    assert run(english, "--out", tmp_path / "out", heads=32) == 0
    printed = capsys.readouterr()
    assert "clearly surer" not in printed.err and "Made-up text: " in printed.out


def test_candidates_are_few_divisors_and_the_told_one() -> None:
    assert candidates(512, 8) == [1, 2, 4, 8, 16, 32, 64, 128]
    assert candidates(768, 1) == [1, 3, 4, 6, 8, 12, 16, 24]
    assert candidates(7, 7) == [1, 7]


@pytest.mark.thorough
def test_another_number_of_heads_shares_every_tensor(english: Files) -> None:
    model = english[0].model
    other = with_settings(model, {"heads": 16})
    assert other.config.heads == 16 and model.config.heads == 8
    theirs = {name: tensor.data_ptr() for name, tensor in model.state_dict().items()}
    assert {name: tensor.data_ptr() for name, tensor in other.state_dict().items()} == theirs
    source, target = torch.tensor([[9, 8, 7, 2]]), torch.tensor([[1, 9, 8]])
    with torch.inference_mode():
        again = with_settings(model, {"heads": 8})(source, target)
        # Another way through the same numbers: what is laid out for speed rounds in another order.
        torch.testing.assert_close(again, model(source, target), rtol=1e-5, atol=1e-5)
        assert not torch.allclose(other(source, target), again, atol=1e-2)


# -- what it writes ----------------------------------------------------------------------------------------------


def test_log_probabilities_are_those_of_a_plain_loop(english: Files) -> None:
    """One full pass a prefix, in double precision, against the batched steps."""
    ours = english[0]
    rows = [ours.encode_source(text) for text in sentences("en-fr", 3)]
    for row, (ids, mean) in zip(rows, greedy(ours.model, rows), strict=True):
        prefix, total = [ours.config.bos_id], 0.0
        while prefix[-1] != ours.config.eos_id or len(prefix) == 1:
            with torch.inference_mode():
                scores = ours.model(torch.tensor([row]), torch.tensor([prefix]))[0, -1].double()
            chosen = scores.clone()
            chosen[[ours.config.pad_id, ours.config.bos_id]] = -torch.inf
            prefix.append(int(chosen.argmax()))
            total += float(scores.log_softmax(-1)[prefix[-1]])
        assert prefix[1:] == ids
        assert mean == pytest.approx(total / len(ids), abs=1e-4)


def test_a_forced_first_token_is_no_choice_and_does_not_count() -> None:
    torch.manual_seed(6)
    config = ModelConfig(
        source_vocab_size=20,
        target_vocab_size=20,
        d_model=16,
        heads=2,
        d_ff=32,
        encoder_layers=1,
        decoder_layers=1,
        forced_bos_id=7,
    )
    model = Transformer(config).eval()
    ((ids, mean),) = greedy(model, [[5, 6, 2]], 6)
    assert ids[0] == 7 and len(ids) > 1
    with torch.inference_mode():
        scores = model(torch.tensor([[5, 6, 2]]), torch.tensor([[config.bos_id, *ids[:-1]]]))[0].log_softmax(
            -1
        )
    chosen = [float(scores[place, token]) for place, token in enumerate(ids)]
    assert mean == pytest.approx(sum(chosen[1:]) / len(chosen[1:]), abs=1e-4)
    assert mean != pytest.approx(sum(chosen) / len(chosen), abs=1e-2)


def test_the_report_says_what_it_proves_and_what_was_written(
    dates: Files, tmp_path: Path, capsys: CAPSYS
) -> None:
    text = sentences("dates", 1)[0]
    assert run(dates, "--sentence", text, "--out", tmp_path / "out", heads=4) == 0
    printed = capsys.readouterr().out
    written = dates[0].translate(text)
    assert (
        "The maps agree with what this model computes. These checks cannot tell whether this is the model"
        in printed
    )
    assert "all checks" not in printed
    assert f"Reads: {text}\nWrites: {written}  (-0.0" in printed
    assert "Not checked: heads = 4 (told), norm_placement = pre (told), embedding_scale = true (assumed)" in (
        printed
    )
    assert "the order of the vocabulary" in printed
    assert "d_model" not in printed
    page = (tmp_path / "out" / "import-report.md").read_text()
    assert "These checks cannot tell" in page and f"| {text} | {written} | -0.0" in page
    assert "| norm_placement | pre | told | told | not checked |" in page
    assert "| d_model | 64 | shapes |" in page and page.count("| not checked |") >= 5


def test_a_text_of_which_most_is_unknown_is_told(dates: Files, capsys: CAPSYS) -> None:
    assert run(dates, "--sentence", "二〇二四年五月3日", heads=4) == 0
    err = capsys.readouterr().err
    assert "warning: 8 of 9 pieces of “二〇二四年五月3日” are unknown to the source vocabulary" in err
    assert run(dates, "--sentence", "3 May 1979", heads=4) == 0
    assert "unknown to the source vocabulary" not in capsys.readouterr().err


# -- what is expected --------------------------------------------------------------------------------------------


def test_what_is_expected_and_written_is_a_match(english: Files, capsys: CAPSYS) -> None:
    texts = sentences("en-fr", 2)
    known = english[0].translate(texts)
    asked = [
        "--sentence",
        texts[0],
        "--sentence",
        texts[1],
        "--expect",
        f"  {known[0]} ",
        "--expect",
        known[1],
    ]
    assert run(english, *asked, heads=8) == 0
    printed = capsys.readouterr()
    assert printed.out.count("Expected: as expected\n") == 2 and "warning" not in printed.err


@pytest.mark.thorough
def test_what_is_written_by_beam_search_is_a_match_too(english: Files, capsys: CAPSYS) -> None:
    # Long ones: the card's examples come out alike by both searches.
    texts = [
        f"{who} is {what} while two dogs are playing in the snow."
        for who in ("An old man with a grey beard", "A tall woman in a green coat")
        for what in ("looking for his lost keys behind the house", "waiting for the last bus to the town")
    ]
    ours = english[0]
    text, beam = next(
        (text, beam) for text in texts if (beam := ours.translate(text, "beam")) != ours.translate(text)
    )
    assert run(english, "--sentence", text, "--expect", beam, heads=8) == 0
    assert "Expected: as expected, by beam search" in capsys.readouterr().out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("out", [False, True])
def test_what_is_expected_and_not_written_fails_with_its_words(
    english: Files, tmp_path: Path, capsys: CAPSYS, out: bool
) -> None:
    """Exit code 1: everything has a place and the maps agree, and yet it is another model (post-norm)."""
    text = sentences("en-fr", 1)[0]
    known = english[0].translate(text)
    where = ["--out", str(tmp_path / "out")] if out else []
    files = (english[0], [word if word != "pre" else "post" for word in english[1]])
    assert run(files, "--sentence", text, "--expect", known, *where, heads=8) == 1
    printed = capsys.readouterr()
    assert "[-" in printed.out.split("Expected: not what is written: ")[1]
    assert "does not write what you expect; nothing has checked heads = 8 (told), norm_placement = post" in (
        printed.err
    )
    assert (tmp_path / "out").exists() == out
    if out:
        assert "checks of the trust report pass" in printed.out
        report = json.loads((tmp_path / "out" / "import-report.json").read_text())
        assert report["trial"]["matched"] is False and report["trust"]["passed"]


def test_expecting_needs_a_sentence(dates: Files, capsys: CAPSYS, tmp_path: Path) -> None:
    for more in (["--expect", "un"], ["--sentence", "a", "--expect", "un", "--expect", "deux"]):
        for out in ([], ["--out", str(tmp_path / "out")]):
            assert run(dates, *more, *out, heads=HEADS["dates"]) == 2
            assert "give --sentence before each --expect." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_difference_is_told_word_by_word() -> None:
    parts = Comparison("", "un homme en rouge", "un chien en rouge vif", None).difference
    assert parts == [
        ("same", "un"),
        ("missing", "homme"),
        ("extra", "chien"),
        ("same", "en rouge"),
        ("extra", "vif"),
    ]
    assert difference_text(parts) == "un [-homme-] {+chien+} en rouge {+vif+}"


# -- one plan, tried without being written -----------------------------------------------------------------------


@pytest.fixture
def plan(tmp_path: Path) -> ImportPlan:
    torch.save(good(), tmp_path / "model.pt")
    return plan_import(
        tmp_path / "model.pt",
        answers={"heads": 2, "pad": 0, "bos": 1, "eos": 2},
        tokenizer="numbers",
    )


def test_a_plan_is_tried_without_being_written(plan: ImportPlan) -> None:
    trial = try_import(plan, ["4 5 6"])
    (written,) = trial.written
    assert (written.text, written.pieces, written.lacking) == ("4 5 6", 3, 0)
    assert written.written == plan.checkpoint.translate("4 5 6") and written.log_probability < 0
    assert trial.matched is None and not trial.made_up
    assert any(each.startswith("heads = 2 (told)") for each in trial.unchecked)
    assert not any("vocabulary" in each for each in trial.unchecked), "numbers have no order to doubt"
    with pytest.raises(AtlasError, match="empty"):
        try_import(plan, [""])
