"""What a word's logit is made of, and which input words it depends on: direct attribution, and gradients.

Direct logit attribution: with the statistics of every norm on the decoder's stream held at their values, the logit of a word is
a sum over the embedding, every head, every feed-forward layer and the biases. It shows what each part writes straight to the
output, and not what it does by changing later layers; ablation (`core.experiments.what_if.why`) shows both together.

Input attribution: gradient × input (Shrikumar et al. 2016) and integrated gradients (Sundararajan et al. 2017) of the log-odds
of two words, or of a logit, over the embeddings of the source and of the prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.norms import norm_divisor
from core.api import trace_ids
from core.errors import InputError
from core.experiments.contributions import sublayer
from core.experiments.edits import Head
from core.experiments.what_if import check_words
from core.model.hooks import LOGITS, Edit, Hooks, Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.layers import DecoderLayer, Norm
    from core.model.trace import Trace
    from core.model.transformer import Transformer

Array = NDArray[np.float64]
RECORD: Final = (
    "decoder.0.self.residual_before",
    "decoder.*.head_output",
    "decoder.*.output",
    "decoder.*.norm_mean",
    "decoder.*.norm_var",
    LOGITS,
)
STEPS: Final = (64, 256, 1024)
"""Points on the straight line of integrated gradients: the next number is taken where the sum is not complete to `COMPLETE`."""
COMPLETE: Final = 0.01
_AT_ONCE: Final = 16  # points in one pass
BASELINES: Final = ("padding", "zero")


@dataclass(frozen=True)
class Direct:
    """What each part adds to one logit, or to a difference of two, at one step; `total` is the sum of all of them.

    `heads` and `feed_forward` are of the decoder: heads by (kind, layer, head), feed-forward by layer. `embedding` is the
    decoder's input at that step, `biases` what no input changes: biases of projections, of norms and of the output.
    """

    total: float
    embedding: float
    heads: Mapping[Head, float]
    feed_forward: tuple[float, ...]
    biases: float

    @property
    def sum(self) -> float:
        """The sum of the parts, which is `total` up to rounding."""
        return self.embedding + sum(self.heads.values()) + sum(self.feed_forward) + self.biases


def direct(
    checkpoint: Bundle,
    source: Sequence[int],
    written: Sequence[int],
    step: int,
    word: int,
    other: int | None = None,
) -> Direct:
    """What each part writes to logit(word), or to logit(word) − logit(other), at step `step` of a translation.

    `source` and `written` are ids; the step reads the start token and `written[:step]`. Every norm's mean and variance are held
    at their values in the run: exact for the sum, and the usual convention for a norm, which depends on all parts. In a
    post-norm model each part passes through every later norm; in a pre-norm model through the final one alone.
    Raises `InputError` for a step or a token that does not exist.
    """
    check_step(checkpoint, written, step, word, other)
    trace = trace_ids(checkpoint, source, [*written[:step], word], RECORD)
    return _direct(checkpoint.model, trace, step, word, other)


def check_step(checkpoint: Bundle, written: Sequence[int], step: int, word: int, other: int | None) -> None:
    """Raises `InputError` for a step or a token that does not exist, and for a word compared with itself."""
    if not 0 <= step <= len(written):
        raise InputError(f"There is no step {step}; this translation has steps 0 to {len(written)}.")
    check_words(checkpoint.config, word, other)


def _direct(model: Transformer, trace: Trace, step: int, word: int, other: int | None) -> Direct:
    config = model.config.of("decoder")

    def at(layer: int, block: str, kind: str) -> Array:
        return trace.array(Site("decoder", layer, block, kind)).astype(np.float64)

    vectors: dict[object, Array] = {"embedding": at(0, "self", "residual_before")[step]}
    constant = np.zeros(config.d_model)
    post = config.norm_placement == "post"
    for layer in range(model.config.decoder_layers):
        for kind, block in (("causal", "self"), ("cross", "cross")):
            attention, residual = sublayer(model, kind, layer)
            outputs = at(layer, block, "head_output")[:, step]  # (H, d_h)
            weight = _numbers(attention.output_proj.weight).reshape(config.d_model, *outputs.shape)
            for head, output in enumerate(outputs):
                vectors[kind, layer, head] = weight[:, head] @ output
            if attention.output_proj.bias is not None:
                constant = constant + _numbers(attention.output_proj.bias)
            if post:
                variance = at(layer, block, "norm_var")[step]
                vectors, constant = _through(residual.norm, config.norm_eps, variance, vectors, constant)
        vectors["ffn", layer] = at(layer, "ffn", "output")[step]
        if post:
            residual = cast("DecoderLayer", model.decoder_layers[layer]).ffn_residual
            variance = at(layer, "ffn", "norm_var")[step]
            vectors, constant = _through(residual.norm, config.norm_eps, variance, vectors, constant)
    if model.decoder_norm is not None:
        variance = at(0, "final", "norm_var")[step]
        vectors, constant = _through(model.decoder_norm, config.norm_eps, variance, vectors, constant)
    table = _numbers(model.target_embedding.table if model.output_proj is None else model.output_proj)
    reader = table[word] - (0.0 if other is None else table[other])
    reader = reader * model.output_scale
    parts = {name: float(vector @ reader) for name, vector in vectors.items()}
    biases = float(constant @ reader)
    if model.output_bias is not None:
        bias = _numbers(model.output_bias)
        biases += float(bias[word] - (0.0 if other is None else bias[other]))
    logits = trace.array(LOGITS)[step].astype(np.float64)
    return Direct(
        total=float(logits[word] - (0.0 if other is None else logits[other])),
        embedding=parts["embedding"],
        heads={name: value for name, value in parts.items() if isinstance(name, tuple) and len(name) == 3},
        feed_forward=tuple(parts["ffn", layer] for layer in range(model.config.decoder_layers)),
        biases=biases,
    )


def _numbers(parameter: Tensor) -> Array:
    return parameter.detach().double().cpu().numpy()


def _through(
    norm: Norm, eps: float, variance: Array, vectors: Mapping[object, Array], constant: Array
) -> tuple[dict[object, Array], Array]:
    """The parts of a vector after a norm whose variance is held, and the constant part with the norm's own shift."""
    divisor = norm_divisor(variance, eps, norm.formula)
    gain = _numbers(norm.weight)

    def scaled(vector: Array) -> Array:
        centred = vector if norm.formula == "rms" else vector - vector.mean()
        return np.asarray(centred / divisor * gain)

    shift = 0.0 if norm.bias is None else _numbers(norm.bias)
    return {name: scaled(vector) for name, vector in vectors.items()}, scaled(constant) + shift


