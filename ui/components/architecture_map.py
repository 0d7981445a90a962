"""The map strip: source → encoder → memory → decoder + cross-attention → next word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast, get_args

from ui.components.base import event, register

Block = Literal["source", "encoder", "memory", "decoder", "cross", "next"]
BLOCKS: tuple[Block, ...] = get_args(Block)

WHERE: dict[Block, str] = {
    "source": "The sentence and its tokens",
    "encoder": "Encoder self-attention",
    "memory": "What the encoder hands to the decoder",
    "decoder": "Decoder causal self-attention",
    "cross": "Cross-attention: the decoder reads the memory",
    "next": "The distribution over the next word",
}

_mount = register("architecture_map")


def map_data(
    *,
    source_tokens: int | None,
    d_model: int,
    encoder_layers: int,
    decoder_layers: int,
    target_vocab_size: int,
    lit: Block | None,
) -> dict[str, object]:
    """The strip's words as plain data (also used by tests)."""
    tokens, memory = "a sentence", f"{d_model} wide"  # without one in hand
    if source_tokens is not None:
        tokens = f"{source_tokens} token{'' if source_tokens == 1 else 's'}"
        memory = f"{source_tokens} × {d_model}"
    words: dict[Block, tuple[str, str]] = {
        "source": ("source", tokens),
        "encoder": (f"encoder × {encoder_layers}", "self-attention · ffn"),
        "memory": ("memory", memory),
        "decoder": (f"decoder × {decoder_layers}", "causal self-attention"),
        "cross": ("cross-attention", "reads memory"),
        "next": ("next word", f"softmax over {target_vocab_size:,}"),
    }
    blocks = {
        name: {"title": title, "fact": fact, "where": WHERE[name]} for name, (title, fact) in words.items()
    }
    return {"blocks": blocks, "lit": lit}


def architecture_map(
    *,
    source_tokens: int | None,
    d_model: int,
    encoder_layers: int,
    decoder_layers: int,
    target_vocab_size: int,
    lit: Block | None = None,
    on_picked: Callable[[Block], None] | None = None,
    key: str = "architecture_map",
) -> Block | None:
    """Draw the strip with `lit` filled; returns the block clicked in this run, else None.

    `on_picked(block)` is called before the run instead, for pages that change state in callbacks.
    """

    def changed() -> None:
        block = event(key, "picked")
        if on_picked and block in BLOCKS:
            on_picked(cast(Block, block))

    result = _mount(
        key=key,
        data=map_data(
            source_tokens=source_tokens,
            d_model=d_model,
            encoder_layers=encoder_layers,
            decoder_layers=decoder_layers,
            target_vocab_size=target_vocab_size,
            lit=lit,
        ),
        on_picked_change=changed,
    )
    picked = result.get("picked")
    return cast(Block, picked) if picked in BLOCKS else None
