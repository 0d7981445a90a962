"""What a token looks like to a reader: its bytes, whether a space goes before it, and a label for the screen.

Every kind of vocabulary is read into the same `Piece`, so labels, word boundaries and merged words are worked
out in one place, whatever the tokenizer's own spelling is (`▁man`, `Ġman`, `##ing`, `man</w>`, `<0xC3>`).

The surfaces of a whole vocabulary: labels, merged words, and the way back from a label to its id.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Literal, NamedTuple

Family = Literal["metaspace", "byte-level", "wordpiece", "suffix", "words", "chars", "plain"]

START_LABEL = "⟨start⟩"
END_LABEL = "⟨end⟩"
PADDING_LABEL = "⟨pad⟩"
UNKNOWN_LABEL = "⟨unk⟩"
SPECIAL = r"^⟨(?!unk⟩$).*⟩$"
"""What the labels of special tokens look like, and no text's; a pattern that Python and the browser read alike."""
_BRACKETED = re.compile("^⟨.*⟩$")

JOIN_MARK = "·"  # the side of a label that touches its neighbour inside one word
SPACE_MARK = "␣"
_NAMED = {" ": SPACE_MARK, "\t": "⇥", "\n": "↵", "\r": "‹U+000D›"}
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>\Z")


class Piece(NamedTuple):
    """One token's surface: UTF-8 bytes without the space marker, and how it touches its neighbours."""

    data: bytes
    spaced: bool = False  # a space (or the start of the text) goes before it
    closes: bool = False  # a space (or the end of the text) goes after it

    @property
    def text(self) -> str:
        """The bytes as text; a byte that is only part of a character becomes a lone surrogate U+DC80-DCFF."""
        return self.data.decode("utf-8", "surrogateescape")

    @property
    def blank(self) -> bool:
        return not self.data.strip()


def _byte_alphabet() -> dict[str, int]:
    """Character → byte of byte-level BPE (GPT-2): printable Latin-1 stands for itself, the rest from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in printable}
    hidden = (byte for byte in range(256) if byte not in set(printable))
    table.update({chr(0x100 + place): byte for place, byte in enumerate(hidden)})
    return table


BYTE_ALPHABET = _byte_alphabet()


def read_piece(token: str, family: Family, mark: str) -> Piece:
    """The surface of a vocabulary entry. `mark` is the family's own sign: `▁`, `##` or `</w>`."""
    if family == "byte-level":
        data = b"".join(
            bytes([BYTE_ALPHABET[c]]) if c in BYTE_ALPHABET else c.encode("utf-8", "replace") for c in token
        )
        return Piece(data[1:], spaced=True) if data[:1] == b" " else Piece(data)
    data = token.encode("utf-8", "replace")
    if family == "metaspace":
        if raw := _BYTE_TOKEN.match(token):
            return Piece(bytes([int(raw[1], 16)]))
        spaced = token.startswith(mark)
        return Piece(token.removeprefix(mark).replace(mark, " ").encode("utf-8", "replace"), spaced=spaced)
    if family == "wordpiece":
        if mark and token.startswith(mark) and token != mark:
            return Piece(token.removeprefix(mark).encode("utf-8", "replace"))
        return Piece(data, spaced=True)
    if family == "suffix":
        if token.endswith(mark):
            return Piece(token.removesuffix(mark).encode("utf-8", "replace"), closes=True)
        return Piece(data)
    return Piece(data, spaced=family == "words")


def is_special(label: str) -> bool:
    """Whether a label is that of a special token: start, end, padding, a language code and their like.

    The unknown token is none: it stands for text.
    """
    return re.match(SPECIAL, label) is not None


def is_partial(char: str) -> bool:
    """True for a byte that is only part of a character (as `Piece.text` carries it)."""
    return "\udc80" <= char <= "\udcff"


def is_letter(char: str) -> bool:
    """True for letters, digits and the marks on them, in any script."""
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _joins(char: str) -> bool:
    """True if two such characters side by side are one word; scripts written without spaces are left apart."""
    return is_partial(char) or (is_letter(char) and not "\u3040" <= char <= "\u9fff")


def begins_word(before: Piece | None, piece: Piece) -> bool:
    """Whether `piece` starts a new word after `before` (None at the start, or after a special).

    A space belongs to the word after it. Punctuation is a word of its own, but for the apostrophe after a
    letter; letters, digits and bytes of one character that touch are one word.
    """
    if before is None or piece.spaced or before.closes:
        return True
    if before.blank:
        return False
    if piece.blank:
        return True
    last, first = before.text[-1], piece.text[0]
    if piece.text in ("'", "’"):
        return not is_letter(last)  # l' is one word, also where its apostrophe is a token of its own
    return not (is_partial(first) or is_partial(last) or (_joins(last) and _joins(first)))