# -- which input words ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    """The attribution of m = logit(word) − logit(other), or of logit(word), to each input token.

    `source` (S,) and `prefix` (T,), the start token first; signed, in nats. `value` is m, `baseline` m of the baseline.
    Integrated gradients sum to value − baseline up to the error of the sum over points.
    """

    source: Array
    prefix: Array
    value: float
    baseline: float

    @property
    def gap(self) -> float:
        """|Σ attributions − (value − baseline)|, relative to |value − baseline|."""
        whole = self.value - self.baseline
        return abs(float(self.source.sum() + self.prefix.sum()) - whole) / max(abs(whole), 1e-9)


def integrated_gradients(
    checkpoint: Bundle,
    source: Sequence[int],
    written: Sequence[int],
    step: int,
    word: int,
    other: int | None = None,
    *,
    baseline: str = "padding",
    steps: Sequence[int] = STEPS,
) -> Inputs:
    """Integrated gradients over the embeddings of the source and of the prefix (Sundararajan et al. 2017).

    The straight line goes from the baseline, the embedding of padding or "zero" at every position, to the embeddings of the
    words; positions are added to both. The sum over points is Gauss-Legendre's, with the first of `steps` that is complete to 1 %,
    else the last: `gap` says how far it is. A norm without positions before it has no gradient at zero: take "padding" for
    models such as T5. Raises `InputError` for an unknown baseline and
    what `check_step` refuses.
    """
    if baseline not in BASELINES:
        raise InputError(f"The baseline {baseline!r} is unknown; choose one of {', '.join(BASELINES)}.")
    check_step(checkpoint, written, step, word, other)
    run = _Line(checkpoint, source, written[:step], word, other, baseline)
    value, beginning = run.value(1.0), run.value(0.0)
    for count in steps:
        found = Inputs(*_integral(run, count), value, beginning)
        if found.gap <= COMPLETE:
            break
    return found


def _integral(run: _Line, count: int) -> tuple[Array, Array]:
    """(end − begin) · ∫ gradient over the line with `count` points, for the source and for the prefix."""
    points, weights = np.polynomial.legendre.leggauss(count)
    alphas, shares = (torch.tensor(each, dtype=torch.float32) for each in ((points + 1) / 2, weights / 2))
    totals = [torch.zeros_like(each) for each in run.ends]
    for start in range(0, count, _AT_ONCE):
        gradients = run.gradients(alphas[start : start + _AT_ONCE])
        for total, gradient in zip(totals, gradients, strict=True):
            total += torch.einsum("b,btd->td", shares[start : start + _AT_ONCE].to(gradient), gradient)
    source, prefix = (
        ((end - begin) * total).sum(-1).double().cpu().numpy()
        for begin, end, total in zip(run.begins, run.ends, totals, strict=True)
    )
    return source, prefix


def gradient_times_input(
    checkpoint: Bundle,
    source: Sequence[int],
    written: Sequence[int],
    step: int,
    word: int,
    other: int | None = None,
) -> Inputs:
    """The gradient at the words' embeddings times these embeddings; `baseline` is m where they are zero."""
    check_step(checkpoint, written, step, word, other)
    run = _Line(checkpoint, source, written[:step], word, other, "zero")
    gradients = run.gradients(torch.ones(1))
    found = [
        (end * gradient[0]).sum(-1).double().cpu().numpy()
        for end, gradient in zip(run.ends, gradients, strict=True)
    ]
    return Inputs(found[0], found[1], run.value(1.0), run.value(0.0))


