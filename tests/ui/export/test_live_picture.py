"""What the live page draws of a decode by its engine is what the app draws of the same decode by core."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import core
from core.analysis.maps import crossing_pair
from core.analysis.readout import rewriting
from core.checkpoints.bundle import Bundle
from tests.browser_code import answer
from tests.live_page import ran
from ui.export.live.pack import pack, rounded_to_halves
from ui.export.live.page import live_data
from ui.session.selection import Selection
from ui.shared.decode import Decode
from ui.shared.make_decode import run
from ui.web.contract import pack as contract_pack

DATES = Path(__file__).parents[3] / "checkpoints" / "dates"
TEXT = "3rd of May, 1979"
_PICTURES = """
import { readFileSync } from 'node:fs';
import { Engine } from './engine/engine.ts';
import { pictureOf } from '../export/live/picture.ts';
const folder = process.argv[2];
const { text, tasks, head } = JSON.parse(readFileSync(`${folder}/tasks.json`, 'utf8'));
const engine = new Engine(new Uint8Array(readFileSync(`${folder}/model.bin`)));
const pictures = [];
for (const { options, forced } of tasks) {
  const made = await engine.translate(text, options);
  const { weights, ...picture } = pictureOf(engine, made, options, forced, head);
  pictures.push(picture);
}
process.stdout.write(JSON.stringify(pictures));
"""


@pytest.fixture(scope="module")
def halves() -> Bundle:
    return rounded_to_halves(core.load(DATES, "cpu"))


def plain(data: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(contract_pack(data, lambda _: None)["fields"]))


def assert_drawn(picture: dict[str, Any], decode: Decode) -> None:
    tokens = decode.trace.tokens
    assert picture["text"] == decode.text and picture["ended"] == decode.finished
    assert picture["target"] == list(tokens.written) and picture["reads"] == list(tokens.target)
    assert picture["source"] == list(tokens.source) and picture["forced"] == list(decode.forced)
    assert [tuple(each) for each in picture["grown"]] == list(decode.grown)
    assert len(picture["steps"]) == len(decode.steps)
    for ours, theirs in zip(picture["steps"], decode.steps, strict=True):
        wanted = plain(theirs.rounded())
        for name in ("probabilities", "rest", "extra"):
            assert numbers(ours.pop(name)) == pytest.approx(numbers(wanted.pop(name)), abs=1e-5)
        assert ours == wanted


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [value["probability"], value["rank"]]
    return list(value or [])


def test_the_engine_s_decodes_are_drawn_as_core_s(halves: Bundle, tmp_path: Path) -> None:
    """Greedy, sampled within a limit, and with a word that the reader forced below the listed ones."""
    greedy, rare = Selection(), halves.target_tokenizer.id_of("8")
    sampled = {"strategy": "sample", "temperature": 3.0, "topK": 4, "seed": 7}
    prefix = [halves.target_tokenizer.id_of(sign) for sign in "19"] + [rare]
    tasks = [
        {"options": {}, "forced": []},
        {"options": sampled, "forced": []},
        {"options": {"prefix": prefix}, "forced": [2]},
    ]
    (tmp_path / "model.bin").write_bytes(pack(halves))
    (tmp_path / "tasks.json").write_text(json.dumps({"text": TEXT, "tasks": tasks, "head": 6}))
    selections = [
        greedy,
        Selection(strategy="sample", temperature=3.0, top_k=4, top_p=1.0, seed=7),
        Selection(force=((2, rare),)),
    ]
    pictures = ran(_PICTURES, tmp_path)
    reading = halves.source_tokenizer.read(TEXT)
    for picture, selection in zip(pictures, selections, strict=True):
        decode = run(halves, reading, selection, key=())
        assert_drawn(picture, decode)
        pair = crossing_pair(decode.trace.stacked("decoder", "cross", "weights")[1, 2])
        assert picture["pair"] == list(pair or ())
    assert pictures[1]["steps"][0]["cut"] == {"count": 4, "label": "top 4"}


def test_the_first_picture_is_the_first_example_s(halves: Bundle) -> None:
    data = live_data(halves, halves, "dates", [TEXT], 1)
    decode = run(halves, halves.source_tokenizer.read(TEXT), Selection(), key=())
    assert_drawn(plain(data.stored), decode)
    assert data.heads["cross"] == decode.first_head
    assert data.stored.shapes["causal"][2:] == (len(decode.trace.written_ids),) * 2
    assert {*data.languages} >= {"en", "fr"}
    assert data.languages["fr"].spoken["words"]["Translate"] == "Traduire"


def test_two_texts_are_compared_word_by_word_as_in_the_app() -> None:
    rng = random.Random(4)
    words = ["Le", "chat", "dort", "sur", "l’herbe", "l'eau", "rouge", ".", ",", "été", "2", "–"]
    texts = [
        "".join(rng.choice(words) + rng.choice([" ", " ", ""]) for _ in range(rng.randrange(12)))
        for _ in range(200)
    ]
    code = f"""
    import {{ rewriting }} from '../export/live/rewriting.ts';
    const texts = {json.dumps(texts)};
    console.log(JSON.stringify(texts.slice(1).map((text, n) => rewriting(texts[n], text))));
    """
    for n, ours in enumerate(json.loads(answer(code))):
        assert ours == json.loads(json.dumps(asdict(rewriting(texts[n], texts[n + 1]))))
