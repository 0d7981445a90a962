"""`ModelConfig`: every choice an encoder-decoder Transformer makes, validated, as plain JSON; and named presets.

Presets are the paper's base model, the choices of five published tutorials, and T5 1.1. A preset is correct Transformer
mathematics with that tutorial's choices, without its faults. Each tutorial's printed sizes are kept, so that its
printouts can be compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.errors import ConfigError
from core.language import tr
from core.schema import Bounds, check_fields, check_keys

_PER_STACK = (
    "heads",
    "head_dim",
    "d_ff",
    "norm_placement",
    "norm_formula",
    "norm_eps",
    "final_norm",
    "activation",
    "gated",
    "embedding_scale",
)
DECODERS: Mapping[str, str] = {f"decoder_{name}": name for name in _PER_STACK}
"""Options that say what the decoder has otherwise than the encoder, with the option of both: see `ModelConfig.of`."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "norm_placement": ("post", "pre"),
    "norm_formula": ("layer", "layer_unbiased_std", "rms"),
    "dropout_placement": ("before_norm", "after_norm"),
    "positions": ("sinusoidal", "sinusoidal_halves", "learned", "relative_buckets", "rotary", "none"),
    "sinusoid_denominator": ("half", "half_minus_one"),
    "output_scale": ("none", "inverse_sqrt_d_model"),
    "score_scale": ("head", "model", "none"),
    "activation": (
        "relu",
        "gelu",
        "gelu_tanh",
        "silu",
        "gelu_10",
        "quick_gelu",
        "mish",
        "hardswish",
        "leaky_relu",
        "relu2",
        "relu6",
        "sigmoid",
        "tanh",
        "laplace",
        "sqrtsoftplus",
        "linear",
    ),
}
CHOICES = {**_CHOICES, **{name: _CHOICES[own] for name, own in DECODERS.items() if own in _CHOICES}}

_LATER = ("target_norm_first", "relative_bias_per_layer", "causal", *DECODERS)