class _Line:
    """Points between a baseline and the embeddings of a sentence pair, and what the model makes of them."""

    def __init__(
        self,
        checkpoint: Bundle,
        source: Sequence[int],
        prefix: Sequence[int],
        word: int,
        other: int | None,
        baseline: str,
    ) -> None:
        model, device = checkpoint.model, checkpoint.device
        self.model, self.word, self.other = model, word, other
        self.source = torch.tensor([list(source)], device=device)
        self.prefix = torch.tensor([[model.config.bos_id, *prefix]], device=device)
        self.ends, self.begins = [], []
        embeddings = (model.source_embedding, model.target_embedding)
        pads = (model.config.source_padding, model.config.pad_id)
        for embedding, ids, pad in zip(embeddings, (self.source, self.prefix), pads, strict=True):
            table = embedding.table.detach() * embedding.scale
            end = table[ids[0]]
            self.ends.append(end)
            self.begins.append(torch.zeros_like(end) if baseline == "zero" else table[pad].expand_as(end))

    def gradients(self, alphas: Tensor) -> tuple[Tensor, ...]:
        """∂m/∂embedding at each point, (B, S, d) and (B, T, d)."""
        with torch.inference_mode(False), torch.enable_grad():
            inputs = [each.clone().requires_grad_() for each in self._points(alphas)]
            return torch.autograd.grad(self._odds(inputs).sum(), inputs)

    def value(self, alpha: float) -> float:
        """m at one point."""
        with torch.inference_mode():
            return float(self._odds(self._points(torch.tensor([alpha])))[0])

    def _points(self, alphas: Tensor) -> list[Tensor]:
        shares = alphas[:, None, None]
        return [
            begin + shares.to(begin) * (end - begin)
            for begin, end in zip(self.begins, self.ends, strict=True)
        ]

    def _odds(self, inputs: Sequence[Tensor]) -> Tensor:
        count = len(inputs[0])
        edits: dict[Site | str, Edit] = {
            Site(stack, 0, "embed", "token_embedding"): _always(value)
            for stack, value in zip(("encoder", "decoder"), inputs, strict=True)
        }
        hooks = Hooks(edit=edits)
        sources, prefixes = (ids.expand(count, -1) for ids in (self.source, self.prefix))
        logits: Tensor = self.model(sources, prefixes, hooks)[:, -1]
        odds = logits[:, self.word].double()
        return odds if self.other is None else odds - logits[:, self.other].double()


def _always(value: Tensor) -> Edit:
    return lambda _: value
