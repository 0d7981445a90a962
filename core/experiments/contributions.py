"""What `core.analysis.contributions` needs of a pass: all layers of a kind, and value zeroing; and word links of a corpus.

Links are those of one head, or of every head and layer against a gold file: AER sentence by sentence, by weight and by
contribution at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch

from core.analysis import contributions as analysis
from core.analysis.aligners import diagonal, ibm1
from core.analysis.alignment import (
    RATES,
    READINGS,
    STEPS,
    By,
    Counted,
    Counts,
    Gold,
    GoldFile,
    Rate,
    Reading,
    WordAxes,
    better_than,
    by_contribution,
    by_weight,
    counted,
    measure,
    pharaoh,
    rate_interval,
    word_links,
)
from core.analysis.contributions import Layer
from core.analysis.readout import how_many
from core.analysis.uncertainty import Interval
from core.api import trace_ids, trace_many, trace_many_ids
from core.decoding.inputs import source_ids, target_ids
from core.errors import AtlasError, InputError
from core.experiments.aligner import Trained, stored
from core.experiments.edits import Kind
from core.model.attention import source_mask, target_mask
from core.model.hooks import ATTENTION, Hooks, Site
from core.model.layers import DecoderLayer, EncoderLayer
from core.model.trace import Trace
from core.tokenizer.tokenizer import spaced_words

if TYPE_CHECKING:
    from torch import Tensor, nn

    from core.api import Checkpoint
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
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
    attention, config = ATTENTION[kind], model.config.of(ATTENTION[kind].stack)
    post = config.norm_placement == "post"
    layers = []
    for number in range(config.layers(attention.stack)):
        block, residual = sublayer(model, kind, number)

        def array(name: str, number: int = number) -> np.ndarray:
            return trace.array(Site(attention.stack, number, attention.block, name)).astype(np.float64)

        norm = residual.norm
        layers.append(
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
    return layers


def layers_by_kind(model: Transformer, trace: Trace) -> dict[str, list[Layer]]:
    """`layers` of each kind of attention."""
    return {kind: layers(model, trace, cast(Kind, kind)) for kind in ATTENTION}


def outputs(trace: Trace, kind: Kind) -> list[np.ndarray]:
    """What each sub-layer of a kind left in the stream, (T, d): what its parts and constant must sum to."""
    attention, config = ATTENTION[kind], trace.config.of(ATTENTION[kind].stack)
    name = "norm_output" if config.norm_placement == "post" else "residual_after"
    return [
        trace.array(Site(attention.stack, number, attention.block, name)).astype(np.float64)
        for number in range(config.layers(attention.stack))
    ]


def gap(model: Transformer, trace: Trace) -> float:
    """How far the parts and constant of any attention sub-layer are from the real activation, relative to the largest of it."""
    worst = 0.0
    for kind, stack in layers_by_kind(model, trace).items():
        for layer, real in zip(stack, outputs(trace, cast(Kind, kind)), strict=True):
            whole = analysis.parts_after(layer).sum(axis=1) + analysis.constant(layer)
            worst = max(worst, float(np.abs(whole - real).max() / max(1.0, np.abs(real).max())))
    return worst


def alti_plus(each: Mapping[str, Sequence[Layer]]) -> np.ndarray:
    """ALTI+ of a whole model, from `layers_by_kind`: (T, S + T), source tokens first, then the decoder's inputs."""
    shares = {kind: [analysis.alti(layer) for layer in stack] for kind, stack in each.items()}
    return analysis.alti_plus(shares["encoder"], shares["causal"], shares["cross"])


# -- value zeroing ----------------------------------------------------------------------------------------------


def zeroing_cost(config: ModelConfig, source: int, written: int, kind: Kind) -> int:
    """Token vectors that go through a layer in `value_zeroing_steps` of sentences of these lengths."""
    keys = written if kind == "causal" else source
    queries = source if kind == "encoder" else written
    return config.layers(ATTENTION[kind].stack) * (keys + 1) * queries


