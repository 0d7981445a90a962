"""Records one pass and gives `core.analysis.contributions` what it needs: all layers of a kind, and value zeroing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch

from core.analysis import contributions as analysis
from core.analysis.contributions import Layer
from core.decoding.tracing import trace_ids
from core.experiments.edits import Kind
from core.model.hooks import Hooks
from core.model.layers import DecoderLayer, EncoderLayer
from core.model.sites import ATTENTION, Site
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor, nn

    from core.checkpoints.bundle import Bundle
    from core.model.transformer import Transformer

RECORD: Final = (
    "*.weights",
    "*.v",
    "*.self.residual_*",
    "*.cross.residual_*",
    "*.self.norm_*",
    "*.cross.norm_*",
)
"""What `layers` needs of a trace."""


def record(checkpoint: Bundle, source: Sequence[int], written: Sequence[int]) -> Trace:
    """A pass over a source and its translation with everything recorded that contributions need."""
    return trace_ids(checkpoint, source, written, RECORD)


def layers(model: Transformer, trace: Trace, kind: Kind) -> list[Layer]:
    """Every attention sub-layer of one kind, the lowest first, from a trace with `RECORD`."""
    place, config = ATTENTION[kind], model.config
    post = config.norm_placement == "post"
    found = []
    for number in range(config.layers(place.stack)):
        block, residual = _modules(model, kind, number)

        def array(name: str, number: int = number) -> np.ndarray:
            return trace.array(Site(place.stack, number, place.block, name)).astype(np.float64)

        norm = residual.norm
        found.append(
            Layer(
                weights=array("weights"),
                values=array("v"),
                output_weight=_numbers(block.output_proj.weight),
                output_bias=_numbers(block.output_proj.bias, config.d_model),
                residual=array("residual_before"),
                variance=array("norm_var") if post else None,
                gain=_numbers(norm.weight) if post else None,
                shift=_numbers(norm.bias, config.d_model) if post else None,
                eps=config.norm_eps,
                formula=config.norm_formula,
                cross=kind == "cross",
            )
        )
    return found


def outputs(trace: Trace, kind: Kind) -> list[np.ndarray]:
    """What each sub-layer of a kind left in the stream, (T, d): what its parts and constant must sum to."""
    place, config = ATTENTION[kind], trace.config
    name = "norm_output" if config.norm_placement == "post" else "residual_after"
    return [
        trace.array(Site(place.stack, number, place.block, name)).astype(np.float64)
        for number in range(config.layers(place.stack))
    ]


def gap(model: Transformer, trace: Trace) -> float:
    """How far the parts and constant of any sub-layer are from the real activation, relative to the largest of it."""
    worst = 0.0
    for kind in ATTENTION:
        pairs = zip(layers(model, trace, cast(Kind, kind)), outputs(trace, cast(Kind, kind)), strict=True)
        for layer, real in pairs:
            whole = analysis.parts_after(layer).sum(axis=1) + analysis.constant(layer)
            worst = max(worst, float(np.abs(whole - real).max() / max(1.0, np.abs(real).max())))
    return worst


def alti_plus(model: Transformer, trace: Trace) -> np.ndarray:
    """ALTI+ of a whole model: (T, S + T), source tokens first, then the decoder's inputs."""
    each: Mapping[str, Any] = {
        kind: [analysis.alti(layer) for layer in layers(model, trace, cast(Kind, kind))] for kind in ATTENTION
    }
    return analysis.alti_plus(each["encoder"], each["causal"], each["cross"])


def value_zeroing(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], kind: Kind
) -> np.ndarray:
    """Mohebbi et al. 2023, (L, T, S): how far each layer's output turns without the values of one token.

    For each layer one batch whose rows differ in the token that is zeroed in that layer alone.
    """
    model, place = checkpoint.model, ATTENTION[kind]
    keys = len(written) if kind == "causal" else len(source)
    found = []
    for number in range(model.config.layers(place.stack)):
        site = _layer_output(model, place.stack, number)
        hooks = Hooks([site], {Site(place.stack, number, place.block, "v"): _zero_one_a_row})
        found.append(_run(checkpoint, source, written, hooks, keys + 1)[site])
    return np.stack([analysis.value_zeroing(rows[-1], rows[:-1]) for rows in found])


def _zero_one_a_row(values: Tensor) -> Tensor:
    """Values (S + 1, H, S, d_h): row j without those of key j, the last row as it is."""
    changed = values.clone()
    keys = torch.arange(values.shape[0] - 1, device=values.device)
    changed[keys, :, keys] = 0.0
    return changed


def _run(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], hooks: Hooks, rows: int
) -> dict[Site, np.ndarray]:
    config, device = checkpoint.config, checkpoint.device
    read = [config.bos_id, *written[:-1]]
    with torch.inference_mode():
        checkpoint.model(
            torch.tensor([list(source)], device=device).expand(rows, -1),
            torch.tensor([read], device=device).expand(rows, -1),
            hooks,
        )
    return {site: tensor.float().cpu().numpy() for site, tensor in hooks.records.items()}


def _layer_output(model: Transformer, stack: str, layer: int) -> Site:
    name = "norm_output" if model.config.norm_placement == "post" else "residual_after"
    return Site(stack, layer, "ffn", name)


def _modules(model: Transformer, kind: Kind, layer: int) -> tuple[Any, Any]:
    """The attention of a sub-layer and the residual around it."""
    if kind == "encoder":
        encoder = cast(EncoderLayer, model.encoder_layers[layer])
        return encoder.self_attention, encoder.self_residual
    decoder = cast(DecoderLayer, model.decoder_layers[layer])
    if kind == "causal":
        return decoder.self_attention, decoder.self_residual
    return decoder.cross_attention, decoder.cross_residual


def _numbers(parameter: nn.Parameter | None, size: int = 0) -> np.ndarray:
    if parameter is None:
        return np.zeros(size)
    return parameter.detach().double().cpu().numpy()
