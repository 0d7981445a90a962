"""What the files of Hugging Face's tokenizers say beside their vocabulary: added tokens, special tokens by role, the tokens
around a text, the language of the source.

The tokens around a text stand in the post-processor of tokenizer.json (TemplateProcessing, RobertaProcessing,
BertProcessing, or a Sequence of them), else they follow from `tokenizer_class` in tokenizer_config.json. A folder that says
neither leaves them to the model's family.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tokenizers

from core.errors import CheckpointError
from core.files import read_object
from core.tokenizer.files import LONGEST_TOKEN, MAX_BYTES, MOST_TOKENS
from core.tokenizer.pipeline import rust_panic_as

ADDED, SPECIALS, SETTINGS = "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"
_MOST_AROUND: Final = 64  # tokens before or after a text
_ROLES: Final = {
    "pad": ("pad_token",),
    "bos": ("bos_token", "cls_token"),
    "eos": ("eos_token", "sep_token"),
    "unk": ("unk_token",),
}
_SPECIAL_NAMES: Final = (
    "pad_token",
    "bos_token",
    "eos_token",
    "unk_token",
    "cls_token",
    "sep_token",
    "mask_token",
    "additional_special_tokens",
    "extra_special_tokens",
)


@dataclass(frozen=True)
class Around:
    """The ids that a tokenizer puts before and after a text, and what says so."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    reason: str
    assumed: bool = False
    unsaid: bool = (
        False  # nothing is put there because the file has no such step, which training code may do by itself
    )


@dataclass(frozen=True)
class Added:
    """A token outside the vocabulary's own file. One that is no special token is found in a text as it is spelled."""

    token: str
    token_id: int
    special: bool
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


def tokenizer_settings(files: Mapping[str, Path]) -> Mapping[str, Any]:
    """tokenizer_config.json over config.json, as far as they are there."""
    settings: dict[str, Any] = {}
    for name in ("config.json", SETTINGS):
        if name in files:
            settings |= read_object(files[name], MAX_BYTES)
    return settings


def tokenizer_class(files: Mapping[str, Path]) -> str:
    """The name of the tokenizer's class without "Fast"; empty where no file gives one."""
    given = tokenizer_settings(files).get("tokenizer_class")
    return given.removesuffix("Fast") if isinstance(given, str) else ""


def _content(value: object) -> str | None:
    """The text of a token, which files give as it is or as an object with its `content`."""
    text = value.get("content") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) and text else None


def _named(files: Mapping[str, Path]) -> dict[str, Any]:
    """The special tokens by their names in special_tokens_map.json and tokenizer_config.json, the second before the first."""
    named: dict[str, Any] = {}
    for file in (SPECIALS, SETTINGS):
        content = read_object(files[file], MAX_BYTES) if file in files else {}
        named |= {name: content[name] for name in _SPECIAL_NAMES if content.get(name)}
    return named


def special_tokens(files: Mapping[str, Path]) -> list[str]:
    """The special tokens that the files name, in their order, each once."""
    tokens: list[str] = []
    for value in _named(files).values():
        group = (
            list(value.values())
            if isinstance(value, Mapping) and "content" not in value
            else value
            if isinstance(value, list)
            else [value]
        )
        tokens += [text for each in group if (text := _content(each)) is not None]
    return list(dict.fromkeys(tokens))


def extra_special_tokens(files: Mapping[str, Path]) -> list[str]:
    """Those without a role, such as the codes of languages, in their order."""
    named = _named(files)
    value = named.get("additional_special_tokens") or named.get("extra_special_tokens")
    return [text for each in value if (text := _content(each)) is not None] if isinstance(value, list) else []


def declared_roles(files: Mapping[str, Path], tokens: Mapping[str, int]) -> dict[str, int]:
    """Ids of pad, bos, eos and unk as the files name them, where the vocabulary has the token."""
    named, roles = _named(files), dict[str, int]()
    for role, names in _ROLES.items():
        texts = (_content(named.get(name)) for name in names)
        ids = [tokens[text] for text in texts if text is not None and text in tokens]
        if ids:
            roles[role] = ids[0]
    return roles


