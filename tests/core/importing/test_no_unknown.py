"""Vocabularies without an unknown token: no id is made one, and what cannot be read is named in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from tokenizers import models, pre_tokenizers

from core import api
from core.cli.main import main
from core.decoding.inputs import sample_text
from core.errors import AtlasError, CheckpointError, InputError
from core.importing.plan import plan_import
from core.importing.trial import write_import
from core.tokenizer import Frame, Specials, Tokenizer
from tests.core.importing.exported import SHIPPED, as_torch
from tests.core.importing.untrusted_files import good

MONTHS = ("January", "March", "May", "August", "December")
DATES = [f"{day} {MONTHS[day % 5]} {1950 + 7 * day % 70}" for day in range(1, 26)]
DATES += [f"{MONTHS[day % 5]} {day}, {1990 + day}" for day in range(1, 26)]
ROLES = {"pad": 0, "bos": 1, "eos": 2}
READ_AS = {"heads": 4, "norm_placement": "pre", "source_before": ""}


def swapped(tokens: list[str], place: int, sign: str) -> list[str]:
    """A vocabulary whose id 3 is a real token; its unknown token becomes a sign that nobody types."""
    out = list(tokens)
    out[3], out[place] = tokens[place], sign
    return out


@pytest.fixture(scope="module")
def dates(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """What `dates` writes for DATES, and its weights and vocabularies without an unknown token."""
    folder = tmp_path_factory.mktemp("dates")
    ours = api.load(SHIPPED / "dates", device="cpu")
    state = as_torch(ours)
    state["generator.weight"] = ours.model.state_dict()["target_embedding.table"].clone()
    for side, sign, keys in (
        ("source", "☃", ("src_tok_emb.embedding.weight",)),
        ("target", "☂", ("tgt_tok_emb.embedding.weight", "generator.weight")),
    ):
        tokenizer = getattr(ours, f"{side}_tokenizer")
        tokens = [tokenizer._tokens[place] for place in range(tokenizer.vocab_size)]
        real = tokens.index("1")
        (folder / f"{side}.txt").write_text("\n".join(swapped(tokens, real, sign)) + "\n", encoding="utf-8")
        for key in keys:
            state[key][[3, real]] = state[key][[real, 3]]
    torch.save(state, folder / "model.pt")
    return ours.translate(DATES), folder


def plan_of(folder: Path, **told: Any) -> Any:
    return plan_import(
        folder / "model.pt",
        answers={**READ_AS, **told},
        source_vocabulary=folder / "source.txt",
        target_vocabulary=folder / "target.txt",
        split="chars",
    )


@pytest.mark.parametrize("told", [{}, {"unk": 0}])
def test_every_output_is_whole(dates: tuple[list[str], Path], told: dict[str, int]) -> None:
    expected, folder = dates
    assert any("1" in text for text in expected)
    written = plan_of(folder, **told).checkpoint.translate(DATES)
    assert sum(one == other for one, other in zip(written, expected, strict=True)) == len(DATES)


def test_what_cannot_be_read_is_named_in_one_sentence(
    dates: tuple[list[str], Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, folder = dates
    plan = plan_of(folder)
    assert plan.config.unk_id is None
    write_import(plan, tmp_path / "out", ["3 May 1979"])
    loaded = api.load(tmp_path / "out", device="cpu")
    assert (loaded.config.unk_id, loaded.source_tokenizer.unk_id, loaded.target_tokenizer.unk_id) == (
        None,
    ) * 3
    assert loaded.translate("3 May 1979") == "1979-05-03"
    assert loaded.source_tokenizer.unknown("3 日 May 月") == ["日", "月"]
    for command in (
        ["translate", "3 日 May 月"],
        ["trace", "--source", "3 日 May 月", "--out", str(tmp_path / "t.npz")],
    ):
        assert main([*command, "--checkpoint", str(tmp_path / "out")]) == 2
        printed = capsys.readouterr()
        assert printed.err.count("\n") == 1 and "日" in printed.err and "月" in printed.err
        assert not printed.out
    with pytest.raises(InputError, match="日"):
        loaded.translate(["3 May 1979", "日"])
    with pytest.raises(InputError, match="日"):
        loaded.source_tokenizer.encode_batch(["3 May 1979", "日"])


def test_numbers_without_an_unknown_token_write_all_of_them(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    made = plan_import(tmp_path / "model.pt", answers={"heads": 2, **ROLES}, tokenizer="numbers").checkpoint
    for tokenizer in (made.source_tokenizer, made.target_tokenizer):
        assert tokenizer.unk_id is None
        assert tokenizer.decode([3, 4, 3]) == "3 4 3"
        with pytest.raises(InputError, match="five"):
            tokenizer.encode("4 five")
    assert made.config.unk_id is None
    told = plan_import(
        tmp_path / "model.pt", answers={"heads": 2, **ROLES, "unk": 5}, tokenizer="numbers"
    ).checkpoint
    assert (told.source_tokenizer.unk_id, told.target_tokenizer.unk_id) == (5, 5)


def test_a_source_vocabulary_is_not_given_the_targets_ids(tmp_path: Path) -> None:
    """The source knows no special but padding: its second, third and fourth entries are words."""
    weights = good()

    torch.save(weights, tmp_path / "model.pt")
    plan = plan_import(tmp_path / "model.pt", answers={"heads": 2, **ROLES}, tokenizer="numbers")
    assert plan.config is not None
    sizes = plan.config.source_vocab_size, plan.config.target_vocab_size

    source = ["<pad>", "un", "deux", "trois", *(f"mot{n}" for n in range(4, sizes[0]))]
    target = ["<pad>", "<s>", "</s>", "<unk>", *(f"word{n}" for n in range(4, sizes[1]))]
    for name, tokens in (("s.txt", source), ("t.txt", target)):
        (tmp_path / name).write_text("\n".join(tokens) + "\n")
    vocabularies = {"source_vocabulary": tmp_path / "s.txt", "target_vocabulary": tmp_path / "t.txt"}
    around = plan_import(tmp_path / "model.pt", answers={"heads": 2}, **vocabularies)  # type: ignore[arg-type]
    with pytest.raises(CheckpointError, match="source") as refused:
        _ = around.checkpoint
    assert "source_before" in str(refused.value)
    made = around.answer(source_before="", source_after="").checkpoint.source_tokenizer
    assert made.encode("un deux trois mot4") == [1, 2, 3, 4]
    assert made.labels([1, 2, 3]) == ["un", "deux", "trois"]
    assert made.unk_id is None
    with pytest.raises(InputError, match="quatre"):
        made.encode("un quatre")


# -- pipelines of the tokenizers library --------------------------------------------------------------------------

V = {"<pad>": 0, "<s>": 1, "</s>": 2, "a": 3, "b": 4, "ab": 5}
PIPELINES = {
    "bpe": models.BPE(V, [("a", "b")]),
    "words": models.WordLevel(V, unk_token=""),
    "wordpiece": models.WordPiece({**V, "##a": 6, "##b": 7}, unk_token="[UNK]"),
    "unigram": models.Unigram([(token, -float(place)) for token, place in V.items()]),
}


def saved(path: Path, model: Any, pre: Any = None) -> Path:
    backend = tokenizers.Tokenizer(model)
    backend.pre_tokenizer = pre or pre_tokenizers.Whitespace()
    backend.save(str(path))
    return path


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_without_an_unknown_token_drops_nothing(tmp_path: Path, name: str) -> None:
    tokenizer = Tokenizer.load(saved(tmp_path / "tokenizer.json", PIPELINES[name]))
    assert tokenizer.unk_id is None
    assert tokenizer.encode("ab a", eos=False) == [5, 3]
    assert tokenizer.unknown("ab a") == []
    for text in ("ab xa y", "y xa"):
        named = tokenizer.unknown(text)
        assert named and all(any(char in part for char in "xy") for part in named)
        assert any("x" in part for part in named) and any("y" in part for part in named)
        for read in (tokenizer.encode, tokenizer.read, lambda text: tokenizer.encode_batch(["a", text])):
            with pytest.raises(InputError) as refused:
                read(text)
            assert "x" in str(refused.value) and "y" in str(refused.value)


@pytest.mark.parametrize("pre", [pre_tokenizers.Metaspace(), pre_tokenizers.Whitespace()])
def test_letters_that_a_bpe_lacks_are_named_as_typed(tmp_path: Path, pre: Any) -> None:
    vocabulary = {**V, "▁": 6, "▁a": 7}
    model = models.BPE(vocabulary, [("a", "b"), ("▁", "a")])
    tokenizer = Tokenizer.load(saved(tmp_path / "tokenizer.json", model, pre))
    assert tokenizer.unknown("a xb ay") == ["x", "y"]


@pytest.mark.parametrize("name", ["words", "wordpiece", "unigram"])
def test_an_unknown_token_that_is_told_is_used(tmp_path: Path, name: str) -> None:
    tokenizer = Tokenizer.load(saved(tmp_path / "tokenizer.json", PIPELINES[name]), {"unk": 0})
    assert 0 in tokenizer.encode("ab x", eos=False)
    assert tokenizer.unknown("ab x") == ["x"]


def test_the_unknown_token_that_a_pipeline_itself_names_is_found(tmp_path: Path) -> None:
    for model in (
        models.WordLevel({**V, "⁇": 6}, unk_token="⁇"),
        models.Unigram([*((token, -float(place)) for token, place in V.items()), ("⁇", -9.0)], unk_id=6),
    ):
        path = saved(tmp_path / "tokenizer.json", model)
        tokenizer = Tokenizer.load(path)
        assert tokenizer.unk_id == 6
        assert tokenizer.unknown("ab x") == ["x"]


def test_dropout_of_merges_invents_no_token(tmp_path: Path) -> None:
    import random

    tokenizer = Tokenizer.load(saved(tmp_path / "tokenizer.json", PIPELINES["bpe"]))
    encode = tokenizer.bpe_dropout(0.0)
    assert encode("ab b", random.Random(0)) == [5, 4, 2]
    with pytest.raises(InputError, match="x"):
        encode("xab b", random.Random(0))


def test_a_stored_tokenizer_keeps_that_it_has_none(tmp_path: Path) -> None:
    bare = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", *"abc"])
    bare.save(tmp_path / "own.json")
    assert json.loads((tmp_path / "own.json").read_text())["specials"]["unk"] is None
    again = Tokenizer.load(tmp_path / "own.json")
    assert again == bare and again.unk_id is None and again.encode("abc", eos=False) == [3, 4, 5]


def test_a_stored_none_is_kept_where_a_token_has_an_unknowns_name(tmp_path: Path) -> None:
    """`specials` of our own file are what was decided; names are for files that say nothing."""
    backend = tokenizers.Tokenizer(models.WordLevel({**V, "[unk]": 6}, unk_token=""))
    Tokenizer(backend, "words", Specials(0, 1, 2, None), frame=Frame()).save(tmp_path / "own.json")
    assert Tokenizer.load(tmp_path / "own.json").unk_id is None


@pytest.mark.parametrize("name", PIPELINES)
def test_a_text_can_be_made_of_it(tmp_path: Path, name: str) -> None:
    from types import SimpleNamespace

    tokenizer = Tokenizer.load(saved(tmp_path / "tokenizer.json", PIPELINES[name]))
    made = SimpleNamespace(source_tokenizer=tokenizer, config=SimpleNamespace(max_length=100))
    text = sample_text(made)  # type: ignore[arg-type]
    assert tokenizer.encode(text, eos=False) and not tokenizer.unknown(text)


def test_errors_are_ours(tmp_path: Path) -> None:
    tokenizer = Tokenizer.load(saved(tmp_path / "tokenizer.json", PIPELINES["words"]))
    with pytest.raises(AtlasError):
        tokenizer.counted(["ab", "x"])


def test_a_source_vocabulary_without_padding_is_asked_for_it(tmp_path: Path) -> None:
    """Its entry with the id of the target's padding is a word, which no attention may pass over."""
    torch.save(good(), tmp_path / "model.pt")
    (tmp_path / "s.txt").write_text("\n".join(["un", "<s>", "</s>", *(f"mot{n}" for n in range(9))]) + "\n")
    target = ["<pad>", "<s>", "</s>", *(f"word{n}" for n in range(8))]
    (tmp_path / "t.txt").write_text("\n".join(target) + "\n")
    plan = plan_import(
        tmp_path / "model.pt",
        answers={"heads": 2},
        source_vocabulary=tmp_path / "s.txt",
        target_vocabulary=tmp_path / "t.txt",
    )
    with pytest.raises(CheckpointError, match="source_pad_id"):
        _ = plan.checkpoint
    made = plan.answer(source_pad_id=11).checkpoint
    assert made.source_tokenizer.encode("un mot0", eos=False) == [0, 3]
    assert made.config.source_padding == 11
