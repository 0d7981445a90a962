"""Attention Atlas: an encoder-decoder Transformer whose every step can be seen.

    checkpoint = core.load("checkpoints/en-fr")
    trace = core.trace(checkpoint, "A man rides a bike.")
    trace.weights("decoder", "cross")  # (L, H, T_query, T_key)

Importing this package imports neither torch nor anything else that is slow; each name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.api import Checkpoint, load, save, trace, trace_many
    from core.decoding.session import DecodeSession
    from core.errors import AtlasError
    from core.experiments.patching import patch
    from core.importing.from_generate import from_generate
    from core.importing.from_maps import from_maps
    from core.importing.from_run import from_run
    from core.importing.watch import watch
    from core.importing.wrap import import_checkpoint, wrap
    from core.learning import self_check as check
    from core.model.config import ModelConfig
    from core.model.hooks import Hooks, Site
    from core.model.trace import Trace
    from core.model.transformer import Transformer
    from core.notebook import figure, show
    from core.tokenizer import Tokenizer

__all__ = [
    "AtlasError",
    "Checkpoint",
    "DecodeSession",
    "Hooks",
    "ModelConfig",
    "Site",
    "Tokenizer",
    "Trace",
    "Transformer",
    "check",
    "figure",
    "from_generate",
    "from_maps",
    "from_run",
    "import_checkpoint",
    "load",
    "patch",
    "save",
    "show",
    "trace",
    "trace_many",
    "watch",
    "wrap",
]

_VERSION = "core.version"
_MODULES = {"check": "core.learning.self_check"}
_HOMES = {
    "AtlasError": "core.errors",
    "Checkpoint": "core.api",
    "DecodeSession": "core.decoding.session",
    "Hooks": "core.model.hooks",
    "ModelConfig": "core.model.config",
    "Site": "core.model.hooks",
    "Tokenizer": "core.tokenizer",
    "Trace": "core.model.trace",
    "Transformer": "core.model.transformer",
    "figure": "core.notebook",
    "from_generate": "core.importing.from_generate",
    "from_maps": "core.importing.from_maps",
    "from_run": "core.importing.from_run",
    "import_checkpoint": "core.importing.wrap",
    "load": "core.api",
    "patch": "core.experiments.patching",
    "save": "core.api",
    "show": "core.notebook",
    "trace": "core.api",
    "trace_many": "core.api",
    "watch": "core.importing.watch",
    "wrap": "core.importing.wrap",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "__version__":
        return import_module(_VERSION).__version__
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
