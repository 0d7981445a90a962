"""Sets of contrasts: what is stored is what was measured, only for that model and those sentences; and the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.api import Checkpoint
from core.checkpoints.files import folder_digest, read_config
from core.cli.main import main
from core.errors import CheckpointError
from core.experiments.contrast_sets import (
    RESULTS,
    clearest,
    load_results,
    measure_contrasts,
    measure_set,
    store_results,
)
from core.experiments.patching import CONTRASTS, patch, read_contrasts

EN_FR = Path("checkpoints/en-fr")
PAIRS = [
    ("The little girl is running.", "The little boy is running."),
    ("A girl.", "A much longer sentence."),
    ("His sister is happy.", "His brother is happy."),
]


@pytest.fixture(scope="module")
def en_fr() -> Checkpoint:
    return core.load(EN_FR)


def test_a_set_is_measured_pair_by_pair(en_fr: Checkpoint) -> None:
    stages = list(measure_set(en_fr, "gender", PAIRS, ("cross",)))
    assert [stage.done for stage in stages] == [1, 2, 3, 4] and stages[0].results == ()
    (result,) = stages[-1].results
    assert (result.pairs, result.compared) == (3, 2), "the pair of different lengths is left out"
    alone = [
        patch(en_fr, *pair, families=["cross-heads"]).effects["cross-heads"].restored for pair in PAIRS[::2]
    ]
    assert np.array(result.effects) == pytest.approx(np.mean(alone, axis=0), abs=1e-4)
    assert result.heads[:2] == ((3, 6), (3, 4)) and len(result.heads) == 5
    assert (result.turned, set(result.controls)) == (2, {0}) and len(result.controls) == 12
    rows = list(result.rows())
    assert len(rows) == 32 and all(row["low"] <= row["restored"] <= row["high"] for row in rows)


def test_results_are_read_for_the_model_and_the_sentences_they_are_of(
    en_fr: Checkpoint, tmp_path: Path
) -> None:
    lines = "".join(f"gender\t{clean}\t{corrupted}\n" for clean, corrupted in PAIRS)
    contrasts = tmp_path / CONTRASTS
    contrasts.write_text(lines, "utf-8")
    results = measure_contrasts(en_fr, "gender", PAIRS, ("cross",))
    assert load_results(tmp_path, en_fr.config, "a") == {}
    store_results(tmp_path / RESULTS, "a", results, contrasts)
    assert load_results(tmp_path, en_fr.config, "a") == {"gender": results}
    with pytest.raises(CheckpointError, match="about another model"):
        load_results(tmp_path, en_fr.config, "b")
    content = json.loads((tmp_path / RESULTS).read_text("utf-8"))
    content["results"][0]["turned"] = 9
    (tmp_path / RESULTS).write_text(json.dumps(content), "utf-8")
    with pytest.raises(CheckpointError, match="counts more pairs"):
        load_results(tmp_path, en_fr.config, "a")
    contrasts.write_text(lines + "gender\tA cat.\tA dog.\n", "utf-8")
    with pytest.raises(CheckpointError, match="the sentences have changed"):
        load_results(tmp_path, en_fr.config, "a")


@pytest.mark.parametrize(("name", "found", "random"), [("en-fr", "gender", 0), ("de-en", "negation", 1)])
def test_the_shipped_results_are_of_the_shipped_models(name: str, found: str, random: int) -> None:
    folder = Path("checkpoints") / name
    stored = load_results(folder, read_config(folder), folder_digest(folder))
    assert set(stored) == set(read_contrasts(folder / CONTRASTS))
    best = clearest(stored[found])
    assert best.compared >= 100 and best.turned / best.compared > 0.7 and max(best.controls) <= random
    share = best.share_turned
    assert share.low < best.turned / best.compared < share.high


def test_the_command_writes_what_the_functions_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = tmp_path / "one.csv"
    assert main(["patch", "--checkpoint", "en-fr", *PAIRS[0], "--out", str(one)]) == 0
    assert "3.6 0.3" in capsys.readouterr().out
    rows = list(csv.DictReader(one.open(encoding="utf-8")))
    assert {row["family"] for row in rows} >= {"encoder-stream", "cross-heads", "causal-heads"}
    pairs, many = tmp_path / "pairs.tsv", tmp_path / "many.csv"
    pairs.write_text("gender\t" + "\t".join(PAIRS[0]) + "\n", "utf-8")
    arguments = ["patch", "--checkpoint", "en-fr", "--contrasts", str(pairs), "--kind", "cross"]
    assert main([*arguments, "--set", "gender", "--out", str(many)]) == 0
    rows = list(csv.DictReader(many.open(encoding="utf-8")))
    assert len(rows) == 32 and {"low", "high", "n"} <= set(rows[0])
    assert main([*arguments, "--set", "number"]) == 2
    assert "has no set 'number'; it has gender." in capsys.readouterr().err
    assert main(["patch", "--checkpoint", "en-fr", "One sentence."]) == 2
    assert "give two of the same length" in capsys.readouterr().err
