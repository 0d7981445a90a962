"""The map strip: source → encoder → memory → decoder + cross-attention → next word."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Literal, TypedDict, cast, get_args

from core.analysis.readout import how_many
from core.model.config import ModelConfig
from core.model.sites import ATTENTION
from ui.components.base import register

Block = Literal["source", "encoder", "memory", "decoder", "cross", "next"]
BLOCKS: tuple[Block, ...] = get_args(Block)

WHERE: dict[Block, str] = {
    "source": "The sentence and its tokens",
    "encoder": ATTENTION["encoder"].title.capitalize(),
    "memory": "What the encoder hands to the decoder",
    "decoder": ATTENTION["causal"].title.capitalize(),
    "cross": f"{ATTENTION['cross'].title.capitalize()}: the decoder reads the memory",
    "next": "The distribution over the next word",
}


@cache
def early_code() -> str:
    """The file name of Plotly's browser part among Streamlit's own; empty where Streamlit keeps it elsewhere."""
    import streamlit

    found = sorted((Path(streamlit.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js"))
    return found[0].name if found else ""


_mount = register("architecture")


class MapData(TypedDict):
    """The strip as the browser gets it: title, fact and destination of each block, and the blocks in view.

    `about` names sentence and checkpoint for pictures that leave the page; `early` is the address of what later pages draw
    with, to be fetched when the browser has nothing to do.
    """

    blocks: dict[Block, dict[str, str]]
    lit: list[Block]
    about: str
    early: str


def map_data(
    config: ModelConfig, source_tokens: int | None = None, lit: Collection[Block] = (), about: str = ""
) -> MapData:
    """A model's sizes in words, with `lit` filled. `source_tokens` None: no sentence is in hand."""
    tokens, memory = "a sentence", f"{config.d_model} wide"
    if source_tokens is not None:
        tokens = how_many(source_tokens, "token")
        memory = f"{source_tokens} × {config.d_model}"
    words: dict[Block, tuple[str, str]] = {
        "source": ("source", tokens),
        "encoder": (f"encoder × {config.encoder_layers}", "self-attention · ffn"),
        "memory": ("memory", memory),
        "decoder": (f"decoder × {config.decoder_layers}", "self-attention (causal)"),
        "cross": ("cross-attention", "reads memory"),
        "next": ("next word", f"softmax over {config.target_vocab_size:,}"),
    }
    blocks = {
        name: {"title": title, "fact": fact, "where": WHERE[name]} for name, (title, fact) in words.items()
    }
    return {
        "blocks": blocks,
        "lit": [name for name in BLOCKS if name in lit],
        "about": about,
        "early": early_code(),
    }


def architecture_map(strip: MapData, key: str = "architecture_map") -> Block | None:
    """Draw the strip; returns the block clicked in this run, else None."""
    picked = _mount(key=key, data=strip, on_picked_change=lambda: None).get("picked")
    return cast(Block, picked) if picked in BLOCKS else None
