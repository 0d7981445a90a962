"""What a live page needs of a tokenizer: its pipeline, what stands around a text, and a label for every id."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from core.errors import InputError
from core.tokenizer import Tokenizer
from core.tokenizer.untrusted import needs_guard

# Steps that the page runs exactly as the library does (tests/page_parity.py).
_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "normalizer": (
        *(
            "Sequence",
            "NFC",
            "NFD",
            "NFKC",
            "NFKD",
            "Lowercase",
            "Replace",
            "Strip",
            "StripAccents",
            "Prepend",
        ),
        *("BertNormalizer", "Precompiled"),
    ),
    "pre_tokenizer": (
        *("Sequence", "Metaspace", "Split", "ByteLevel", "WhitespaceSplit", "Whitespace"),
        "BertPreTokenizer",
    ),
    "decoder": (
        *("Sequence", "Metaspace", "Fuse", "WordPiece", "ByteLevel", "BPEDecoder", "Replace", "Strip"),
        "ByteFallback",
    ),
}
_MODELS: Final = ("BPE", "Unigram", "WordPiece", "WordLevel")


def tokenizer_layout(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer as JSON for `ui/web/engine/tokenizer.ts`. Raises `InputError` for one that a page cannot run."""
    pipeline = _pipeline(tokenizer)
    if needs_guard(pipeline):
        raise InputError(
            "This model's tokenizer cuts text by a pattern of its own, and no page can bound how long that takes; "
            "choose a model with another tokenizer."
        )
    if (step := _unknown_step(pipeline)) is not None:
        raise InputError(
            f"This model's tokenizer has the step {step[:60]}, which a page cannot run exactly; choose a model with "
            "another tokenizer."
        )
    frame = tokenizer.frame
    after = frame.after if frame is not None and frame.after is not None else (tokenizer.eos_id,)
    ids = range(tokenizer.vocab_size)
    return {
        "pipeline": pipeline,
        "family": tokenizer.family,
        "specials": asdict(tokenizer.specials),
        "before": list(frame.before) if frame is not None else [],
        "after": list(after),
        "ids": list(frame.ids) if frame is not None and frame.ids is not None else None,
        "tokens": _tokens(tokenizer),
        "labels": [tokenizer.label(token_id) for token_id in ids],
        # Ids that stand for no text: no text may give them, and none is written of them.
        "control": [token_id for token_id in ids if tokenizer.words([token_id]) == [-1]],
    }


def _unknown_step(pipeline: Mapping[str, Any]) -> str | None:
    """The first part of a pipeline that the page does not run as the library does, or None."""
    model = pipeline["model"]
    if model["type"] not in _MODELS:
        return str(model["type"])
    if model["type"] == "BPE" and (model.get("dropout") or model.get("continuing_subword_prefix")):
        return "BPE with dropout or a prefix of word parts"
    for name, known in _STEPS.items():
        for step in _nested(pipeline.get(name)):
            if step["type"] not in known:
                return str(step["type"])
            inverted = step.get("behavior") == "Removed" and step.get("invert") is True
            if step["type"] == "Split" and step.get("behavior") != "Isolated" and not inverted:
                return f"Split with behavior {step.get('behavior')}"
    return None


def _nested(step: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """A step and those inside it."""
    if step is None:
        return []
    inner = [
        *(step.get("normalizers") or []),
        *(step.get("pretokenizers") or []),
        *(step.get("decoders") or []),
    ]
    return [step, *(deep for each in inner for deep in _nested(each))]


def _pipeline(tokenizer: Tokenizer) -> dict[str, Any]:
    """The `tokenizers` pipeline that the tokenizer's own file holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        tokenizer.save(path)
        content = json.loads(path.read_text("utf-8"))
    pipeline: dict[str, Any] = content["tokenizer"]
    return pipeline


def _tokens(tokenizer: Tokenizer) -> list[str] | None:
    """The token of each id where the pipeline's own vocabulary has other ids (MarianMT)."""
    frame = tokenizer.frame
    return list(frame.tokens) if frame is not None and frame.tokens is not None else None
