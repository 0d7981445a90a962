"""The `train` and `evaluate` commands, as `python -m core` calls them.

What a set of pairs says about a model: every number against one worked out by hand or by sacreBLEU itself.

The two BLEU measures, chrF and exact match.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from sacrebleu.metrics import BLEU

import core.api
from core.checkpoints import files
from core.cli import main
from core.decoding.search import translate_batch
from core.errors import AtlasError, InputError
from core.experiments.corpus import load_atlas
from core.training.cli import add_evaluate_arguments, add_train_arguments, evaluate_command, train_command
from core.training.config import TrainingConfig
from core.training.data import Pair
from core.training.evaluate import (
    appraise,
    by_length,
    distribution,
    in_words,
    keeps,
    log_probabilities,
    moses_lowercase,
    read_required,
    read_side,
    score,
    score_multi_reference,
    translate_texts,
)
from core.training.loop import Trainer
from core.training.prepared import Example
from core.training.run import Examiner, train
from tests.core.training.conftest import ALONE, MakeConfig, recipes_in


def call(
    add: Callable[[argparse.ArgumentParser], None], run: Callable[[argparse.Namespace], int], *words: str
) -> int:
    parser = argparse.ArgumentParser()
    add(parser)
    return run(parser.parse_args(words))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainingConfig:
    config = recipes_in(tmp_path_factory.mktemp("trained"))(steps=60, dropout=0.0)
    train(config)
    return config


@pytest.mark.thorough
def test_the_command_line_chooses_the_heads_that_open(make_config: MakeConfig, tmp_path: Path) -> None:
    make_config("heads", steps=50)
    words = [str(tmp_path / "heads.toml"), "--out", str(tmp_path / "o"), "--work", str(tmp_path / "w")]
    assert main(["train", *words, "--max-steps", "3"]) == 0
    card = json.loads((tmp_path / "o" / "card.json").read_text())
    assert {"decoder-self", "encoder-self"} <= set(card["default_heads"])
    assert card["default_heads"]["encoder-self"]["sentences"] <= len(card["examples"])
    assert "probe_sentences" not in card
    out = tmp_path / "o"
    atlas = load_atlas(out, files.read_config(out), files.folder_digest(out))
    assert 0 < atlas.sentences <= len(card["examples"])
    assert card["figures"]["steps"] == 3, "the rest of the card stays"


@pytest.mark.thorough
def test_a_recipe_may_name_the_sentences_that_heads_are_chosen_on(
    make_config: MakeConfig, tmp_path: Path
) -> None:
    make_config("probed", steps=2)
    recipe = tmp_path / "probed.toml"
    recipe.write_text('probe_sentences = "probes.txt"\n' + recipe.read_text(), encoding="utf-8")
    words = [str(recipe), "--out", str(tmp_path / "o"), "--work", str(tmp_path / "w")]
    with pytest.raises(AtlasError, match=r"probes\.txt.*cannot be read"):
        call(add_train_arguments, train_command, *words)
    (tmp_path / "probes.txt").write_text("abc\nbca\ncab\nfade\n", encoding="utf-8")
    assert main(["train", *words]) == 0
    card = json.loads((tmp_path / "o" / "card.json").read_text())
    assert card["probe_sentences"] == ["abc", "bca", "cab", "fade"]
    assert card["default_heads"]["encoder-self"]["sentences"] > len(card["examples"])


def test_packaged_recipes_go_by_name() -> None:
    with pytest.raises(AtlasError, match="--data-dir"):
        call(add_train_arguments, train_command, "en-fr")


def evaluated(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What `evaluate` prints."""
    capsys.readouterr()
    assert call(add_evaluate_arguments, evaluate_command, *line.split()) == 0
    return capsys.readouterr().out


