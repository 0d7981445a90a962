"""Untrusted files: one function each, which writes the file and returns what to import.

`GOOD` is a small, valid state dict in the seq2seq layout; most files are that with one thing wrong.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save, save_file
from torch import Tensor, nn

Make = Callable[[Path], Path]
FILES: dict[str, tuple[Make, str]] = {}
WIDTH, SOURCES, TARGETS = 8, 12, 11


def good(layers: int = 1) -> dict[str, Tensor]:
    """A whole model in the seq2seq tutorial's layout."""
    torch.manual_seed(0)
    state: dict[str, Tensor] = {}
    for stack, size in (("encoder", SOURCES), ("decoder", TARGETS)):
        state[f"{stack}.tok_embedding.weight"] = torch.randn(size, WIDTH)
        state[f"{stack}.pos_embedding.weight"] = torch.randn(10, WIDTH)
        for n in range(layers):
            at = f"{stack}.layers.{n}"
            norms = ["self_attn_layer_norm", "ff_layer_norm"]
            blocks = ["self_attention"]
            if stack == "decoder":
                norms.append("enc_attn_layer_norm")
                blocks.append("encoder_attention")
            for block in blocks:
                for name in ("fc_q", "fc_k", "fc_v", "fc_o"):
                    state[f"{at}.{block}.{name}.weight"] = torch.randn(WIDTH, WIDTH)
                    state[f"{at}.{block}.{name}.bias"] = torch.randn(WIDTH)
            for norm in norms:
                state[f"{at}.{norm}.weight"], state[f"{at}.{norm}.bias"] = (
                    torch.ones(WIDTH),
                    torch.zeros(WIDTH),
                )
            state[f"{at}.positionwise_feedforward.fc_1.weight"] = torch.randn(16, WIDTH)
            state[f"{at}.positionwise_feedforward.fc_1.bias"] = torch.randn(16)
            state[f"{at}.positionwise_feedforward.fc_2.weight"] = torch.randn(WIDTH, 16)
            state[f"{at}.positionwise_feedforward.fc_2.bias"] = torch.randn(WIDTH)
    state["decoder.fc_out.weight"], state["decoder.fc_out.bias"] = (
        torch.randn(TARGETS, WIDTH),
        torch.randn(TARGETS),
    )
    return state


def untrusted(name: str, said: str) -> Callable[[Make], Make]:
    """Registers a file that must be refused with a sentence that holds `said`."""

    def register(make: Make) -> Make:
        FILES[name] = (make, said)
        return make

    return register


def _state(name: str, said: str, change: Callable[[dict[str, Any]], Any], pickled: bool = True) -> None:
    def make(folder: Path) -> Path:
        state = good()
        state = change(state) or state
        path = folder / ("model.pt" if pickled else "model.safetensors")
        torch.save(state, path) if pickled else save_file(state, path)
        return path

    FILES[name] = (make, said)


def _raw(name: str, said: str, data: Callable[[], bytes], file: str = "model.safetensors") -> None:
    def make(folder: Path) -> Path:
        path = folder / file
        path.write_bytes(data())
        return path

    FILES[name] = (make, said)


# -- safetensors ---------------------------------------------------------------------------------------------


