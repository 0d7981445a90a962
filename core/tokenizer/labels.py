"""The surfaces of a whole vocabulary: labels, merged words, and the way back from a label to its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from core.tokenizer.piece import (
    END_LABEL,
    JOIN_MARK,
    PADDING_LABEL,
    SPACE_MARK,
    START_LABEL,
    UNKNOWN_LABEL,
    Family,
    Piece,
    begins_word,
    piece_label,
    read_piece,
    readable,
)

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
