"""`from_run`: the attention of any module, read while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from core.errors import InputError
from core.importing.from_maps import from_maps, words_of
from core.importing.recorded_maps import RecordedMaps
from core.model.trace import Trace


def from_run(
    run: Callable[[], Any], source: Iterable[str] | None = None, target: Iterable[str] | None = None
) -> Trace:
    """The maps that one forward pass computes, as a trace: `from_run(lambda: model(src, tgt), source, target)`.

    `source` (S tokens) and `target` (T tokens, as the decoder reads them) label what the pass reads, in a batch of 1; an encoder or a
    decoder alone has one of them. Weights are read from torch's `softmax`, `scaled_dot_product_attention` and
    `MultiheadAttention`, before dropout, whatever the module calls its parts. The kinds are told apart by shape, so S and T must
    differ. Raises `InputError` where no map is computed, or not the same layers of both kinds of a decoder.
    """
    words = {"source": words_of("source", source), "target": words_of("target", target)}
    sizes = {side: len(tokens or ()) for side, tokens in words.items()}
    if sizes["source"] == sizes["target"]:
        raise InputError(
            f"source and target have {sizes['source']} tokens each, so that the kinds of attention have one shape; give the target "
            "one token more or less."
        )
    recorded = RecordedMaps(sizes["source"], sizes["target"], 1)
    with torch.inference_mode(), recorded:
        run()
    layers = recorded.layers
    if recorded.others:
        sentences, heads, rows, columns = recorded.others[0]
        raise InputError(
            f"The run computed {heads} heads of {rows} × {columns} weights for {sentences} sentences, which do not fit 1 sentence of "
            f"{sizes['source']} source and {sizes['target']} target tokens; give the tokens that it reads, in a batch of 1."
        )
    if not any(layers.values()):
        raise InputError(
            f"The run computed no attention of {sizes['source']} source and {sizes['target']} target tokens; give as many tokens as "
            "it reads, in a batch of 1, and a module whose weights come from torch's softmax."
        )
    if layers["cross"] and layers["causal"] and layers["cross"] != layers["causal"]:
        raise InputError(
            f"The run computed cross-attention {layers['cross']} times and the decoder's self-attention {layers['causal']} times; "
            "give one forward pass over the whole target."
        )
    maps: dict[str, Any] = recorded.stacked({name: count for name, count in layers.items() if count})
    return from_maps(words["source"], words["target"], **maps)