def value_zeroing_steps(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], kind: Kind
) -> Iterator[tuple[int, np.ndarray | None]]:
    """How far each layer's output turns without the values of one token (Mohebbi et al. 2023).

    Yields (layer, rows (T, S)), and (layer, None) in between so that other sessions can run. One pass records what each
    layer reads; then that layer alone runs once for each token, on many copies at a time.
    """
    config = checkpoint.config
    stack = ATTENTION[kind].stack
    read = [config.bos_id, *written[:-1]]
    keys = len(read) if kind == "causal" else len(source)
    queries = len(source) if kind == "encoder" else len(read)
    inputs = _layer_inputs(checkpoint, source, read, stack)
    at_once = max(1, _TOKENS_AT_ONCE // queries)
    for number in range(config.layers(stack)):
        outputs = []
        for start in range(0, keys + 1, at_once):  # the last copy is the layer as it is
            gone = list(range(start, min(start + at_once, keys + 1)))
            outputs.append(_without_values(checkpoint, inputs, number, kind, gone))
            yield number, None
        rows = np.concatenate(outputs)
        turned = analysis.value_zeroing(rows[-1], rows[:-1])
        # A later token is not read; what a batch rounds otherwise than one row is no effect of it.
        yield number, np.tril(turned) if kind == "causal" and config.causal else turned


_TOKENS_AT_ONCE: Final = 2048


@dataclass(frozen=True)
class _Inputs:
    """What every layer of a stack reads, (1, T, d) each, with the tokens and, for a decoder, its memory (1, S, d)."""

    source: Tensor
    read: Tensor
    streams: tuple[Tensor, ...]
    memory: Tensor


def _layer_inputs(checkpoint: Bundle, source: Sequence[int], read: Sequence[int], stack: str) -> _Inputs:
    model, device = checkpoint.model, checkpoint.device
    sites = [Site(stack, n, "self", "residual_before") for n in range(checkpoint.config.layers(stack))]
    hooks = Hooks(sites)
    ids, target = (torch.tensor([list(each)], device=device) for each in (source, read))
    with torch.inference_mode():
        memory = model.encode(ids, hooks)
        if stack == "decoder":
            model.decode_states(target, memory, ids, hooks)
    return _Inputs(ids, target, tuple(hooks.records[site] for site in sites), memory)


def _without_values(
    checkpoint: Bundle, inputs: _Inputs, number: int, kind: Kind, gone: Sequence[int]
) -> np.ndarray:
    """One layer's output (copies, T, d), each copy without the values of its own key; keys there are not take nothing."""
    model, attention = checkpoint.model, ATTENTION[kind]

    def zero(values: Tensor) -> Tensor:
        changed = values.expand(len(gone), -1, -1, -1).clone()
        for row, key in enumerate(gone):
            if key < changed.shape[2]:
                changed[row, :, key] = 0.0
        return changed

    hooks = Hooks(edit={Site(attention.stack, number, attention.block, "v"): zero})
    x = inputs.streams[number].expand(len(gone), -1, -1)
    seen = source_mask(inputs.source, checkpoint.config.source_padding)
    with torch.inference_mode():
        bias, turns = (
            model.biases(attention.stack, 0, x.shape[1], x.shape[1])[number],
            model.turns(attention.stack, 0, x.shape[1]),
        )
        if attention.stack == "encoder":
            output = cast(EncoderLayer, model.encoder_layers[number])(x, seen, bias, hooks, turns)
        else:
            layer = cast(DecoderLayer, model.decoder_layers[number])
            memory = layer.memory_keys_values(inputs.memory.expand(len(gone), -1, -1), hooks)
            past = target_mask(inputs.read, checkpoint.config.pad_id, checkpoint.config.causal)
            output = layer(x, past, memory, seen, bias, None, hooks, turns)
    return np.asarray(output.float().cpu().numpy())


def sublayer(model: Transformer, kind: str, layer: int) -> tuple[Any, Any]:
    """The attention of one kind in one layer, and the residual around it."""
    stack, block = ATTENTION[kind].stack, ATTENTION[kind].block
    module = model.get_submodule(f"{stack}_layers.{layer}")
    return module.get_submodule(f"{block}_attention"), module.get_submodule(f"{block}_residual")


def _numbers(parameter: nn.Parameter | None, size: int = 0) -> np.ndarray:
    if parameter is None:
        return np.zeros(size)
    return parameter.detach().double().cpu().numpy()


def linked(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], head: tuple[int, int], reading: Reading
) -> Iterator[str]:
    """One line a sentence: `0-0 1-2`, words between spaces, counted from 0, source first."""
    for axes, trace in _traced(checkpoint, pairs):
        yield pharaoh(word_links(trace.array(f"decoder.{head[0]}.cross.weights")[head[1]], axes, reading))


