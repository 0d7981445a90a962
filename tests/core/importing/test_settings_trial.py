"""What likelihood tells of settings that no shape contradicts: the scale of scores, and which one of several is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core import api
from core.api import Checkpoint
from core.cli.main import main
from core.importing.plan import plan_import
from core.importing.settings_trial import try_settings, with_settings
from core.importing.trial import try_import
from core.tokenizer import Frame
from tests.core.importing.exported import SHIPPED, export_tutorial_b, given, sentences

CAPSYS = pytest.CaptureFixture[str]


# -- tutorial B's scale --------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "count", "divided_by_model"), [("dates", 10, False), ("dates", 10, True), ("en-fr", 4, True)]
)
def test_the_scale_of_scores_is_measured(
    tmp_path: Path, capsys: CAPSYS, name: str, count: int, divided_by_model: bool
) -> None:
    ours, files = export_tutorial_b(name, tmp_path, divided_by_model)
    out = tmp_path / "out"
    assert main(["import", *files, *given(name, count), "--out", str(out)]) == 0
    report = json.loads((out / "import-report.json").read_text())
    right = "model" if divided_by_model else "head"
    assert report["config"]["score_scale"] == right
    (finding,) = [each for each in report["findings"] if each["name"] == "score_scale"]
    assert finding["how"] == "measured" and finding["checked"]
    texts = sentences(name, count)
    assert api.load(out, device="cpu").translate(texts) == ours.translate(texts)
    assert "warning" not in capsys.readouterr().err


def test_the_scale_is_asked_where_nothing_measures_it(tmp_path: Path, capsys: CAPSYS) -> None:
    _, files = export_tutorial_b("dates", tmp_path, False)
    for more in ([], given("dates", 1)):
        assert main(["import", *files, *more, "--out", str(tmp_path / "out")]) == 2
        assert "--set score_scale=" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    for scale in ("head", "model"):
        assert main(["import", *files, "--set", f"score_scale={scale}"]) == 0


@pytest.mark.thorough
def test_a_wrong_scale_that_is_told_is_doubted_and_the_heads_are_not(tmp_path: Path, capsys: CAPSYS) -> None:
    """With the wrong divisor another number of heads would be surer too: it makes up for the scale."""
    _, files = export_tutorial_b("en-fr", tmp_path, False)
    assert main(["import", *files, *given("en-fr", 4), "--set", "score_scale=model"]) == 0
    (warning,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    assert "doubt score_scale = model" in warning and "heads" not in warning


@pytest.mark.thorough
def test_a_wrong_number_of_heads_does_not_settle_the_wrong_scale(tmp_path: Path, capsys: CAPSYS) -> None:
    _, files = export_tutorial_b("en-fr", tmp_path, False)
    files[files.index("--heads") + 1] = "2"
    assert main(["import", *files, *given("en-fr", 4)]) == 2
    assert "score_scale is not clear" in capsys.readouterr().err


# -- which setting is wrong ----------------------------------------------------------------------------------------

ALL = frozenset(
    ("heads", "score_scale", "embedding_scale", "norm_placement", "bos_id", "source_before", "source_after")
)


def read_with(
    ours: Checkpoint,
    changes: dict[str, Any],
    before: tuple[int, ...] = (),
    after: tuple[int, ...] | None = None,
) -> Checkpoint:
    """The checkpoint with other options of the model, and other tokens around its source texts."""
    model, source = with_settings(ours.model, changes), ours.source_tokenizer.framed(Frame(before, after))
    return Checkpoint(model, source, ours.target_tokenizer)


WRONG: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "score_scale": ({"score_scale": "model"}, {}),
    "embedding_scale": ({"embedding_scale": False}, {}),
    "norm_placement": ({"norm_placement": "post"}, {}),
    "bos_id": ({"bos_id": 2}, {}),
    "source_before": ({}, {"before": (1,)}),
    "source_after": ({}, {"after": ()}),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "count", "wrong"),
    [("dates", 10, tuple(WRONG)), ("de-en", 5, ("score_scale", "embedding_scale"))],
)
def test_the_setting_that_is_wrong_is_named_and_no_other(
    name: str, count: int, wrong: tuple[str, ...]
) -> None:
    """The number of heads is right, and it alone was doubted for most of these."""
    ours = api.load(SHIPPED / name, device="cpu")
    texts = sentences(name, count)
    right = try_settings(read_with(ours, {}), texts, ALL)
    assert right is not None and right.better is None and right.warning is None
    named = {}
    for option in wrong:
        changes, around = WRONG[option]
        tried = try_settings(read_with(ours, changes, **around), texts, ALL)
        assert tried is not None
        named[option] = tried.better.name if tried.better else None
    assert "heads" not in named.values()
    assert all(found in (option, None) for option, found in named.items()), named
    assert sum(found is not None for found in named.values()) >= len(wrong) - 1, named


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["dates"])
def test_translations_that_are_known_tell_of_a_wrong_vocabulary_that_it_is_not_the_heads(name: str) -> None:
    """Every source token is another one: no setting makes the known translations likely."""
    ours = api.load(SHIPPED / name, device="cpu")
    texts = sentences(name, 10)
    known = ours.translate(texts)
    wrong = read_with(ours, {})
    size, encode = ours.config.source_vocab_size, wrong.source_tokenizer.encode

    def shifted(text: str, eos: bool = True) -> list[int]:
        ids = encode(text, eos)
        return [4 + (token - 4 + size // 2) % (size - 4) if token > 3 else token for token in ids]

    wrong.source_tokenizer.encode = shifted  # type: ignore[method-assign]
    tried = try_settings(wrong, texts, ALL, known)
    assert tried is not None and tried.expected and tried.better is None
    right = try_settings(read_with(ours, {}), texts, ALL, known)
    assert right is not None and right.better is None and right.mean > -0.5
    halved = try_settings(read_with(ours, {"heads": ours.config.heads // 2}), texts, ALL, known)
    assert halved is not None and halved.better is not None
    assert (halved.better.name, halved.better.value) == ("heads", ours.config.heads)


@pytest.mark.thorough
def test_what_is_tried_is_in_the_report(tmp_path: Path) -> None:
    ours, files = export_tutorial_b("dates", tmp_path, False)
    texts = sentences("dates", 3)
    plan = plan_import(
        files[0],
        answers={
            "heads": 4,
            "score_scale": "head",
            "source_before": "",
            "pad": 0,
            "bos": 1,
            "eos": 2,
            "unk": 3,
        },
        source_vocabulary=tmp_path / "source.json",
        target_vocabulary=tmp_path / "target.json",
    )
    settings = try_import(plan, texts).to_json()["settings"]
    names = {each["name"] for each in settings["others"]}
    assert {"heads", "score_scale", "embedding_scale", "source_before", "source_after", "bos_id"} <= names
    assert settings["measured_on"] == "written" and settings["sentences"] == 3
    greedy = [ours.translate(text) for text in texts]
    rated = try_import(plan, texts, greedy).to_json()["settings"]
    assert rated["measured_on"] == "expected"
    # What it writes itself is what it was expected to write, so both are the same numbers.
    assert rated["mean"] == pytest.approx(settings["mean"], abs=2e-3)
    json.dumps(settings)


# -- the causal mask -----------------------------------------------------------------------------------------------


def tiny_pairs() -> list[tuple[list[int], list[int]]]:
    """Sentences of 3 to 6 words, translated word by word and turned round."""
    draw = torch.Generator().manual_seed(0)
    rows = []
    for _ in range(400):
        words = torch.randint(
            3, 15, (int(torch.randint(3, 7, (1,), generator=draw)),), generator=draw
        ).tolist()
        rows.append(([*words, 2], [*words[::-1], 2]))
    return rows


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """A state dict of the same tiny model trained with and without a causal mask, by `causal`, made when it is asked for."""
    from core.model import transformer
    from core.model.attention import Mask, padding_mask
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from tests.core.importing.exported import as_torch

    folder, pairs = tmp_path_factory.mktemp("causal"), tiny_pairs()

    @cache
    def train(causal: bool) -> Path:
        torch.manual_seed(1)
        model = Transformer(
            ModelConfig(
                source_vocab_size=15, target_vocab_size=15, d_model=32, heads=4, d_ff=64, encoder_layers=1,
                decoder_layers=1, norm_placement="pre", final_norm=True, dropout=0.0, max_length=32,
                tie_embeddings=False, tie_output=False,
            )
        ).train()  # fmt: skip
        optimizer = torch.optim.Adam(model.parameters(), 4e-3)
        with pytest.MonkeyPatch.context() as patch:
            if not causal:
                patch.setattr(
                    transformer, "target_mask", lambda tokens, pad, causal: Mask.of(padding_mask(tokens, pad))
                )
            for step in range(260):
                rows = [pairs[(step * 32 + n) % len(pairs)] for n in range(32)]
                source, wanted = (
                    torch.nn.utils.rnn.pad_sequence(
                        [torch.tensor(row[side]) for row in rows], batch_first=True
                    )
                    for side in (0, 1)
                )
                read = torch.cat([torch.ones_like(wanted[:, :1]), wanted[:, :-1]], dim=1)
                loss = torch.nn.functional.cross_entropy(
                    model(source, read).flatten(0, 1), wanted.flatten(), ignore_index=0
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        holder: Any = SimpleNamespace(model=model.eval(), config=model.config)
        torch.save(as_torch(holder), folder / f"causal-{causal}.pt")
        return folder / f"causal-{causal}.pt"

    return train


@pytest.mark.thorough
@pytest.mark.parametrize("causal", [False, True])
def test_a_model_trained_without_a_causal_mask_is_doubted(
    trained: Callable[[bool], Path], capsys: CAPSYS, causal: bool
) -> None:
    told = ["--heads", "4", "--norm", "pre", "--set", "source_before=", "--tokenizer", "numbers"]
    files = [str(trained(causal)), *told, "--pad", "0", "--bos", "1", "--eos", "2"]
    pairs = tiny_pairs()[:3]
    known = [
        word
        for source, target in pairs
        for word in (
            *("--sentence", " ".join(map(str, source[:-1]))),
            *("--expect", " ".join(map(str, target[:-1]))),
        )
    ]
    code = main(["import", *files, *known])
    printed = capsys.readouterr()
    warned = [line for line in printed.err.splitlines() if re.search("without a causal mask", line)]
    assert len(warned) == (0 if causal else 1)
    assert code == (0 if causal else 1), printed
    assert "causal = true (assumed)" in printed.out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["dates", "en-fr", "de-en"])
def test_a_model_trained_with_one_is_not(name: str) -> None:
    from core.importing.trial import try_causality

    ours = api.load(SHIPPED / name, device="cpu")
    texts = sentences(name, 10)
    for count in (1, 4):
        tried = try_causality(ours, texts[:count], ours.translate(texts[:count]))
        assert tried is not None and not tried.doubtful
    assert try_causality(ours, texts, ()) is None


def test_the_likelihood_without_a_mask_is_that_of_open_scores(trained: Callable[[bool], Path]) -> None:
    """Against a pass whose decoder mask is nothing but padding."""
    from core.importing.trial import _rated, _unmasked
    from core.model import transformer
    from core.model.attention import Mask, padding_mask

    plan = plan_import(
        trained(False),
        answers={"heads": 4, "norm_placement": "pre", "source_before": "", "pad": 0, "bos": 1, "eos": 2},
        tokenizer="numbers",
    )
    model, (source, target) = plan.checkpoint.model, tiny_pairs()[0]
    with pytest.MonkeyPatch.context() as patch, torch.inference_mode():
        patch.setattr(
            transformer, "target_mask", lambda tokens, pad, causal: Mask.of(padding_mask(tokens, pad))
        )
        logits = model(torch.tensor([source]), torch.tensor([[1, *target[:-1]]]))[0].double()
    expected = logits.log_softmax(-1)[torch.arange(len(target)), torch.tensor(target)].tolist()
    assert _rated(model, source, target, _unmasked()) == pytest.approx(expected, abs=1e-5)
    assert _rated(model, source, target, None) != pytest.approx(expected, abs=1e-1)


def test_a_model_trained_without_a_mask_is_imported_as_it_is(trained: Callable[[bool], Path]) -> None:
    """With `causal` answered false its maps are whole, it is asked about once, and nothing compares it with a mask."""
    from core.importing.trial import _rated, _unmasked, try_causality

    told = {"heads": 4, "norm_placement": "pre", "source_before": "", "pad": 0, "bos": 1, "eos": 2}
    with_mask, without = (
        plan_import(trained(False), answers={**told, **more}, tokenizer="numbers")
        for more in ({}, {"causal": False})
    )
    assert [each.value for each in without.findings if each.name == "causal"] == [False]
    assert [each.value for each in with_mask.findings if each.name == "causal"] == [True]
    assert without.checkpoint.config.causal is False
    source, target = tiny_pairs()[0]
    wanted = _rated(with_mask.checkpoint.model, source, target, _unmasked())
    assert _rated(without.checkpoint.model, source, target, None) == pytest.approx(wanted, abs=1e-5)
    assert try_causality(without.checkpoint, ["4 5 6"], ["4 5 6"]) is None
