"""Words are hidden in the order of a measure, and the written word's probability is that of a pass without them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from core.analysis.faithfulness import GRID, MEASURES, RANDOM
from core.api import Checkpoint
from core.cli.main import main
from core.errors import CheckpointError, InputError
from core.experiments import faithfulness
from core.experiments.faithfulness import (
    SentenceCurves,
    area,
    falling,
    on_grid,
    orders_of,
    sentence_curves,
    source_scores,
    together,
    words_of,
)
from core.experiments.what_if import Pair
from core.model.hooks import Hooks

HEAD = (1, 2)


def pair_of(checkpoint: Checkpoint) -> Pair:
    source = checkpoint.encode_source("abc def.")
    return Pair(tuple(source), (*checkpoint.target_tokenizer.encode("bad"), checkpoint.config.eos_id))


@pytest.mark.sampled(3)
def test_hidden_words_are_seen_by_no_other_word_and_not_by_the_decoder(kind: Checkpoint) -> None:
    """Against a pass whose masked scores are closed by hand."""
    pair, step = pair_of(kind), 1
    words = words_of(kind, pair.source)
    order = words[::-1]
    (curve,) = falling(kind, pair, step, [order])
    assert len(curve) == len(words) + 1
    hidden = list(order[:2])

    def without(scores: torch.Tensor) -> torch.Tensor:
        closed = torch.zeros(scores.shape[-2:], dtype=torch.bool)
        closed[:, hidden] = True
        if scores.shape[-1] == scores.shape[-2]:
            closed &= ~torch.eye(len(closed), dtype=torch.bool)  # a hidden word still sees itself
        return scores.masked_fill(closed, -torch.inf)

    hooks = Hooks(edit={"encoder.*.self.masked_scores": without, "decoder.*.cross.masked_scores": without})
    read = [kind.config.bos_id, *pair.written[:step]]
    with torch.inference_mode():
        logits = kind.model(torch.tensor([pair.source]), torch.tensor([read]), hooks)[0, -1]
    assert curve[2] == pytest.approx(float(logits.softmax(-1)[pair.written[step]]), abs=1e-6)


@pytest.mark.sampled(3)
def test_special_tokens_are_never_hidden(kind: Checkpoint) -> None:
    source = [*kind.encode_source("abc"), kind.config.eos_id]
    words = words_of(kind, source)
    assert len(source) - 1 not in words
    assert {source[position] for position in words} == set(kind.source_tokenizer.encode("abc")) - {
        kind.config.eos_id,
        kind.config.bos_id,
    }


@pytest.mark.sampled(3)
def test_every_measure_says_something_of_every_source_token(kind: Checkpoint) -> None:
    pair = pair_of(kind)
    scores = source_scores(kind, pair, [0, 2], HEAD)
    assert tuple(scores) == tuple(MEASURES)
    for values in scores.values():
        assert values.shape == (2, len(pair.source))
        assert np.isfinite(values).all()
    assert scores["attention"].sum(axis=-1) == pytest.approx(1.0, abs=1e-5)
    hiding = falling(kind, pair, 2, [(1,)])[0]
    assert scores["hiding"][1, 1] == pytest.approx(float(np.log(hiding[0] / hiding[1])), abs=1e-5)


def test_orders_go_from_the_largest_score_and_leave_others_out() -> None:
    scores = {"attention": np.array([0.1, 0.4, 0.4, 0.9]), "gradient": np.array([2.0, -3.0, 1.0, 0.0])}
    assert orders_of(scores, (0, 1, 2)) == {"attention": (1, 2, 0), "gradient": (0, 2, 1)}


def test_a_curve_on_the_grid_and_its_area() -> None:
    straight = on_grid(np.array([1.0, 0.5, 0.0]))
    assert straight == pytest.approx(1 - np.array(GRID))
    assert area(straight) == pytest.approx(0.5)
    assert area(on_grid(np.array([1.0, 0.0, 0.0]))) == pytest.approx(0.25)


def test_sentences_count_by_their_words() -> None:
    """Means are over words, the interval is of sentences, and what lies below random is paired."""
    rows = len(MEASURES) + 1
    one, other = np.full((rows, len(GRID)), 0.2), np.full((rows, len(GRID)), 0.8)
    one[-1], other[-1] = 0.5, 0.9
    found = together([SentenceCurves(one * 3, 3), SentenceCurves(other, 1)] * 20, HEAD)
    assert found.measures[-1] == RANDOM
    assert found.curves[0] == pytest.approx((0.2 * 3 + 0.8) / 4)
    assert found.below[0] == pytest.approx((0.3 * 3 + 0.1) / 4, abs=0.06)
    assert found.below[0, 1] < found.below[0, 0] < found.below[0, 2]
    assert found.below[-1] == pytest.approx([0, 0, 0])
    assert (found.sentences, found.steps) == (40, 80)
    with pytest.raises(InputError, match="at least two words"):
        together([], HEAD)


@pytest.mark.sampled(3)
def test_the_measure_that_hides_first_what_is_needed_lies_lowest(kind: Checkpoint) -> None:
    """The order of hiding one word starts with the deepest fall that one word can make."""
    found = sentence_curves(kind, pair_of(kind), HEAD)
    assert found is not None
    again = sentence_curves(kind, pair_of(kind), HEAD)
    assert again is not None and np.array_equal(
        found.sums, again.sums
    )  # random orders are the sentence's own
    assert found.steps == 3
    assert np.ptp(found.sums[:, 0]) == pytest.approx(0, abs=1e-6)  # all start from the whole sentence
    assert np.ptp(found.sums[:, -1]) == pytest.approx(0, abs=1e-6)  # and end without any word


def test_the_command_stores_what_the_app_reads(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = Path(shutil.copytree(tiny_checkpoint, tmp_path / "model"))
    corpus, table = tmp_path / "sentences.txt", tmp_path / "table.csv"
    corpus.write_text("abc def\nfed cab\nbad\n")
    told = ["faithfulness", "--checkpoint", str(saved), "--corpus", str(corpus), "--device", "cpu"]
    assert main([*told, "--out", str(table), "--store"]) == 0
    assert "below random" in capsys.readouterr().out
    lines = table.read_text().splitlines()
    assert lines[0] == "measure,quantity,hidden,value,low,high,n"
    assert len(lines) == 1 + (len(MEASURES) + 1) * (len(GRID) + 2)
    from core.api import load

    checkpoint = load(saved, device="cpu")
    found = faithfulness.stored(saved, checkpoint.config, checkpoint.digest)
    assert found is not None and found.sentences == 3
    path = saved / faithfulness.RESULTS
    content = json.loads(path.read_text())
    for field, value in {"model": "0" * 64, "measures": ["x"], "areas": [[0.1]], "head": [9, 0]}.items():
        path.write_text(json.dumps({**content, field: value}))
        with pytest.raises(CheckpointError, match="core faithfulness"):
            faithfulness.stored(saved, checkpoint.config, checkpoint.digest)
    path.unlink()
    assert faithfulness.stored(saved, checkpoint.config, checkpoint.digest) is None
