"""Untrusted files: what each holds, written to a folder, and what the sentence that refuses it says.

`good` is a small, valid state dict in the seq2seq layout; most files are that with one thing wrong.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn

Make = Callable[[Path], Path]
FILES: dict[str, tuple[Make, str]] = {}
WIDTH, SOURCES, TARGETS = 8, 12, 11


def good(layers: int = 1) -> dict[str, Tensor]:
    """A whole model in the seq2seq tutorial's layout."""
    torch.manual_seed(0)
    state: dict[str, Tensor] = {}

    def linear(name: str, inputs: int, outputs: int) -> None:
        state[f"{name}.weight"], state[f"{name}.bias"] = torch.randn(outputs, inputs), torch.randn(outputs)

    for stack, size in (("encoder", SOURCES), ("decoder", TARGETS)):
        state[f"{stack}.tok_embedding.weight"] = torch.randn(size, WIDTH)
        state[f"{stack}.pos_embedding.weight"] = torch.randn(10, WIDTH)
        cross = stack == "decoder"
        for at in (f"{stack}.layers.{n}" for n in range(layers)):
            for block in ("self_attention", *["encoder_attention"] * cross):
                for name in ("fc_q", "fc_k", "fc_v", "fc_o"):
                    linear(f"{at}.{block}.{name}", WIDTH, WIDTH)
            for norm in ("self_attn_layer_norm", "ff_layer_norm", *["enc_attn_layer_norm"] * cross):
                state |= {f"{at}.{norm}.weight": torch.ones(WIDTH), f"{at}.{norm}.bias": torch.zeros(WIDTH)}
            linear(f"{at}.positionwise_feedforward.fc_1", WIDTH, 16)
            linear(f"{at}.positionwise_feedforward.fc_2", 16, WIDTH)
    linear("decoder.fc_out", WIDTH, TARGETS)
    return state


def _pickled(state: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(state, stream, **options)
    return stream.getvalue()


def _zipped(entries: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)
    return stream.getvalue()


def _program() -> bytes:
    with zipfile.ZipFile(io.BytesIO(_pickled(good()))) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith("data.pkl")))


def _overlapping() -> bytes:
    """All tensors begin at the same byte; what a header alone must say is in tests/core/checkpoints/test_broken.py."""
    header = {
        key: {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [0, 4 * tensor.numel()]}
        for key, tensor in good().items()
    }
    text = json.dumps(header).encode()
    longest = max(4 * tensor.numel() for tensor in good().values())
    return struct.pack("<Q", len(text)) + text + bytes(longest)


def _huge() -> bytes:
    """A storage of 2**40 numbers, declared by a legacy file of a few hundred bytes."""
    legacy = _pickled({"w": torch.zeros(300)}, _use_new_zipfile_serialization=False)
    return legacy.replace(b"M,\x01", b"\x8a\x06\x00\x00\x00\x00\x00\x01")


