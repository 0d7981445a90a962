"""The settings in the files of three translation toolkits, read as inert data and named as in a config.json.

- fairseq keeps an `argparse.Namespace` beside the weights: under `args`, or since 0.10 under `cfg`, in `model`. Its special
  tokens are the first four of every dictionary.
- JoeyNMT keeps its settings in config.yaml, beside best.ckpt and the two vocabularies.
- CTranslate2 keeps the settings among the weights of model.bin, as numbers without an axis, and the tokens in lists.
"""

from __future__ import annotations

import math
import struct
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import yaml
from torch import Tensor

from core.checkpoints.files import TensorInfo
from core.errors import CheckpointError
from core.files import damage_as, read_list
from core.language import numeral, tr
from core.model.hooks import STACKS

# -- fairseq -------------------------------------------------------------------------------------------------

_SPECIALS: Final = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "unk_token_id": 3}
# Settings that no model here has, each with the one value that is accepted.
_ELSEWHERE: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("encoder_learned_pos", "decoder_learned_pos", "layernorm_embedding"), False),
    **dict.fromkeys(("cross_self_attention", "no_cross_attention", "no_token_positional_embeddings"), False),
    **dict.fromkeys(("scale_fc", "scale_attn", "scale_heads", "scale_resids", "adaptive_input"), False),
    "adaptive_softmax_cutoff": None,
}
_ACTIVATIONS: Final = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_accurate": "gelu_new",
    "swish": "swish",
    "silu": "silu",
}


def _short(value: Any) -> str:
    """A value of a file in a sentence; of a list, a table or a very long number only its kind, as they may be of any size."""
    if isinstance(value, str):
        return repr(value[:40])
    small = value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 1e40)
    return str(value) if small else f"a {type(value).__name__}"


def fairseq_arguments(content: Any) -> Mapping[str, Any] | None:
    """The arguments of the model in a file's content; None where fairseq did not write it."""
    if not isinstance(content, Mapping):
        return None
    config = content.get("cfg")
    for kept in (config.get("model") if isinstance(config, Mapping) else None, content.get("args")):
        values = vars(kept) if isinstance(kept, Namespace) else kept
        if isinstance(values, Mapping) and "encoder_attention_heads" in values:
            # Only these are compared: an object of an untrusted file may define its own comparison.
            plain = (str, int, float, type(None))
            return {str(name): value for name, value in values.items() if isinstance(value, plain)}
    return None


