"""Tokenizer files: our own JSON (specials, counts and the `tokenizers` pipeline) and bare Hugging Face files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast, get_args

from core.errors import CheckpointError
from core.files import read_object, replacing
from core.language import numeral
from core.tokenizer.piece import Family
from core.tokenizer.pipeline import Pipeline
from core.tokenizer.untrusted import added_tokens, pipeline, steps_of

FORMAT = "attention-atlas-tokenizer/1"
MAX_BYTES = 64 * 2**20
LONGEST_TOKEN = 1000  # characters; a translation writes hundreds of tokens and a page shows each
MOST_ADDED = 20_000  # the library looks for each in every text, and takes half a minute to read 200,000
MOST_TOKENS = 2_000_000  # ids index tables with a row for each id, however few tokens are listed

_NAMES = {
    "pad": ("<pad>", "[pad]", "<|pad|>", "<blank>", "PAD", "<|endoftext|>"),
    "bos": (
        "<s>",
        "<bos>",
        "<sos>",
        "[bos]",
        "[sos]",
        "<start>",
        "[start]",
        "<|startoftext|>",
        "SOS",
        "BOS",
        "[cls]",
    ),
    "eos": ("</s>", "<eos>", "[eos]", "<end>", "[end]", "<|endoftext|>", "EOS", "[sep]"),
    "unk": ("<unk>", "[unk]", "<unknown>", "<oov>", "[oov]", "UNK"),
}


@dataclass(frozen=True)
class Specials:
    """Ids of the tokens that are no text. `unk` is None where every text can be spelled, `eos` where no token ends one."""

    pad: int
    bos: int
    eos: int | None
    unk: int | None = None


@dataclass(frozen=True)
class Frame:
    """The tokens that an imported model was trained to read around a text, where they are more than an end token.

    `before` and `after` are ids (a start token, a language code). `ids` and `tokens` serve models whose ids are not the
    indices of the tokenizer's own vocabulary (MarianMT): the id of each index, and the token of each id.
    """

    before: tuple[int, ...] = ()
    after: tuple[int, ...] | None = None  # None: the end token
    ids: tuple[int, ...] | None = None
    tokens: tuple[str, ...] | None = None


def find_specials(vocabulary: Mapping[str, int], given: Mapping[str, int | None] | None = None) -> Specials:
    """Ids by their common names, unless given. Raises CheckpointError naming the special that is missing.

    A given None says that there is no such token. Without a start token, the decoder starts with the padding token, as in Marian and T5.
    """
    given = dict(given or {})
    if unknown := sorted(set(given) - set(_NAMES)):
        raise CheckpointError.tr(
            "{unknown!r} is not a special token; give ids for pad, bos, eos and unk.", unknown=unknown[0]
        )
    ids = named_specials(vocabulary) | given
    if ids["bos"] is None:
        ids["bos"] = ids["pad"]
    if ids["pad"] is None:
        raise CheckpointError.tr(
            "the vocabulary has no {role} token such as {such}; give its id as {role}.",
            role="pad",
            such=", ".join(_NAMES["pad"][:3]),
        )
    if ids["eos"] is None and "eos" not in given:
        raise CheckpointError.tr(
            "the vocabulary has no {role} token such as {such}; give its id as {role}, or null if no token ends a text.",
            role="eos",
            such=", ".join(_NAMES["eos"][:3]),
        )
    size = _last(vocabulary) + 1
    for role, token_id in ids.items():
        if token_id is not None and (type(token_id) is not int or not 0 <= token_id < size):
            raise CheckpointError.tr(
                "the {role} token has id {token_id!r}, but ids go from 0 to {value}.",
                role=role,
                token_id=token_id,
                value=size - 1,
            )
    return Specials(ids["pad"], cast(int, ids["bos"]), ids["eos"], ids["unk"])


def _last(vocabulary: Mapping[str, int]) -> int:
    return max(vocabulary.values(), default=-1)


def _check_tokens(path: Path, layout: Mapping[str, Any]) -> None:
    """Raise CheckpointError for an id beyond every table, before a table of that size is made, and for an overlong token."""
    vocabulary, added = layout["model"].get("vocab"), added_tokens(layout)
    tokens = list(vocabulary) if isinstance(vocabulary, Mapping | list) else []
    tokens += [each.get("content") for each in added]
    texts = (row[0] if isinstance(row, list) and row else row for row in tokens)
    longest = max((len(text) for text in texts if isinstance(text, str)), default=0)
    if longest > LONGEST_TOKEN:
        raise CheckpointError.tr(
            "{file} has a token of {longest} characters; a token has at most {longest_token}.",
            file=path.name,
            longest=numeral(longest, ","),
            longest_token=numeral(LONGEST_TOKEN, ","),
        )
    if len(added) > MOST_ADDED:
        raise CheckpointError.tr(
            "{file} adds {count} tokens to its vocabulary; at most {most_added} are read.",
            file=path.name,
            count=numeral(len(added), ","),
            most_added=numeral(MOST_ADDED, ","),
        )
    ids = list(vocabulary.values()) if isinstance(vocabulary, Mapping) else []
    ids += [each.get("id") for each in added]
    largest = max((number for number in ids if type(number) is int), default=0)
    if largest >= MOST_TOKENS:
        raise CheckpointError.tr(
            "{file} gives a token the id {largest}; a vocabulary has at most {most_tokens} tokens.",
            file=path.name,
            largest=numeral(largest, ","),
            most_tokens=numeral(MOST_TOKENS, ","),
        )


def named_specials(vocabulary: Mapping[str, int]) -> dict[str, int | None]:
    """Ids of pad, bos, eos and unk by their common names; None where no token has such a name."""
    lowered = {token.lower(): token_id for token, token_id in vocabulary.items() if token[:1] in ("<", "[")}
    ids: dict[str, int | None] = {}
    for role, names in _NAMES.items():
        hits = (vocabulary.get(name, lowered.get(name)) for name in names)
        ids[role] = next((hit for hit in hits if hit is not None), None)
    return ids


def declared_unknown(model: Mapping[str, Any]) -> int | None:
    """The id of the unknown token that a pipeline's own model declares; None where it has none."""
    token_id, token, vocabulary = model.get("unk_id"), model.get("unk_token"), model.get("vocab")
    if model.get("type") != "Unigram":
        token_id = (
            vocabulary.get(token) if isinstance(vocabulary, Mapping) and isinstance(token, str) else None
        )
    return token_id if type(token_id) is int else None


