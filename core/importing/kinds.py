"""Weights that cannot be imported: adapters, quantised models, mixtures of experts, other programs' files.

Each kind has one sentence, which says what was given and what to do next. Kinds are recognised by file names, first bytes, the
names of keys, config.json, and the classes of modules in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from torch import nn

from core.errors import CheckpointError
from core.language import message, tr

# -- files of other programs -----------------------------------------------------------------------------------

_FROM_HUB: Final = message("give the PyTorch folder that it was made from")
_FROM_FLAX: Final = message(
    "open it with transformers 4 (from_pretrained(folder, from_flax=True)), save_pretrained it and give that folder"
)
_FROM_TF: Final = message(
    "open it with transformers 4 (from_pretrained(folder, from_tf=True)), save_pretrained it and give that folder"
)
_AS_TENSORS: Final = message("convert it to safetensors or a PyTorch state dict saved with torch.save")
_PROGRAMS: Final[tuple[tuple[str, str, str], ...]] = (  # file name, kind, the way on
    (r"\.onnx(_data)?$", message("an ONNX graph"), _FROM_HUB),
    (r"\.msgpack$", message("a Flax checkpoint (.msgpack)"), _FROM_FLAX),
    (r"\.(h5|hdf5|keras)$", message("a TensorFlow file (Keras, HDF5)"), _FROM_TF),
    (
        r"\.ckpt(-\d+)?\.(index|meta|data-\d+-of-\d+)$|(^|/)saved_model\.pb$",
        message("a TensorFlow checkpoint"),
        _FROM_TF,
    ),
    (r"\.(gguf|ggml)$", message("a GGUF file of llama.cpp"), _FROM_HUB),
    (
        r"\.(tflite|mlmodel|mlpackage|engine|plan|pte|pt2)$",
        message("a program compiled for one device"),
        _FROM_HUB,
    ),
    (r"openvino\w*\.(xml|bin)$", message("a graph of OpenVINO"), _FROM_HUB),
    (r"\.nemo$", message("an archive of NeMo"), _AS_TENSORS),
    (r"\.np[yz]$", message("a file of NumPy"), _AS_TENSORS),
    (
        r"\.distcp$",
        message("a part of a distributed checkpoint"),
        message(
            "join the parts with python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER FILE.pt"
        ),
    ),
    (
        r"(^|/)zero_pp_rank_",
        message("a part of a DeepSpeed checkpoint"),
        message("join the parts with the zero_to_fp32.py that DeepSpeed wrote beside them"),
    ),
)
_FIRST_BYTES: Final = ((b"\x93NUMPY", ".npy"), (b"\x89HDF\r\n\x1a\n", ".h5"), (b"GGUF", ".gguf"))


def other_program(name: str, start: bytes = b"") -> tuple[str, str] | None:
    """What a file of this name and these first bytes is, and the way on; None where no other program's is known."""
    suffix = next((suffix for first, suffix in _FIRST_BYTES if start.startswith(first)), None)
    if start[4:8] == b"TFL3":
        suffix = ".tflite"
    for pattern, kind, way in _PROGRAMS:
        if re.search(pattern, suffix or name.lower()):
            return tr(kind), tr(way)
    return None


def refuse_other_program(name: str, start: bytes = b"") -> None:
    """Raise CheckpointError for a file of another program."""
    if found := other_program(name, start):
        kind, way = found
        raise CheckpointError.tr(
            "{file} is {kind}, which is not read; {way}.", file=name[-60:], kind=kind, way=way
        )


_STAND_INS: Final[tuple[tuple[bytes, str, str], ...]] = (  # first bytes, what it is, the way on
    (
        b"version http",
        message("a pointer of Git LFS, not the file itself"),
        message("run git lfs pull where it was cloned, or download the file"),
    ),
    (b"<!doctype", message("a web page, not the file itself"), message("download the file again")),
    (b"<html", message("a web page, not the file itself"), message("download the file again")),
)


def refuse_stand_in(path: Path) -> None:
    """Raise CheckpointError for a small text that came in place of the file."""
    with path.open("rb") as file:
        start = file.read(16).lower()
    for first, kind, way in _STAND_INS:
        if start.startswith(first):
            raise CheckpointError.tr(
                "{file} is {kind}; {way}.", file=path.name[-60:], kind=tr(kind), way=tr(way)
            )


# -- what the keys are -----------------------------------------------------------------------------------------

_ADAPTER: Final = re.compile(
    r"(^|\.)(lora_\w+|ia3_l|base_layer|prompt_embeddings|prompt_encoder|hada_w\d_\w|lokr_w\d\w*|vera_lambda_\w|oft_\w+|boft_\w+"
    r"|modules_to_save|adaption_prompt|trainable_tokens_\w+)(\.|$)"
)
_QUANTISED: Final[tuple[tuple[str, str], ...]] = (
    ("GPTQ, AWQ", r"\.(qweight|qzeros|g_idx)$"),
    (
        "bitsandbytes",
        r"\.(SCB|weight_format)$|\.weight\.(absmax|quant_map|nested_absmax|nested_quant_map|quant_state\..*)$",
    ),
    ("torch.ao", r"_packed_params|\.zero_point$"),
    ("compressed-tensors", r"\.weight_(packed|zero_point|scale|scale_inv)$"),
    ("HQQ", r"\.W_q$"),
)
_EXPERTS: Final = re.compile(r"(^|\.)(experts?|moe_layer)\.|\.router\.classifier\.|(^|\.)expert_\d+\.")
_PROMPTS: Final = re.compile(r"_attn_prompt\.prompt_(embedding|trans)\.")
_SPLIT: Final = re.compile(r"\.(weight_g|weight_u|parametrizations\.\w+\.(original\d|0\.\w+))$")