def check_gold(gold: Sequence[Gold], pairs: Sequence[tuple[str, str]]) -> None:
    """Raise `InputError` for a gold file with another number of sentences."""
    if len(gold) != len(pairs):
        raise InputError(
            f"The gold file has {how_many(len(gold), 'line')} for {how_many(len(pairs), 'sentence')}; give one per sentence."
        )


def measure_contributions(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], gold: Sequence[Gold]
) -> Iterator[Counted]:
    """Every head, layer and all layers of each sentence against its gold; the counts of a corpus are their sum.

    Raises `InputError` for a gold file with another number of sentences.
    """
    check_gold(gold, pairs)
    for one, (axes, trace) in zip(gold, _traced(checkpoint, pairs), strict=True):
        yield counted(by_weight(trace.stacked("decoder", "cross", "weights")), axes, one)


def _traced(checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[WordAxes, Trace]]:
    """The words between spaces of each pair, and its cross-attention."""
    traces = trace_many(checkpoint, pairs, record=("decoder.*.cross.weights",))
    for (source, target), trace in zip(pairs, traces, strict=True):
        read, written = list(trace.source_ids), list(trace.written_ids)
        yield axes_of(checkpoint, read, written, source, target), trace


def best_first(sentences: Sequence[Counted], baselines: Mapping[str, Counts]) -> list[dict[str, Any]]:
    """A row a layer, head and reading with its precision, recall and AER and their 95 % intervals, the best AER first.

    `sentences` are the counts of each sentence, `baselines` (N, 4) those of aligners without attention, a row each whose
    layer and head are empty. `beats_NAME` says whether a head aligns better, at a false discovery rate of 5 %.
    """
    counts = np.stack([each.heads for each in sentences])  # (N, 2, L, H, 4)
    beats = {name: better_than(counts, rows) for name, rows in baselines.items()}
    found = {name: rate_interval(counts, name) for name in RATES}
    rows = []
    for index in np.ndindex(counts.shape[1:4]):
        row = {"layer": index[1], "head": index[2], "reading": READINGS[index[0]]}
        here = {
            name: Interval(one.value[index], one.low[index], one.high[index], one.sentences)
            for name, one in found.items()
        }
        row |= _rates(here)
        row |= {"links": int(counts[(slice(None), *index, 0)].sum())}
        row |= {f"beats_{name}": int(better[index]) for name, better in beats.items()}
        rows.append(row)
    for name, own in baselines.items():
        row = {"layer": "", "head": "", "reading": name}
        rows.append(
            row | _rates({rate: rate_interval(own, rate) for rate in RATES}) | {"links": int(own[:, 0].sum())}
        )
    return sorted(rows, key=lambda row: row["aer"])


def _rates(found: Mapping[Rate, Interval]) -> dict[str, Any]:
    """The rates with their intervals, and over how many sentences."""
    row: dict[str, Any] = {}
    for name, one in found.items():
        row |= {name: float(one.value), f"{name}_low": float(one.low), f"{name}_high": float(one.high)}
    return row | {"n": next(iter(found.values())).sentences}


def by_layer(total: Counted) -> list[str]:
    """AER of every layer, its heads together, and of all layers, in both readings: a table in lines of text."""
    layers = range(total.layers.shape[1])
    lines = [f"{'AER by layer':<14}" + "".join(f"{layer:>7}" for layer in layers) + f"{'all':>7}"]
    for reading in READINGS:
        rates = [*total.by_layer(reading), total.of(reading, None, None).aer]
        lines.append(f"{STEPS[reading]:<14}" + "".join(f"{rate:>7.3f}" for rate in rates))
    return lines


CROSS_RECORD: Final = (
    "decoder.*.cross.weights",
    "decoder.*.cross.v",
    "decoder.*.cross.residual_before",
    "decoder.*.cross.norm_var",
)
"""What contributions of cross-attention need of a trace."""


