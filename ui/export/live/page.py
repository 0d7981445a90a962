"""A trained model as one HTML file that runs: it needs no network, no server and no installation.

The file holds the packed model (`pack`) deflated, in blocks of base64, and the engine of `ui/web/engine`. Everything
that comes from the checkpoint is text to it: names and tokens are escaped here, or set as text by the view.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from core.errors import InputError
from core.model.hooks import ATTENTION
from ui.export.live.pack import pack, rounded_to_halves
from ui.export.report import escaped, offline_page

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

_VIEW: Final = "live"
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
    deflated = zlib.compress(content, 9)
    blocks = [
        base64.b64encode(deflated[start : start + _BLOCK]).decode("ascii")
        for start in range(0, len(deflated), _BLOCK)
    ]
    argument = {"bytes": len(content), "stored": _stored(checkpoint, examples[0])}
    return offline_page(
        _VIEW, argument, f"Attention Atlas: {name}", _body(checkpoint, name, examples), blocks
    )


def write_page(checkpoint: Bundle, out: Path) -> int:
    """Write the page of `checkpoint` → its size in bytes."""
    content = live_page(checkpoint).encode()
    out.write_bytes(content)
    return len(content)


def _examples(checkpoint: Bundle) -> Iterator[str]:
    """The card's example sentences that the model reads, a few."""
    from core.decoding.inputs import read_source

    listed = checkpoint.card.get("examples")
    kept = 0
    for each in listed if isinstance(listed, list) else []:
        text = each.get("source") if isinstance(each, dict) else None
        if not isinstance(text, str) or len(text) > _LONGEST_EXAMPLE or kept == _EXAMPLES:
            continue
        try:
            read_source(checkpoint, text)
        except InputError:
            continue
        kept += 1
        yield text


def _stored(checkpoint: Bundle, text: str) -> dict[str, Any]:
    """What the page shows before the model is unpacked: the first example's translation and its cross-attention."""
    from core.decoding.tracing import trace

    seen = trace(rounded_to_halves(checkpoint), text, record=("*.weights",))
    weights = seen.stacked(ATTENTION["cross"].stack, ATTENTION["cross"].block, "weights")
    return {
        "text": checkpoint.target_tokenizer.decode(seen.target_ids),
        "source": list(seen.tokens.source),
        "written": list(seen.tokens.written),
        "cross": {
            "shape": list(weights.shape),
            "weights": np.round(weights.astype(np.float64), 4).ravel().tolist(),
        },
    }


def rounding(checkpoint: Bundle, text: str) -> str:
    """One sentence on what float16 changes: nothing, or what it does to the translation of `text` and its maps."""
    from core.decoding.batch import translate_batch
    from core.decoding.inputs import source_ids
    from core.decoding.tracing import trace_ids

    halves = rounded_to_halves(checkpoint)
    pairs = zip(checkpoint.model.parameters(), halves.model.parameters(), strict=True)
    if all(bool((one == other).all()) for one, other in pairs):
        return "The weights are stored as float16, here as in the checkpoint."
    source = source_ids(checkpoint, text)
    written, other = (translate_batch(each.model, [source])[0] for each in (checkpoint, halves))
    exact, rounded = (
        trace_ids(each, source, written, record=("*.weights",)).records for each in (checkpoint, halves)
    )
    largest = max(float(np.abs(exact[site] - rounded[site]).max(initial=0.0)) for site in exact)
    same = "keeps its translation" if written == other else "gets another translation"
    return (
        f"The weights are rounded to float16: the first example {same}, and its attention weights change by at "
        f"most {largest:.1e}."
    )


def _body(checkpoint: Bundle, name: str, examples: list[str]) -> str:
    options = "".join(f'<option value="{escaped(text)}"></option>' for text in examples)
    return f"""<div class="live"><header><p class="brand">Attention Atlas</p><button id="mode" type="button">light / dark</button>
<h1><bdi>{escaped(name)}</bdi></h1></header>
<main>
<noscript><p>The model runs by a script inside this file; allow scripts to use it.</p></noscript>
<form><input id="text" list="examples" value="{escaped(examples[0])}" aria-label="Sentence" autocomplete="off" spellcheck="false" dir="auto">
<datalist id="examples">{options}</datalist><button type="submit">Translate</button></form>
<progress max="1" value="0" aria-label="Unpacking the model"></progress>
<p class="translation" aria-live="polite" dir="auto"></p>
<p class="status" role="status"></p>
<h2>Cross-attention</h2>
<p><label for="heads">Shown: </label><select id="heads"></select></p>
<div class="map"></div>
</main>
<footer><p>{escaped(rounding(checkpoint, examples[0]))} The model runs in this page: nothing you type is sent anywhere.
Rows are written tokens (queries), columns are tokens of the source (keys).</p></footer></div>"""