def _with_unknown(layout: dict[str, Any], token_id: int) -> dict[str, Any]:
    """The pipeline with `token_id` as its unknown token, unless it declares one; without one the library raises an exception."""
    model = layout["model"]
    if declared_unknown(model) is not None or model.get("type") == "BPE":
        return layout
    if model.get("type") == "Unigram":
        return {**layout, "model": {**model, "unk_id": token_id}}
    token = next((token for token, number in model.get("vocab", {}).items() if number == token_id), None)
    return layout if token is None else {**layout, "model": {**model, "unk_token": token}}


def detect_family(layout: Mapping[str, Any]) -> tuple[Family, str]:
    """How a Hugging Face tokenizer marks spaces, and the sign that it uses, read from its steps."""
    model = layout.get("model") or {}
    steps = [step for key in ("normalizer", "pre_tokenizer", "decoder") for step in steps_of(layout.get(key))]
    kinds = {step.get("type") for step in steps}
    if "ByteLevel" in kinds:
        return "byte-level", "Ġ"
    if model.get("type") == "WordPiece" or "WordPiece" in kinds:
        return "wordpiece", model.get("continuing_subword_prefix") or "##"
    for step in steps:
        if step.get("type") == "Metaspace":
            return "metaspace", step.get("replacement") or "▁"
    if model.get("end_of_word_suffix"):
        return "suffix", model["end_of_word_suffix"]
    if any("▁" in json.dumps(step, ensure_ascii=False) for step in steps) or model.get("byte_fallback"):
        return "metaspace", "▁"
    if model.get("continuing_subword_prefix"):
        return "wordpiece", model["continuing_subword_prefix"]
    return ("words", "") if kinds & {"Whitespace", "WhitespaceSplit", "BertPreTokenizer"} else ("plain", "")