# Bounds keep an untrusted config.json from asking for more memory than any real model of this kind.
BOUNDS: Mapping[str, Bounds] = {
    "source_vocab_size": Bounds(1, 2_000_000),
    "target_vocab_size": Bounds(1, 2_000_000),
    "d_model": Bounds(1, 16_384),
    "encoder_layers": Bounds(0, 128),
    "decoder_layers": Bounds(0, 128),
    **dict.fromkeys(("heads", "decoder_heads"), Bounds(1, 256)),
    **dict.fromkeys(("d_ff", "decoder_d_ff"), Bounds(1, 131_072)),
    "max_length": Bounds(1, 100_000),
    "position_offset": Bounds(0, 10_000),
    "relative_buckets": Bounds(4, 4096),
    "relative_max_distance": Bounds(8, 100_000),
    **dict.fromkeys(("head_dim", "decoder_head_dim"), Bounds(1, 4096)),
    **dict.fromkeys(("dropout", "attention_dropout", "activation_dropout"), Bounds(0, 1, below=True)),
}


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The shape and the formulas of one encoder-decoder Transformer.

    Sizes are counts; rates are probabilities in [0, 1). Options of both stacks hold for the decoder, and so for
    cross-attention, unless `decoder_` options say otherwise; code of one stack reads `of(stack)`. Raises `ConfigError` naming the option, the value
    and what is allowed. The defaults are the base model of Vaswani et al. (2017), section 3, apart from the
    vocabulary sizes, which have none.
    """

    source_vocab_size: int
    target_vocab_size: int
    d_model: int = 512
    encoder_layers: int = 6
    decoder_layers: int = 6
    heads: int = 8
    d_ff: int = 2048
    head_dim: int | None = None  # None: d_model // heads
    max_length: int = 512  # tokens a side, at most

    dropout: float = 0.1
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0

    norm_placement: str = "post"
    norm_formula: str = "layer"
    norm_eps: float = 1e-5
    dropout_placement: str = "before_norm"
    final_norm: bool = False
    embedding_norm: bool = False
    target_norm_first: bool = False  # the decoder's embedding norm comes before positions are added

    positions: str = "sinusoidal"
    position_offset: int = 0  # index of the first position in the table
    sinusoid_denominator: str = "half"
    relative_buckets: int = 32
    relative_max_distance: int = 128
    relative_bias_per_layer: bool = False  # each layer has a table of its own
    causal: bool = True  # False: the decoder's self-attention also sees later tokens, all but padding

    embedding_scale: bool = True  # multiply token embeddings by sqrt(d_model)
    tie_embeddings: bool = True  # one table for source and target
    tie_output: bool = True  # the output projection is the target table
    output_bias: bool = False
    output_scale: str = "none"

    projection_bias: bool = True  # on Q, K, V
    attention_output_bias: bool = True
    ffn_bias: bool = True
    shared_head_projection: bool = False  # one d_head x d_head matrix serves every head
    score_scale: str = "head"

    activation: str = "relu"
    gated: bool = False

    # The decoder's own, and its cross-attention's; None: as the encoder's
    decoder_heads: int | None = None
    decoder_head_dim: int | None = None
    decoder_d_ff: int | None = None
    decoder_norm_placement: str | None = None
    decoder_norm_formula: str | None = None
    decoder_norm_eps: float | None = None
    decoder_final_norm: bool | None = None
    decoder_activation: str | None = None
    decoder_gated: bool | None = None
    decoder_embedding_scale: bool | None = None

    pad_id: int = 0
    bos_id: int = 1  # the decoder's first input
    eos_id: int | None = 2  # None: a text has no end token, and a decode stops at its limit
    unk_id: int | None = 3
    source_pad_id: int | None = None  # None: pad_id
    forced_bos_id: int | None = None  # the first token of every decode, such as mBART-50's language code

    def __post_init__(self) -> None:
        check_fields(self, choices=CHOICES, bounds=BOUNDS)
        if not 0.0 < self.norm_eps < 1.0:
            raise ConfigError.tr(
                "norm_eps is {value}; it must lie between 0 and 1.", value=str(self.norm_eps)
            )
        self._check_dimensions()
        self._check_tokens()
        for name, own in DECODERS.items():
            if getattr(self, name) == getattr(self, own):
                object.__setattr__(self, name, None)  # one way to write each model
        try:
            self.of("decoder")
        except ConfigError as error:
            raise ConfigError.tr("In the decoder {problem}", problem=error) from None

    def _check_dimensions(self) -> None:
        if self.head_dim is None and self.d_model % self.heads:
            raise ConfigError.tr(
                "d_model {width} does not divide into {heads} heads; choose heads that divide it, or give head_dim.",
                width=self.d_model,
                heads=self.heads,
            )
        if self.positions.startswith("sinusoidal") and self.d_model % 2:
            raise ConfigError.tr(
                "{positions} positions need an even d_model, which is {width}; choose an even one.",
                positions=self.positions,
                width=self.d_model,
            )
        if self.positions == "rotary" and self.d_head % 2:
            raise ConfigError.tr(
                "rotary positions turn pairs of a head’s columns, and a head has {size}; choose an even head_dim.",
                size=self.d_head,
            )
        if self.shared_head_projection and self.heads * self.d_head != self.d_model:
            raise ConfigError.tr(
                "shared_head_projection needs heads x head_dim equal to d_model; leave head_dim out."
            )
        if self.dropout_placement == "after_norm" and self.norm_placement != "post":
            raise ConfigError.tr(
                "dropout_placement after_norm needs norm_placement post; choose before_norm."
            )
        if self.encoder_layers + self.decoder_layers == 0:
            raise ConfigError.tr("encoder_layers and decoder_layers are both 0; give at least one layer.")
        if self.tie_embeddings and self.source_vocab_size != self.target_vocab_size:
            raise ConfigError.tr(
                "tie_embeddings needs equal vocabularies, not {source} source and {target} target tokens; set tie_embeddings "
                "to false.",
                source=self.source_vocab_size,
                target=self.target_vocab_size,
            )

    def _check_tokens(self) -> None:
        for name in ("pad_id", "bos_id", "eos_id", "unk_id", "forced_bos_id"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < self.target_vocab_size:
                raise ConfigError.tr(
                    "{name} is {value}; it must be a token of the target vocabulary, 0 to {last}.",
                    name=name,
                    value=value,
                    last=self.target_vocab_size - 1,
                )
        if self.forced_bos_id is not None and self.forced_bos_id in (self.pad_id, self.eos_id):
            role = tr("padding") if self.forced_bos_id == self.pad_id else tr("end")
            raise ConfigError.tr(
                "forced_bos_id is {value}, the {role} token, which would make every output empty; choose a token that "
                "begins a text, or none.",
                value=self.forced_bos_id,
                role=role,
            )
        if not 0 <= self.source_padding < self.source_vocab_size:
            raise ConfigError.tr(
                "source_pad_id is {value}; it must be a token of the source vocabulary, 0 to {last}.",
                value=self.source_padding,
                last=self.source_vocab_size - 1,
            )

    def of(self, stack: str) -> ModelConfig:
        """The options of one stack, "encoder" or "decoder", without any `decoder_` option; self where both are alike."""
        return self._encoder if stack == "encoder" else self._decoder

    @cached_property
    def _encoder(self) -> ModelConfig:
        alike = all(getattr(self, name) is None for name in DECODERS)
        return self if alike else dataclasses.replace(self, **dict.fromkeys(DECODERS))  # type: ignore[arg-type]

    @cached_property
    def _decoder(self) -> ModelConfig:
        stated = {own: getattr(self, name) for name, own in DECODERS.items()}
        own = {name: value for name, value in stated.items() if value is not None}
        return dataclasses.replace(self._encoder, **own) if own else self

    @property
    def alike(self) -> bool:
        """Whether both stacks have the same options."""
        return self.of("decoder") is self

    @property
    def d_head(self) -> int:
        """Size of one head's queries, keys and values."""
        return self.head_dim if self.head_dim is not None else self.d_model // self.heads

    @property
    def source_padding(self) -> int:
        """The source's padding token."""
        return self.pad_id if self.source_pad_id is None else self.source_pad_id

    def shape(self, stack: str) -> tuple[int, int]:
        """How many layers a stack has, and how many heads each of them."""
        return self.layers(stack), self.of(stack).heads

    @property
    def layer_heads(self) -> tuple[int, ...]:
        """The heads of one layer: of the encoder and of the decoder, one number where they have the same."""
        return tuple(dict.fromkeys((self.of("encoder").heads, self.of("decoder").heads)))

    @property
    def head_count(self) -> int:
        """The heads of all layers and all three kinds of attention."""
        return self.encoder_layers * self.heads + 2 * self.decoder_layers * self.of("decoder").heads

    @property
    def layer_tables(self) -> bool:
        """Whether each layer has a table of relative positions of its own."""
        return self.positions == "relative_buckets" and self.relative_bias_per_layer

    def sees_ahead(self, stack: str) -> bool:
        """Whether the self-attention of `stack` sees later tokens: the encoder's does, the decoder's without a causal mask."""
        return stack == "encoder" or not self.causal

    def embedded(self, stack: str) -> str:
        """The kind of the site `{stack}.embed` that holds what the first layer reads."""
        after = self.embedding_norm and not (self.target_norm_first and stack == "decoder")
        return "norm_output" if after else "sum"

    def layers(self, stack: str) -> int:
        """How many layers `stack` ("encoder" or "decoder") has."""
        return self.encoder_layers if stack == "encoder" else self.decoder_layers

    def to_json(self) -> dict[str, Any]:
        """The options as a JSON object; `from_json` reads it.

        Options that came later (`_LATER`) are left out at their defaults, so that older files stay as they are.
        """
        options = dataclasses.asdict(self)
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        return {n: value for n, value in options.items() if n not in _LATER or value != defaults[n]}

    @classmethod
    def from_json(cls, data: Any) -> ModelConfig:
        """The config that `to_json` wrote. Raises `ConfigError` for anything else."""
        check_keys(cls, data, "The configuration")
        return cls(**data)

    @classmethod
    def preset(cls, name: str, **overrides: Any) -> ModelConfig:
        """A named configuration: "paper", "tutorial-a" … "tutorial-e", or "t5" (`PRESETS`).

        `overrides` replace single options. Raises `ConfigError` for an unknown name or option.
        """
        if name not in PRESETS:
            raise ConfigError(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
        return cls.from_json({**PRESETS[name], **overrides})


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
    # T5 1.1 small (Raffel et al. 2020, Shazeer 2020): what encoder-decoders changed since 2017.
    "t5": {
        "source_vocab_size": 32_128,
        "target_vocab_size": 32_128,
        "encoder_layers": 8,
        "decoder_layers": 8,
        "heads": 6,
        "head_dim": 64,
        "d_ff": 1024,
        "norm_placement": "pre",
        "norm_formula": "rms",
        "norm_eps": 1e-6,
        "final_norm": True,
        "positions": "relative_buckets",
        "embedding_scale": False,
        "tie_output": False,
        "projection_bias": False,
        "attention_output_bias": False,
        "ffn_bias": False,
        "score_scale": "none",
        "activation": "gelu_tanh",
        "gated": True,
    },
}