def added_tokens(files: Mapping[str, Path]) -> tuple[Added, ...]:
    """The tokens of added_tokens.json and of `added_tokens_decoder`, by their ids. Raises CheckpointError."""
    found: dict[int, Added] = {}
    if ADDED in files:
        specials = set(special_tokens(files))
        for text, number in read_object(files[ADDED], MAX_BYTES).items():
            _check_added(ADDED, text, number)
            found[number] = Added(text, number, text in specials)
    decoder = (
        read_object(files[SETTINGS], MAX_BYTES).get("added_tokens_decoder") if SETTINGS in files else None
    )
    if isinstance(decoder, Mapping):
        for written, value in decoder.items():
            token = _content(value)
            token_id = (
                int(written) if written.isascii() and written.isdecimal() and len(written) < 9 else None
            )
            _check_added(SETTINGS, token, token_id)
            assert token is not None and token_id is not None
            flags = {
                name: bool(value.get(name))
                for name in ("lstrip", "rstrip", "single_word", "normalized", "special")
                if isinstance(value, Mapping)
            }
            found[token_id] = Added(token, token_id, **{"special": False, **flags})
    texts = [each.token for each in found.values()]
    if (
        twice := next((text for text in texts if texts.count(text) > 1), None)
        if len(texts) < 10_000
        else None
    ):
        raise CheckpointError.tr("the token {twice!r} is added with two ids; give it one.", twice=twice[:40])
    return tuple(found[token_id] for token_id in sorted(found))


def _check_added(file: str, token: object, token_id: object) -> None:
    if (
        not isinstance(token, str)
        or not 0 < len(token) <= LONGEST_TOKEN
        or type(token_id) is not int
        or not 0 <= token_id < MOST_TOKENS
    ):
        raise CheckpointError.tr(
            "{file} must give each added token, at most {longest_token} characters, an id of its own.",
            file=file,
            longest_token=LONGEST_TOKEN,
        )


def with_added(
    title: str, names: Sequence[str], added: Iterable[Added], replaceable: Iterable[str] = ()
) -> list[str]:
    """The token of each id, with the added ones in their places. Raises CheckpointError where an id has two tokens.

    `replaceable`: names that were only supposed and give way to an added token.
    """
    complete, supposed = list(names), set(replaceable)
    for each in added:
        if each.token_id >= len(complete):
            complete += [f"<no token {number}>" for number in range(len(complete), each.token_id + 1)]
        elif complete[each.token_id] not in supposed and complete[each.token_id] != each.token:
            raise CheckpointError.tr(
                "the added token {token!r} has the id {token_id}, which is that of {value!r} in {title}; give the files that belong together.",
                token=each.token[:40],
                token_id=each.token_id,
                value=complete[each.token_id][:40],
                title=title,
            )
        complete[each.token_id] = each.token
    return complete


# -- what is put around a text -------------------------------------------------------------------------------


def post_processed(layout: Mapping[str, Any], file: str) -> Around:
    """The tokens around one text by the post-processor of a parsed tokenizer.json; none where there is no such step.

    The library itself applies it, since a step of a Sequence reads what the one before it wrote in a way of its own.
    Raises CheckpointError for a step that cannot be followed.
    """
    step = layout.get("post_processor")
    kinds = [str(each.get("type")) for each in _steps(step) if each.get("type") != "ByteLevel"]
    if unknown := next((kind for kind in kinds if kind not in _POST_PROCESSORS), None):
        raise CheckpointError.tr(
            "the post-processor of {file} has a step {unknown!r}, which is not read; known are {listed}, ByteLevel and a Sequence of them.",
            file=file,
            unknown=unknown[:40],
            listed=", ".join(_POST_PROCESSORS),
        )
    if not kinds:
        return Around((), (), f"{file} puts nothing around a text", unsaid=True)
    if len(_steps(step)) > _MOST_STEPS:
        raise _unreadable(file)
    for each in _steps(step):
        _check_template(each, file)
    ids = _around_one_word(step, file)
    at = [place for place, number in enumerate(ids) if number == _MARK]
    if len(at) != 1 or len(ids) > 2 * _MOST_AROUND:
        raise CheckpointError.tr(
            "the post-processor of {file} repeats a text {count} times with {value} tokens around it; a source is "
            "read once, with at most {value_2} tokens, so give another tokenizer.",
            file=file,
            count=len(at),
            value=len(ids) - len(at),
            value_2=2 * _MOST_AROUND,
        )
    reason = f"the {' and '.join(dict.fromkeys(kinds))} of {file}"
    return Around(tuple(ids[: at[0]]), tuple(ids[at[0] + 1 :]), reason)


_POST_PROCESSORS: Final = ("TemplateProcessing", "RobertaProcessing", "BertProcessing")
_MOST_STEPS: Final = 16
_MARK: Final = MOST_TOKENS  # an id that no vocabulary has, for the text


