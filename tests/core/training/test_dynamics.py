"""What training records of the heads comes back from the file, which is anybody's: damage is one sentence. Sudden drops."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.analysis.glossary import SCORES as KNOWN
from core.analysis.scores import entropy
from core.checkpoints.files import read_config
from core.errors import CheckpointError, InputError
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.training.dynamics import (
    SUDDEN,
    Drop,
    Dynamics,
    Probe,
    date_intervals,
    pack,
    save_dynamics,
    stored_dynamics,
    sudden_drops,
)
from core.training.loop import Trainer, longest_probe
from tests.core.training.conftest import ALONE, recipes_in
from tests.golden_training import KINDS, PROBES, SCORES, STEPS, training_arrays, weight, write_training

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    trainer = Trainer(recipes_in(tmp_path_factory.mktemp("trained"))(steps=20), ALONE)
    trainer.run()
    return trainer


def test_round_trip(trained: Trainer, tmp_path: Path) -> None:
    save_dynamics(tmp_path / "dynamics.npz", trained.recorder.dynamics())
    read = stored_dynamics(tmp_path, trained.model.config)
    assert read.steps[0] == 0
    assert read.steps[-1] == 20
    assert len(read.steps) >= 6
    assert read.score_names == tuple(KNOWN)
    assert len(read.probes) == 8
    assert np.isfinite(read.valid_loss).all()
    assert np.isfinite(read.bleu[-1])
    assert np.isnan(read.bleu[0])
    probe = read.probes[0]
    assert probe.target_tokens[0] == "⟨start⟩"
    assert probe.written_tokens[-1] == "⟨end⟩"
    assert probe.target_tokens[1:] == probe.written_tokens[:-1]
    assert "".join(probe.source_tokens[:-1]) == probe.source
    for kind in KINDS:
        for index, probe in enumerate(read.probes):
            maps = read.maps(kind, index)
            query, key = probe.sides(kind)
            assert maps.shape == (len(read.steps), 1, 2, len(query), len(key))
            np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-5)
    assert (tmp_path / "dynamics.npz").stat().st_size < 5e6


def test_the_last_record_is_the_model_s_own_attention(trained: Trainer) -> None:
    dynamics = trained.recorder.dynamics()
    index = 3
    example = trained.recorder.probes[index][1]
    model = trained.model.eval()
    hooks = Hooks(record=["*.weights"])
    source = torch.tensor([example.source])
    target = torch.tensor([[model.config.bos_id, *example.target[:-1]]])
    with torch.inference_mode():
        model(source, target, hooks=hooks)
    for kind, site in (
        ("encoder-self", "encoder.0.self.weights"),
        ("decoder-self", "decoder.0.self.weights"),
        ("cross", "decoder.0.cross.weights"),
    ):
        recorded = next(tensor for name, tensor in hooks.records.items() if str(name) == site)[0].numpy()
        np.testing.assert_allclose(
            dynamics.maps(kind, index)[-1, 0], recorded, atol=1.5 / 255 * recorded.shape[-1]
        )
    causal = dynamics.maps("decoder-self", index)
    assert not np.triu(causal, 1).any()


def test_scores_are_means_over_the_scored_sentences(trained: Trainer) -> None:
    dynamics = trained.recorder.dynamics()
    assert dynamics.scored_sentences == len(trained.recorder.scored) >= 8
    values = dynamics.score("encoder-self", "entropy")
    assert values.shape == (len(dynamics.steps), 1, 2)
    maps = [entropy(dynamics.maps("encoder-self", i)[-1]) for i in range(8)]
    assert np.mean(maps, axis=0) == pytest.approx(values[-1], abs=0.3)  # eight of the scored sentences


def test_quantising_keeps_each_weight_within_half_a_step() -> None:
    weights = np.linspace(0, 1, 1000)
    assert np.abs(pack(weights) / 255 - weights).max() <= 0.5 / 255 + 1e-9


def test_probes_are_as_long_as_the_budget_allows(trained: Trainer) -> None:
    config = trained.model.config
    assert longest_probe(config, 28) == 40
    assert longest_probe(config, 10**9) == 4


def test_reading_needs_no_torch() -> None:
    code = (
        "import sys, core.training.dynamics, core.training.config, core.training.tasks, core.training.cli; "
    )
    code += "assert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


# -- anybody's file -----------------------------------------------------------------------------------------

CONFIG = ModelConfig(source_vocab_size=20, target_vocab_size=20, d_model=12, heads=3, encoder_layers=2, decoder_layers=2, max_length=32)  # fmt: skip
GOOD = training_arrays(CONFIG)


def test_what_is_whole_is_read_number_by_number(tmp_path: Path) -> None:
    arrays = write_training(tmp_path, CONFIG)
    found = stored_dynamics(tmp_path, CONFIG)
    assert tuple(found.steps) == STEPS and found.score_names == SCORES and found.scored_sentences == 37
    for kind in KINDS:
        for probe in range(len(PROBES)):
            maps = found.maps(kind, probe)
            for at in ((0, 0, 0, 0, 0), (4, 1, 2, 2, 1), (8, 1, 1, 1, 0)):
                assert maps[at] == pytest.approx(weight(arrays, CONFIG, kind, probe, at), abs=1e-6)


def with_value(name: str, place: tuple[int, ...], value: float) -> np.ndarray:
    array = GOOD[name].copy()
    array[place] = value
    return array


def longer(name: str, label: str) -> np.ndarray:
    return np.array([label, *GOOD[name][1:]])


# Name → what is said, and the arrays that are changed.
HOSTILE: dict[str, tuple[str, dict[str, Any]]] = {
    "no format": ("cannot be read: it lacks 'format'", {"format": None}),
    "another format": ("has format 7", {"format": np.array(7)}),
    "steps that fall": ("its steps do not rise", {"steps": np.array([*STEPS[:-1], 3])}),
    "a negative step": ("its steps do not rise", {"steps": np.array([-1, *STEPS[1:]])}),
    "a step beyond all bounds": ("its steps do not rise", {"steps": np.array([*STEPS[:-1], 2**60])}),
    "steps that are not whole numbers": (
        "it has 9 records, or steps that are not whole numbers",
        {"steps": np.array(STEPS, dtype=float)},
    ),
    "an infinite loss": ("its valid_loss cannot be", {"valid_loss": with_value("valid_loss", (2,), np.inf)}),
    "a negative loss": ("its train_loss cannot be", {"train_loss": with_value("train_loss", (2,), -1)}),
    "a BLEU above 100": ("its bleu cannot be", {"bleu": with_value("bleu", (2,), 250)}),
    "too few losses": (
        "cannot be read: train_loss is not one number per step",
        {"train_loss": GOOD["train_loss"][:3]},
    ),
    "an entropy above what can be": (
        "cross normalised_entropy lies outside its range",
        {"cross__scores": with_value("cross.scores", (2, 0, 0, 0), 1.5)},
    ),
    "a negative share": (
        "cross eos_share lies outside its range",
        {"cross__scores": with_value("cross.scores", (2, 6, 0, 0), -0.5)},
    ),
    "an infinite score": (
        "cross entropy lies outside its range",
        {"cross__scores": with_value("cross.scores", (2, 1, 0, 0), np.inf)},
    ),
    "heads of another model": (
        "do not fit its probe sentences",
        {"cross__scores": GOOD["cross.scores"][:, :, :, :2]},
    ),
    "scores nobody knows": (
        "its scores are not known here",
        {"score_names": longer("score_names", "<script>")},
    ),
    "a score twice": ("its scores are not known here", {"score_names": longer("score_names", "entropy")}),
    "maps cut short": ("do not fit its probe sentences", {"cross__maps": GOOD["cross.maps"][:, :-4]}),
    "maps that are no bytes": (
        "cannot be read: the maps of cross are not bytes",
        {"cross__maps": GOOD["cross.maps"].astype(np.float32)},
    ),
    "a row that looks at nothing": (
        "a row of cross looks at nothing",
        {"cross__maps": np.zeros_like(GOOD["cross.maps"])},
    ),
    "a decoder that looks ahead": (
        "a decoder row looks ahead",
        {"decoder-self.maps": np.full_like(GOOD["decoder-self.maps"], 9)},
    ),
    "pickled tokens": (
        "cannot be read: sources.npy is not a plain array",
        {"sources": np.array([object(), object()], dtype=object)},
    ),
    "half a character": (
        "is not the training of this model",
        {"source_tokens": longer("source_tokens", "\ud83d")},
    ),
    "an endless token": ("a token is too long", {"source_tokens": longer("source_tokens", "x" * 5000)}),
    "an endless sentence": ("a sentence is too long", {"sources": longer("sources", "x" * 50_000)}),
    "negative lengths": (
        "cannot be read: the source tokens are not as many as their lengths say",
        {"source_lengths": np.array([-3, 13])},
    ),
    "lengths of other tokens": (
        "cannot be read: the source tokens are not as many as their lengths say",
        {"source_lengths": np.array([3, 8])},
    ),
    "sentences without number": ("its number of sentences cannot be", {"scored_sentences": np.array(-5)}),
    "no sentence": (
        "cannot be read: its sentences are not as many as their translations and tokens",
        {"sources": np.array([], dtype=str), "targets": np.array([], dtype=str)},
    ),
    **{
        f"{name} {words}": (r"cannot be read|do not fit", {name: array})
        for name in ("steps", "bleu", "source_lengths", "cross.scores", "written_tokens", "cross.maps")
        for words, array in (
            ("of two axes", np.zeros((2, 2))),
            ("in words", np.array(["x"])),
            ("below zero", np.full(3, -1)),
        )
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    said, changed = HOSTILE[name]
    arrays = GOOD | {key.replace("__", "."): value for key, value in changed.items()}
    np.savez_compressed(
        tmp_path / "dynamics.npz", **{key: each for key, each in arrays.items() if each is not None}
    )
    with pytest.raises(CheckpointError, match=said) as told:
        stored_dynamics(tmp_path, CONFIG)
    assert "\n" not in str(told.value) and len(str(told.value)) < 600


def test_the_training_of_dates_is_as_the_readme_tells_it() -> None:
    folder = ROOT / "checkpoints" / "dates"
    found = stored_dynamics(folder, read_config(folder))
    drops = sudden_drops(found.steps, found.score("cross", "normalised_entropy"))
    assert found.scores["cross"].shape[2:] == (2, 4) and len(drops) == 7
    assert min(found.steps[drop.start] for drop in drops) == 27
    assert max(found.steps[drop.end] for drop in drops) == 225


def test_a_file_that_is_no_archive_or_unpacks_to_too_much_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "dynamics.npz").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(CheckpointError, match="cannot be read"):
        stored_dynamics(tmp_path, CONFIG)
    write_training(tmp_path, CONFIG, cross__maps=np.zeros((9, 2**23), dtype=np.uint8))
    with pytest.raises(CheckpointError, match="at most"):
        stored_dynamics(tmp_path, CONFIG)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    write_training(outside, CONFIG)
    (inside / "dynamics.npz").symlink_to(outside / "dynamics.npz")
    with pytest.raises(CheckpointError, match="leads out"):
        stored_dynamics(inside, CONFIG)
    with pytest.raises(CheckpointError, match="missing"):
        stored_dynamics(outside / "..", CONFIG)


DOUBLED = (0, 1, 2, 4, 8, 16)


def one(*values: float) -> np.ndarray:
    return np.array(values, dtype=float).reshape(-1, 1, 1)


def test_the_largest_fall_within_a_doubling_is_found() -> None:
    assert sudden_drops(DOUBLED, one(0.9, 0.9, 0.85, 0.5, 0.45, 0.4)) == (Drop(0, 0, 2, 3, 0.85, 0.5),)
    # 0.9 → 0.3 takes two doublings, of which neither is sudden alone.
    slow = one(0.9, 0.9, 0.9, 0.9 - SUDDEN * 0.9, 0.9 - SUDDEN * 1.8, 0.9 - SUDDEN * 2.7)
    assert sudden_drops(DOUBLED, slow) == ()
    assert [drop.fall for drop in sudden_drops(DOUBLED, slow, least=0.1)] == [pytest.approx(SUDDEN * 0.9)]


def test_several_records_within_one_doubling_count_together() -> None:
    steps = (0, 10, 13, 16, 20, 40)
    (drop,) = sudden_drops(steps, one(0.9, 0.9, 0.8, 0.7, 0.6, 0.55))
    assert (drop.start, drop.end, drop.before, drop.after) == (1, 4, 0.9, 0.6)


def test_records_farther_apart_than_a_doubling_tell_of_no_sudden_fall() -> None:
    assert sudden_drops((0, 10, 25, 70), one(0.9, 0.9, 0.6, 0.2)) == ()
    assert [drop.end for drop in sudden_drops((0, 10, 20, 60), one(0.9, 0.9, 0.6, 0.2))] == [2]


def test_a_rise_and_what_was_not_measured_are_no_fall() -> None:
    assert sudden_drops(DOUBLED, one(0.1, 0.3, 0.5, 0.7, 0.9, 1.0)) == ()
    assert sudden_drops(DOUBLED, one(0.9, np.nan, 0.2, np.nan, np.nan, 0.1)) == ()
    assert [drop.end for drop in sudden_drops(DOUBLED, one(0.9, 0.5, 0.5, 0.5, 0.5, 0.5))] == [1]


def test_every_head_has_its_own_and_they_come_in_time() -> None:
    values = np.full((6, 2, 2), 0.9)
    values[4:, 0, 1] = 0.4
    values[2:, 1, 0] = 0.6
    assert [(drop.layer, drop.head, drop.end) for drop in sudden_drops(DOUBLED, values)] == [
        (1, 0, 2),
        (0, 1, 4),
    ]


def test_what_does_not_fit_is_refused() -> None:
    for steps, values in (
        (DOUBLED, np.zeros((5, 1, 1))),
        ((0, 2, 1), np.zeros((3, 1, 1))),
        (DOUBLED, np.zeros(6)),
    ):
        with pytest.raises(InputError, match="rising steps"):
            sudden_drops(steps, values)


def test_the_interval_of_a_date_covers_the_sentences_that_differ() -> None:
    """Of ten sentences some fall at record 2, some at record 3: the interval spans both; where all fall together it is one record."""
    steps, probes = (
        np.array([0, 1, 2, 4, 8]),
        tuple(Probe("", "", ("a", "b"), ("a", "b"), ("a", "b")) for _ in range(10)),
    )
    flat, sharp = np.full((2, 2), 128), np.array([[255, 0], [0, 255]])

    def recorded(*falls: int) -> Dynamics:
        maps = [np.stack([(flat if at < fall else sharp).ravel() for at in range(5)]) for fall in falls]
        entropies = np.mean([[float(at < fall) for at in range(5)] for fall in falls], axis=0)
        return Dynamics(
            steps, *(np.zeros(5, np.float32),) * 3, probes, ("normalised_entropy",),
            {"cross": entropies.reshape(5, 1, 1, 1).astype(np.float16)},
            {"cross": np.concatenate(maps, axis=1).astype(np.uint8)},
        )  # fmt: skip

    for falls, ends in (((2,) * 10, (2, 2)), ((2,) * 5 + (3,) * 5, (2, 3))):
        found = recorded(*falls)
        drops = sudden_drops(steps, found.score("cross", "normalised_entropy"))
        assert date_intervals(found, "cross", drops) == (ends,)
    assert date_intervals(found, "cross", ()) == ()
