"""Faults to plant in the model, in decoding and in what is drawn: one small change of one function's source each.

The change is made in the function itself, so that whoever imported it has it too, as if the file had been changed.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import FunctionType
from typing import Any, Final

import pytest

T5: Final = {
    "positions": "relative_buckets",
    "norm_formula": "rms",
    "norm_placement": "pre",
    "final_norm": True,
    "score_scale": "none",
    "output_scale": "inverse_sqrt_d_model",
}
LEARNED: Final = {"positions": "learned", "position_offset": 2, "tie_output": False, "output_bias": True}
PRE: Final = {"norm_placement": "pre", "final_norm": True}
HALVES: Final = {"positions": "sinusoidal_halves"}
ROTARY: Final = {"positions": "rotary"}
UNMASKED: Final = {"causal": False}
FORCED: Final = {"forced_bos_id": 9}


@dataclass(frozen=True)
class Fault:
    """`find` becomes `replace` in the source of `where` ("module:function"), for a model of `options`.

    `check` is the check that must fail.
    """

    check: str
    where: str
    find: str
    replace: str
    options: Mapping[str, Any] = field(default_factory=dict)
    missed: str = ""  # why no check sees it today

    @property
    def name(self) -> str:
        """The function and the line planted in it."""
        return f"{self.where.split(':')[1]}: {self.find} → {self.replace} {self.options or ''}".strip()


def plant(patch: pytest.MonkeyPatch, fault: Fault) -> None:
    """Change the function of `fault` until `patch` is undone."""
    module_name, path = fault.where.split(":")
    found: Any = import_module(module_name)
    for part in path.split("."):
        found = inspect.getattr_static(found, part)
    if isinstance(found, property):
        found = found.fget
    function = found.__func__ if isinstance(found, classmethod) else found
    assert isinstance(function, FunctionType), fault.where
    source = textwrap.dedent(inspect.getsource(function))
    assert fault.find in source, (
        f"{fault.find!r} is no longer in {fault.where}: plant this fault where it went"
    )
    source = source[source.index("def ") :].replace(fault.find, fault.replace)
    made: dict[str, Any] = {}
    code = compile("from __future__ import annotations\n" + source, f"<fault in {fault.where}>", "exec")
    exec(code, function.__globals__, made)  # the source is the project's own
    patch.setattr(function, "__code__", made[function.__name__].__code__)


_TABLES = "core.model.positions:"
_CACHE = "core.model.attention:DecodeState."
_BEAM = "core.decoding.strategies:Beam."
_SEARCH = "core.decoding.search:BeamSearch."
_TREE = "core.decoding.strategies:"
_BATCH = "core.decoding.search:"
_PREFILL = "core.decoding.path:prefill"
_PATH = "core.decoding.path:Path."
_ROWS = "core.decoding.path:"
_SESSION = "core.decoding.session:DecodeSession."
_ASSEMBLING = "core.decoding.session:"
_TRACE = "core.model.trace:Trace."
_API = "core.api:"
_CHOICE = "core.decoding.strategies:"
_INPUTS = "core.decoding.inputs:"
_ATTENTION = "core.model.attention:"
_LAYERS = "core.model.layers:"
_MODEL = "core.model.transformer:Transformer."

POSITIONS: Final = (
    Fault("positions", _TABLES + "denominators", "BASE **", "1000.0 **"),
    Fault("positions", _TABLES + "denominators", "BASE **", "1000.0 **", HALVES),
    Fault("positions", _TABLES + "denominators", "/ steps", "/ d_model"),
    Fault("positions", _TABLES + "denominators", "half if denominator ==", "half if denominator !="),
    Fault("positions", _TABLES + "sinusoid_table", "np.sin(angles), np.cos(angles)", "np.cos(angles), np.sin(angles)"),
    Fault("positions", _TABLES + "sinusoid_table", "np.sin(angles), np.cos(angles)", "np.cos(angles), np.sin(angles)", HALVES),
    Fault("positions", _TABLES + "sinusoid_table", "np.arange(offset, offset + length", "np.arange(offset + 1, offset + length + 1"),
    Fault("positions", _TABLES + "sinusoid_table", "angles = positions", "angles = -positions"),
    Fault("positions", _TABLES + "pair_columns", "np.arange(0, d_model, 2), np.arange(1, d_model, 2)", "np.arange(d_model // 2), np.arange(d_model // 2, d_model)"),
    Fault("positions", _TABLES + "relative_buckets", "offset > 0", "offset < 0", T5),
    Fault("positions", _TABLES + "relative_buckets", "exact = buckets // 2", "exact = buckets // 4", T5),
    Fault("positions", _TABLES + "relative_buckets", "max_distance / exact", "64 / exact", T5),
    Fault("positions", "core.model.transformer:PositionTable.forward", "self.offset + start", "self.offset + start + 1", {**LEARNED, "position_offset": 1}),
    Fault("stepwise", "core.model.transformer:Embedding.forward", "self.positions(start, length)", "self.positions(0, length)"),
    Fault("stepwise", _MODEL + "step", "self.biases(\"decoder\", start, 1,", "self.biases(\"decoder\", 0, 1,", T5),
    Fault("positions", _TABLES + "rotation_angles", "denominators(d_head)", "(2 * denominators(d_head))", ROTARY),
    Fault("projections", _ATTENTION + "rotate", "even * cos - odd", "even * cos + odd", ROTARY),
    Fault("projections", _ATTENTION + "MultiHeadAttention.queries_keys_values", "rotate(k, turns)", "k", ROTARY),
    Fault("stepwise", _MODEL + "step", """self.turns("decoder", start, 1)""", """self.turns("decoder", 0, 1)""", ROTARY),
)  # fmt: skip

MODEL: Final = (
    Fault("embedding", "core.model.transformer:Embedding.forward", " * self.scale", ""),
    Fault("embedding", "core.model.transformer:Embedding.forward", "self.table)", "self.table.roll(1, 0))"),
    Fault("causal", "core.model.attention:causal_mask", ".tril()", ""),
    Fault("softmax", "core.model.attention:causal_mask", ".tril()", ".tril(-1)"),
    Fault("padding", "core.model.attention:padding_mask", "tokens != pad_id", "tokens == tokens"),
    Fault("scores", _ATTENTION + "attention_scale", '"head": config.d_head', '"head": config.d_model'),
    Fault("projections", _ATTENTION + "MultiHeadAttention._heads", ".view(shape).transpose(1, 2)", ".view(batch, self.heads, length, self.d_head)"),
    Fault("heads", _ATTENTION + "MultiHeadAttention.forward", "mixed.transpose(1, 2)", "mixed.flip(1).transpose(1, 2)"),
    Fault("projections", _ATTENTION + "MultiHeadAttention._recorded", "v.norm(dim=-1)", "k.norm(dim=-1)"),
    Fault("open", _MODEL + "_read", ", self.config.causal)", ")", UNMASKED),
    Fault("stepwise", _CACHE + "read_again", "past[:, : self.length]", "past[:, 1 : self.length]", UNMASKED),
    Fault("back", _CACHE + "read_again", "past[:, : self.length]", "past", UNMASKED),
    Fault("drawn", _PATH + "_records_again", "list(inputs)", "list(inputs[::-1])", UNMASKED),
    Fault("batch", _CACHE + "select", "self._tokens.index_select(0, index)", "self._tokens[: len(index)]", UNMASKED),
    Fault("softmax", _ATTENTION + "attend", 'tap("weights", weights)', 'tap("weights", weights.roll(1, 1)).roll(-1, 1)'),
    Fault("fast", _ATTENTION + "_fused", "attn_mask=allowed", "attn_mask=None"),
    Fault("stream", _LAYERS + "FeedForward.forward", "self.activation(hidden) if", "F.gelu(hidden) if"),
    Fault("stream", _LAYERS + "Residual.leave", "x + dropout(output", "x + x + dropout(output"),
    Fault("stream", _LAYERS + "Residual.leave", "x if self.pre else self.norm(x, tap)", "self.norm(x, tap)", PRE),
    Fault("stream", "core.model.linear:dropout", "if training and p else x", "if training and p else x * 0.99"),
    Fault("norms", "core.model.layers:Norm._explicit", "correction=1 if", "correction=0 if", {"norm_formula": "layer_unbiased_std"}),
    Fault("norms", "core.model.layers:Norm._explicit", "var.sqrt() + self.eps if", "(var + self.eps).sqrt() if", {"norm_formula": "layer_unbiased_std", "norm_eps": 1e-3}),
    Fault("norms", "core.model.layers:Norm._explicit", "x.square().mean(dim=-1)", "x.var(dim=-1)", T5),
    Fault("stream", _MODEL + "_finish", "x if norm is None else norm(x, at)", "x", PRE),
    Fault("logits", _MODEL + "_output", "if self.config.tie_output", "if True", LEARNED),
    Fault("logits", _MODEL + "project", "self.output_bias, self.table", "None, self.table", LEARNED),
    Fault("logits", _MODEL + "project", "states * self.output_scale", "states", T5),
    Fault("softmax", "core.model.hooks:Hooks.keep", "clone() if self.edit else kept", "clone() if self.edit else kept.flip(0)"),
    Fault("saved", "core.checkpoints.bundle:_build", "copy_(tensors[name])", "copy_(tensors[name].half())", {"dropout": 0.0}),
)  # fmt: skip

CACHES: Final = (
    Fault("back", _PREFILL, "state.extend(layer, k, v)", "state.extend(layer, v, k)"),
    Fault("beam", _PREFILL, "state.extend(layer, k, v)", "state.extend(layer, v, k)"),
    Fault("back", _PREFILL, 'Site("decoder", layer, "self", kind)]', 'Site("decoder", 0, "self", kind)]'),
    Fault("drawn", _PREFILL, "state.advance(len(inputs[0]))", "state.advance(len(inputs[0]) - 1)"),
    Fault("stepwise", _CACHE + "extend", "return self._kept[keys], self._kept[values]", "return self._kept[values], self._kept[keys]"),
    Fault("stepwise", _MODEL + "start", "for k, v in keys_values", "for k, v in reversed(list(keys_values))"),
    Fault("back", _CACHE + "truncate", "self.length = length", "pass"),
    Fault("back", _CACHE + "truncate", "self.length = length", "self.length = max(0, length - 1)"),
    Fault("back", _PATH + "reset", "self.state.truncate(1)", "self.state.truncate(len(self.rows) and self.state.length)"),
    Fault("back", _PATH + "back", "del self.rows[len(self.ids) + 1 :]", "del self.rows[len(self.ids) + 2 :]"),
    Fault("beam", _CACHE + "select", "index.tolist(), strict=True", "[min(n, len(rows) - 1) for n in range(len(index))], strict=True"),
    Fault("batch", _CACHE + "select", "(k.index_select(0, memory), v.index_select(0, memory))", "(k.index_select(0, memory.flip(0)), v.index_select(0, memory.flip(0)))"),
    Fault("batch", _CACHE + "reorder", "if to is not rows[parent]:", "if False:"),
    Fault("batch", "core.model.attention:Mask.select", "index_select(0, index)", "index_select(0, torch.zeros_like(index))"),
    Fault("batch", _MODEL + "step", "state.source_mask, bias", "mask, bias"),
    Fault("beam", _SEARCH + "_read", "for node in self.beam.live]", "for node in reversed(self.beam.live)]"),
    Fault("beam", _SEARCH + "back", "del self._logits[len(self._taken) + 1 :]", "del self._logits[len(self._taken) + 2 :]"),
    Fault("beam", _SEARCH + "_replay", "self.beam.advance(considered, forced)", "self.beam.advance(considered)"),
)  # fmt: skip

BEAM: Final = (
    Fault("beam", _BEAM + "advance", "self.step**self.length_penalty", "1.0"),
    Fault("beam", _BEAM + "advance", "self.step**self.length_penalty", "(self.step + 1) ** self.length_penalty"),
    Fault("beam", _BEAM + "advance", "self.step**self.length_penalty", "((5 + self.step) / 6) ** self.length_penalty"),
    Fault("beam", _BEAM + "advance", "total / length, kept", "total * length, kept"),
    Fault("beam", _BEAM + "advance", "-self.nodes[each].score)", "-self.nodes[each].total)"),
    Fault("beam", _BEAM + "advance", "sorted(self.ended, key=lambda each: -self.nodes[each].score)", "self.ended"),
    Fault("beam", _BEAM + "advance", "finished = ends and rank < self.size", "finished = ends"),
    Fault("beam", _BEAM + "advance", "len(live) < self.size", "len(live) < self.size - 1"),
    Fault("beam", _BEAM + "best", "self.ended[0] if self.ended else self.live[0]", "self.live[0] if self.live else self.ended[0]"),
    Fault("beam", _BEAM + "done", "if len(self.ended) < self.size:", "if not self.ended:"),
    Fault("beam", _BEAM + "done", "<= self.nodes[self.ended[-1]].score", ">= self.nodes[self.ended[-1]].score"),
    Fault("beam", _BEAM + "ids", "return path[::-1]", "return path"),
    Fault("beam", _BATCH + "continuations", "-(totals[..., None] + values)", "-(0 * totals[..., None] + values)"),
    Fault("beam", _BATCH + "continuations", "torch.log_softmax(logits.float(),", "torch.log_softmax(logits.float() / 2,"),
    Fault("beam", _BATCH + "continuations", "[:, :count]", "[:, 1 : count + 1]"),
    Fault("beam", _TREE + "tree_nodes", "total=node.total", "total=node.score"),
    Fault("beam", _TREE + "tree_nodes", "label=tokenizer.label(node.token)", "label=tokenizer.label(beam.nodes[node.parent or 0].token)"),
    Fault("beam", _TREE + "tree_nodes", "best=node.id in best", "best=node.id == beam.best"),
    Fault("beam", _TREE + "hypotheses", "node.total, node.score", "node.score, node.total"),
    Fault("beam", _SEARCH + "force", "self.beam.totals()[0] + value", "self.beam.totals()[0]"),
    Fault("batch", _BATCH + "assign_rows", "came_from[row] = origin", "pass"),
    Fault("batch", _BATCH + "_beam", "beam.ids(beam.best)", "beam.ids(beam.live[0] if beam.live else beam.best)"),
)  # fmt: skip

DRAWN: Final = (
    Fault("drawn", _API + "assembled", "tuple(spell(read)), tuple(spell(written_ids))", "tuple(spell(written_ids)), tuple(spell(written_ids))"),
    Fault("drawn", _API + "assembled", "tuple(spell(read)), tuple(spell(written_ids))", "tuple(spell(read)), tuple(spell(read))"),
    Fault("drawn", _API + "assembled", "source_tokenizer.labels(source_ids)", "source_tokenizer.labels([*source_ids[1:], source_ids[0]])"),
    Fault("drawn", _API + "trace_ids", "[checkpoint.config.bos_id, *written_ids[:-1]]", "[*written_ids]"),
    Fault("drawn", _TRACE + "stacked", "for layer in layers", "for layer in reversed(layers)"),
    Fault("drawn", _TRACE + "array", "return self.records[key]", "return np.roll(self.records[key], 1, axis=0) if key.kind == 'weights' else self.records[key]"),
    Fault("drawn", _TRACE + "array", "return self.records[key]", "return np.roll(self.records[key], 1, axis=1) if key.kind == 'weights' else self.records[key]"),
    Fault("drawn", _TRACE + "array", "return self.records[key]", "return self.records[key][..., ::-1] if key.block == 'cross' else self.records[key]"),
    Fault("drawn", _TRACE + "scores", '"masked_scores" if masked', '"masked_scores" if not masked'),
    Fault("drawn", _TRACE + "weights", '"weights"', '"scores"'),
    Fault("drawn", "core.model.trace:_records", "enumerate(array)", "enumerate(array[::-1])"),
    Fault("drawn", _ROWS + "to_cpu", "array[0]", "(array[0][::-1] if site.kind == 'weights' else array[0])"),
    Fault("drawn", _ROWS + "_identity", "tensor.data_ptr(), tensor.shape", "tensor.shape"),
    Fault("drawn", _API + "_stream", "traces.pop(index)", "traces.pop(max(traces))"),
    Fault("drawn", _API + "_cut", "row if len(array) > 1 else 0", "0"),
    Fault("drawn", _API + "_cut", "full[:queries] if query_axis(site) == 0 else full[:, :queries]", "full[-queries:] if query_axis(site) == 0 else full[:, -queries:]"),
    Fault("drawn", _API + "_cut", "id(array)", "array.shape"),
    Fault("drawn", _API + "_cut", ', "self") else sources', ', "self") else targets'),
    Fault("drawn", _API + "_traces", "[config.bos_id, *pair.written[:-1]]", "[*pair.written]"),
    Fault("drawn", _BATCH + "padded", "*[pad]", "*[pad + 5]"),
    Fault("drawn", _BATCH + "padded", "[*row, *[pad] * (width - len(row))]", "[*[pad] * (width - len(row)), *row]"),
    Fault("drawn", _ROWS + "join_rows", "square[:, t, : t + 1] =", "square[:, t - 1, : t + 1] ="),
    Fault("drawn", _ROWS + "join_rows", 'if site.kind == "masked_scores" else 0.0', 'if site.kind == "masked_scores" else 0.1'),
    Fault("drawn", _ROWS + "join_rows", "[row.records[site] for row in rows]", "[rows[max(t - 1, 0)].records[site] for t in range(len(rows))]"),
    Fault("drawn", _ROWS + "_as_row", "row[:, : index + 1] if", "np.roll(row, 1, axis=0)[:, : index + 1] if"),
    Fault("drawn", _ROWS + "split_rows", "_as_row(site, array, t, t)", "_as_row(site, array, max(t - 1, 0), t)"),
    Fault("drawn", _ROWS + "split_rows", "logits[t]", "logits[t - 1]"),
    Fault("drawn", _PATH + "_complete_scores", " * self._scale", ""),
    Fault("drawn", _ASSEMBLING + "assemble", "tuple(spell(read)),", "tuple(spell([*path.ids, *path.ids[-1:]])[: len(read)]),"),
    Fault("drawn", _ASSEMBLING + "assemble", "(*spell(path.ids),", "(*spell(path.ids[::-1]),"),
    Fault("drawn", _ASSEMBLING + "assemble", "[path.config.bos_id, *path.ids][: len(written)]", "[*path.ids, *path.ids[-1:]][: len(written)]"),
    Fault("drawn", _ASSEMBLING + "candidates", "by_probability(probability)[:count]", "by_probability(probability)[1 : count + 1]"),
    Fault("drawn", _ASSEMBLING + "candidates", "label(token)", "label(best[rank - 1])"),
    Fault("drawn", _ASSEMBLING + "candidates", "float(probability[token])", "float(probability[best[0]])"),
    Fault("drawn", _SESSION + "row", "return rows[step]", "return rows[max(step - 1, 0)]"),
    Fault("drawn", _SESSION + "distribution_at", "self._logits(step)", "self._logits(step - 1 if step else step)"),
    Fault("drawn", _SESSION + "_logits", "self._followed.pending.logits", "self._followed.rows[0].logits"),
    Fault("drawn", _SESSION + "replay", "prefix=tuple(ids)", "prefix=tuple(ids)[:-1]"),
    Fault("drawn", _SESSION + "stepped", "for token in ids", "for token in [ids[0], *ids[:-1]]"),
)  # fmt: skip

CHOSEN: Final = (
    Fault("chosen", _CHOICE + "greedy_choice", "int(allowed.argmax())", "int(allowed.argsort()[-2])"),
    Fault("batch", _BATCH + "greedy_tokens", "logits.argmax(dim=-1)", "logits.topk(2, dim=-1).indices[:, 1]"),
    Fault("batch", _BATCH + "greedy", "token == config.eos_id or", ""),
    Fault("batch", _BATCH + "greedy", "rows = [rows[position] for position in living]", "rows = [rows[position] for position in living[::-1]]", missed="the sentences of this checkpoint end together, or go on alike"),
    Fault("batch", _BATCH + "translate_batch", "in zip(chosen, outputs", "in zip(sorted(chosen), outputs"),
    Fault("chosen", _CHOICE + "sample", "cut.ids[min(index,", "cut.ids[min(index + 1,"),
    Fault("chosen", _CHOICE + "cut_off", "order = order[:top_k]", "order = order[: top_k + 1]"),
    Fault("chosen", _CHOICE + "cut_off", 'side="left")) + 1', 'side="left")) + 2'),
    Fault("chosen", _CHOICE + "cut_off", "order[~np.isin(order, banned)]", "order"),
    Fault("chosen", _CHOICE + "_shares", "held / total if", "held if"),
    Fault("chosen", _CHOICE + "by_probability", "-probability", "probability"),
    Fault("chosen", _CHOICE + "log_probabilities", " / temperature", ""),
    Fault("chosen", _CHOICE + "uniform_draw", "(seed, step)", "seed"),
    Fault("chosen", _SESSION + "force", "self._followed.write(chosen)", "self._followed.write(self._choose())"),
    Fault("chosen", _INPUTS + "never_written", "tuple(sorted({config.pad_id, config.bos_id} - {config.eos_id}))", "()"),
    Fault("chosen", _INPUTS + "forced_token", "if step == 0 else None", "if step == -1 else None", FORCED),
    Fault("chosen", _INPUTS + "forced_token", "if step == 0 else None", "if step == 1 else None", FORCED),
)  # fmt: skip

FAULTS: Final = (*POSITIONS, *MODEL, *CACHES, *BEAM, *DRAWN, *CHOSEN)
