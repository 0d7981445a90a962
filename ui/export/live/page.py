"""A trained model as one HTML file that runs: it needs no network, no server and no installation.

The file holds the packed model (`pack`) deflated, in blocks of base64, and the engine of `ui/web/engine`. Everything
that comes from the checkpoint is text to it: names and tokens are escaped here, or set as text by the view.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import AtlasError, InputError
from ui.export.live.data import VIEW, live_data
from ui.export.live.pack import pack, rounded_to_halves
from ui.export.report import offline_page
from ui.web import contract
from ui.web.contract import deflated

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

_BLOCK: Final = 3 * 2**18
"""Bytes of a block, so that a page can show how far it has unpacked."""
_EXAMPLES: Final = 8
_LONGEST_NAME: Final = 200
_LONGEST_EXAMPLE: Final = 300


def live_page(checkpoint: Bundle) -> str:
    """The page of a checkpoint. Raises `InputError` for one that a page cannot hold or run, or that has no example."""
    examples = list(_examples(checkpoint))
    if not examples:
        raise InputError(
            "The card of this checkpoint gives no example sentence that it reads; add one to its examples."
        )
    name = str(checkpoint.card.get("name") or (checkpoint.path.name if checkpoint.path else "a model"))
    name = name[:_LONGEST_NAME]
    content = pack(checkpoint, examples, name)
    compressed = zlib.compress(content, 9)
    blocks = [
        base64.b64encode(compressed[start : start + _BLOCK]).decode("ascii")
        for start in range(0, len(compressed), _BLOCK)
    ]
    data = live_data(checkpoint, rounded_to_halves(checkpoint), name, examples, len(content))
    return offline_page(VIEW, contract.pack(data, deflated), f"Attention Atlas: {name}", _BODY, blocks)


def write_page(checkpoint: Bundle, out: Path) -> int:
    """Write the page of `checkpoint` → its size in bytes."""
    content = live_page(checkpoint).encode()
    out.write_bytes(content)
    return len(content)


def _examples(checkpoint: Bundle) -> Iterator[str]:
    """A few example sentences that the model reads, the one of the folder's stored example first."""
    from core.decoding.inputs import read_source

    listed = checkpoint.card.get("examples")
    texts = [_stored_example(checkpoint)]
    texts += [
        each.get("source") for each in (listed if isinstance(listed, list) else []) if isinstance(each, dict)
    ]
    kept: list[str] = []
    for text in texts:
        if (
            not isinstance(text, str)
            or text in kept
            or len(text) > _LONGEST_EXAMPLE
            or len(kept) == _EXAMPLES
        ):
            continue
        try:
            read_source(checkpoint, text)
        except InputError:
            continue
        kept.append(text)
        yield text


def _stored_example(checkpoint: Bundle) -> str | None:
    """The sentence of the folder's stored example, with which the app opens too."""
    from core.decoding.example import load_example

    if checkpoint.path is None:
        return None
    try:
        return checkpoint.source_tokenizer.decode(load_example(checkpoint.path, checkpoint.config).source_ids)
    except AtlasError:
        return None


_BODY: Final = """<div class="live"></div>
<noscript><p>The model runs by a script inside this file; allow scripts to use it.</p></noscript>"""
