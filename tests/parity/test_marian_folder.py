"""A whole OPUS-MT folder, from its SentencePiece files to the written translation, against `transformers`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from core import api
from core.cli.main import main
from core.importing.sentencepiece import read_sentencepiece
from tests.core.importing.test_vocabularies import CORPUS, train
from tests.parity.families import FAMILIES

transformers = pytest.importorskip("transformers")


def folder_of(folder: Path) -> None:
    """source.spm, target.spm, vocab.json, config.json and a PyTorch file, as published models have them."""
    train(folder / "source.spm", CORPUS, 120)
    train(folder / "target.spm", [text.upper() for text in CORPUS], 110)
    pieces = {
        p for side in ("source", "target") for p in read_sentencepiece(folder / f"{side}.spm").pieces[3:]
    }
    tokens = ["</s>", "<unk>", *sorted(pieces), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({token: place for place, token in enumerate(tokens)}))
    pad = len(tokens) - 1
    torch.manual_seed(5)
    ids = {
        **dict.fromkeys(("pad_token_id", "decoder_start_token_id"), pad),
        "eos_token_id": 0,
        "bos_token_id": 0,
    }
    sizes = {"vocab_size": len(tokens), "decoder_layers": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}
    settings = {**FAMILIES["marian"].settings, **sizes, **ids, "init_std": 0.2, "bad_words_ids": [[pad]]}
    config = transformers.MarianConfig(**settings)
    model = transformers.MarianMTModel(config)
    with torch.no_grad():
        model.final_logits_bias.normal_()
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)


def test_a_published_folder_translates_as_its_own_library_does(tmp_path: Path) -> None:
    folder, out = tmp_path / "opus", tmp_path / "out"
    folder.mkdir()
    folder_of(folder)
    assert (
        main(
            ["import", str(folder), "--out", str(out), "--name", "tiny", "--sentence", "A man rides a bike."]
        )
        == 0
    )
    ours = api.load(out, device="cpu")
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    theirs = transformers.MarianMTModel.from_pretrained(folder).eval()
    for text in ("A man rides a bike.", "Where is the station? It is 3 o'clock."):
        inputs = tokenizer(text, return_tensors="pt")
        assert ours.encode_source(text) == inputs.input_ids[0].tolist()
        with torch.inference_mode():
            written = theirs.generate(
                **inputs,
                max_new_tokens=12,
                num_beams=1,
                do_sample=False,
                bad_words_ids=[[ours.config.pad_id]],
            )
            logits = theirs(**inputs, decoder_input_ids=written[:, :-1]).logits
            mine = ours.model(inputs.input_ids, written[:, :-1])
        assert (mine - logits).abs().max() < 1e-4
        chosen = logits[0].index_fill(-1, torch.tensor([ours.config.pad_id]), float("-inf")).argmax(-1)
        assert chosen[:11].tolist() == written[0, 1:12].tolist()
    report = json.loads((out / "import-report.json").read_text())
    assert report["vocabularies"] == ["source.spm + vocab.json", "target.spm + vocab.json"]
    assert report["layout"] == "marian"