_EMPTY = b"\x80\x02}."  # the program of an empty dict
_whole = save(good())
_NO_TENSORS = b'{"__metadata__": {"format": "pt"}}'
# Name → what is said, the file's name, its bytes, or what makes them where that takes long.
_BYTES: dict[str, tuple[str, str, bytes | Callable[[], bytes]]] = {
    "empty": ("empty or cut short", "model.safetensors", b""),
    "eight-bytes": ("empty or cut short", "model.safetensors", b"\x10" + bytes(7)),
    "cut-in-the-header": ("header is longer", "model.safetensors", _whole[:200]),
    "cut-in-the-data": ("bytes", "model.safetensors", _whole[:-100]),
    "no-tensors": ("holds no tensors", "model.safetensors", struct.pack("<Q", len(_NO_TENSORS)) + _NO_TENSORS),
    "overlapping-tensors": ("overlap", "model.safetensors", _overlapping()),
    "random-bytes": ("header is longer", "model.safetensors", bytes((n * 37 + 11) % 256 for n in range(1000))),
    "a-text-file": ("neither safetensors nor", "model.bin", b"I am a model, believe me. " * 9),
    "a-web-page": ("is a web page, not the file itself", "model.pt", b"<html><script>alert(1)</script></html>" * 3),
    "pickle-calling-eval": ("would run", "model.bin", b"\x80\x02c__builtin__\neval\nX\x08\x00\x00\x00print(1)\x85R."),
    "bare-pickle": ("bare pickle", "model.bin", pickle.dumps({"weights": [1.0, 2.0]})),
    "broken-pickle": ("breaks off", "model.bin", b"\x80\x02}q\x00(" + b"X\x02\x00\x00\x00ab" * 9 + b"X\x05\x00\x00\x00ab"),
    "pickle-with-a-huge-string": ("breaks off", "model.bin", b"\x80\x02X\xff\xff\xff\x7fabcdefghijklmnop"),
    "pickle-of-one-byte-programs": ("too long", "model.pt", lambda: b"\x80\x02" + b"N0" * 5_000_000 + b"."),
    "archive-of-one-byte-programs-of-protocol-4": ("cannot be read safely", "model.pt", lambda: _zipped({"a/data.pkl": b"\x80\x04" + b"N0" * 5_000_000 + b".", "a/version": b"3"})),
    "archive-with-a-name-out-of-two-objects": ("cannot be read safely", "model.pt", _zipped({"a/data.pkl": b"\x80\x04NN\x93.", "a/version": b"3"})),
    "archive-of-protocol-4-repeating-a-text": ("cannot be read safely", "model.pt", lambda: _zipped({
        "a/data.pkl": b"\x80\x04X\x40\x42\x0f\x00" + bytes(1_000_000) + b"\x94" + b"h\x00" * 100_000 + b".", "a/version": b"3"})),
    "archive-of-protocol-4-cut-short": ("breaks off", "model.pt", _zipped({"a/data.pkl": b"\x80\x04\x8c\x05ab", "a/version": b"3"})),
    "legacy-file-of-protocol-4": ("pickle protocol 4 and in the format before PyTorch 1.6", "model.pt",
                                  _pickled(good(), pickle_protocol=4, _use_new_zipfile_serialization=False)),
    "archive-cut-short": ("neither safetensors", "model.pt", _pickled(good())[:-200]),
    "zip-bomb": ("compressed", "model.pt", lambda: _zipped({"a/data.pkl": _EMPTY, "a/data/0": bytes(50_000_000)}, zipfile.ZIP_DEFLATED)),
    "zip-with-a-path-out": ("leads out", "model.pt", _zipped({"a/data.pkl": _EMPTY, "../../../tmp/ran": b"x"})),
    "zip-with-an-absolute-path": ("leads out", "model.pt", _zipped({"a/data.pkl": _EMPTY, "/tmp/ran": b"x"})),
    "zip-of-something-else": ("without a single data.pkl", "model.pt", _zipped({"word/document.xml": b"<xml/>" * 10})),
    "zip-with-two-programs": ("without a single data.pkl", "model.pt", _zipped({"a/data.pkl": _EMPTY, "b/data.pkl": _EMPTY})),
    "zip-with-a-broken-program": ("breaks off", "model.pt", _zipped({"a/data.pkl": b"\x80\x02(((", "a/version": b"3"})),
    "zip-of-a-state-without-storages": ("not a readable PyTorch file", "model.pt", _zipped({"a/data.pkl": _program(), "a/version": b"3"})),
    "archive-of-many-members": ("too many entries", "model.pt", lambda: _zipped({f"archive/data/{n}": b"" for n in range(30_000)})),
    "legacy-storage-of-a-terabyte": ("declares", "model.pt", _huge()),
}  # fmt: skip