def _header(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


_whole = save(good())
_raw("empty", "empty or cut short", lambda: b"")
_raw("eight-bytes", "empty or cut short", lambda: b"\x10" + bytes(7))
_raw("cut-in-the-header", "header is longer", lambda: _whole[:200])
_raw("cut-in-the-data", "bytes", lambda: _whole[:-100])
_raw("too-much-data", "bytes", lambda: _whole + bytes(50))
_raw("header-of-a-terabyte", "header is longer", lambda: struct.pack("<Q", 2**40) + b"{" + bytes(50))
_raw("header-not-json", "not JSON", lambda: _header(b"{this is not json at all}"))
_raw("header-a-list", "not an object", lambda: _header([1, 2, 3, 4, 5, 6, 7, 8, 9]))
_raw("header-nested-deeply", "not JSON", lambda: _header(b'{"a":' + b"[" * 200_000))
_raw("header-not-utf8", "not JSON", lambda: _header(b"{\xff\xfe\xff\xfe\xff\xfe\xff\xfe}"))
_raw("no-tensors", "holds no tensors", lambda: _header({"__metadata__": {"format": "pt"}}))
_raw(
    "dtype-unknown",
    "declares bytes",
    lambda: _header({"a": {"dtype": "F7", "shape": [1], "data_offsets": [0, 4]}}, bytes(4)),
)
_raw(
    "shape-negative",
    "declares bytes",
    lambda: _header({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, bytes(4)),
)
_raw(
    "shape-of-a-petabyte",
    "declares bytes",
    lambda: _header({"a": {"dtype": "F32", "shape": [2**48], "data_offsets": [0, 4]}}, bytes(4)),
)
_raw(
    "offsets-of-a-petabyte",
    "bytes",
    lambda: _header({"a": {"dtype": "F32", "shape": [2**48], "data_offsets": [0, 2**50]}}, bytes(4)),
)
_raw(
    "offsets-backwards",
    "declares bytes",
    lambda: _header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, bytes(4)),
)
_raw("offsets-missing", "declares bytes", lambda: _header({"a": {"dtype": "F32", "shape": [1]}}, bytes(4)))
_raw(
    "shape-a-word",
    "declares bytes",
    lambda: _header({"a": {"dtype": "F32", "shape": "big", "data_offsets": [0, 4]}}, bytes(4)),
)
_raw("random-bytes", "header is longer", lambda: bytes((n * 37 + 11) % 256 for n in range(1000)))
_raw("a-text-file", "neither safetensors nor", lambda: b"I am a model, believe me. " * 9, "model.bin")
_raw(
    "a-web-page", "neither safetensors nor", lambda: b"<html><script>alert(1)</script></html>" * 3, "model.pt"
)


@untrusted("overlapping-tensors", "overlap")
def _overlapping(folder: Path) -> Path:
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    path = folder / "model.safetensors"
    header = {
        key: {"dtype": "F32", "shape": list(t.shape), "data_offsets": [0, 4 * t.numel()]}
        for key, t in good().items()
    }
    longest = max(4 * tensor.numel() for tensor in good().values())
    path.write_bytes(_header(header | {"x": entry}, bytes(longest)))
    return path


# -- PyTorch files -------------------------------------------------------------------------------------------


class _Evil:
    """Would leave a file behind if anything ran it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@untrusted("pickle-with-code", "would run 'posix.mkdir'")
def _evil_zip(folder: Path) -> Path:
    torch.save({**good(), "x": _Evil(folder / "ran")}, folder / "model.pt")
    return folder / "model.pt"


@untrusted("legacy-pickle-with-code", "would run 'posix.mkdir'")
def _evil_legacy(folder: Path) -> Path:
    path = folder / "model.pt"
    torch.save({**good(), "x": _Evil(folder / "ran")}, path, _use_new_zipfile_serialization=False)
    return path


@untrusted("protocol-4-pickle-with-code", "would run 'posix.mkdir'")
def _evil_protocol(folder: Path) -> Path:
    torch.save({**good(), "x": _Evil(folder / "ran")}, folder / "model.pt", pickle_protocol=4)
    return folder / "model.pt"


@untrusted("bare-pickle-with-code", "would run 'posix.mkdir'")
def _evil_bare(folder: Path) -> Path:
    (folder / "model.bin").write_bytes(pickle.dumps({"x": _Evil(folder / "ran")}))
    return folder / "model.bin"


@untrusted("pickle-calling-eval", "would run")
def _evil_eval(folder: Path) -> Path:
    (folder / "model.bin").write_bytes(b"\x80\x02c__builtin__\neval\nX\x08\x00\x00\x00print(1)\x85R.")
    return folder / "model.bin"


_raw("bare-pickle", "bare pickle", lambda: pickle.dumps({"weights": [1.0, 2.0]}), "model.bin")
_raw(
    "broken-pickle",
    "breaks off",
    lambda: b"\x80\x02}q\x00(" + b"X\x02\x00\x00\x00ab" * 9 + b"X\x05\x00\x00\x00ab",
    "model.bin",
)
_raw(
    "pickle-with-a-huge-string",
    "breaks off",
    lambda: b"\x80\x02X\xff\xff\xff\x7fabcdefghijklmnop",
    "model.bin",
)


@untrusted("whole-module", "save only model.state_dict()")
def _module(folder: Path) -> Path:
    torch.save(nn.Transformer(8, 2, 1, 1, 8), folder / "model.pt")
    return folder / "model.pt"


def _bytes_of(state: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(state, stream)
    return stream.getvalue()


_raw("archive-cut-short", "neither safetensors", lambda: _bytes_of(good())[:-200], "model.pt")


def _archive(
    name: str, said: str, entries: Callable[[], dict[str, bytes]], method: int = zipfile.ZIP_STORED
) -> None:
    def make(folder: Path) -> Path:
        path = folder / "model.pt"
        with zipfile.ZipFile(path, "w", method) as archive:
            for entry, data in entries().items():
                archive.writestr(entry, data)
        return path

    FILES[name] = (make, said)


_archive(
    "zip-bomb",
    "compressed",
    lambda: {"a/data.pkl": b"\x80\x02}.", "a/data/0": bytes(50_000_000)},
    zipfile.ZIP_DEFLATED,
)
_archive("zip-with-a-path-out", "leads out", lambda: {"a/data.pkl": b"\x80\x02}.", "../../../tmp/ran": b"x"})
_archive("zip-with-an-absolute-path", "leads out", lambda: {"a/data.pkl": b"\x80\x02}.", "/tmp/ran": b"x"})
_archive("zip-of-something-else", "without one data.pkl", lambda: {"word/document.xml": b"<xml/>" * 10})
_archive(
    "zip-with-two-programs",
    "without one data.pkl",
    lambda: {"a/data.pkl": b"\x80\x02}.", "b/data.pkl": b"\x80\x02}."},
)
_archive(
    "zip-with-a-broken-program", "breaks off", lambda: {"a/data.pkl": b"\x80\x02}(((", "a/version": b"3"}
)
_archive(
    "zip-of-a-state-without-storages",
    "not a readable PyTorch file",
    lambda: {"a/data.pkl": _program(), "a/version": b"3"},
)


def _program() -> bytes:
    with zipfile.ZipFile(io.BytesIO(_bytes_of(good()))) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith("data.pkl")))


def _huge() -> bytes:
    """A storage of 2**40 numbers, declared by a legacy file of a few hundred bytes."""
    stream = io.BytesIO()
    torch.save({"w": torch.zeros(300)}, stream, _use_new_zipfile_serialization=False)
    return stream.getvalue().replace(b"M,\x01", b"\x8a\x06\x00\x00\x00\x00\x00\x01")


_raw("legacy-storage-of-a-terabyte", "declares", _huge, "model.pt")
_state(
    "strides-of-zero",
    "larger than the bytes",
    lambda s: {**s, "x.weight": torch.zeros(1).expand(10**6, 10**6)},
)
_state("sparse-tensor", "would run", lambda s: {**s, "x": torch.eye(3).to_sparse()})
_state("a-list", "not a state dict", lambda s: [1, 2, 3])
_state("a-number", "not a state dict", lambda s: 3)
_state("an-empty-dict", "no named tensors", lambda s: {"model": {}})
_state("numbers-as-keys", "no named tensors", lambda s: {1: torch.ones(3)})
_state("tensors-and-numbers-mixed", "mixes tensors", lambda s: {**s, "loss": 3.5})

# -- the right layout, the wrong model -------------------------------------------------------------------------


def _put(key: str, tensor: Tensor) -> Callable[[dict[str, Any]], None]:
    return lambda state: state.update({key: tensor})


_Q = "encoder.layers.0.self_attention.fc_q.weight"
_state("nan", "NaN or infinity", _put(_Q, torch.full((8, 8), float("nan"))))
_state("infinity", "NaN or infinity", _put(_Q, torch.full((8, 8), float("inf"))), pickled=False)
_state("wrong-shape", _Q, _put(_Q, torch.ones(8, 7)))
_FC = "decoder.layers.0.positionwise_feedforward.fc_1.weight"
_state("transposed-shape", "fc_1.weight has shape", _put(_FC, torch.ones(8, 16)))
_state("flat-shape", _Q, _put(_Q, torch.ones(64)))
_state("no-rows", _Q, _put(_Q, torch.ones(0, 8)))
_state("whole-numbers", "stored as I64", _put(_Q, torch.ones(8, 8, dtype=torch.int64)))
_state("bytes", "stored as uint8", _put(_Q, torch.ones(8, 8, dtype=torch.uint8)))
_state("complex-numbers", "stored as complex64", _put(_Q, torch.ones(8, 8, dtype=torch.complex64)))
_state("extra-key", "decoder.extra.weight", _put("decoder.extra.weight", torch.ones(3)))
_state("key-with-markup", "no place", _put("<script>alert(1)</script>", torch.ones(3)))
_state("key-like-a-path", "no place", _put("../../etc/passwd", torch.ones(3)))
_state(
    "missing-key",
    "self_attention.q_proj.weight",
    lambda s: {k: v for k, v in s.items() if k != "decoder.layers.0.self_attention.fc_q.weight"},
)
_state(
    "missing-bias",
    "nothing in the file fills",
    lambda s: {k: v for k, v in s.items() if not k.endswith("layers.0.self_attention.fc_v.bias")},
)
_state(
    "missing-norm",
    "nothing in the file fills",
    lambda s: {k: v for k, v in s.items() if "enc_attn_layer_norm" not in k},
)
_state(
    "missing-head",
    "nothing in the file fills output_proj",
    lambda s: {k: v for k, v in s.items() if not k.startswith("decoder.fc_out")},
)
_state(
    "missing-layer",
    "without layer 1",
    lambda s: {
        k.replace("encoder.layers.0", "encoder.layers.1")
        if "self_attn_layer" not in k and "fc_q" not in k and ".self_attention" not in k
        else k: v
        for k, v in _second(s).items()
    },
)
_state(
    "layer-numbered-a-billion",
    "without layer",
    _put("encoder.layers.99.self_attn_layer_norm.weight", torch.ones(8)),
)
_state("prefix-clash", "one key without their prefix", lambda s: {**s, f"module.{_Q}": torch.ones(8, 8)})


def _second(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Encoder layers 1 and 2, without 0."""
    moved = {
        k.replace("decoder.layers.0", "decoder.layers.1"): v
        for k, v in state.items()
        if "decoder.layers" in k
    }
    return {**state, **{k.replace("layers.1", "layers.2"): v for k, v in moved.items()}}


# -- other kinds of model ------------------------------------------------------------------------------------


def _other(name: str, said: str, module: Callable[[], nn.Module], prefix: str = "") -> None:
    _state(name, said, lambda s: {prefix + key: value for key, value in module().state_dict().items()})


class _Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.encoder, self.decoder = kind(8, 8), kind(8, 8)  # type: ignore[arg-type]
        self.attention = nn.Linear(16, 8)


_other("an-mlp", "attention layer", lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)))
_other(
    "a-convolutional-network", "attention layer", lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
)
_other("a-gru-seq2seq", "recurrent", lambda: _Recurrent(nn.GRU))
_other("an-lstm-seq2seq", "recurrent", lambda: _Recurrent(nn.LSTM))
_other(
    "encoder-only",
    "an encoder and no decoder",
    lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8), 1),
    "encoder.",
)
_other(
    "decoder-only",
    "decoder-only",
    lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 8), 1),
    "decoder.",
)
_other(
    "bare-torch-transformer",
    "nothing in the file tells d_model",
    lambda: nn.Transformer(8, 2, 1, 1, 8),
    "transformer.",
)