def fairseq_config(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the names of a config.json. Raises CheckpointError for a model that nothing here computes."""
    for name, allowed in _ELSEWHERE.items():
        if arguments.get(name, allowed) not in (allowed, None, False):
            raise CheckpointError.tr(
                "this fairseq model was trained with {name} = {value}, which is not supported here; use "
                "core.from_generate, which shows the model’s own maps.",
                name=name,
                value=_short(arguments[name]),
            )
    _same("fairseq", "embed_dim", *(arguments.get(f"{side}_embed_dim") for side in STACKS))
    longest = [arguments.get(f"max_{side}_positions") for side in ("source", "target")]
    lengths = [number for number in longest if type(number) is int and number > 0]
    dropout = arguments.get("dropout", 0.1)
    return {
        "model_type": "fairseq",
        **{f"{side}_attention_heads": arguments.get(f"{side}_attention_heads") for side in STACKS},
        "activation_function": _ACTIVATIONS.get(arguments.get("activation_fn") or "relu", "?"),
        "scale_embedding": not arguments.get("no_scale_embedding", False),
        "normalize_before": "yes" if arguments.get("encoder_normalize_before") else "no",
        "decoder_normalize_before": "yes" if arguments.get("decoder_normalize_before") else "no",
        "max_position_embeddings": min([*lengths, 1024]),
        **_SPECIALS,
        "decoder_start_token_id": _SPECIALS["eos_token_id"],
        "dropout": dropout,
        "attention_dropout": arguments.get("attention_dropout") or 0.0,
        "activation_dropout": arguments.get("activation_dropout") or arguments.get("relu_dropout") or 0.0,
    }


def fairseq_dictionary(lines: list[str]) -> list[str] | None:
    """The tokens of a fairseq dictionary (`token count` a line) with its four special ones; None for any other list."""
    cells = [line.rsplit(" ", 1) for line in lines]
    if not cells or not all(len(pair) == 2 and pair[0] and pair[1].isdecimal() for pair in cells):
        return None
    return ["<s>", "<pad>", "</s>", "<unk>", *(token for token, _ in cells)]


# -- JoeyNMT -------------------------------------------------------------------------------------------------

MAX_YAML_BYTES: Final = 2**18
_YAML_EVENTS: Final = 20_000
_YAML_VALUE: Final = 4000
"""Characters of one value: a number of a hundred thousand parts, 1:1:1:…, takes two seconds to compute."""


def joeynmt_config(path: Path) -> dict[str, Any] | None:
    """JoeyNMT's config.yaml under the names of a config.json; None for another program's.

    Raises CheckpointError for a model that nothing here computes.
    """
    content = _plain_yaml(path)
    model = content.get("model")
    if not isinstance(model, dict):
        return None
    encoder, decoder = model.get("encoder"), model.get("decoder")
    if not isinstance(encoder, dict) or not isinstance(decoder, dict):
        return None
    stacks = (encoder, decoder)
    for side, stack in (("encoder", encoder), ("decoder", decoder)):
        if (kind := stack.get("type", "recurrent")) != "transformer":
            raise CheckpointError.tr(
                "this JoeyNMT model’s {side} is {kind}, and only a transformer can be imported; give a model whose "
                "encoder and decoder are transformers.",
                side=side,
                kind=_short(kind),
            )
        if stack.get("alpha", 1.0) != 1.0:
            raise CheckpointError.tr(
                "this JoeyNMT model multiplies the residual by alpha = {alpha} in the {side}, which is not supported "
                "here; train it with alpha = 1.",
                alpha=_short(stack["alpha"]),
                side=side,
            )
    tables = [table if isinstance(table := stack.get("embeddings"), dict) else {} for stack in stacks]
    scales = [table.get("scale", False) is True for table in tables]
    _same("JoeyNMT", "embeddings: scale", *scales)
    activations = [stack.get("activation", "relu") for stack in stacks]
    encoder_activation, decoder_activation = (name if isinstance(name, str) else "?" for name in activations)
    return {
        "model_type": "joeynmt",
        **{
            f"{side}_attention_heads": stack.get("num_heads", default)
            for side, stack, default in (("encoder", encoder, 4), ("decoder", decoder, 8))
        },
        "activation_function": encoder_activation,
        "decoder_activation_function": decoder_activation,
        "layer_norm": encoder.get("layer_norm"),
        "decoder_layer_norm": decoder.get("layer_norm"),
        "scale_embedding": scales[0],
        "dropout": encoder.get("dropout", 0.1),
        "tied_embeddings": bool(model.get("tied_embeddings", False)),
        "tied_softmax": bool(model.get("tied_softmax", False)),
    }


def _same(toolkit: str, name: str, encoder: Any, decoder: Any) -> None:
    if encoder != decoder:
        raise CheckpointError.tr(
            "this {toolkit} model has {name} {encoder} in the encoder and {decoder} in the decoder, but a model here "
            "has one value for both; use core.from_generate, which shows the model’s own maps.",
            toolkit=toolkit,
            name=name,
            encoder=_short(encoder),
            decoder=_short(decoder),
        )


def _plain_yaml(path: Path) -> dict[str, Any]:
    """The content of a YAML file of bounded size, with what its aliases repeat. Raises CheckpointError."""

    def unreadable(reason: str) -> str:
        return tr("{file} cannot be read as YAML ({reason}); copy it again.", file=path.name, reason=reason)

    with damage_as(CheckpointError, unreadable):
        if path.stat().st_size > MAX_YAML_BYTES:
            raise CheckpointError.tr(
                "{file} has more than {most} bytes; give the file that JoeyNMT wrote.",
                file=path.name,
                most=numeral(MAX_YAML_BYTES, ","),
            )
        text = path.read_text(encoding="utf-8")
        if not _is_bounded(yaml.parse(text, Loader=yaml.CSafeLoader)):
            raise CheckpointError.tr(
                "{file} repeats parts of itself or is too long; give the file that JoeyNMT wrote.",
                file=path.name,
            )
        content = yaml.load(text, Loader=yaml.CSafeLoader)
    return content if isinstance(content, dict) else {}


def _is_bounded(events: Iterable[Any]) -> bool:
    """Whether a YAML document stays small when each alias is replaced by what it repeats: a few bytes can nest without end.

    An alias counts as many events as its anchor holds; one inside its own anchor never ends.
    """
    count = 0
    sizes: dict[str, int] = {}  # of the anchors that are complete
    opened: list[tuple[str | None, int]] = []
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                return False
            count += sizes[event.anchor]
        else:
            count += 1
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append((event.anchor, count))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, start = opened.pop()
            if anchor:
                sizes[anchor] = count - start + 1
        elif isinstance(event, yaml.ScalarEvent):
            if len(event.value) > _YAML_VALUE:
                return False
            if event.anchor:
                sizes[event.anchor] = 1
        if count > _YAML_EVENTS:
            return False
    return True


# -- CTranslate2 ---------------------------------------------------------------------------------------------

_VERSION: Final = 6  # of the binary format, since CTranslate2 2.0
_SPECIFICATION: Final = "TransformerSpec"
_TYPES: Final[tuple[tuple[str, str], ...]] = (
    ("F32", "<f4"),
    ("I8", "<i1"),
    ("I16", "<i2"),
    ("I32", "<i4"),
    ("F16", "<f2"),
    ("BF16", "<u2"),
)
_MAX_VARIABLES: Final = 100_000
_MAX_NAME: Final = 500
MAX_LIST_BYTES: Final = 64 * 2**20
_ACTIVATION_CODES: Final = {0: "relu", 1: "gelu_new", 2: "silu", 3: "gelu"}
_WITH_VOCABULARY_ROWS: Final = (
    "encoder/embeddings_0/weight",
    "decoder/embeddings/weight",
    "decoder/projection/weight",
    "decoder/projection/bias",
)


def is_ctranslate2(start: bytes) -> bool:
    """Whether a file that starts with these ten bytes or more is a model of CTranslate2."""
    return len(start) >= 10 and start[1:4] == b"\0\0\0" and start[6:10] == _SPECIFICATION[:4].encode()


@dataclass(frozen=True)
class Ctranslate2File:
    """A model.bin: the description of its weights, a way to read one, its settings under the names of a config.json, and notes."""

    path: Path
    info: Mapping[str, TensorInfo]
    config: dict[str, Any]
    notes: tuple[str, ...]
    _variables: Mapping[str, tuple[int, tuple[int, ...], int]]  # name → type, shape, first byte
    _names: Mapping[str, str]  # of a weight → of the variable that holds it
    _rows: int  # of zeros, after those of the vocabulary

    def tensor(self, name: str) -> Tensor:
        """The values of a weight; whole numbers of a quantised one divided by their scale."""
        stored = self._names[name]
        values = self._values(stored)
        if values.dtype in (torch.int8, torch.int16):
            scale = self._values(f"{stored}_scale").float()
            values = values.float() / (scale if scale.dim() == 0 else scale[:, None])
        if self._rows and name in _WITH_VOCABULARY_ROWS:
            values = torch.cat([values, values.new_zeros(self._rows, *values.shape[1:])])
        return values

    def _values(self, name: str) -> Tensor:
        kind, shape, first = self._variables[name]
        form = np.dtype(_TYPES[kind][1])
        array = np.fromfile(self.path, form, count=math.prod(shape), offset=first).reshape(shape)
        if _TYPES[kind][0] == "BF16":
            return torch.from_numpy(array.astype(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)


def read_ctranslate2(path: Path, files: Mapping[str, Path], stated: Mapping[str, Any]) -> Ctranslate2File:
    """Open a model.bin; `stated` is the config.json beside it. Every length is checked against the size of the file.

    Raises CheckpointError with one sentence.
    """
    try:
        variables, aliases = _Cursor(path).variables()
    except (struct.error, UnicodeDecodeError, ValueError, OSError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError.tr(
            "{file} is damaged: it breaks off or its lengths do not fit; copy it again.", file=path.name
        ) from None
    settings: dict[str, Any] = {}
    for name, (kind, shape, first) in variables.items():
        if not shape and not name.endswith("weight_scale"):
            settings[name] = np.fromfile(path, np.dtype(_TYPES[kind][1]), count=1, offset=first)[0].item()
    weights = {
        name: name for name, (_, shape, _) in variables.items() if shape and not name.endswith("weight_scale")
    }
    for alias, name in aliases.items():
        if name in weights:
            weights[alias] = name
        elif name in settings:
            settings[alias] = settings[name]
        elif name not in variables:
            raise CheckpointError.tr(
                "{file} is damaged: {alias} repeats {name}, which it does not hold; copy it again.",
                file=path.name,
                alias=alias[:80],
                name=name[:80],
            )
    quantised = [name for name in weights.values() if _TYPES[variables[name][0]][0] in ("I8", "I16")]
    for name in quantised:
        _check_scale(path, name, variables)
    rows = 1 if settings.get("decoder/start_from_zero_embedding") else 0
    info = {}
    for name, stored in weights.items():
        kind, shape, _ = variables[stored]
        if rows and name in _WITH_VOCABULARY_ROWS:
            shape = (shape[0] + rows, *shape[1:])
        info[name] = TensorInfo("F32" if stored in quantised else _TYPES[kind][0], shape)
    notes = ["the settings are those that CTranslate2 wrote into the file"]
    if quantised:
        notes.append(
            f"{len(quantised)} weights are stored as whole numbers and read as those numbers divided by their scale; "
            "CTranslate2 also rounds the numbers that it multiplies with them"
        )
    if rows:
        notes.append(
            "the decoder starts from an embedding of zeros, which is the last token here, as in Hugging Face's MarianMT"
        )
    config = _ctranslate2_config(settings, info, stated) | _special_ids(files, stated, info, rows)
    return Ctranslate2File(path, info, config, tuple(notes), variables, weights, rows)


class _Cursor:
    """Reads the names, shapes and positions of a model.bin without its values."""

    def __init__(self, path: Path) -> None:
        self.path, self.size = path, path.stat().st_size
        self.file = path.open("rb")

    def variables(self) -> tuple[dict[str, tuple[int, tuple[int, ...], int]], dict[str, str]]:
        with self.file:
            if (version := self.number("I")) != _VERSION:
                raise CheckpointError.tr(
                    "{file} has version {version} of CTranslate2’s format, but only version {read} is read; convert the model "
                    "again with CTranslate2 2.0 or later.",
                    file=self.path.name,
                    version=version,
                    read=_VERSION,
                )
            self.text()
            self.number("I")  # the revision of the specification
            variables: dict[str, tuple[int, tuple[int, ...], int]] = {}
            for _ in range(self.count()):
                name = self.text()
                shape = tuple(self.number("I") for _ in range(self.rank()))
                kind, stored = self.number("B"), self.number("I")
                if kind >= len(_TYPES) or stored != math.prod(shape) * np.dtype(_TYPES[kind][1]).itemsize:
                    raise CheckpointError.tr(
                        "{file} is damaged: {name} has {stored} bytes for the shape {shape}; copy it again.",
                        file=self.path.name,
                        name=name[:80],
                        stored=numeral(stored, ","),
                        shape=shape,
                    )
                if self.file.tell() + stored > self.size or name in variables:
                    raise ValueError("cut short")
                variables[name] = (kind, shape, self.file.tell())
                self.file.seek(stored, 1)
            return variables, {self.text(): self.text() for _ in range(self.count())}

    def number(self, form: str) -> int:
        (value,) = struct.unpack(f"<{form}", self.file.read(struct.calcsize(f"<{form}")))
        return int(value)

    def text(self) -> str:
        length = self.number("H")
        if not 0 < length <= _MAX_NAME:
            raise ValueError("a name without an end")
        return self.file.read(length)[:-1].decode("utf-8")

    def count(self) -> int:
        if (count := self.number("I")) > _MAX_VARIABLES:
            raise ValueError("too many variables")
        return count

    def rank(self) -> int:
        if (rank := self.number("B")) > 4:
            raise ValueError("too many axes")
        return rank


def _check_scale(path: Path, name: str, variables: Mapping[str, tuple[int, tuple[int, ...], int]]) -> None:
    kind, shape, _ = variables[name]
    scale = variables.get(f"{name}_scale")
    fits = scale is not None and _TYPES[scale[0]][0] == "F32" and scale[1] in ((), shape[:1])
    if not fits or f"{name}_zero" in variables:
        raise CheckpointError.tr(
            "{file} stores {name} as {kind} in a way that is not read; convert the model with --quantization float32.",
            file=path.name,
            name=name[:80],
            kind=_TYPES[kind][0],
        )


def _ctranslate2_config(
    settings: Mapping[str, Any], info: Mapping[str, TensorInfo], stated: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings of both stacks."""
    for name in ("decoder/alibi", "encoder/multi_query_attention"):
        if settings.get(name):
            raise CheckpointError.tr(
                "this CTranslate2 model has {name}, which is not supported here; import the model that it was converted from.",
                name=name,
            )
    table = info.get("decoder/embeddings/weight")
    width = table.shape[1] if table is not None and len(table.shape) == 2 else 0
    scaled = settings.get("encoder/scale_embeddings", 0)
    buckets = info.get("decoder/layer_0/self_attention/relative_attention_bias")
    queries = settings.get("encoder/layer_0/self_attention/queries_scale")
    outputs = settings.get("decoder/scale_outputs")
    for name, value, allowed in (
        ("scale_embeddings", scaled, (0, 1, math.sqrt(width))),
        ("queries_scale", queries, (None, 1)),
        ("scale_outputs", outputs, (None, 1, width**-0.5 if width else 1)),
    ):
        if not any(
            value == each or (value and each and math.isclose(value, each, rel_tol=1e-5)) for each in allowed
        ):
            raise CheckpointError.tr(
                "this CTranslate2 model has {name}, which is not supported here; import the model that it was converted from.",
                name=f"{name} {value}",
            )
    return {
        "model_type": "ctranslate2",
        **{f"{side}_attention_heads": settings.get(f"{side}/num_heads") for side in ("encoder", "decoder")},
        "normalize_before": "yes" if settings.get("encoder/pre_norm") else "no",
        "decoder_normalize_before": "yes" if settings.get("decoder/pre_norm") else "no",
        "activation_function": _ACTIVATION_CODES.get(settings.get("encoder/activation", 0), "?"),
        "decoder_activation_function": _ACTIVATION_CODES.get(settings.get("decoder/activation", 0), "?"),
        # The number 1 is a factor where it is stored as one, and "yes" where it is stored as a truth.
        "scale_embedding": bool(scaled) and not (isinstance(scaled, float) and scaled == 1.0),
        "score_scale": "head" if queries is None else "none",
        "output_scale": "none" if outputs in (None, 1) else "inverse_sqrt_d_model",
        "relative_attention_max_distance": settings.get(
            "encoder/layer_0/self_attention/relative_attention_max_distance"
        ),
        "relative_attention_num_buckets": buckets.shape[0] if buckets is not None and buckets.shape else None,
        "norm_formula": "layer" if "encoder/layer_0/ffn/layer_norm/beta" in info else "rms",
        "decoder_norm_formula": "layer" if "decoder/layer_0/ffn/layer_norm/beta" in info else "rms",
        "layer_norm_epsilon": stated.get("layer_norm_epsilon"),
    }


def _special_ids(
    files: Mapping[str, Path], stated: Mapping[str, Any], info: Mapping[str, TensorInfo], rows: int
) -> dict[str, Any]:
    """The ids of the special tokens that config.json names, as far as there is a list of tokens."""
    tokens = ctranslate2_tokens(files, "target")
    if tokens is None:
        return {}
    names = {
        "eos_token_id": stated.get("eos_token"),
        "unk_token_id": stated.get("unk_token"),
        "decoder_start_token_id": stated.get("decoder_start_token"),
    }
    ids = {
        role: tokens.index(name) for role, name in names.items() if isinstance(name, str) and name in tokens
    }
    if rows:
        table = info.get("decoder/embeddings/weight")
        if table is not None and table.shape[0] == len(tokens) + rows:
            ids |= {"pad_token_id": len(tokens), "decoder_start_token_id": len(tokens)}
    return ids


def with_zero_start(tokens: Sequence[str]) -> list[str]:
    """The tokens and that of a decoder's start from zeros, which MarianMT's vocabularies call <pad>."""
    return [*tokens, "<zeros>" if "<pad>" in tokens else "<pad>"]


def ctranslate2_tokens(files: Mapping[str, Path], side: str) -> Sequence[str] | None:
    """The list of one side's tokens beside a model.bin; None where there is none. Raises CheckpointError."""
    for name in (f"{side}_vocabulary.json", "shared_vocabulary.json"):
        if name in files:
            tokens = read_list(files[name], MAX_LIST_BYTES)
            if not all(isinstance(token, str) for token in tokens):
                raise CheckpointError.tr("{file} is not a list of tokens; copy it again.", file=name)
            return [str(token) for token in tokens]
    return None
