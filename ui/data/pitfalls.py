"""A pitfall on the sentence in hand: the checkpoint's own where it can show it, a tutorial's model where it cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from core.errors import AtlasError, InputError
from core.learning.study import Map, Sentence
from ui.data import resources
from ui.data.decode import Decode
from ui.data.entry import Entry
from ui.data.pairs import Pair, Side
from ui.session.selection import Selection

if TYPE_CHECKING:
    from core.learning.study import Pitfall, Study

STAND_IN: Final = "paper"
"""The tutorial model that can show every pitfall: the paper's own choices."""
NAMES: Final = ("the correct model", "the code as written")
_OPEN_FUTURE: Final = ("no-causal-mask", "mask-leaks")


@dataclass(frozen=True)
class Shown:
    """A pitfall, what it comes to, and on what. `unfit`: why another model than the one in use stands in."""

    pitfall: Pitfall
    study: Study
    entry: Entry
    decode: Decode
    unfit: str = ""


def shown(entry: Entry, decode: Decode, name: str, device: str | None = None) -> Shown:
    """The pitfall `name` on this decode. Raises `AtlasError` where nothing can show it."""
    from core.learning.pitfalls import pitfall

    found = pitfall(name)
    unfit = found.unfit(entry.config)
    if unfit:
        entry = stand_in(found.unfit, unfit)
        decode = resources.decode(entry, Selection(checkpoint=entry.name), device)
    return Shown(found, _study(found, entry, decode, device), entry, decode, unfit)


def stand_in(unfit: Callable[..., str], why: str) -> Entry:
    """A listed model that can show what the one in use cannot. Raises `InputError` that says why that one cannot."""
    listed = [each for each in resources.entries() if not each.problem]
    listed.sort(key=lambda each: each.name != STAND_IN)
    for each in listed:
        if not unfit(each.config):
            return each
    raise InputError(f"{why} No other checkpoint here can show it either.")


def _study(pitfall: Pitfall, entry: Entry, decode: Decode, device: str | None) -> Study:
    def make() -> Study:
        loaded = resources.model(entry, device)
        sentence = Sentence.of(decode.trace, loaded.target_tokenizer.labels)
        return pitfall.study(loaded.model, sentence)

    name = ("pitfall", pitfall.id, decode.trace.source_ids, decode.trace.target_ids, device)
    return resources.experiment(entry, name, make)


def pair(found: Shown, names: tuple[str, str] = NAMES) -> Pair:
    """Both maps of a pitfall under these names, and what they are of."""
    study = found.study
    kind = study.right.kind
    right, wrong = (
        _side(each, name, found.pitfall.id)
        for each, name in zip((study.right, study.wrong), names, strict=True)
    )
    return Pair(
        kind, right, wrong, _upper(study.right.where), kind != "encoder", f"“{found.decode.source_text}”"
    )


def _side(drawn: Map, name: str, pitfall: str) -> Side:
    sums = drawn.values.sum(-1)[~np.isnan(drawn.values).any(-1)]
    rows_sum = bool(np.allclose(sums[sums > 0], 1, atol=1e-3))
    return Side(
        drawn.values,
        drawn.rows,
        drawn.columns,
        name,
        distribution=rows_sum,
        open_future=pitfall in _OPEN_FUTURE,
    )


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


# -- spot it yourself ---------------------------------------------------------------------------------------


def other_sentence(entry: Entry, decode: Decode, device: str | None = None) -> Decode:
    """A decode of another sentence, so that the answer does not stand above: the card's next example, or the words shifted."""
    for text in (*entry.examples, _turned(decode.source_text)):
        if text.strip() and text != decode.source_text:
            try:
                return resources.decode(entry, Selection(checkpoint=entry.name, text=text), device)
            except AtlasError:
                continue
    return decode


def _turned(text: str) -> str:
    """The same words, or letters where there is one word, the first of them last."""
    words = text.split(" ")
    return " ".join([*words[1:], words[0]]) if len(words) > 1 else text[1:] + text[:1]


def wrong_side(found: Shown) -> int:
    """Which of the two unlabelled maps is the faulty one, 1 or 2: settled by pitfall and sentence, so that a link asks the same."""
    text = f"{found.pitfall.id}\n{found.decode.source_text}"
    return 1 + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] % 2


def riddle(found: Shown) -> Pair:
    """The same two maps without their names, in the order of `wrong_side`."""
    named = pair(found)
    one, two = named.first, named.second
    if wrong_side(found) == 1:
        one, two = two, one
    return replace(
        named, first=replace(one, name="the first map"), second=replace(two, name="the second map")
    )