class _Evil:
    """Would leave a file behind if anything ran it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


# Name → the file's bytes, given a pickle that would run.
_PROGRAMS: dict[str, Callable[[_Evil], bytes]] = {
    "pickle-with-code": lambda evil: _pickled({**good(), "x": evil}),
    "legacy-pickle-with-code": lambda evil: _pickled(
        {**good(), "x": evil}, _use_new_zipfile_serialization=False
    ),
    "protocol-4-pickle-with-code": lambda evil: _pickled({**good(), "x": evil}, pickle_protocol=4),
    "bare-pickle-with-code": lambda evil: pickle.dumps({"x": evil}),
}


class _Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.encoder, self.decoder = kind(8, 8), kind(8, 8)  # type: ignore[arg-type]
        self.attention = nn.Linear(16, 8)


def _module(module: nn.Module, prefix: str = "") -> dict[str, Tensor]:
    return {prefix + key: value for key, value in module.state_dict().items()}


def _without(*words: str) -> dict[str, Tensor]:
    return {key: tensor for key, tensor in good().items() if not any(word in key for word in words)}


_Q = "encoder.layers.0.self_attention.fc_q.weight"
_FC = "decoder.layers.0.positionwise_feedforward.fc_1.weight"
# Name → what is said, and what torch.save is given.
_STATES: dict[str, tuple[str, Any]] = {
    "whole-module": ("torch.save(model.state_dict(), FILE)", nn.Transformer(8, 2, 1, 1, 8, batch_first=True)),
    "strides-of-zero": ("larger than the bytes", {**good(), "x.weight": torch.zeros(1).expand(10**6, 10**6)}),
    "sparse-tensor": ("would run", {**good(), "x": torch.eye(3).to_sparse()}),
    "a-list": ("not a state dict", [1, 2, 3]),
    "a-number": ("not a state dict", 3),
    "an-empty-dict": ("no named tensors", {"model": {}}),
    "numbers-as-keys": ("no named tensors", {1: torch.ones(3)}),
    "weights-that-are-numbers": ("mixes tensors", {**good(), "decoder.scale": 3.5}),
    # The right layout, the wrong model.
    "nan": ("NaN or infinity", {**good(), _Q: torch.full((8, 8), float("nan"))}),
    "wrong-shape": (_Q, {**good(), _Q: torch.ones(8, 7)}),
    "transposed-shape": ("fc_1.weight has shape", {**good(), _FC: torch.ones(8, 16)}),
    "flat-shape": (_Q, {**good(), _Q: torch.ones(64)}),
    "no-rows": (_Q, {**good(), _Q: torch.ones(0, 8)}),
    "whole-numbers": ("stored as I64", {**good(), _Q: torch.ones(8, 8, dtype=torch.int64)}),
    "bytes": ("stored as uint8", {**good(), _Q: torch.ones(8, 8, dtype=torch.uint8)}),
    "complex-numbers": ("stored as complex64", {**good(), _Q: torch.ones(8, 8, dtype=torch.complex64)}),
    "extra-key": ("decoder.extra.weight", {**good(), "decoder.extra.weight": torch.ones(3)}),
    "key-with-markup": ("no place", {**good(), "<script>alert(1)</script>": torch.ones(3)}),
    "key-like-a-path": ("no place", {**good(), "../../etc/passwd": torch.ones(3)}),
    "missing-key": ("self_attention.q_proj.weight", _without("decoder.layers.0.self_attention.fc_q.weight")),
    "missing-bias": ("nothing in the file fills", _without("layers.0.self_attention.fc_v.bias")),
    "missing-norm": ("nothing in the file fills", _without("enc_attn_layer_norm")),
    "missing-head": ("nothing in the file fills output_proj", _without("decoder.fc_out")),
    "missing-layer": ("without layer 1", {k: v for k, v in good(3).items() if "encoder.layers.1." not in k}),
    "layer-numbered-a-billion": ("without layer", {**good(), "encoder.layers.99.self_attn_layer_norm.weight": torch.ones(8)}),
    "prefix-clash": ("one key without their prefix", {**good(), f"module.{_Q}": torch.ones(8, 8)}),
    # Other kinds of model.
    "an-mlp": ("attention layer", _module(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)))),
    "a-convolutional-network": ("attention layer", _module(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)))),
    "a-gru-seq2seq": ("recurrent", _module(_Recurrent(nn.GRU))),
    "an-lstm-seq2seq": ("recurrent", _module(_Recurrent(nn.LSTM))),
    "encoder-only": ("an encoder and no decoder", _module(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8, batch_first=True), 1), "encoder.")),
    "decoder-only": ("decoder-only", _module(nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 8, batch_first=True), 1), "decoder.")),
    "bare-torch-transformer": ("nothing in the file tells d_model", _module(nn.Transformer(8, 2, 1, 1, 8, batch_first=True), "transformer.")),
}  # fmt: skip


def _index(table: Any) -> bytes:
    return json.dumps({"weight_map": table}).encode()


_DEEP = b'{"a":' * 100_000
_INDEX = "model.safetensors.index.json"
_GPT = save({"transformer.h.0.attn.c_attn.weight": torch.ones(3)})
_CKPT = _pickled(good())
# Each line holds the one before it nine times, all as the kind of the encoder: 9⁴⁰ words.
_ALIASES = (
    b"a0: &a0 [x]\n"
    + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 41))
    + b"model: {encoder: {type: *a40}, decoder: {}}\n"
)
_A, _B = torch.ones(9), torch.ones(9)
# Name → what is said, and the files of the folder.
_FOLDERS: dict[str, tuple[str, dict[str, bytes]]] = {
    "empty-folder": ("holds no weights", {}),
    "two-weights-files": ("2 weights files", {"a.pt": _pickled(good()), "b.pt": _pickled(good())}),
    "config-not-json": ("not a readable JSON", {"config.json": b"{nope", "model.safetensors": _whole}),
    "generation-config-not-json": ("not a readable JSON", {"generation_config.json": b"{nope", "model.safetensors": _whole}),
    "generation-config-nested-deeply": ("nests its objects too deeply", {"generation_config.json": _DEEP, "model.safetensors": _whole}),
    "config-a-list": ("must hold a JSON object", {"config.json": b"[1]", "model.safetensors": _whole}),
    "config-nested-deeply": ("nests its objects too deeply", {"config.json": _DEEP, "model.safetensors": _whole}),
    "config-of-another-family": ("fit no known", {"config.json": b'{"model_type": "gpt2"}', "model.safetensors": _GPT}),
    "index-without-a-map": ("no weight_map", {_INDEX: b'{"metadata": {}}', "a.safetensors": _whole}),
    "index-that-names-itself": ("not a file of this folder", {_INDEX: _index({"a": _INDEX})}),
    "index-with-a-path-out": ("not a file of this folder", {_INDEX: _index({"a": "../../../etc/passwd"})}),
    "index-with-an-absolute-path": ("not a file of this folder", {_INDEX: _index({"a": "/etc/passwd"})}),
    "index-with-a-missing-shard": ("not a file of this folder", {_INDEX: _index({"a": "b.safetensors"})}),
    "index-with-a-number": ("no weight_map", {_INDEX: _index({"a": 3})}),
    "index-of-a-key-that-is-elsewhere": ("does not hold it", {_INDEX: _index({"a": "s.safetensors"}), "s.safetensors": save({"b": _B})}),
    "shard-with-an-extra-key": ("does not name there", {_INDEX: _index({"a": "s.safetensors"}), "s.safetensors": save({"a": _A, "b": _B})}),
    "index-of-two-thousand-shards": ("at most 1000", {_INDEX: _index({str(n): f"{n}.safetensors" for n in range(2000)})}),
    "yaml-of-aliases-without-end": ("repeats parts of itself", {"config.yaml": _ALIASES, "best.ckpt": _CKPT}),
    "yaml-of-a-number-in-a-million-parts": ("repeats parts of itself or is too long", {"config.yaml": b"a: " + b"1:" * 90_000 + b"1", "best.ckpt": _CKPT}),
    "yaml-of-a-number-beyond-all": ("cannot be read as YAML", {"config.yaml": b"a: " + b"1:" * 300 + b"1.5", "best.ckpt": _CKPT}),
    "yaml-of-a-table-as-a-kind": ("encoder is a dict", {"config.yaml": b"model: {encoder: {type: {a: [b]}}, decoder: {}}", "best.ckpt": _CKPT}),
    "index-not-json": ("not a readable JSON", {_INDEX: b"\x00\x01\x02"}),
}  # fmt: skip


def _writing(files: Callable[[Path], Mapping[str, bytes]], given: str = "") -> Make:
    """Writes `files` to a folder of their own, and gives it or the one file called `given`."""

    def make(folder: Path) -> Path:
        inside = folder / "checkpoint"
        inside.mkdir()
        for name, data in files(folder).items():
            (inside / name).write_bytes(data)
        return inside / given

    return make


def _large(folder: Path) -> Path:
    path = folder / "model.safetensors"
    with path.open("wb") as file:
        file.write(_whole)
        file.truncate(600_000_000)  # sparse: it takes no room
    return path


_BYTES["infinity"] = (
    "NaN or infinity",
    "model.safetensors",
    save({**good(), _Q: torch.full((8, 8), float("inf"))}),
)
for name, (said, file, data) in _BYTES.items():
    FILES[name] = (
        _writing(lambda _, file=file, data=data: {file: data() if callable(data) else data}, file),
        said,
    )
for name, program in _PROGRAMS.items():
    FILES[name] = (
        _writing(lambda folder, make=program: {"model.pt": make(_Evil(folder / "ran"))}, "model.pt"),
        "would run 'posix.mkdir'",
    )
for name, (said, state) in _STATES.items():
    FILES[name] = _writing(lambda _, state=state: {"model.pt": _pickled(state)}, "model.pt"), said
for name, (said, files) in _FOLDERS.items():
    FILES[name] = _writing(lambda _, files=files: files), said
FILES["nothing-there"] = lambda folder: folder / "none", "there is nothing at"
FILES["larger-than-the-limit"] = _large, "raise the limit"
