"""Small experiments on a translation model that lessons speak of, stored as they were measured on the shipped en-fr.

How often encoder and decoder run while a sentence is translated; whether writing step by step needs the causal mask; what
the decoder writes from each layer of the encoder; and a translation after one word of the source is replaced.
`python -m core.learning.small_studies CHECKPOINT [FILE]` measures them and writes `small_studies.json` beside this file.
torch is imported by what runs a model, not by this module.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.readout import words_changed
from core.learning.feed_forward import write_zeroed
from core.learning.stored import read_stored, write_stored

if TYPE_CHECKING:
    from torch import Tensor

    from core.api import Checkpoint
    from core.model.hooks import Edit, Site

TEXT: Final = "The cat is sleeping on the red sofa."
LAYERS_TEXT: Final = "Three people are waiting for the bus in the rain."
SWAPPED_TEXT: Final = "His sister is happy."
SWAPS: Final = (("His", "Her"), ("sister", "brother"))
"""Words of `SWAPPED_TEXT`, each with the one that takes its place: first the one that gets much weight."""
STORED: Final = Path(__file__).with_name("small_studies.json")


@dataclass(frozen=True)
class SmallStudies:
    """What was measured on one checkpoint.

    `encoder_passes`, `decoder_passes`: of `TEXT`. `stepped_changed`: tokens of it that are chosen otherwise when the decoder
    steps without a mask; `stepped_off`: the largest change of a probability then. `by_layer`: what is written of
    `LAYERS_TEXT` from the encoder's embedding and from each of its layers. `swapped`: the translation of `SWAPPED_TEXT`, and
    those after each of `SWAPS`.
    """

    checkpoint: str
    encoder_passes: int
    decoder_passes: int
    stepped_changed: int
    stepped_off: float
    by_layer: tuple[str, ...]
    swapped: tuple[str, ...]

    @property
    def enough(self) -> int:
        """The fewest layers of the encoder that give the full translation; 0 is the embedding."""
        return self.by_layer.index(self.by_layer[-1])

    def layers_changed(self, layers: int) -> int:
        """Words of the translation that change where the decoder reads the encoder after so many layers."""
        return words_changed(self.by_layer[-1], self.by_layer[layers])

    def swap_changed(self, swap: int) -> int:
        """Words of the translation that change by one of `SWAPS`."""
        return words_changed(self.swapped[0], self.swapped[swap + 1])


@cache
def stored() -> SmallStudies:
    """What was measured for the app. Raises CheckpointError where the file is missing or damaged."""
    return read_stored(SmallStudies, STORED, "python -m core.learning.small_studies CHECKPOINT")


def study(checkpoint: Checkpoint) -> SmallStudies:
    """All of them on one checkpoint."""
    passes = count_passes(checkpoint, TEXT)
    changed, off = step_without_mask(checkpoint, TEXT)
    swapped = [SWAPPED_TEXT, *(SWAPPED_TEXT.replace(*swap) for swap in SWAPS)]
    return SmallStudies(
        Path(str(checkpoint.path)).name,
        passes["encoder"],
        passes["decoder"],
        changed,
        off,
        write_by_layer(checkpoint, LAYERS_TEXT),
        tuple(checkpoint.translate(swapped)),
    )


def count_passes(checkpoint: Checkpoint, text: str) -> Counter[str]:
    """How often the first layer of each stack runs while the app's decoder writes the greedy translation of `text`."""
    from core.decoding.path import Path as Decoding

    passes: Counter[str] = Counter()

    def counted(stack: str) -> Edit:
        def count(weights: Tensor) -> Tensor:
            passes[stack] += 1
            return weights

        return count

    edit: dict[Site | str, Edit] = {
        f"{stack}.0.self.weights": counted(stack) for stack in ("encoder", "decoder")
    }
    limit = checkpoint.config.max_length
    path = Decoding(checkpoint.model, checkpoint.encode_source(text), limit, edit=edit)
    while (row := path.pending) is not None:
        path.write(int(row.logits.argmax()))
    return passes


def step_without_mask(checkpoint: Checkpoint, text: str) -> tuple[int, float]:
    """The decoder steps over its own translation with kept keys and values, which hides nothing, against one masked pass.

    Returns the tokens that are chosen otherwise, and the largest difference of a probability.
    """
    import torch

    from core.api import trace as trace_of
    from core.learning.study import ids, run_ids

    trace, model = trace_of(checkpoint, text), checkpoint.model
    masked = torch.as_tensor(run_ids(model, trace.source_ids, trace.target_ids).logits)
    source = ids(model, trace.source_ids)
    with torch.inference_mode():
        state = model.start(model.encode(source), source)
        rows = [model.step(ids(model, [token])[0], state)[0] for token in trace.target_ids]
        stepped = torch.stack(rows).float().cpu()
        far = (stepped.softmax(-1) - masked.softmax(-1)).abs().max()
    changed = int((stepped.argmax(-1) != masked.argmax(-1)).sum())
    return changed, float(np.round(float(far), 6))


def write_by_layer(checkpoint: Checkpoint, text: str) -> tuple[str, ...]:
    """What greedy search writes from the encoder's embedding and from each of its layers (Langedijk et al. 2023).

    The layers above add nothing: in a pre-norm model the decoder then reads the layer itself, through the final norm.
    """
    from core.api import trace as trace_of

    trace, layers = trace_of(checkpoint, text), checkpoint.config.encoder_layers
    above = [
        [f"encoder.{layer}.{block}.output" for layer in range(kept, layers) for block in ("self", "ffn")]
        for kept in range(layers + 1)
    ]
    return tuple(write_zeroed(checkpoint, trace, outputs) for outputs in above)


if __name__ == "__main__":
    from core.api import load

    target = Path(sys.argv[2]) if len(sys.argv) > 2 else STORED
    write_stored(study(load(sys.argv[1])), target)