def _visible(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    kind = unicodedata.category(char)
    # Controls, bidirectional overrides and unassigned characters would vanish or reorder the page.
    return f"‹U+{ord(char):04X}›" if kind[0] == "C" or kind in ("Zl", "Zp", "Zs") else char


def readable(text: str) -> str:
    """Text with everything invisible made visible: ␣, ‹U+202E›, and ‹e2 80› for bytes of half a character.

    The result never looks like a special token's label (see `is_special`).
    """
    out: list[str] = []
    for run in re.findall(r"[\udc80-\udcff]+|[^\udc80-\udcff]+", text):
        if is_partial(run[0]):
            out.append("‹" + " ".join(f"{ord(c) - 0xDC00:02x}" for c in run) + "›")
        else:
            out.append("".join(map(_visible, run)))
    shown = "".join(out)
    if _BRACKETED.match(shown):
        shown = f"‹U+{ord(shown[0]):04X}›{shown[1:]}"
    # A combining mark needs something to sit on.
    return "◌" + shown if shown and unicodedata.category(shown[0])[0] == "M" else shown


def piece_label(piece: Piece, family: Family) -> str:
    """The label of one token, the same wherever it stands, and never empty.

    Unmarked is the usual case: a word's first piece (`man`), or punctuation that touches what is before it
    (`.`). `·ing` is a piece that continues a word; `␣?` is punctuation with a space before it. Vocabularies
    that mark the end of words carry the dot on the right (`hom·`); characters and words need no marks.
    """
    text = readable(piece.text)
    if family in ("chars", "plain", "words"):
        return text or "‹empty›"
    if not piece.data:
        return SPACE_MARK if piece.spaced or piece.closes else "‹empty›"
    if family == "suffix":
        return text if piece.closes else text + JOIN_MARK
    first = piece.text[0]
    wordlike = is_partial(first) or is_letter(first)
    if family == "wordpiece":
        return text if piece.spaced else JOIN_MARK + text
    if piece.spaced:
        return text if wordlike else SPACE_MARK + text
    return JOIN_MARK + text if wordlike else text


_ROLE_LABELS = {"unk": UNKNOWN_LABEL, "pad": PADDING_LABEL, "bos": START_LABEL, "eos": END_LABEL}


class Surfaces:
    """How every id of a vocabulary looks. Worked out once; nothing changes afterwards."""

    def __init__(
        self,
        tokens: Sequence[str | None],
        family: Family,
        mark: str,
        roles: Mapping[str, int | None],
        control: AbstractSet[int],
    ) -> None:
        """`roles`: ids of unk, pad, bos, eos; where two share an id, the later name is shown. `control`: no text."""
        self._family = family
        self._unk = roles["unk"]
        self._pieces: list[Piece | None] = [
            None
            if token is None or place in control or place == self._unk
            else read_piece(token, family, mark)
            for place, token in enumerate(tokens)
        ]
        self._labels = [
            piece_label(piece, family) if piece else f"⟨{readable((token or '').strip('<>[]|')) or place}⟩"
            for place, (token, piece) in enumerate(zip(tokens, self._pieces, strict=True))
        ]
        for role, label in _ROLE_LABELS.items():
            if (place := roles[role]) is not None:
                self._labels[place] = label

    @cached_property
    def by_label(self) -> dict[str, int]:
        """Label → id, the lowest where two tokens look the same."""
        return {label: place for place, label in reversed(list(enumerate(self._labels)))}

    def label(self, place: int) -> str:
        return self._labels[place] if 0 <= place < len(self._labels) else f"⟨{place}⟩"

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Labels of a sequence; byte-level text may begin without a space, and then nothing stands before it."""
        places = list(ids)
        shown = list(map(self.label, places))
        if self._family == "byte-level":
            for at, piece in enumerate(map(self._piece, places)):
                starts = at == 0 or self._piece(places[at - 1]) is None
                if starts and piece and not piece.spaced and len(shown[at]) > 1:
                    shown[at] = shown[at].removeprefix(JOIN_MARK)
        return shown

    def joined(self, ids: Iterable[int]) -> str:
        """One label for neighbouring ids; characters whose bytes are spread over them become whole."""
        shown: list[str] = []
        data = b""
        for place in ids:
            if piece := self._piece(place):
                data += (
                    (b" " if piece.spaced and data else b"") + piece.data + (b" " if piece.closes else b"")
                )
            else:
                shown += [_text_label(data), self.label(place)]
                data = b""
        return "".join([*shown, _text_label(data)]) or SPACE_MARK

    def words(self, ids: Iterable[int]) -> list[int]:
        """Word number of each id, never falling; -1 where there is no text."""
        numbers: list[int] = []
        current, before = -1, None
        for place in ids:
            piece = self._piece(place)
            if piece is None and place != self._unk:
                numbers.append(-1)
            else:
                joins = before.blank if piece is None and before else piece and not begins_word(before, piece)
                current += not joins
                numbers.append(current)
            before = piece
        return numbers

    def _piece(self, place: int) -> Piece | None:
        """The surface of an id; None for specials and for ids without a token."""
        return self._pieces[place] if 0 <= place < len(self._pieces) else None


def _text_label(data: bytes) -> str:
    text = data.decode("utf-8", "surrogateescape")
    return readable(text.strip(" ") or text)