def _folder(name: str, said: str, files: Callable[[], dict[str, bytes]]) -> None:
    def make(folder: Path) -> Path:
        place = folder / "checkpoint"
        place.mkdir()
        for file, data in files().items():
            (place / file).write_bytes(data)
        return place

    FILES[name] = (make, said)


def _index(table: Any) -> bytes:
    return json.dumps({"weight_map": table}).encode()


_INDEX = "model.safetensors.index.json"
_folder("empty-folder", "holds no weights", dict)
_folder(
    "two-weights-files", "2 weights files", lambda: {"a.pt": _bytes_of(good()), "b.pt": _bytes_of(good())}
)
_folder(
    "config-not-json", "not a readable JSON", lambda: {"config.json": b"{nope", "model.safetensors": _whole}
)
_folder(
    "generation-config-not-json",
    "not a readable JSON",
    lambda: {"generation_config.json": b"{nope", "model.safetensors": _whole},
)
_folder(
    "generation-config-nested-deeply",
    "nests its objects too deeply",
    lambda: {"generation_config.json": b'{"a":' * 100_000, "model.safetensors": _whole},
)
_folder(
    "config-a-list", "must hold a JSON object", lambda: {"config.json": b"[1]", "model.safetensors": _whole}
)
_folder(
    "config-nested-deeply",
    "nests its objects too deeply",
    lambda: {"config.json": b'{"a":' * 100_000, "model.safetensors": _whole},
)
_folder(
    "config-of-another-family",
    "fit no known",
    lambda: {
        "config.json": b'{"model_type": "gpt2"}',
        "model.safetensors": save({"transformer.h.0.attn.c_attn.weight": torch.ones(3)}),
    },
)
_folder(
    "index-without-a-map", "no weight_map", lambda: {_INDEX: b'{"metadata": {}}', "a.safetensors": _whole}
)
_folder("index-that-names-itself", "not a file of this folder", lambda: {_INDEX: _index({"a": _INDEX})})
_folder(
    "index-with-a-path-out",
    "not a file of this folder",
    lambda: {_INDEX: _index({"a": "../../../etc/passwd"})},
)
_folder(
    "index-with-an-absolute-path", "not a file of this folder", lambda: {_INDEX: _index({"a": "/etc/passwd"})}
)
_folder(
    "index-with-a-missing-shard",
    "not a file of this folder",
    lambda: {_INDEX: _index({"a": "b.safetensors"})},
)
_folder("index-with-a-number", "no weight_map", lambda: {_INDEX: _index({"a": 3})})
_folder(
    "index-of-a-key-that-is-elsewhere",
    "does not hold it",
    lambda: {_INDEX: _index({"a": "s.safetensors"}), "s.safetensors": save({"b": torch.ones(9)})},
)
_folder(
    "shard-with-an-extra-key",
    "does not name there",
    lambda: {
        _INDEX: _index({"a": "s.safetensors"}),
        "s.safetensors": save({"a": torch.ones(9), "b": torch.ones(9)}),
    },
)
_folder(
    "index-of-two-thousand-shards",
    "at most 1000",
    lambda: {_INDEX: _index({str(n): f"{n}.safetensors" for n in range(2000)})},
)
_folder("index-not-json", "not a readable JSON", lambda: {_INDEX: b"\x00\x01\x02"})


@untrusted("pickle-of-one-byte-programs", "too long")
def _one_byte_programs(folder: Path) -> Path:
    path = folder / "model.pt"
    path.write_bytes(b"\x80\x02" + b"N0" * 5_000_000 + b".")
    return path


@untrusted("archive-of-many-members", "too many entries")
def _many_members(folder: Path) -> Path:
    path = folder / "model.pt"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"archive/data/{number}", b"")
    return path


@untrusted("nothing-there", "there is nothing at")
def _nothing(folder: Path) -> Path:
    return folder / "none"


@untrusted("larger-than-the-limit", "raise the limit")
def _large(folder: Path) -> Path:
    path = folder / "model.safetensors"
    with path.open("wb") as file:
        file.write(_whole)
        file.truncate(600_000_000)  # sparse: it takes no room
    return path
