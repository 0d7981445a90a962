"""What a live page needs of a tokenizer: its pipeline, what stands around a text, and a label for every id."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.tokenizer import Tokenizer
from core.tokenizer.untrusted import needs_guard


def tokenizer_layout(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer as JSON for `ui/web/engine/tokenizer.ts`. Raises `InputError` for one that a page cannot run."""
    pipeline = _pipeline(tokenizer)
    if needs_guard(pipeline):
        raise InputError(
            "This model's tokenizer cuts text by a pattern of its own, and no page can bound how long that takes; "
            "choose a model with another tokenizer."
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
        "labels": [tokenizer.label(place) for place in ids],
        # Ids that stand for no text: no text may give them, and none is written of them.
        "control": [place for place in ids if tokenizer.words([place]) == [-1]],
    }


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
