"""The cards after the attention: the feed-forward network of the layer, and from the last vector to the next token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.learning.card import Axis, Card
from core.learning.head import quoted
from core.learning.run import Run
from core.learning.stream_cards import StreamCards
from core.learning.why import Why, chain, product, softmax

FORWARD: Final = "feed-forward"
OUTPUT: Final = "output"
WORDS: Final = 12
"""Tokens of the vocabulary that are shown: the most probable ones for the token in hand."""
_ACTIVATIONS: Final = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)", "silu": "SiLU"}


def forward_cards(run: Run, stream: StreamCards, x: tuple[str, NDArray[np.floating]]) -> Iterator[Card]:
    """The feed-forward network of the layer: `x` is the key and the numbers of what it reads."""
    config, (stack, layer, _) = run.config, run.spot.place
    prefix = f"{stack}_layers.{layer}.feed_forward"
    key, read = x
    up, hidden = _projected(run, f"{prefix}.up_proj", read), run.seen(stack, layer, "ffn", "hidden")
    gate = _projected(run, f"{prefix}.gate_proj", read) if config.gated else None
    plus = " + b" if config.ffn_bias else ""
    yield stream.card(
        *("up", FORWARD, up, _linear(run, stream, f"{prefix}.up_proj", "W₁", read)),
        title="Feed-forward, wider",
        formula=f"x W₁{plus}",
        says=f"Each token by itself: {config.d_model} numbers become {config.d_ff}.",
        reads=(key,),
        width="d_ff",
    )
    if gate is not None:
        yield stream.card(
            *("gate", FORWARD, gate, _linear(run, stream, f"{prefix}.gate_proj", "W_gate", read)),
            title="Gate",
            formula=f"x W_gate{plus}",
            says="A second projection, whose activation decides how much of each number passes.",
            reads=(key,),
            width="d_ff",
        )
    name = _ACTIVATIONS[config.activation]

    def activated(row: int, column: int) -> Why:
        before = float(up[row, column] if gate is None else gate[row, column])
        done: list[tuple[str, str, float | None]] = [(config.activation, name, None)]
        if gate is not None:
            done.append(("×", "the number beside it", float(up[row, column])))
        return chain(f"h[{row}, {column}]", "the gate" if gate is not None else "x W₁", before, done)

    zero = float((hidden[run.spot.token] == 0).mean())
    yield stream.card(
        *("hidden", FORWARD, hidden, activated),
        title="Activation",
        formula=f"{name}(x W_gate{plus}) · (x W₁{plus})" if gate is not None else f"{name}(x W₁{plus})",
        says=f"Negative numbers are cut off: {zero:.0%} of this token’s are 0.".replace("%", " %")
        if config.activation == "relu" and gate is None
        else "A bend in a straight line: without it the two matrices would be one.",
        reads=("up", "gate") if gate is not None else ("up",),
        width="d_ff",
    )
    output = run.seen(stack, layer, "ffn", "output")
    yield stream.card(
        *("down", FORWARD, output, _linear(run, stream, f"{prefix}.down_proj", "W₂", hidden)),
        title="Feed-forward, back",
        formula=f"h W₂{plus}",
        says=f"The {config.d_ff} numbers become {config.d_model} again, to be added to the stream.",
        reads=("hidden",),
    )


def _projected(run: Run, name: str, x: NDArray[np.floating]) -> NDArray[np.float64]:
    """What the model computes there and nobody records: x W + b."""
    values = x.astype(np.float64) @ run.numbers(f"{name}.weight").T
    return values + run.numbers(f"{name}.bias") if f"{name}.bias" in run.state else values


def _linear(
    run: Run, stream: StreamCards, name: str, letter: str, x: NDArray[np.floating]
) -> Callable[[int, int], Why]:
    def why(row: int, column: int) -> Why:
        return product(
            f"[{row}, {column}] = Σᵢ x[{row}, i] · {letter}[i, {column}]"
            + (" + b" if f"{name}.bias" in run.state else ""),
            (f"input of {quoted(stream.tokens.labels[row])}", x[row]),
            (f"column {column} of {letter}", run.numbers(f"{name}.weight", column)),
            lambda i: f"dimension {i}",
            run.bias(f"{name}.bias", column),
        )

    return why


def next_token_cards(run: Run, states: tuple[str, NDArray[np.floating]]) -> Iterator[Card]:
    """Logits and probabilities: `states` is the key and the numbers (T, d_model) of what the decoder ends with."""
    key, vectors = states
    config, token = run.config, run.spot.token
    logits = run.seen("decoder", 0, "final", "logits")
    shown = _shown(logits[token], run.trace.written_ids[token])
    names = tuple(run.label(each) for each in shown)
    table = "target_embedding.table" if config.tie_output else "output_proj"
    scaled = config.output_scale == "inverse_sqrt_d_model"
    rows, columns = Axis("tokens", run.asking), Axis("vocabulary", names)
    shape = f"(tokens, vocabulary) = ({len(logits)}, {logits.shape[1]:,}), {len(shown)} columns of them"

    def logit(row: int, column: int) -> Why:
        done = [("÷", f"√d_model = √{config.d_model}", config.d_model**0.5)] if scaled else []
        return product(
            f"logit of {quoted(names[column])} = Σᵢ x[{row}, i] · E[{shown[column]}, i]",
            (f"last vector of {quoted(rows.labels[row])}", vectors[row]),
            (f"output row of {quoted(names[column])}", run.numbers(table, shown[column])),
            lambda i: f"dimension {i}",
            [*done, *run.bias("output_bias", shown[column])],
        )

    tied = "Eᵀ, the token table again" if config.tie_output else "W_out"
    yield Card(
        key="logits",
        part=OUTPUT,
        title="Logits",
        formula=f"x {tied}" + (" ÷ √d_model" if scaled else "") + " + b" * config.output_bias,
        says=f"One score for each of the {logits.shape[1]:,} tokens of the vocabulary; shown are the {len(shown)} highest for "
        f"{quoted(rows.labels[token])}.",
        shape=shape,
        rows=rows,
        columns=columns,
        values=logits[:, shown],
        explain=logit,
        focus=token,
        reads=(key,),
    )

    def probability(row: int, column: int) -> Why:
        return softmax(
            f"P({quoted(names[column])}) = e^logit ÷ Σ e^logit over {logits.shape[1]:,} tokens",
            logits[row],
            shown[column],
            lambda i: quoted(run.label(i)),
        )

    values = _probabilities(logits)[:, shown]
    written = run.trace.written_ids[token]
    said = (
        f"After {quoted(rows.labels[token])} the model wrote {quoted(run.label(written))}, which it gave "
        f"{values[token, shown.index(written)]:.1%}.".replace("%", " %")
        if written >= 0
        else "The model has not written this token yet."
    )
    yield Card(
        *("probabilities", OUTPUT, "Next token", "softmax(logits)", said),
        *(shape, rows, columns, values, probability),
        focus=token,
        look="share",
        reads=("logits",),
    )


def _shown(logits: NDArray[np.floating], written: int) -> list[int]:
    """The tokens with the largest logits, and the one that was written."""
    best = [int(each) for each in np.argsort(-logits, kind="stable")[:WORDS]]
    return best if written < 0 or written in best else [*best[:-1], written]


def _probabilities(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))
