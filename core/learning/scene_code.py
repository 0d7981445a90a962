"""The lines of plain PyTorch beside a lesson's picture: what `core` computes there, in five to nine lines.

A step of a lesson names one (`code = "scores"`). The lines that are shown are the lines that run: on the weights of the
model in use and on what was recorded before them. Each line assigns one name; tests compare the results with the tensors
that the model recorded at `site`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from core.language import message
from core.learning import by_hand
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, Attention, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.api import Checkpoint
    from core.model.trace import Trace


class Line(NamedTuple):
    """One line: its code, what its result is (to be translated), and the card of Inside that shows it (`core.learning.inside`);
    no card: the picture is the step's own.

    `axes` has a letter for each axis of the result: h heads, t decoder rows, s source tokens, other letters for anything
    else. `site` is where the model records the same numbers; empty where it does not.
    """

    code: str
    says: str
    axes: str
    card: str
    site: str = ""

    @property
    def name(self) -> str:
        """What the line assigns."""
        (assigned,) = ast.parse(self.code).body
        assert isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)
        return assigned.targets[0].id


@dataclass(frozen=True)
class Place:
    """Where lines run: a loaded checkpoint, its trace of a text with what `SceneCode.record` names, and a head of it."""

    checkpoint: Checkpoint
    trace: Trace
    text: str
    head: tuple[int, int]

    def at(self, site: str) -> Tensor:
        """What was recorded at a site; `{layer}` in it is that of the head."""
        return self.trace.get(Site.parse(site.format(layer=self.head[0]))).float()

    def weights(self, name: str) -> Tensor:
        """A parameter of the model by its name, on the CPU."""
        return self.checkpoint.model.get_parameter(name).detach().float().cpu()


@dataclass(frozen=True)
class SceneCode:
    """The lines of one scene, the sites that must be recorded for them, and the names that they begin with.

    `kind` is the attention whose cards of Inside show them; `inputs` gives those names their values; `given` says in words what they are (to be translated).
    """

    kind: str
    given: str
    lines: tuple[Line, ...]
    record: tuple[str, ...]
    inputs: Callable[[Place], Mapping[str, Any]]

    def sites(self, layer: int) -> tuple[str, ...]:
        """What to record: for the inputs, and to compare the results with."""
        named = (*self.record, *(line.site for line in self.lines if line.site))
        return tuple(dict.fromkeys(site.format(layer=layer) for site in named))

    def run(self, place: Place, count: int | None = None) -> list[Any]:
        """The results of the first `count` lines, None for all, in their order."""
        import torch
        import torch.nn.functional as F

        names: dict[str, Any] = {"torch": torch, "F": F, **self.inputs(place)}
        results = []
        with torch.inference_mode():
            for line in self.lines[:count]:
                exec(line.code, names)  # a constant of this module
                results.append(names[line.name])
        return results


def fits(config: ModelConfig) -> bool:
    """Whether a model computes as the lines do: pre-norm, sinusoidal positions, ReLU, tied output, as the shipped ones."""
    for stack in ("encoder", "decoder"):
        own = config.of(stack)
        layers = (own.norm_placement, own.norm_formula, own.activation, own.score_scale)
        if layers != ("pre", "layer", "relu", "head") or own.gated or own.shared_head_projection:
            return False
        if not (own.projection_bias and own.attention_output_bias and own.ffn_bias and own.embedding_scale):
            return False
        if own.positions != "sinusoidal" or own.position_offset or own.embedding_norm:
            return False
    tied = config.tie_output and not config.output_bias and config.output_scale == "none"
    return config.causal and tied and config.sinusoid_denominator == "half"


# -- what the lines begin with ----------------------------------------------------------------------------------


def _projection(
    place: Place, kind: Attention, layer: int, part: str, head: int | None = None
) -> dict[str, Any]:
    """Matrix and bias of one projection, `w_q` and `b_q`: of one head, or of all."""
    own = f"{kind.stack}_layers.{layer}.{kind.block}_attention.{part}_proj"
    size = place.trace.config.of(kind.stack).d_head
    rows = slice(None) if head is None else slice(head * size, (head + 1) * size)
    letter = part[0]
    return {f"{side[0]}_{letter}": place.weights(f"{own}.{side}")[rows] for side in ("weight", "bias")}


def _ids(place: Place) -> dict[str, Any]:
    return {
        "text": place.text,
        "tokenizer": place.checkpoint.source_tokenizer,
        "table": place.weights("source_embedding.table"),
        "d": place.trace.config.d_model,
    }


def _positions(place: Place) -> dict[str, Any]:
    return {"words": place.at("encoder.embed.token_embedding"), "d": place.trace.config.d_model}


def _scores(place: Place, key: str) -> dict[str, Any]:
    """One head's input and matrices. Cross-attention reads its keys from the encoder output, `memory`."""
    kind, (layer, head) = ATTENTION[key], place.head
    own = {
        "y": place.at(f"decoder.{{layer}}.{kind.block}.norm_output"),
        "d": place.trace.config.of(kind.stack).d_head,
    }
    if key == "cross":
        own["memory"] = place.at("encoder.final.output")
    return {**own, **_projection(place, kind, layer, "q", head), **_projection(place, kind, layer, "k", head)}