def test_evaluate_command(
    trained: TrainingConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, out = tmp_path / "t.tsv", tmp_path / "out.txt"
    table.write_text("x\tabc\tabc\nx\tdefg\tdefg\nx\t\t\n")
    line = f"--checkpoint {trained.out} --source {table}:1 --reference {table}:2 --beam 2 --write {out}"
    shown = evaluated(line, capsys)
    assert all(words in shown for words in ("sentences", "beam 2", "nrefs:1"))
    assert len(out.read_text().splitlines()) == 2
    scores = json.loads(evaluated(f"{line} --json", capsys))
    assert (scores["sentences"], scores["beam"]) == (2, 2)


def test_a_source_with_several_references_is_also_scored_against_all(
    trained: TrainingConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.tsv").write_text("abc\tabc\nabc\tcba\ndefg\tdefg\n")
    line = f"--checkpoint {trained.out} --source {tmp_path}/t.tsv:0 --reference {tmp_path}/t.tsv:1"
    assert "against all 3 references of 2 sources" in evaluated(line, capsys)
    scores = json.loads(evaluated(f"{line} --json", capsys))
    assert "nrefs:var" in scores["multi_reference"]["signature"]
    assert (scores["multi_reference"]["sources"], scores["sentences"]) == (2, 3)


def test_translations_keep_their_order(trained: TrainingConfig) -> None:
    ck = core.api.load(trained.out, device="cpu")
    texts = ["abcdef", "a", "cab", "ffff", "b"]
    together = translate_texts(ck.model, ck.source_tokenizer, ck.target_tokenizer, texts, batch_tokens=8)
    assert together == [ck.translate(text) for text in texts]


def test_sides_of_a_test_set(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one \ntwo\n")
    (tmp_path / "b:1").write_text("three\n")
    assert read_side(str(tmp_path / "a.txt")) == ["one", "two"]
    assert read_side(str(tmp_path / "b:1")) == ["three"]  # a file that is really called so


@pytest.mark.parametrize(
    ("source", "reference", "extra", "said"),
    [
        ("a", "b", (), "must be parallel"),
        ("none", "b", (), "cannot be read"),
        ("e", "e", (), "no sentences"),
        ("a", "a", ("--beam", "0"), "--beam is 0"),
        ("a:3", "a", (), "column 3"),
    ],
)
def test_mistakes(tmp_path: Path, source: str, reference: str, extra: tuple[str, ...], said: str) -> None:
    for name, text in (("a", "x\ny\n"), ("b", "x\n"), ("e", "\n")):
        (tmp_path / name).write_text(text)
    line = f"--checkpoint {tmp_path} --source {tmp_path}/{source} --reference {tmp_path}/{reference}"
    with pytest.raises(ValueError, match=said):
        call(add_evaluate_arguments, evaluate_command, *line.split(), *extra)


BEST = {
    "A dog runs.": "Un chien court dans le parc .",
    "The cat sleeps.": "Le chat dort sur le lit blanc.",
    "Hi.": "Salut à vous tous ici.",
}
GREEDY = {**BEST, "The cat sleeps.": "Le chat dort sur le lit."}
PAIRS = [
    Pair("A dog runs.", "Un chien court dans le parc."),
    Pair("The cat sleeps.", "Le chat dort sur le lit noir."),
    Pair("A dog runs.", "Un chien court dans un parc."),
    Pair("Hi.", "Bonjour à vous tous ici."),
    Pair("The cat sleeps.", "Un chat dort sur le lit blanc."),
    Pair("A dog runs.", "Il y a un chien qui court."),
]


def translate(texts: Sequence[str], beam: int) -> list[str]:
    return [(BEST if beam > 1 else GREEDY)[text] for text in texts]


def test_one_translation_a_source_against_all_its_references() -> None:
    found = appraise(translate, PAIRS, beam=5, language="fr")
    several = found["multi_reference"]
    assert (several["sources"], several["references"]) == (3, 6)
    assert "nrefs:var" in several["signature"]
    # sacreBLEU with the references written out by hand, None where a source has no more.
    streams = [
        ["Un chien court dans le parc.", "Le chat dort sur le lit noir.", "Bonjour à vous tous ici."],
        ["Un chien court dans un parc.", "Un chat dort sur le lit blanc.", None],
        ["Il y a un chien qui court.", None, None],
    ]
    expected = BLEU().corpus_score(list(BEST.values()), streams).score  # type: ignore[arg-type]
    assert several["bleu"] == pytest.approx(expected, abs=0.005)
    greedy = BLEU().corpus_score(list(GREEDY.values()), streams).score  # type: ignore[arg-type]
    assert several["greedy_bleu"] == pytest.approx(greedy, abs=0.005)
    assert greedy != pytest.approx(expected, abs=0.1)
    single = score([BEST[pair.source] for pair in PAIRS], [pair.target for pair in PAIRS], "fr")
    assert found["bleu"] == pytest.approx(single.bleu, abs=0.005)
    assert several["bleu"] > found["bleu"]
    assert found["greedy"]["bleu"] < found["bleu"]


def test_with_one_reference_each_the_two_measures_agree() -> None:
    hypotheses, references = [*BEST.values()], [pair.target for pair in PAIRS[1:4]]
    one, several = (
        score(hypotheses, references, "fr"),
        score_multi_reference(hypotheses, [[text] for text in references], "fr"),
    )
    assert (several.bleu, several.bleu_tokenised) == (one.bleu, one.bleu_tokenised)
    assert several.signature == one.signature
    with pytest.raises(InputError, match="no list empty"):
        score_multi_reference(["a"], [[]])


def test_targets_that_were_trained_on() -> None:
    trained = {"unchiencourtdansleparc", "bonjouràvoustousici"}
    found = appraise(translate, PAIRS, beam=5, language="fr", trained_targets=trained)["targets_in_training"]
    assert (found["pairs"], found["share"]) == (2, 33.33)
    hypotheses = [BEST[pair.source] for pair in PAIRS]
    references = [pair.target for pair in PAIRS]
    for name, places in (("bleu", (0, 3)), ("bleu_of_the_others", (1, 2, 4, 5))):
        half = BLEU().corpus_score([hypotheses[i] for i in places], [[references[i] for i in places]]).score
        assert found[name] == pytest.approx(half, abs=0.005)
    none = appraise(translate, PAIRS, beam=5, language="fr", trained_targets=set())["targets_in_training"]
    assert none["bleu"] is None


def test_a_set_without_repetition_says_nothing_of_it() -> None:
    found = appraise(translate, PAIRS[2:5], beam=1, language="fr")
    assert not {"greedy", "multi_reference", "distinct_targets", "targets_in_training"} & set(found)


def test_what_the_figures_mean_in_words() -> None:
    found = appraise(translate, PAIRS, beam=5, language="fr", trained_targets={"bonjouràvoustousici"})
    lines = in_words({"small (held back)": found}, generated=False)
    assert f"{found['greedy']['bleu']:.2f} against {found['bleu']:.2f} on small (held back)" in lines[0]
    assert "6 pairs from 3 sources" in lines[1]
    assert f"{found['multi_reference']['bleu']:.1f}" in lines[1]
    assert "16.7 % of the target sentences are also a training target" in lines[2]
    days = [Pair(str(i), str(i % 3)) for i in range(5000)]
    dates = appraise(lambda texts, _: [str(int(t) % 3) for t in texts], days, beam=1, language="iso")
    assert dates["distinct_targets"] == 3
    twice = appraise(lambda texts, _: list(texts), [*days[:3], *days[:3]], beam=1, language="iso")
    assert "multi_reference" not in twice  # the same pair again is no other reference
    assert in_words({"dates (test)": dates}, generated=True) == [
        "dates (test): 5,000 pairs with 3 distinct answers."
    ]


def test_log_probabilities_are_the_model_s_own(make_config: MakeConfig) -> None:
    """One token after the other, each sentence alone, against all of them at once."""
    trainer = Trainer(make_config(steps=1), ALONE)
    model = trainer.model.eval()
    sources = [example.source for example in trainer.data.valid_examples[:12]]
    written = translate_batch(model, sources)
    examples = [Example(a, b) for a, b in zip(sources, written, strict=True)]
    examples.insert(3, Example(sources[0], []))
    assert len({len(ids) for ids in written}) > 1  # so that shorter ones are padded
    means = log_probabilities(model, examples)
    assert math.isnan(means.pop(3))
    for source, target, mean in zip(sources, written, means, strict=True):
        total = 0.0
        with torch.no_grad():
            for step, token in enumerate(target):
                read = torch.tensor([[model.config.bos_id, *target[:step]]])
                logits = model(torch.tensor([source]), read)[0, -1]
                total += float(logits.log_softmax(-1)[token])
        assert mean == pytest.approx(total / len(target), abs=1e-4)


def test_the_distribution_s_quantiles() -> None:
    found = distribution([-i / 100 for i in range(101)] + [math.nan])
    assert found["sentences"] == 101
    assert found["quantiles"]["0.01"] == -0.99
    assert found["quantiles"]["0.5"] == -0.5
    assert list(found["quantiles"].values()) == sorted(found["quantiles"].values())
    assert distribution([]) == {"sentences": 0, "quantiles": {}}


def test_sentences_are_held_in_bands_of_their_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.training.evaluate.BAND", 2)
    found = by_length([-5.0, -1.0, -2.0, math.nan, -3.0, -4.0, -6.0], [9, 3, 3, 3, 3, 4, 4])
    assert [(band["longest"], band["sentences"]) for band in found] == [(3, 3), (9, 3)]
    assert [band["quantiles"]["0.5"] for band in found] == [-2.0, -5.0]
    assert by_length([-1.0], [7])[0]["longest"] == 7 and by_length([], []) == []


def test_what_was_trained_on_is_marked(make_config: MakeConfig) -> None:
    """Beside the task, a classroom whose sentence is an example of the card."""
    config = make_config(steps=1, task="copy")
    (config.work.parent / "classroom.tsv").write_text("Abc!\tx\nother\ty\n")
    extra = '\n[[data.sources]]\npath = "classroom.tsv"\nnever_held_back = true\n'
    config = make_config("marked", steps=1, extra=extra)
    trainer = Trainer(config, ALONE)
    examiner = Examiner.of(trainer, trainer.model.eval())
    rows = {row["source"]: row for row in examiner.examples()}
    assert rows["abc"]["trained_on"] == ["classroom"]
    assert rows["fed"]["trained_on"] == []
    assert examiner.beam > 1  # not only a generated task
    assert set(rows["abc"]) == {"source", "translation", "greedy", "trained_on"}
    found = examiner.log_probability()
    assert found["sets"] == ["copy (test)"]
    assert found["sentences"] == len({pair.source for pair in examiner.sets()["copy (test)"]})


def test_a_sentence_that_substitution_can_make_counts_as_trained_on(
    make_config: MakeConfig, tmp_path: Path
) -> None:
    (tmp_path / "list.tsv").write_text("class\ten\tfr\nman\tTom\tTom\nman\tPaul\tPaul\n")
    (tmp_path / "pairs.tsv").write_text("Tom has 3 cats.\tTom a 3 chats.\nTom and Paul\tTom et Paul\n")
    extra = '\n[[data.sources]]\npath = "pairs.tsv"\n[data.substitution]\npath = "list.tsv"\n'
    config = replace(
        make_config("substituted", steps=1, extra=extra),
        examples=("Paul has 12 cats!", "Max has 3 cats.", "Paul and Tom", "Paul has cats"),
    )
    config = replace(config, data=replace(config.data, target_language="fr"))
    trainer = Trainer(config, ALONE)
    rows = Examiner.of(trainer, trainer.model.eval()).examples()
    assert [row["trained_on"] for row in rows] == [["pairs"], [], ["pairs"], ["pairs"]]


REFERENCES = [
    "Un homme en T-shirt rouge fait du vélo .",
    "L’homme n'est pas là !",
    "Deux chiens jouent dans la neige.",
]


def test_perfect() -> None:
    quality = score(REFERENCES, REFERENCES, "fr")
    assert quality.bleu == quality.bleu_tokenised == pytest.approx(100)
    assert quality.exact == 100
    assert quality.sentences == 3
    assert "tok:13a" in quality.signature
    assert "case:mixed" in quality.signature
    assert "nc:6" in quality.chrf_signature


def test_the_tokenised_measure_forgives_case_and_apostrophes_only() -> None:
    hypotheses = [
        "un homme en t-shirt rouge fait du vélo.",
        "l'homme n'est pas là!",
        "deux chiens jouent dans la neige.",
    ]
    quality = score(hypotheses, REFERENCES, "fr")
    assert quality.bleu_tokenised == pytest.approx(100)
    assert quality.bleu < 80
    assert quality.exact == 0


def test_moses_french() -> None:
    assert moses_lowercase("L’homme, aujourd'hui.", "fr") == "l' homme , aujourd' hui ."


def test_raw_bleu_is_sacrebleu_s() -> None:
    hypotheses = ["Un homme fait du vélo rouge .", "L’homme est là !", "Deux chats jouent dans la neige."]
    assert score(hypotheses, REFERENCES).bleu == BLEU().corpus_score(hypotheses, [REFERENCES]).score


def test_one_word_answers_can_score() -> None:
    assert score(["1979-05-03"], ["1979-05-03"]).bleu_tokenised == pytest.approx(100)


def test_unequal_sides() -> None:
    with pytest.raises(InputError, match="1 translations and 3 references"):
        score(["a"], REFERENCES)
    with pytest.raises(InputError):
        score([], [])


@pytest.mark.parametrize(
    ("translation", "kept"),
    [
        ("Le train part à 9 h 35 avec Anna.", True),
        ("Anna part à 9:35.", True),
        ("Anna part à 9:355.", False),
        ("Annabelle part à 9:35.", False),
        ("anna part à 9:35.", False),
        ("9:35", False),
        ("", False),
    ],
)
def test_a_name_is_kept_as_a_whole_word(translation: str, kept: bool) -> None:
    assert keeps(translation, (("Anna",), ("9:35", "9 h 35"))) is kept


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "first line"),
        ("en\tfr\nAnna.\tAnna\n", "first line"),
        ("en\tkeep\n", "no sentences"),
        ("en\tkeep\nAnna.\n", "Row 2"),
        ("en\tkeep\nAnna.\tAnna|\n", "Row 2"),
    ],
)
def test_a_list_of_what_to_keep_is_refused_in_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "keep.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(AtlasError, match=sentence):
        read_required(str(file))


def test_evaluate_counts_the_translations_that_keep_their_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`dates` writes the year of a date; the second sentence asks for one that it cannot write."""
    file = tmp_path / "keep.tsv"
    file.write_text("en\tkeep\n3 May 1999\t1999/x\n4 May 1998\t1777\n", encoding="utf-8")
    line = f"--checkpoint checkpoints/dates --keep {file} --beam 1"
    lost = {"4 May 1998": "1998-05-04"}
    assert json.loads(evaluated(f"{line} --json", capsys)) == {"sentences": 2, "kept": 1, "lost": lost}
    assert evaluated(line, capsys).splitlines() == [
        "4 May 1998 → 1998-05-04",
        "1 of 2 translations keep what they must.",
    ]
    for wrong in (
        ["--source", str(file)],
        ["--source", str(file), "--reference", str(file), "--keep", str(file)],
    ):
        with pytest.raises(AtlasError, match="--source with --reference"):
            call(add_evaluate_arguments, evaluate_command, "--checkpoint", "checkpoints/dates", *wrong)