@dataclass(frozen=True)
class GoldSurvey:
    """What was counted over `done` of `total` sentences. `left_out`: (line, why) of those the model cannot read.

    `sentences` are the counts of each sentence; `baselines` (N, 4) those of the aligners without attention
    (`core.analysis.aligners.BASELINES`), which learn from the pairs of the whole file, or from more text where `trained` says so.
    Both are empty before the end.
    """

    done: int
    total: int
    counts: Mapping[By, Counted]
    left_out: tuple[tuple[int, str], ...] = ()
    sentences: Mapping[By, tuple[Counted, ...]] = field(default_factory=dict)
    baselines: Mapping[str, Counts] = field(default_factory=dict)
    trained: Trained | None = None


def gold_survey(checkpoint: Checkpoint, file: GoldFile) -> Iterator[GoldSurvey]:
    """One stage a sentence. Raises `InputError` when the model can read no sentence of the file."""
    readable: list[tuple[list[int], list[int], WordAxes, Gold]] = []
    numbers: list[int] = []
    left_out: list[tuple[int, str]] = []
    for number, ((source, target), gold) in enumerate(zip(file.pairs, file.gold, strict=True), start=1):
        try:
            ids = source_ids(checkpoint, source), target_ids(checkpoint, target)
            readable.append((*ids, axes_of(checkpoint, *ids, source, target), gold))
            numbers.append(number - 1)
        except AtlasError as error:
            left_out.append((number, str(error)))
    if not readable:
        raise InputError.tr(
            "The model can read no sentence of the gold file. Line 1: {why}", why=left_out[0][1]
        )
    traces = trace_many_ids(checkpoint, [pair[:2] for pair in readable], record=CROSS_RECORD)
    totals: dict[By, Counted] = {}
    each: dict[By, list[Counted]] = {}
    for done, ((_, _, axes, gold), trace) in enumerate(zip(readable, traces, strict=True), start=1):
        sublayers = layers(checkpoint.model, trace, "cross")
        counts: dict[By, Counted] = {
            "weight": counted(by_weight(trace.stacked("decoder", "cross", "weights")), axes, gold),
            "contribution": counted(by_contribution(sublayers), axes, gold),
        }
        for by, one in counts.items():
            totals[by] = totals[by] + one if by in totals else one
            each.setdefault(by, []).append(one)
        survey = GoldSurvey(done, len(readable), dict(totals), tuple(left_out))
        if done == len(readable):
            trained = trained_aligner(checkpoint, file)
            without = baseline_counts(file.pairs, file.gold, trained)
            survey = replace(
                survey,
                sentences={by: tuple(rows) for by, rows in each.items()},
                baselines={name: rows[numbers] for name, rows in without.items()},
                trained=trained,
            )
        yield survey


def trained_aligner(checkpoint: Checkpoint, file: GoldFile) -> Trained | None:
    """What is stored with the checkpoint of IBM model 1 on this gold file; None where nothing is that can be read."""
    try:
        return None if checkpoint.path is None else stored(checkpoint.path, file)
    except AtlasError:
        return None


def baseline_counts(
    pairs: Sequence[tuple[str, str]], gold: Sequence[Gold], trained: Trained | None = None
) -> dict[str, Counts]:
    """The counts of each aligner without attention on every pair, name → (N, 4) as `Measured`; words between spaces.

    IBM model 1 learns from the pairs themselves, unless it was `trained` on more text.
    """
    lengths = [(len(source.split()), len(target.split())) for source, target in pairs]
    links = {"diagonal": [diagonal(*each) for each in lengths]}
    if trained is None:
        links["ibm1"] = ibm1(pairs)
    counts = {
        name: np.array(
            [astuple(measure(found, one)) for found, one in zip(rows, gold, strict=True)], dtype=np.int64
        )
        for name, rows in links.items()
    }
    return counts if trained is None else {**counts, "ibm1": trained.counts}


def axes_of(checkpoint: Checkpoint, ids: list[int], written: list[int], source: str, target: str) -> WordAxes:
    """The words between spaces of a pair and their tokens. Raises `InputError` where tokens do not spell the words."""
    own = checkpoint.source_tokenizer
    return WordAxes.of(
        spaced_words(checkpoint.target_tokenizer, written, target),
        spaced_words(own, ids, source),
        ids,
        own.eos_id,
    )
