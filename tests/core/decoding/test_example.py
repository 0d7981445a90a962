"""The stored example: small, complete, read without torch, with the model's own probabilities."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.api import Checkpoint
from core.decoding.example import coarse_logits, load_example, write_example
from core.decoding.session import DecodeSession
from core.decoding.strategies import by_probability, probabilities
from core.errors import CheckpointError, InputError
from core.model.hooks import LOGITS, Site
from core.model.trace import Trace


def test_it_replays_the_decode(tiny: Checkpoint, tmp_path: Path) -> None:
    path = write_example(tiny, folder=tmp_path)
    stored = Trace.load(path)
    session = DecodeSession(tiny, "abc def.")
    session.run()
    assert path == tmp_path / "example.npz"
    assert stored.written_ids == tuple(session.ids)
    steps = probabilities(stored.array(LOGITS))
    assert len(steps) == len(session.ids)
    for step, shown in enumerate(steps):
        best = session.candidates(12, step)
        assert by_probability(shown)[:12].tolist() == [each.id for each in best]
        assert np.allclose([shown[each.id] for each in best], [each.probability for each in best], atol=1e-6)
        assert shown.sum() == pytest.approx(1.0)
    assert np.array_equal(
        stored.stacked("decoder", "cross", "weights"),
        session.trace.stacked("decoder", "cross", "weights"),
    )
    assert stored.has("encoder.embed.position_encoding")
    assert stored.has("decoder.1.ffn.norm_var")


def test_coarse_logits_keep_the_best_and_the_total() -> None:
    logits = np.random.default_rng(0).normal(size=(3, 500)).astype(np.float32) * 3
    exact, coarse = probabilities(logits), probabilities(coarse_logits(logits, exact=20))
    for before, after in zip(exact, coarse, strict=True):
        best = np.argsort(-before)[:20]
        assert np.allclose(after[best], before[best], atol=1e-6)
        assert after.sum() == pytest.approx(1.0, abs=1e-5)
        assert len(np.unique(np.delete(after, best))) == 1
    assert np.array_equal(coarse_logits(logits[:, :15], exact=20), logits[:, :15])


def test_the_size_of_a_real_models_example(build: Callable[..., Checkpoint], tmp_path: Path) -> None:
    sizes = {"d_model": 256, "heads": 8, "encoder_layers": 4, "decoder_layers": 4, "d_ff": 64}
    checkpoint = build(**sizes, target_vocab_size=9000, source_vocab_size=9000, unk_id=3)
    session = DecodeSession(checkpoint, "abc def ghi.", max_steps=14, record=())
    session.run()
    path = write_example(checkpoint, "abc def ghi.", tmp_path)
    assert path.stat().st_size < 400_000


def test_it_is_read_without_torch(tiny: Checkpoint, tmp_path: Path) -> None:
    path = write_example(tiny, folder=tmp_path)
    code = "import sys; sys.modules['torch'] = None; from core.model.trace import Trace; print(Trace.load(sys.argv[1]).tokens)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Tokens(")


def test_without_a_sentence_or_a_folder(tiny: Checkpoint, tmp_path: Path) -> None:
    bare = Checkpoint(tiny.model, tiny.source_tokenizer, tiny.target_tokenizer, {})
    with pytest.raises(InputError, match="no folder"):
        write_example(bare, "abc")
    with pytest.raises(InputError, match="lists no example"):
        write_example(bare, folder=tmp_path)
    with pytest.raises(InputError, match="is not a trace"):
        Trace.load(tmp_path / "example.npz")


def changed(trace: Trace, **changes: object) -> Trace:
    return dataclasses.replace(trace, **changes)  # type: ignore[arg-type]


def recorded(trace: Trace, site: str, array: np.ndarray) -> Trace:
    return changed(trace, records={**trace.records, Site.parse(site): array})


DAMAGES: dict[str, tuple[Callable[[Trace], Trace], str]] = {
    "config": (lambda t: changed(t, config=dataclasses.replace(t.config, heads=1)), "configuration is another"),
    "ids": (lambda t: changed(t, source_ids=(10**9, *t.source_ids[1:])), "not in the vocabulary"),
    "labels": (lambda t: changed(t, tokens=t.tokens._replace(written=("x",) * 99)), "written tokens"),
    "surrogates": (lambda t: changed(t, tokens=t.tokens._replace(source=("\ud800", *t.tokens.source[1:]))), "half a character"),
    "empty": (lambda t: changed(t, source_ids=(), tokens=t.tokens._replace(source=())), "has 0 source tokens"),
    "shape": (lambda t: recorded(t, "decoder.final.logits", np.zeros((1, 2), np.float32)), "logits has shape"),
    "nan": (lambda t: recorded(t, "decoder.0.cross.value_norm", t.array("decoder.0.cross.value_norm") * np.nan), "that is not a number"),
    "kind": (lambda t: recorded(t, "encoder.embed.sum", t.array("encoder.embed.sum").astype("U8")), "that is not a number"),
    "layer": (lambda t: recorded(t, "encoder.77.ffn.norm_var", t.array("encoder.0.ffn.norm_var")), "77"),
    "lacking": (lambda t: changed(t, records={s: a for s, a in t.records.items() if s.kind != "weights"}), "lacks"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_no_decode_of_this_model_is_refused(
    tiny: Checkpoint, tmp_path: Path, damage: str
) -> None:
    path = write_example(tiny, folder=tmp_path)
    good = load_example(tmp_path, tiny.config)
    change, said = DAMAGES[damage]
    change(good).save(path)
    with pytest.raises(CheckpointError, match=said):
        load_example(tmp_path, tiny.config)


def test_a_link_that_leads_out_is_not_followed(tiny: Checkpoint, tmp_path: Path) -> None:
    path = write_example(tiny, folder=tmp_path)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "example.npz").symlink_to(path)
    with pytest.raises(CheckpointError, match="leads out of the folder"):
        load_example(tmp_path / "inside", tiny.config)
