"""What an imported BART or mBART writes is what `generate` writes, forced first tokens and languages included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core import api
from core.api import Checkpoint
from core.cli.main import main
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession
from core.errors import CheckpointError
from core.importing.plan import plan_import
from core.importing.sentencepiece import LANGUAGES, read_sentencepiece
from tests.core.importing.test_vocabularies import CORPUS, train
from tests.parity import families
from tests.parity.comparing import padded_batch
from tests.parity.test_hugging_face import build

transformers = pytest.importorskip("transformers")
STEPS = 24


def folder_of(folder: Path, family: str, **generation: Any) -> Any:
    """A random model saved as its library saves it, with these settings of generation."""
    model = build(family)
    for name, value in {"forced_eos_token_id": None, **generation}.items():
        setattr(model.generation_config, name, value)
    model.save_pretrained(folder)
    return model


def generated(model: Any, row: list[int], **options: Any) -> list[int]:
    """What `generate` writes for one source. Padding is never written here either."""
    return families.generated(model, row, [model.config.pad_token_id], max_new_tokens=STEPS, **options)


def sources(ck: Checkpoint) -> list[list[int]]:
    rows = padded_batch(ck.config.source_vocab_size, ck.config.pad_id, (40, 44, 23), 7).tolist()
    return [row[:length] for row, length in zip(rows, (40, 44, 23), strict=True)]


@pytest.mark.parametrize("family", ["bart", "mbart"])
@pytest.mark.parametrize("beams", [1, 4])
def test_a_forced_first_token_is_written_as_generate_writes_it(
    tmp_path: Path, family: str, beams: int
) -> None:
    theirs = folder_of(tmp_path, family, forced_bos_token_id=33, decoder_start_token_id=2)
    ours = plan_import(tmp_path, tokenizer="numbers").checkpoint
    assert (ours.config.bos_id, ours.config.forced_bos_id) == (2, 33)
    rows = sources(ours)
    wanted = [generated(theirs, row, num_beams=beams) for row in rows]
    assert all(ids[0] == 33 for ids in wanted)
    assert len({tuple(ids) for ids in wanted}) > 1
    assert translate_batch(ours.model, rows, beams, STEPS) == wanted
    text = " ".join(map(str, rows[0][:-1]))
    stepped = DecodeSession(ours, text, "greedy" if beams == 1 else "beam", beam_size=beams, max_steps=STEPS)
    stepped.run()
    assert stepped.ids == generated(theirs, stepped.source_ids, num_beams=beams)
    free = folder_of(tmp_path / "free", family, decoder_start_token_id=2)
    assert generated(free, rows[0])[0] != 33  # so that forcing is what made it begin so


@pytest.mark.parametrize(
    ("config", "generation", "forced"),
    [(9, None, 9), (9, {"forced_bos_token_id": 7}, 7), (9, {}, None), (None, {"forced_bos_token_id": 7}, 7)],
)
def test_generation_config_comes_before_config(
    tmp_path: Path, config: int | None, generation: dict[str, Any] | None, forced: int | None
) -> None:
    """As the library reads them: config.json counts only where there is no generation_config.json."""
    folder_of(tmp_path, "bart")
    content = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(content | {"forced_bos_token_id": config}))
    (tmp_path / "generation_config.json").unlink()
    if generation is not None:
        (tmp_path / "generation_config.json").write_text(json.dumps(generation))
    plan = plan_import(tmp_path, tokenizer="numbers")
    assert plan.ready, (plan.problems, plan.open_questions)
    assert plan.config is not None
    assert plan.config.forced_bos_id == forced
    theirs = transformers.BartForConditionalGeneration.from_pretrained(tmp_path)
    assert theirs.generation_config.forced_bos_token_id == forced
    assert plan.answer(target_language="none").config == plan.answer(forced_bos_id="none").config
    chosen = plan.answer(forced_bos_id="12").config
    assert chosen is not None
    assert chosen.forced_bos_id == 12


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": 1}, "gives forced_bos_token_id as a dict; it must be a number"),
        ("<s>", "forced_bos_id is '<s>'; it must be a whole number"),
        (96, "forced_bos_id is 96; it must be a token of the target vocabulary"),
        (2, "forced_bos_id is 2, the end token, which would make every output empty"),
        (1, "forced_bos_id is 1, the padding token"),
    ],
)
def test_a_forced_token_that_cannot_be_one_is_refused(tmp_path: Path, value: Any, said: str) -> None:
    folder_of(tmp_path, "bart")
    path = tmp_path / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"forced_bos_token_id": value}))
    with pytest.raises(CheckpointError) as caught:
        plan_import(tmp_path, tokenizer="numbers").require_ready()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_of_generate_that_are_not_taken_over_are_named(tmp_path: Path) -> None:
    folder_of(tmp_path, "bart", num_beams=4, no_repeat_ngram_size=3, forced_eos_token_id=2, min_length=0)
    (note,) = plan_import(tmp_path, tokenizer="numbers").weights.notes
    assert "num_beams = 4, no_repeat_ngram_size = 3, forced_eos_token_id = 2 of generate" in note
    assert "min_length" not in note


def test_bart_starts_with_its_end_token_whatever_the_vocabulary_calls_start(tmp_path: Path) -> None:
    folder_of(tmp_path, "bart")
    (tmp_path / "config.json").unlink()
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *(f"w{n}" for n in range(92))]
    (tmp_path / "words.txt").write_text("\n".join(tokens))
    plan = plan_import(tmp_path, answers={"heads": 4}, tokenizer=tmp_path / "words.txt")
    assert plan.ready, (plan.problems, plan.open_questions)
    assert plan.config is not None
    assert (plan.config.pad_id, plan.config.bos_id, plan.config.eos_id) == (1, 2, 2)


# -- mBART's languages, from the text to the text ------------------------------------------------------------


def mbart(folder: Path, fifty: bool, start: int | None) -> Any:
    """mBART-25 or mBART-50 with its SentencePiece model; `start`: decoder_start_token_id of its files."""
    folder.mkdir()
    train(folder / "sentencepiece.bpe.model", CORPUS, 150)
    codes = 52 if fifty else 25
    size = len(read_sentencepiece(folder / "sentencepiece.bpe.model").pieces) + 1 + codes + 1
    torch.manual_seed(3)
    sizes = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 48}
    heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4, "decoder_ffn_dim": 48}
    config = transformers.MBartConfig(
        vocab_size=size, **sizes, **heads, max_position_embeddings=64, init_std=0.3, scale_embedding=True
    )
    model = transformers.MBartForConditionalGeneration(config).eval()
    model.generation_config.decoder_start_token_id = start
    model.generation_config.forced_eos_token_id = None
    model.save_pretrained(folder)
    return model


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fifty", [False, True], ids=["mbart-25", "mbart-50"])
@pytest.mark.parametrize("stated", [False, True], ids=["start-unknown", "start-stated"])
def test_languages_choose_what_is_read_and_written(tmp_path: Path, fifty: bool, stated: bool) -> None:
    folder, out = tmp_path / "mbart", tmp_path / "out"
    theirs = mbart(folder, fifty, (2 if fifty else 170) if stated else None)
    languages = ["--source-language", "en_XX", "--target-language", "fr_XX"]
    assert main(["import", str(folder), "--out", str(out), *languages, "--sentence", "A man."]) == 0
    ours = api.load(out, device="cpu")
    assert (ours.card["source_language"], ours.card["target_language"]) == ("en", "fr")
    kind = transformers.MBart50Tokenizer if fifty else transformers.MBartTokenizer
    tokenizer = kind.from_pretrained(folder, src_lang="en_XX", tgt_lang="fr_XX")
    french = tokenizer.convert_tokens_to_ids("fr_XX")
    options = {"forced_bos_token_id": french, "decoder_start_token_id": 2}
    for text in ("A man rides a bike.", "Where is the station?"):
        row = ours.encode_source(text)
        assert row == tokenizer(text).input_ids
        wanted = generated(theirs, row, **(options if fifty else {"decoder_start_token_id": french}))
        session = DecodeSession(ours, text, max_steps=STEPS)
        session.run()
        # Our start token cannot be written again; for mBART-25 that is the language's code.
        assert session.ids == wanted
        assert session.tokens[0] == "⟨fr_XX⟩" or not fifty
        assert "fr_XX" not in session.text
        assert session.text == tokenizer.decode(wanted, skip_special_tokens=True)
    if fifty:  # the language can be changed at the first step
        session.reset()
        session.force("⟨de_DE⟩")
        session.run()
        options["forced_bos_token_id"] = tokenizer.convert_tokens_to_ids("de_DE")
        assert session.ids == generated(theirs, session.source_ids, **options)


def test_the_target_language_is_asked_for_and_offered(tmp_path: Path) -> None:
    mbart(tmp_path / "m", True, 2)
    plan = plan_import(tmp_path / "m")
    (question,) = plan.open_questions
    assert (question.name, question.flag) == ("target_language", "--target-language")
    assert question.choices == tuple(LANGUAGES.split())
    read = {each.name: (each.value, each.how) for each in plan.findings}
    assert read["source_before"] == ("en_XX", "assumed")  # the language its own tokenizer reads unless told
    told = plan.answer(target_language="de_DE", source_language="en_XX")
    assert told.ready
    assert not told.questions
    assert told.config is not None
    assert told.config.forced_bos_id == told.vocabularies[1].tokens["de_DE"]  # type: ignore[index]
    none = plan.answer(target_language="none").config
    assert none is not None
    assert none.forced_bos_id is None
    written_only = plan.answer(target_language="de_DE").checkpoint.card
    assert (written_only["target_language"], written_only["source_language"]) == ("de", "en")
    with pytest.raises(
        CheckpointError,
        match="'xx_XX', given as target_language, is not a language .* ar_AR, cs_CZ, .* 44 more",
    ):
        plan.answer(target_language="xx_XX")
    mbart(tmp_path / "m25", False, None)
    (question,) = plan_import(tmp_path / "m25").open_questions
    assert (question.name, len(question.choices)) == ("target_language", 25)


def test_a_language_needs_a_vocabulary_that_has_some(tmp_path: Path) -> None:
    folder_of(tmp_path, "bart")
    with pytest.raises(CheckpointError, match="no vocabulary to find its code in; give --tokenizer"):
        plan_import(tmp_path, answers={"target_language": "fr_XX"})
    with pytest.raises(CheckpointError, match="no language codes such as fr_XX"):
        plan_import(tmp_path, answers={"source_language": "fr"}, tokenizer="numbers")