def _steps(step: object) -> list[Mapping[str, Any]]:
    """The steps of a post-processor in order, nested ones unpacked."""
    waiting, steps = [step], list[Mapping[str, Any]]()
    while waiting and len(steps) <= _MOST_STEPS:
        each = waiting.pop(0)
        if isinstance(each, Mapping) and each.get("type") == "Sequence":
            inner = each.get("processors")
            waiting = [*(inner if isinstance(inner, list) else []), *waiting]
        elif isinstance(each, Mapping):
            steps.append(each)
    return steps


def _check_template(step: Mapping[str, Any], file: str) -> None:
    """Raise CheckpointError for a template that repeats its text or adds a great many tokens."""
    for name, most in (("single", 1), ("pair", 2)):
        pieces = step.get(name)
        if not isinstance(pieces, list):
            continue
        texts = sum(isinstance(piece, Mapping) and "Sequence" in piece for piece in pieces)
        if texts > most or len(pieces) > 2 * _MOST_AROUND:
            raise CheckpointError.tr(
                "the template of {file} has its text {texts} times among {count} pieces; a source is read once, so give "
                "another tokenizer.",
                file=file,
                texts=texts,
                count=len(pieces),
            )


def _around_one_word(step: object, file: str) -> list[int]:
    """The ids that the library makes of a text of one token, whose id is `_MARK`."""
    word = {"type": "WordLevel", "vocab": {"a": _MARK}, "unk_token": "a"}
    wrong = _unreadable(file)
    with rust_panic_as(CheckpointError, str(wrong)):
        try:
            made = tokenizers.Tokenizer.from_str(
                json.dumps({"version": "1.0", "model": word, "post_processor": step})
            )
            return list(made.encode("a").ids)
        except Exception:  # the library raises plain Exception
            raise wrong from None


def _unreadable(file: str) -> CheckpointError:
    return CheckpointError.tr("the post-processor of {file} is damaged; save the tokenizer again.", file=file)


# The tokens that a class puts around a text, by their names in tokenizer_config.json and its own default.
_Roles = tuple[tuple[str, str], ...]
_START: Final[_Roles] = (("bos_token", "<s>"),)
_END: Final[_Roles] = (("eos_token", "</s>"),)
_BERT: Final[tuple[_Roles, _Roles]] = ((("cls_token", "[CLS]"),), (("sep_token", "[SEP]"),))
_ROBERTA: Final[tuple[_Roles, _Roles]] = ((("cls_token", "<s>"),), (("sep_token", "</s>"),))
_CLASSES: Final[Mapping[str, tuple[_Roles, _Roles]]] = {
    **dict.fromkeys(("T5Tokenizer", "MT5Tokenizer", "PegasusTokenizer", "BlenderbotTokenizer"), ((), _END)),
    **dict.fromkeys(
        (
            "BartTokenizer",
            "RobertaTokenizer",
            "MvpTokenizer",
            "LEDTokenizer",
            "LongformerTokenizer",
            "XLMRobertaTokenizer",
            "CamembertTokenizer",
            "BarthezTokenizer",
        ),
        _ROBERTA,
    ),
    **dict.fromkeys(
        (
            "BertTokenizer",
            "ElectraTokenizer",
            "DistilBertTokenizer",
            "MobileBertTokenizer",
            "FunnelTokenizer",
        ),
        _BERT,
    ),
    "AlbertTokenizer": _BERT,
    "GPT2Tokenizer": ((), ()),
}
_WORDPIECE: Final = frozenset(
    ("BertTokenizer", "ElectraTokenizer", "DistilBertTokenizer", "MobileBertTokenizer", "FunnelTokenizer")
)


def is_wordpiece_class(name: str) -> bool:
    """Whether a tokenizer of this class cuts words with BERT's WordPiece."""
    return name in _WORDPIECE


def around_of_class(files: Mapping[str, Path], tokens: Mapping[str, int], name: str = "") -> Around | None:
    """The tokens that a class puts around a text: `name`, or that of tokenizer_config.json; None for another class."""
    known = name or tokenizer_class(files)
    if known == "LlamaTokenizer":
        settings = tokenizer_settings(files)
        frame: tuple[_Roles, _Roles] = (
            _START if settings.get("add_bos_token", True) is not False else (),
            _END if settings.get("add_eos_token") is True else (),
        )
    elif known in _CLASSES:
        frame = _CLASSES[known]
    else:
        return None
    named = _named(files)
    sides: list[tuple[int, ...]] = []
    for side in frame:
        texts = [_content(named.get(role)) or usual for role, usual in side]
        if any(text not in tokens for text in texts):
            return None
        sides.append(tuple(tokens[text] for text in texts))
    return Around(sides[0], sides[1], f"a {known} puts them there")
