"""A vocabulary found beside weights, and those that are spelled by SentencePiece: MarianMT's, T5's and mBART's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import tokenizers

from core.errors import CheckpointError
from core.importing.sentencepiece_file import SentencePieces, pipeline, read_sentencepiece
from core.json_file import read_object
from core.tokenizer import Frame, Specials, Tokenizer
from core.tokenizer.files import MAX_BYTES, find_specials, named_specials

# The languages of mBART in the order of their ids (Liu et al. 2020), then those that mBART-50 adds (Tang et al. 2020).
LANGUAGES = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP "
    "nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN "
    "af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE "
    "ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI"
)
MBART_25 = 25

Make = Callable[[Specials, Frame], Tokenizer]


@dataclass(frozen=True)
class Vocabulary:
    """One side's tokens with their ids, and how to make a tokenizer once the specials are known."""

    title: str
    tokens: Mapping[str, int]
    make: Make = field(repr=False)
    unknown: int | None = None  # what the file itself names so, whatever it is called

    @property
    def specials(self) -> dict[str, int | None]:
        """Ids of pad, bos, eos and unk by their common names; None for what it does not have."""
        found = named_specials(self.tokens)
        return found if self.unknown is None else {**found, "unk": self.unknown}

    def token(self, place: int) -> str | None:
        """The token with the id `place`."""
        return next((token for token, number in self.tokens.items() if number == place), None)

    @property
    def size(self) -> int:
        """One more than the highest id."""
        return max(self.tokens.values(), default=-1) + 1

    def id_of(self, role: str, text: str) -> int:
        """The id of a special given as a number or as a token. Raises CheckpointError."""
        if text.isascii() and text.isdecimal() and len(text) < 10:
            return int(text)
        if text in self.tokens:
            return self.tokens[text]
        raise CheckpointError(
            f"{text[:40]!r}, given as {role}, is not in the vocabulary; give a token or its id."
        )


def token_table(path: Path, content: Mapping[str, object]) -> dict[str, int]:
    tokens = {token: place for token, place in content.items() if type(place) is int}
    if not tokens or len(tokens) != len(content):
        raise CheckpointError(
            f"{path.name} is neither a tokenizer nor an object of tokens and ids; give one of the two."
        )
    if not all(0 <= place < 10_000_000 for place in tokens.values()) or len(set(tokens.values())) != len(
        tokens
    ):
        raise CheckpointError(f"{path.name} gives an id twice or below 0; every token needs one of its own.")
    return tokens


def in_order(path: Path, tokens: Mapping[str, int]) -> list[str]:
    places = {place: token for token, place in tokens.items()}
    if set(places) != set(range(len(places))):
        raise CheckpointError(
            f"{path.name} leaves out ids between 0 and {max(places)}; give every id a token."
        )
    return [places[place] for place in range(len(places))]


def sentencepiece_vocabulary(path: Path, layout: str, size: int) -> Vocabulary:
    model = read_sentencepiece(path)
    if path.name == "sentencepiece.bpe.model":
        return _fairseq(path, model, size)
    signs: list[str] = []
    if layout == "t5" and len(model.pieces) < size:
        # T5 counts its sentinels down to the end of its 100 extra ids.
        signs = [f"<extra_id_{99 - n}>" for n in range(min(100, size - len(model.pieces)))]
    names = [*model.pieces, *signs]
    return _spelled(path.name, model, names, {piece: place for place, piece in enumerate(names)}, signs)


def _fairseq(path: Path, model: SentencePieces, size: int) -> Vocabulary:
    """mBART: four specials, the pieces from the fourth on, the codes of its 25 or 50 languages, and a mask."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *model.pieces[3:]]
    codes = LANGUAGES.split()
    codes = codes[:MBART_25] if size - len(pieces) <= MBART_25 + 1 else codes
    signs = [*codes, "<mask>"]
    names = [*pieces, *signs]
    return _spelled(path.name, model, names, {piece: place for place, piece in enumerate(names)}, signs)


def _spelled(
    title: str, model: SentencePieces, names: list[str], tokens: Mapping[str, int], signs: Sequence[str] = ()
) -> Vocabulary:
    """Pieces cut by SentencePiece and numbered by `tokens`; pieces that have no number are unknown.

    `signs` are tokens that no text is spelled with and that are left out of what is written.
    """

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        if specials.unk is None:
            raise CheckpointError(f"{title} needs an unknown token; give its id as --unk.")
        specials = find_specials(tokens, asdict(specials))
        assert specials.unk is not None
        ids = [tokens.get(piece, specials.unk) for piece in model.pieces]
        ids[model.unknown] = specials.unk
        backend = pipeline(model, title)
        codes = [token for token in tokens if token.startswith(">>") and token.endswith("<<")]
        if codes:  # MarianMT's target languages are typed before the text and are tokens of their own
            backend.add_tokens([tokenizers.AddedToken(code, rstrip=True, normalized=False) for code in codes])
            ids += [tokens[code] for code in codes]
        if signs:
            backend.add_special_tokens(list(signs))
            ids += [tokens[sign] for sign in signs]
        framed = Frame(frame.before, frame.after, tuple(ids), tuple(names))
        return Tokenizer(backend, "metaspace", specials, frame=framed)

    return Vocabulary(title, tokens, make)


def marian_vocabularies(files: Mapping[str, Path]) -> tuple[Vocabulary, Vocabulary]:
    """Two SentencePiece models whose pieces are numbered by one vocab.json, or by one a side."""
    sides = []
    for side, table in (("source", "vocab.json"), ("target", "target_vocab.json")):
        path = files.get(table, files["vocab.json"])
        tokens = token_table(path, read_object(path, MAX_BYTES))
        model = read_sentencepiece(files[f"{side}.spm"])
        sides.append(_spelled(f"{side}.spm + {path.name}", model, in_order(path, tokens), tokens))
    return sides[0], sides[1]