def refuse_adapter(name: str) -> CheckpointError:
    """The sentence about a part of a model that PEFT trained beside it."""
    return CheckpointError.tr(
        "{file} is an adapter (PEFT, such as LoRA): small matrices beside a model; load both with peft, call "
        "model.merge_and_unload(), and save_pretrained the result or give it to core.wrap.",
        file=name[-60:],
    )


def refuse_quantised(name: str, how: str) -> CheckpointError:
    """The sentence about weights that are whole numbers and scales."""
    return CheckpointError.tr(
        "{file} is quantised ({how}), which is not read; give the model in full precision, or model.dequantize(), "
        "or use core.from_generate, which shows the model’s own maps.",
        file=name[-60:],
        how=how[:40],
    )


def refuse_kinds(name: str, keys: Iterable[str], config: Mapping[str, Any] | None) -> None:
    """Raise CheckpointError where keys or config.json say that the weights are an adapter, quantised or a mixture of experts."""
    names = list(keys)
    if any(map(_ADAPTER.search, names)):
        raise refuse_adapter(name)
    settings = (config or {}).get("quantization_config")
    if isinstance(settings, Mapping) and settings:
        raise refuse_quantised(name, str(settings.get("quant_method", "quantization_config")))
    for how, pattern in _QUANTISED:
        expression = re.compile(pattern)
        if any(map(expression.search, names)):
            raise refuse_quantised(name, how)
    if key := next(filter(_EXPERTS.search, names), None):
        raise CheckpointError.tr(
            "{file} is a mixture of experts ({key}), which is not supported here; use core.from_generate, which shows "
            "the model’s own maps.",
            file=name[-60:],
            key=key[-60:],
        )
    if key := next(filter(_PROMPTS.search, names), None):
        raise CheckpointError.tr(
            "{file} has learned prompts before the keys of its attention ({key}, as MVP with use_prompt), which is "
            "not supported here; use core.from_generate, which shows the model’s own maps without them.",
            file=name[-60:],
            key=key[-60:],
        )
    if key := next(filter(_SPLIT.search, names), None):
        raise CheckpointError.tr(
            "{file} stores a weight in parts ({key}: weight or spectral norm); take that away first with "
            "torch.nn.utils.parametrize.remove_parametrizations or remove_weight_norm, and save the state dict again.",
            file=name[-60:],
            key=key[-60:],
        )


# -- models in memory ------------------------------------------------------------------------------------------

_QUANTISING: Final = re.compile(
    r"^(torch\.ao\.nn\.|torch\.nn\.(intrinsic\.)?(quantized|qat)|bitsandbytes|auto_gptq|gptqmodel|awq|autoawq|hqq|eetq|quanto"
    r"|optimum\.quanto|torchao|compressed_tensors|aqlm|transformers\.integrations\.(bitsandbytes|finegrained_fp8|bitnet|hqq|quanto|eetq))"
)


def refuse_in_memory(model: nn.Module) -> None:
    """Raise CheckpointError for a model in memory whose modules are an adapter's, quantised, or compiled TorchScript."""
    name = type(model).__name__
    for module in model.modules():
        kind = type(module)
        if kind.__module__.startswith("peft.") or hasattr(module, "lora_A"):
            raise refuse_adapter(name)
        if kind.__module__.startswith("torch.jit"):
            raise CheckpointError.tr(
                "{name} is TorchScript, a compiled program; give the module that it was made from.", name=name
            )
        if _QUANTISING.search(kind.__module__) or re.search(r"^(W?Quant|WQ)\w*Linear", kind.__name__):
            raise refuse_quantised(name, f"{kind.__module__.split('.')[0]}, {kind.__name__}")
    for parameter in model.parameters():
        if parameter.is_meta:
            raise CheckpointError.tr(
                "{name} is on the meta device, which holds shapes and no numbers; load its weights first.",
                name=name,
            )
        stored = type(parameter.data)
        if parameter.is_quantized or stored.__module__.startswith(("torchao", "bitsandbytes")):
            raise refuse_quantised(name, stored.__name__)


def training_file(name: str) -> bool:
    """Whether a file of this name is what a trainer keeps beside the weights: optimizer, scheduler, random states, arguments."""
    return (
        re.match(
            r"(optimizer|optim|scheduler|scaler|sampler|dl_state_dict|rng_state|random_states?|training_args|trainer_state|global_step)"
            r"[\w.-]*$",
            Path(name).name,
        )
        is not None
    )