def _mixed(place: Place) -> dict[str, Any]:
    kind, layer = ATTENTION["cross"], place.head[0]
    return {
        "scores": place.at("decoder.{layer}.cross.masked_scores"),
        "memory": place.at("encoder.final.output"),
        "heads": place.trace.config.of("decoder").heads,
        **_projection(place, kind, layer, "v"),
        **_projection(place, kind, layer, "output"),
    }


def _feed_forward(place: Place) -> dict[str, Any]:
    own = "encoder_layers.0.feed_forward"
    return {
        "w_1": place.weights(f"{own}.up_proj.weight"),
        "b_1": place.weights(f"{own}.up_proj.bias"),
        "w_2": place.weights(f"{own}.down_proj.weight"),
        "b_2": place.weights(f"{own}.down_proj.bias"),
    }


def _attention(place: Place) -> Callable[[Tensor], Tensor]:
    """The first encoder layer's self-attention, all heads: (S, d) → (S, d)."""
    from core.model.attention import Mask

    attention: Any = place.checkpoint.model.encoder_layers[0].self_attention

    def attend(h: Tensor) -> Tensor:
        queries, keys_values = attention.queries_keys_values(h[None].to(place.checkpoint.device))
        output: Tensor = attention(queries, keys_values, Mask())
        return output[0].float().cpu()

    return attend


def _stream(place: Place) -> dict[str, Any]:
    norms = {
        f"{letter}_{number}": place.weights(f"encoder_layers.0.{block}_residual.norm.{name}")
        for number, block in ((1, "self"), (2, "ffn"))
        for letter, name in (("g", "weight"), ("s", "bias"))
    }
    size = [place.trace.config.d_model]
    x = place.at("encoder.0.self.residual_before")
    return {"x": x, "attention": _attention(place), "d": size, **norms, **_feed_forward(place)}


def _loss(place: Place) -> dict[str, Any]:
    import torch

    targets = torch.tensor(place.trace.written_ids)
    return {"logits": place.at("decoder.final.logits"), "targets": targets, "n": len(targets)}


def _by_hand(place: Place) -> dict[str, Any]:
    import torch

    query, keys, values = (
        torch.tensor(each).float() for each in (by_hand.QUERY, by_hand.KEYS, by_hand.VALUES)
    )
    return {"q": query, "k": keys, "v": values, "d": len(query)}


def _choose(place: Place) -> dict[str, Any]:
    return {"x": place.at("decoder.final.output"), "table": place.weights("target_embedding.table")}


# -- the lines ----------------------------------------------------------------------------------------------------