def write(
    path: Path,
    backend: Pipeline,
    family: Family,
    specials: Specials,
    counts: Sequence[int] | None,
    frame: Frame | None = None,
) -> None:
    """Write the pipeline, its specials, counts and frame as one JSON file. Raises InputError if the disk refuses."""
    content = {
        "format": FORMAT,
        "family": family,
        "specials": asdict(specials),
        "counts": list(counts) if counts is not None else None,
        **({"frame": asdict(frame)} if frame is not None else {}),
        "tokenizer": json.loads(backend.to_str()),
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
    with replacing(path) as stream:
        stream.write(text.encode())


def read(
    path: Path, specials: Mapping[str, int | None] | None = None, content: Mapping[str, Any] | None = None
) -> tuple[Pipeline, Family, str, Specials, list[int] | None, Frame | None]:
    """Backend, family, its sign, specials, counts and frame. Raises CheckpointError with one sentence.

    `content`: that of the file, where it was read already.
    """
    content = read_object(path, MAX_BYTES) if content is None else content
    own = "format" in content
    if own and content["format"] != FORMAT:
        raise CheckpointError.tr(
            "{file} has format {content!r}; this version reads {format!r}.",
            file=path.name,
            content=content["format"],
            format=FORMAT,
        )
    layout = content.get("tokenizer") if own else content
    if not isinstance(layout, dict) or not isinstance(layout.get("model"), dict):
        raise CheckpointError.tr(
            "{file} holds no tokenizer; give a file made by Tokenizer.save or Hugging Face.", file=path.name
        )
    _check_tokens(path, layout)
    backend = pipeline(layout, path.name)
    family, mark = detect_family(layout)
    stored = content.get("specials") if own else None
    if stored is not None and not isinstance(stored, dict):
        raise CheckpointError.tr("specials in {file} is not an object of ids.", file=path.name)
    frame = _read_frame(path, content.get("frame") if own else None)
    vocabulary = backend.get_vocab(with_added_tokens=True)
    if frame is not None and frame.tokens is not None:
        if len(frame.ids or ()) != len(vocabulary):
            raise CheckpointError.tr(
                "frame in {file} must give one id for each of {count} pieces.",
                file=path.name,
                count=len(vocabulary),
            )
        vocabulary = {token: index for index, token in enumerate(frame.tokens)}
    if frame is not None and (
        wrong := [n for n in (*frame.before, *(frame.after or ())) if n > _last(vocabulary)]
    ):
        raise CheckpointError.tr(
            "frame in {file} puts id {wrong} around a text, but ids go from 0 to {value}.",
            file=path.name,
            wrong=wrong[0],
            value=_last(vocabulary),
        )
    named = declared_unknown(layout["model"]) if frame is None or frame.tokens is None else None
    declared = {"unk": named} if named is not None else {}
    special_ids = find_specials(vocabulary, {**declared, **(stored or {}), **(specials or {})})
    if special_ids.unk is not None and (frame is None or frame.ids is None):
        complete = _with_unknown(layout, special_ids.unk)
        backend = backend if complete is layout else pipeline(complete, path.name)
    if own and content.get("family") is not None:
        if content["family"] not in get_args(Family):
            raise CheckpointError.tr(
                "{file} has family {content!r}; choose from {value}.",
                file=path.name,
                content=content["family"],
                value=get_args(Family),
            )
        family = content["family"]
    counts = _read_counts(path, content.get("counts") if own else None)
    return backend, family, mark, special_ids, counts, frame


def _read_frame(path: Path, stored: Any) -> Frame | None:
    if stored is None:
        return None
    wrong = CheckpointError.tr(
        "frame in {file} must list ids around a text; import the tokenizer again.", file=path.name
    )
    if not isinstance(stored, dict) or set(stored) != {"before", "after", "ids", "tokens"}:
        raise wrong
    tokens, size = stored["tokens"], None
    if tokens is not None:
        if not isinstance(tokens, list) or not tokens or not all(isinstance(token, str) for token in tokens):
            raise wrong
        if max(map(len, tokens)) > LONGEST_TOKEN:
            raise wrong
        if any("\ud800" <= char <= "\udfff" for token in tokens for char in token):
            raise wrong  # half a character, which no file and no page can hold
        size = len(tokens)
    if (tokens is None) != (stored["ids"] is None) or stored["before"] is None:
        raise wrong
    rows: dict[str, tuple[int, ...] | None] = {}
    for name in ("before", "after", "ids"):
        row = stored[name]
        if row is not None and not (
            isinstance(row, list) and all(type(n) is int and 0 <= n < (size or 2**31) for n in row)
        ):
            raise wrong
        rows[name] = None if row is None else tuple(row)
    return Frame(rows["before"] or (), rows["after"], rows["ids"], None if tokens is None else tuple(tokens))


def _read_counts(path: Path, counts: Any) -> list[int] | None:
    if counts is None:
        return None
    if not isinstance(counts, list) or not all(type(count) is int and count >= 0 for count in counts):
        raise CheckpointError.tr(
            "counts in {file} must be a list of whole numbers, one per token.", file=path.name
        )
    return counts
