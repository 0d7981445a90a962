"""What the pages draw of a decode is what the core decided."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
import torch

from core.api import Checkpoint
from core.decoding.inputs import read_source
from core.decoding.session import DecodeSession
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from tests.browser_code import code_of
from ui.session.selection import Selection
from ui.shared import make_decode, maps
from ui.shared.decode import Cut, StepData, most_confident_head

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def padding_starts(**options: Any) -> Checkpoint:
    """A random model whose start token is its padding, as Marian's and T5's are, and which finds padding likely."""
    tokenizer = Tokenizer.from_vocabulary(
        ["<pad>", "</s>", "<unk>", *"abcdefghij ."], specials={"pad": 0, "bos": 0, "eos": 1, "unk": 2}
    )
    size = tokenizer.vocab_size
    config = ModelConfig(
        source_vocab_size=size,
        target_vocab_size=size,
        **{"d_model": 32, "heads": 4, "encoder_layers": 1, "decoder_layers": 1, "d_ff": 32, "max_length": 32},
        **{"bos_id": 0, "eos_id": 1, "unk_id": 2, "output_bias": True, "tie_output": False, **options},
    )
    torch.manual_seed(3)
    model = Transformer(config).eval().requires_grad_(False)
    assert model.output_bias is not None
    model.output_bias[0] = 6.0
    return Checkpoint(model, tokenizer, tokenizer, {})


def above_the_line(step: StepData) -> list[int]:
    """The words that next_word.ts draws above the line: those not barred, up to the count."""
    assert step.cut is not None
    return [token for token in step.ids if token not in step.barred][: step.cut.count]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"top_k": 3}, "top 3"),
        ({"top_p": 0.5}, "nucleus p = 0.50"),
        ({"top_k": 6, "top_p": 0.5}, "p = 0.50 of the top 6"),
    ],
)
def test_the_cut_drawn_is_the_cut_used(options: dict[str, Any], name: str) -> None:
    ck = padding_starts()
    chosen = Selection(strategy="sample", temperature=1.5, seed=4, **options)
    shown = make_decode.run(ck, read_source(ck, "abc def."), chosen, ())
    session = DecodeSession.replay(
        ck, "abc def.", shown.trace.written_ids, strategy="sample", temperature=1.5, seed=4, **options
    )
    assert len(shown.steps) > 3
    assert any(
        0 in step.ids[:3] for step in shown.steps
    )  # padding is among the best, so that the ban matters
    for place, step in enumerate(shown.steps):
        used = session.cut_off(place)
        assert step.cut == Cut(len(used), name)
        assert above_the_line(step) == list(used.ids)
        assert step.chosen in used


@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam", "given"])
def test_a_word_that_is_always_first_is_named_and_others_can_be_forced(strategy: Any) -> None:
    ck = padding_starts(forced_bos_id=9)
    shown = make_decode.run(ck, read_source(ck, "abc."), Selection(strategy=strategy, top_k=5, beam=2), ())
    first, second = shown.steps[:2]
    assert (first.chosen, first.fixed, first.cut) == (9, 9, None)
    assert first.barred == second.barred == (0,), "padding alone can never be written"
    assert (second.cut is None) == (strategy != "sample")
    assert second.fixed is None
    assert make_decode.run(ck, read_source(ck, "abc."), Selection(force=((0, 5),)), ()).steps[0].chosen == 5


@pytest.mark.browser
def test_the_browser_draws_the_line_after_the_last_word_that_may_be_drawn(chromium: Browser) -> None:
    """The bars above the line, without those that are never written, are the words of the cut."""
    ck = padding_starts()
    options: dict[str, Any] = {"strategy": "sample", "temperature": 1.5, "top_k": 4, "seed": 4}
    shown = make_decode.run(ck, read_source(ck, "abc def."), Selection(**options), ())
    session = DecodeSession.replay(ck, "abc def.", shown.trace.written_ids, **options)
    code, module = code_of("../translate/next_word.ts")
    script = f"""(step) => {{
    {code}
    const taken = [];
    const place = document.createElement('div');
    new {module}.NextWord(place, {{ colours: {{ cross: 'red' }} }}, (word) => taken.push(word.id)).update(step, 'cross', true);
    place.querySelectorAll('.bar').forEach((bar) => bar.click());
    const rows = [...place.querySelector('.bars').children];
    const line = rows.findIndex((row) => row.classList.contains('cut'));
    const words = (row) => [row.querySelector('.bar-word').textContent, row.querySelector('.bar-tag').textContent];
    return {{ above: rows.slice(0, line).map(words), taken }}; }}"""
    page = chromium.new_page()
    barred = 0
    for place, step in enumerate(shown.steps):
        found = page.evaluate(script, asdict(step.rounded()))
        kept = session.cut_off(place).ids
        written = [word for word, tag in found["above"] if tag != "never written"]
        assert written == [ck.target_tokenizer.label(token).replace(" ", "␣") for token in kept]
        barred += len(found["above"]) - len(written)
        assert 0 not in found["taken"] and step.chosen not in found["taken"]
        assert len(found["taken"]) >= 10
    page.close()
    assert barred, "padding stands above the line"


@pytest.mark.parametrize("text", ["abc def.", "j."])
@pytest.mark.parametrize("words", [False, True])
def test_the_head_that_the_card_names_opens_for_every_sentence(text: str, words: bool) -> None:
    """Whatever this sentence's most confident head is, with words merged and special tokens hidden too."""
    ck = padding_starts()
    entry = {"layer": 0, "share": 0.5, "words": 9, "sentences": 3}
    named = {"cross": {**entry, "head": 2, "reading": "writing"}, "decoder-self": {**entry, "head": 1}}
    ck.card["default_heads"] = {**named, "encoder-self": {**entry, "head": 3}}
    shown = make_decode.run(ck, read_source(ck, text), Selection(), ())
    assert shown.first_head == (0, 2)
    tokenizers = (ck.source_tokenizer, ck.target_tokenizer)
    for kind, head in (("encoder", 3), ("causal", 1), ("cross", 2)):
        drawn = maps.maps_of(shown, kind, tokenizers, words=words, hide=words)  # type: ignore[arg-type]
        assert maps.chosen(Selection(), drawn) == (0, head)
        assert maps.chosen(Selection(layer=0, head=0), drawn) == (0, 0)