CODE: Final[Mapping[str, SceneCode]] = {
    "ids": SceneCode(
        "encoder",
        message("`tokenizer` cuts text, `table` has a row for each piece, `d` is the length of a vector"),
        (
            Line("ids = tokenizer.encode(text)", message("The number of each token in the vocabulary"), "s", "tokens"),
            Line("ids = torch.tensor(ids)", message("The same as a tensor"), "s", "tokens"),
            Line("words = table[ids]", message("A row of the table for each token"), "sd", "tokens"),
            Line("size = d ** 0.5", message("The square root of the length of a vector"), "", "tokens"),
            Line("words = words * size", message("The rows, scaled"), "sd", "tokens", "encoder.embed.token_embedding"),
        ),
        (),
        _ids,
    ),
    "positions": SceneCode(
        "encoder",
        message("`words` are the rows of the table, `d` is the length of a vector"),
        (
            Line("i = torch.arange(0, d, 2)", message("The even columns"), "c", "positions"),
            Line("slow = 10000 ** (i / d)", message("How slow the wave of each pair of columns is"), "c", "positions"),
            Line("p = torch.arange(len(words))", message("The positions, from 0"), "p", "positions"),
            Line("angle = p[:, None] / slow", message("The angle of each position in each wave"), "sc", "positions"),
            Line("sin = angle.sin()", message("The even columns of the position vectors"), "sc", "positions"),
            Line("cos = angle.cos()", message("The odd columns"), "sc", "positions"),
            Line("place = torch.stack([sin, cos], -1)", message("Both, in pairs"), "scp", "positions"),
            Line("place = place.flatten(1)", message("The position vectors"), "sd", "positions", "encoder.embed.position_encoding"),
            Line("x = words + place", message("What the first layer reads"), "sd", "embedded", "encoder.embed.sum"),
        ),
        ("encoder.embed.token_embedding",),
        _positions,
    ),
    "scores": SceneCode(
        "cross",
        message("`y` are the decoder’s vectors, `memory` the encoder’s; `w_q`, `w_k` are learned and the same for all positions"),
        (
            Line("q = y @ w_q.T + b_q", message("A query for each written token"), "td", "q_head", "decoder.{layer}.cross.q"),
            Line("k = memory @ w_k.T + b_k", message("A key for each source token"), "sd", "k_head", "decoder.{layer}.cross.k"),
            Line("products = q @ k.T", message("Each query times each key"), "ts", "products"),
            Line("scores = products / d ** 0.5", message("The scores"), "ts", "scaled", "decoder.{layer}.cross.scores"),
            Line("weights = scores.softmax(-1)", message("The weights: each row sums to 1"), "ts", "weights", "decoder.{layer}.cross.weights"),
            Line("sharp = products.softmax(-1)", message("The weights without the division"), "ts", "products"),
        ),
        ("decoder.{layer}.cross.norm_output", "encoder.final.output"),
        partial(_scores, key="cross"),
    ),
    "mixed": SceneCode(
        "cross",
        message("`scores` of all heads, `memory` is the encoder output; `w_v`, `w_o` are learned"),
        (
            Line("weights = scores.softmax(-1)", message("The weights of all heads"), "hts", "weights", "decoder.{layer}.cross.weights"),
            Line("v = memory @ w_v.T + b_v", message("The values of all heads, side by side"), "sd", "v"),
            Line("v = v.unflatten(1, (heads, -1))", message("The same, cut into heads"), "shd", "v"),
            Line("v = v.transpose(0, 1)", message("The values of each head"), "hsd", "v_head", "decoder.{layer}.cross.v"),
            Line("mixed = weights @ v", message("The weighted sums of values"), "htd", "mixed", "decoder.{layer}.cross.head_output"),
            Line("joined = mixed.transpose(0, 1)", message("Token first: for each token, the sums of its heads"), "thd", "joined"),
            Line("joined = joined.flatten(1)", message("The heads’ sums side by side"), "td", "joined"),
            Line("out = joined @ w_o.T + b_o", message("One matrix mixes the heads"), "td", "output", "decoder.{layer}.cross.output"),
        ),
        ("decoder.{layer}.cross.masked_scores", "encoder.final.output"),
        _mixed,
    ),
    "by_hand": SceneCode(
        "cross",
        message("`q` is the query of the row, `k` and `v` are the keys and values of the three tokens, `d` is 2"),
        (
            Line("products = k @ q", message("The query times each key"), "r", ""),
            Line("scores = products / d ** 0.5", message("The scores"), "r", ""),
            Line("powers = scores.exp()", message("e to the power of each score"), "r", ""),
            Line("weights = powers / powers.sum()", message("Each power’s share of their sum: the softmax"), "r", ""),
            Line("out = weights @ v", message("The weighted sum of the values"), "r", ""),
        ),
        (),
        _by_hand,
    ),
    "stream": SceneCode(
        "encoder",
        message("`x` is the stream before the first layer, `g` and `s` are gains and shifts, `attention` is that of the layer"),
        (
            Line("h = F.layer_norm(x, d, g_1, s_1)", message("The norm before attention"), "sd", "norm", "encoder.0.self.norm_output"),
            Line("x = x + attention(h)", message("Attention adds to the stream"), "sd", "added", "encoder.0.self.residual_after"),
            Line("h = F.layer_norm(x, d, g_2, s_2)", message("The norm before feed-forward"), "sd", "forward_norm", "encoder.0.ffn.norm_output"),
            Line("hidden = h @ w_1.T + b_1", message("The first matrix makes the vector longer"), "sd", "up"),
            Line("hidden = hidden.relu()", message("ReLU: what is below 0 becomes 0"), "sd", "hidden", "encoder.0.ffn.hidden"),
            Line("out = hidden @ w_2.T + b_2", message("The second matrix brings it back"), "sd", "down", "encoder.0.ffn.output"),
            Line("x = x + out", message("Feed-forward adds to the stream"), "sd", "forward_added", "encoder.0.ffn.residual_after"),
        ),
        ("encoder.0.self.residual_before",),
        _stream,
    ),
    "mask": SceneCode(
        "causal",
        message("`y` are the decoder’s vectors; `w_q`, `w_k` are learned and the same for all positions"),
        (
            Line("q = y @ w_q.T + b_q", message("A query for each position"), "td", "q_head", "decoder.{layer}.self.q"),
            Line("k = y @ w_k.T + b_k", message("A key for each position"), "td", "k_head", "decoder.{layer}.self.k"),
            Line("scores = q @ k.T / d ** 0.5", message("The scores, later tokens included"), "tk", "scaled", "decoder.{layer}.self.scores"),
            Line("later = torch.ones_like(scores)", message("Ones everywhere"), "tk", "masked"),
            Line("later = later.triu(1).bool()", message("True right of the diagonal: the future"), "tk", "masked"),
            Line("none = -float('inf')", message("The score of what may not be seen"), "", "masked"),
            Line("scores = scores.masked_fill(later, none)", message("The masked scores"), "tk", "masked", "decoder.{layer}.self.masked_scores"),
            Line("weights = scores.softmax(-1)", message("The softmax makes −∞ a weight of 0"), "tk", "weights", "decoder.{layer}.self.weights"),
        ),
        ("decoder.{layer}.self.norm_output",),
        partial(_scores, key="causal"),
    ),
    "loss": SceneCode(
        "cross",
        message("`logits` are the scores of all tokens at each position, `targets` the right ones"),
        (
            Line("log_p = logits.log_softmax(-1)", message("The logarithm of each token’s probability"), "tv", "probabilities"),
            Line("right = log_p[range(n), targets]", message("That of the right token"), "r", "probabilities"),
            Line("loss = -right.mean()", message("Cross-entropy: the loss without smoothing"), "", "probabilities"),
            Line("even = log_p.mean(-1)", message("The mean over all tokens"), "r", "probabilities"),
            Line("soft = 0.95 * right + 0.05 * even", message("The smoothed target: 5 % of it goes to all tokens equally"), "r", "probabilities"),
            Line("smooth = -soft.mean()", message("The loss with label smoothing"), "", "probabilities"),
        ),
        ("decoder.final.logits",),
        _loss,
    ),
    "choose": SceneCode(
        "cross",
        message("`x` are the decoder’s last vectors, `table` is the token table: input and output share it"),
        (
            Line("logits = x @ table.T", message("A score for each token of the vocabulary"), "tv", "logits", "decoder.final.logits"),
            Line("p = logits.softmax(-1)", message("The probabilities: each row sums to 1"), "tv", "probabilities"),
            Line("best = p.topk(5).values", message("The five largest of each row"), "tb", "probabilities"),
            Line("greedy = p.argmax(-1)", message("What greedy search writes, as token numbers"), "r", "probabilities"),
            Line("total = best[:, 0].log().sum()", message("Log-probability of the sentence"), "", "probabilities"),
            Line("mean = total / len(greedy)", message("Per token: beam search compares these, so that long sentences do not lose"), "", "probabilities"),
        ),
        ("decoder.final.output",),
        _choose,
    ),
}  # fmt: skip
"""The code of each scene by the name that lessons give."""
