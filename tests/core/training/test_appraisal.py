"""What a set of pairs says about a model: every number against one worked out by hand or by sacreBLEU itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from sacrebleu.metrics.bleu import BLEU

from core.decoding import translate_batch
from core.errors import InputError
from core.training.config import TrainingConfig
from core.training.data import Pair
from core.training.evaluate import (
    appraise,
    distribution,
    in_words,
    log_probabilities,
    score,
    score_multi_reference,
)
from core.training.loop import Trainer
from core.training.prepared import Example
from core.training.process import Process
from core.training.run import Examiner

ALONE = Process(0, 1, torch.device("cpu"))
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
    assert "6 pairs of 3 sources" in lines[1]
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


def test_log_probabilities_are_the_model_s_own(make_config: Callable[..., TrainingConfig]) -> None:
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


def test_what_was_trained_on_is_marked(make_config: Callable[..., TrainingConfig]) -> None:
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
    make_config: Callable[..., TrainingConfig], tmp_path: Path
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
