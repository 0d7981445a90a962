"""Good files with bytes changed at random: imported, or refused with a sentence; never anything else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from core.errors import AtlasError
from core.importing.plan import plan_import
from core.importing.sentencepiece import pipeline, read_sentencepiece
from tests.core.importing.test_vocabularies import CORPUS, train
from tests.core.importing.untrusted_files import good

ROUNDS = 60
TOLD = {"heads": 2, "pad": 0, "bos": 1, "eos": 2}


def _whole(path: Path) -> object:
    plan = plan_import(path, answers=TOLD, tokenizer="numbers")
    return plan.checkpoint


def _archive(path: Path) -> None:
    torch.save(good(), path)


def _legacy(path: Path) -> None:
    torch.save(good(), path, _use_new_zipfile_serialization=False)


def _safe(path: Path) -> None:
    save_file(good(), path)


def _pieces(path: Path) -> None:
    train(path, CORPUS, 100)


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], object], int]] = {
    "model.pt": (_archive, _whole, 6000),
    "legacy.pt": (_legacy, _whole, 6000),
    "model.safetensors": (_safe, _whole, 4000),
    "pieces.spm": (_pieces, lambda path: pipeline(read_sentencepiece(path), path.name), 10**9),
}


@pytest.mark.parametrize("name", KINDS)
def test_damage_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    make, read, reach = KINDS[name]
    path = tmp_path / name
    make(path)
    whole = path.read_bytes()
    chance = random.Random(name)
    for _ in range(ROUNDS):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 30))):
            end = chance.choice((0, 1))  # an archive keeps its directory at its end
            place = chance.randrange(min(reach, len(data)))
            data[len(data) - 1 - place if end else place] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        path.write_bytes(bytes(data))
        try:
            read(path)
        except AtlasError as error:
            assert "\n" not in str(error)  # noqa: PT017 - most rounds raise, some changes do no harm
