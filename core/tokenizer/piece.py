"""The surface of a token: its bytes, whether a space goes before it, and a readable label; and of a whole vocabulary.

Every kind of vocabulary is read into the same `Piece`, so labels, word boundaries and merged words are computed
in one place, whatever the tokenizer's own spelling is (`▁man`, `Ġman`, `##ing`, `man</w>`, `<0xC3>`).
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
"""The pattern of the labels of special tokens, which no text's label matches; Python and the browser read it alike."""
_BRACKETED = re.compile("^⟨.*⟩$")

JOIN_MARK = "·"  # the side of a label that touches its neighbour inside one word
SPACE_MARK = "␣"
_NAMED = {" ": SPACE_MARK, "\t": "⇥", "\n": "↵", "\r": "‹U+000D›"}
_JOINERS = "\u200c\u200d"  # zero-width non-joiner and joiner
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
    table.update({chr(0x100 + index): byte for index, byte in enumerate(hidden)})
    return table


BYTE_ALPHABET = _byte_alphabet()


def is_byte_token(token: str) -> bool:
    """Whether a token is one byte that a letter outside the vocabulary is spelled by, such as <0xC3>."""
    return _BYTE_TOKEN.match(token) is not None


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
    """Whether a label is that of a special token: start, end, padding, a language code and the like.

    The unknown token is not special: it represents text.
    """
    return re.match(SPECIAL, label) is not None


def is_partial(char: str) -> bool:
    """Whether a character is a byte that is only part of a character (as in `Piece.text`)."""
    return "\udc80" <= char <= "\udcff"


def is_letter(char: str) -> bool:
    """Whether a character is a letter, a digit or a mark on one, in any script."""
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _joins(char: str) -> bool:
    """Whether two such neighbours belong to one word; characters of scripts written without spaces do not."""
    return is_partial(char) or char in _JOINERS or (is_letter(char) and not "\u3040" <= char <= "\u9fff")


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
        return bool(piece.data) or not piece.closes  # the sign of a space that ends a word is a part of it
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


_JOINED_SCRIPTS = (
    # Arabic to Thaana and Arabic's extensions; India's scripts to Tibetan and Myanmar; Khmer and Mongolian; Arabic's forms
    (0x0600, 0x08FF),
    (0x0900, 0x109F),
    (0x1780, 0x18AF),
    (0xA8E0, 0xA9FF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x11000, 0x11FFF),
)


def _takes_joiners(char: str) -> bool:
    """Whether the zero-width joiner or non-joiner beside this character changes how it is written: letters of some scripts, emoji."""
    if char == "\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff":  # an emoji's style or skin
        return True
    if unicodedata.category(char) == "So":
        return True
    return is_letter(char) and any(first <= ord(char) <= last for first, last in _JOINED_SCRIPTS)


def _visible_run(run: str) -> str:
    """A run of characters with those that cannot be seen made visible; a joiner inside a word or an emoji stays."""
    ends = len(run) - 1
    return "".join(
        char
        if char in _JOINERS and 0 < at < ends and _takes_joiners(run[at - 1]) and _takes_joiners(run[at + 1])
        else _visible(char)
        for at, char in enumerate(run)
    )


def readable(text: str) -> str:
    """Text with invisible characters made visible: ␣, ‹U+202E›, and ‹e2 80› for bytes of half a character.

    U+200C and U+200D stay inside a word or an emoji that is written with them. The result never looks like a special token's label (see `is_special`).
    """
    out: list[str] = []
    for run in re.findall(r"[\udc80-\udcff]+|[^\udc80-\udcff]+", text):
        if is_partial(run[0]):
            out.append("‹" + " ".join(f"{ord(c) - 0xDC00:02x}" for c in run) + "›")
        else:
            out.append(_visible_run(run))
    visible = "".join(out)
    if _BRACKETED.match(visible):
        visible = f"‹U+{ord(visible[0]):04X}›{visible[1:]}"
    # A combining mark needs a base character.
    return "◌" + visible if visible and unicodedata.category(visible[0])[0] == "M" else visible


def piece_label(piece: Piece, family: Family) -> str:
    """The label of one token, the same in every context, and never empty.

    Unmarked is the usual case: a word's first piece (`man`), or punctuation that touches what is before it
    (`.`). `·ing` is a piece that continues a word; `␣?` is punctuation with a space before it. Vocabularies
    that mark the end of words have the dot on the right (`hom·`); characters and words need no marks.
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
    """The pieces and labels of every id of a vocabulary. Nothing changes after construction."""

    def __init__(
        self,
        tokens: Sequence[str | None],
        family: Family,
        mark: str,
        roles: Mapping[str, int | None],
        control: AbstractSet[int],
    ) -> None:
        """`roles`: ids of unk, pad, bos, eos; where two share an id, the later name wins. `control`: ids that are no text."""
        self._family = family
        self._unk = roles["unk"]
        self._pieces: list[Piece | None] = [
            None
            if token is None or token_id in control or token_id == self._unk
            else read_piece(token, family, mark)
            for token_id, token in enumerate(tokens)
        ]
        self._labels = [
            piece_label(piece, family) if piece else f"⟨{readable((token or '').strip('<>[]|')) or token_id}⟩"
            for token_id, (token, piece) in enumerate(zip(tokens, self._pieces, strict=True))
        ]
        for role, label in _ROLE_LABELS.items():
            if (token_id := roles[role]) is not None:
                self._labels[token_id] = label

    @cached_property
    def by_label(self) -> dict[str, int]:
        """Label → id, the lowest where two tokens look the same."""
        return {label: token_id for token_id, label in reversed(list(enumerate(self._labels)))}

    def label(self, token_id: int) -> str:
        return self._labels[token_id] if 0 <= token_id < len(self._labels) else f"⟨{token_id}⟩"

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Labels of a sequence. A byte-level text may begin without a space; its first label then has no joining dot."""
        sequence = list(ids)
        labels = list(map(self.label, sequence))
        if self._family == "byte-level":
            for at, piece in enumerate(map(self._piece, sequence)):
                starts = at == 0 or self._piece(sequence[at - 1]) is None
                if starts and piece and not piece.spaced and len(labels[at]) > 1:
                    labels[at] = labels[at].removeprefix(JOIN_MARK)
        return labels

    def joined(self, ids: Iterable[int]) -> str:
        """One label for neighbouring ids; characters whose bytes are spread over several of them are decoded together."""
        labels: list[str] = []
        data = b""
        for token_id in ids:
            if piece := self._piece(token_id):
                data += (
                    (b" " if piece.spaced and data else b"") + piece.data + (b" " if piece.closes else b"")
                )
            else:
                labels += [_text_label(data), self.label(token_id)]
                data = b""
        return "".join([*labels, _text_label(data)]) or SPACE_MARK

    def words(self, ids: Iterable[int]) -> list[int]:
        """The word number of each id, non-decreasing; -1 where there is no text."""
        numbers: list[int] = []
        current, before = -1, None
        for token_id in ids:
            piece = self._piece(token_id)
            if piece is None and token_id != self._unk:
                numbers.append(-1)
            else:
                joins = before.blank if piece is None and before else piece and not begins_word(before, piece)
                current += not joins
                numbers.append(current)
            before = piece
        return numbers

    def _piece(self, token_id: int) -> Piece | None:
        """The surface of an id; None for specials and for ids without a token."""
        return self._pieces[token_id] if 0 <= token_id < len(self._pieces) else None


def _text_label(data: bytes) -> str:
    text = data.decode("utf-8", "surrogateescape")
    return readable(text.strip(" ") or text)