def test_without_a_card_the_most_confident_head_opens() -> None:
    ck = padding_starts()
    shown = make_decode.run(ck, read_source(ck, "abc def."), Selection(), ())
    weights = shown.trace.stacked("decoder", "cross", "weights")
    assert shown.first_head == most_confident_head(weights, shown.trace.tokens.source)


@pytest.mark.parametrize("strategy", ["greedy", "sample", "given"])
def test_each_token_is_scored_as_the_model_gave_it_whatever_the_temperature(strategy: Any) -> None:
    ck = padding_starts()
    chosen = Selection(strategy=strategy, temperature=3.0, target="fed.")
    shown = make_decode.run(ck, read_source(ck, "abc def."), chosen, ())
    ids = shown.trace.written_ids
    session = DecodeSession.stepped(
        ck, "abc def.", ids, max_steps=len(ids), record=(str(make_decode.LOGITS),)
    )
    rows = session.trace.array(make_decode.LOGITS)
    wanted = torch.log_softmax(torch.tensor(rows, dtype=torch.float64), -1)[range(len(ids)), ids]
    assert [word.id for word in shown.scored] == list(ids)
    assert [word.log_probability for word in shown.scored] == pytest.approx(wanted.tolist(), abs=1e-5)
    assert shown.log_probability == pytest.approx(float(wanted.sum()), abs=1e-4)
    assert all(word.other != 0 for word in shown.scored), "padding is never written, so it is no alternative"


def test_a_text_is_told_by_what_each_token_adds_to_it() -> None:
    texts = {1: "Un", 2: "Un h", 3: "Un homme", 4: "Un hommé"}
    assert make_decode.grown(lambda ids: texts[len(ids)], (7, 7, 7, 7)) == (
        (0, "Un"),
        (2, " h"),
        (4, "omme"),
        (7, "é"),
    )
    ck = padding_starts()
    shown = make_decode.run(ck, read_source(ck, "abc def."), Selection(), ())
    text = ""
    for stay, added in shown.grown:
        text = text[:stay] + added
    assert text == shown.text and len(shown.grown) == len(shown.trace.written_ids)
