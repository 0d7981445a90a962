"""Named configurations: the paper's base model and five published tutorials' choices.

A preset is correct Transformer mathematics with that tutorial's choices; the tutorials' faults are not part
of it. Each tutorial's printed sizes are kept, so that its printouts can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TUTORIAL_VOCABULARY = {"source_vocab_size": 1000, "target_vocab_size": 1000}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # Vaswani et al. (2017), table 3, row "base"; the joint vocabulary of its English-German model. Section 3.2.2 projects
    # with matrices alone. Its sinusoids have no last position; a table here needs one.
    "paper": {
        "source_vocab_size": 37_000,
        "target_vocab_size": 37_000,
        "projection_bias": False,
        "attention_output_bias": False,
    },
    # Step-by-step notebook: one encoder and one decoder block, one shared unscaled table.
    "tutorial-a": {
        **_TUTORIAL_VOCABULARY,
        "d_model": 64,
        "heads": 2,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "d_ff": 256,
        "dropout": 0.3,
        "dropout_placement": "after_norm",
        "embedding_scale": False,
        "tie_output": False,
        "projection_bias": False,
        "attention_output_bias": False,
        "output_bias": True,
    },
    # Annotated classes: pre-norm with unbiased deviation, separate scaled tables, scores over sqrt(d_model).
    "tutorial-b": {
        **_TUTORIAL_VOCABULARY,
        "tie_embeddings": False,
        "tie_output": False,
        "output_bias": True,
        "norm_placement": "pre",
        "norm_formula": "layer_unbiased_std",
        "norm_eps": 1e-6,
        "final_norm": True,
        "score_scale": "model",
    },
    # Encoder article: it stops at the encoder; the decoder here repeats its choices so that it can translate.
    "tutorial-c": {
        **_TUTORIAL_VOCABULARY,
        "encoder_layers": 3,
        "decoder_layers": 3,
        "d_ff": 1264,
        "max_length": 40,
        "embedding_scale": False,
        "tie_embeddings": False,
        "tie_output": False,
        "output_bias": True,
    },
    # Blog post: a model small enough to print.
    "tutorial-d": {
        **_TUTORIAL_VOCABULARY,
        "d_model": 6,
        "heads": 2,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "d_ff": 12,
        "max_length": 10,
        "embedding_scale": False,
        "tie_embeddings": False,
        "tie_output": False,
        "output_bias": True,
    },
    # Video notebook: learned positions, one projection shared by all heads, scores over sqrt(d_model).
    "tutorial-e": {
        **_TUTORIAL_VOCABULARY,
        "d_model": 256,
        "d_ff": 1024,
        "dropout": 0.0,
        "dropout_placement": "after_norm",
        "max_length": 100,
        "positions": "learned",
        "embedding_scale": False,
        "tie_embeddings": False,
        "tie_output": False,
        "output_bias": True,
        "projection_bias": False,
        "shared_head_projection": True,
        "score_scale": "model",
    },
}
