"""Whether there is anything to read in a text: one rule, whatever stands around a text."""

from __future__ import annotations

import pytest

from core.decoding.inputs import read
from core.errors import InputError
from core.tokenizer import Frame, Tokenizer, pipeline

LETTERS = Tokenizer.from_vocabulary(
    ["<pad>", "<s>", "</s>", "<unk>", *"ab "], split="regex", pattern="[a-z ]"
)
FRAMES = {
    "end": LETTERS,
    "start and end": LETTERS.framed(Frame(before=(1,), after=(2,))),
    "language, start and end": LETTERS.framed(Frame(before=(3, 1), after=(2,))),
    "nothing": LETTERS.framed(Frame(before=(), after=())),
}


@pytest.mark.parametrize("frame", list(FRAMES))
def test_what_stands_around_a_text_is_nothing_to_read(frame: str) -> None:
    tokenizer = FRAMES[frame]
    with pytest.raises(InputError, match="holds no character that this model reads"):
        read(tokenizer, "!", 9)
    with pytest.raises(InputError, match="is empty"):
        read(tokenizer, " \t", 9)
    one = read(tokenizer, "a", 9)  # one token is something to read, also where nothing stands around it
    assert one.ids == tuple(tokenizer.encode("a"))
    assert len(one.ids) == 1 + len(tokenizer.encode("!"))
    with pytest.raises(InputError, match=r"is 4 tokens long|is 5 tokens|is 6 tokens|is 7 tokens"):
        read(tokenizer, "abab", 3)


def test_what_a_far_too_long_text_lacks_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took five times as long as cutting the text, for a sentence that only tells its length."""
    looked: list[int] = []
    seen = pipeline.as_seen
    monkeypatch.setattr(
        pipeline, "as_seen", lambda text, spans: looked.append(len(text)) or seen(text, spans)
    )
    tokenizer = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", "a"])
    with pytest.raises(InputError, match="is 5,001 tokens long"):
        read(tokenizer, "ab" * 2500, 48)
    assert looked == []
    assert read(tokenizer, "ab" * 3, 48).unknown == ("b",) and looked == [6]
