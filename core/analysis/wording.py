"""The pages' sentences and formulas that depend on the model's configuration.

A page prints them as they are. Formulas are Markdown with LaTeX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from core.language import message, numeral, tr
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, STACKS

View = Literal["encoder", "causal", "cross", "joint"]


class Explained(NamedTuple):
    """What a view shows, why it matters, and the formula behind it."""

    what: str
    why: str
    more: str


# -- attention ----------------------------------------------------------------------------------------------

_ATTENTION: Final[dict[View, tuple[str, str]]] = {
    "encoder": (
        message("Each row is a source token; its columns are all source tokens, itself included."),
        message("Here the encoder mixes its tokens before any word is written."),
    ),
    "causal": (
        message(
            "Each row is a decoder step: it sees itself and the tokens before it; later ones are masked."
        ),
        message("It is the decoder’s only access to earlier tokens."),
    ),
    "cross": (
        message(
            "Each row is a decoder step, labelled by the word it writes and, where there is room, the word it reads; columns are source tokens."
        ),
        message("A weight shows where a head looks, not how much it takes: that also depends on the values."),
    ),
    "joint": (
        message("All three kinds of attention at one step: encoder, cross and decoder."),
        message("No single kind shows where a written word comes from."),
    ),
}
_UNMASKED: Final = (
    message("Each row is a decoder step. This model has no causal mask, so a row also sees later tokens."),
    message("In training a row could see the very word that it had to predict."),
)
_COME_FROM: Final[dict[View, str]] = {
    "encoder": message("Queries and keys come from the source tokens."),
    "causal": message("Queries and keys come from the tokens that the decoder has read."),
    "cross": message(
        "Queries come from the position that reads the previous word (⟨start⟩ for the first one), keys from the encoder "
        "output: its last vector at each source token."
    ),
    "joint": message(
        "In cross-attention, queries come from the position that reads the previous word and keys from the encoder output; "
        "in the others, both come from the same side."
    ),
}


def attention(config: ModelConfig, view: View) -> Explained:
    """The Attention page's explanation of one view, with the formula of this model's scores."""
    what, why = _UNMASKED if view == "causal" and not config.causal else _ATTENTION[view]
    return Explained(tr(what), tr(why), f"{attention_formula(config, view)} {tr(_COME_FROM[view])}")


def of_each(config: ModelConfig, of: Callable[[ModelConfig], str]) -> str:
    """What both stacks have, or where they differ, what each has: “8 in the encoder, 4 in the decoder”."""
    encoder, decoder = of(config.of("encoder")), of(config.of("decoder"))
    if encoder == decoder:
        return encoder
    return tr("{encoder} in the encoder, {decoder} in the decoder", encoder=encoder, decoder=decoder)


def translate(config: ModelConfig) -> Explained:
    """The Translate page's explanation: a step's cross-attention, and the distribution it ends in."""
    return Explained(
        tr("The decoder writes one token at a time and looks at the source before each."),
        tr("The thicker a line, the larger the attention weight."),
        f"{attention_formula(config, 'cross')} {tr(_COME_FROM['cross'])} {_next_word(config)}",
    )


def attention_formula(config: ModelConfig, view: View) -> str:
    """The weights of a head, $A = softmax(…)$, and the meaning of its letters."""
    if view != "joint":
        config = config.of("encoder" if view == "encoder" else "decoder")
    scores = {
        "head": r"\frac{QK^\top}{\sqrt{d_h}}",
        "model": r"\frac{QK^\top}{\sqrt{d}}",
        "none": r"QK^\top",
    }[config.score_scale]
    relative = config.positions == "relative_buckets"
    if relative and view != "cross":
        scores += " + B"
    masked = config.causal and view in ("causal", "joint")
    if masked:
        scores += " + M"
    formula = rf"$A = \mathrm{{softmax}}\!\left({scores}\right)$"
    sentences = [
        tr("For each head, {formula}, so every row sums to 1.", formula=formula),
        _scale(config),
    ]
    if relative and view != "cross":
        sentences.append(
            tr("$B$ is a learned number for each head and distance (not in cross-attention).")
            if view == "joint"
            else tr("$B$ is a learned number for each head and distance.")
        )
    if config.positions == "rotary" and view != "cross":
        sentences.append(tr("$Q$ and $K$ are turned by their positions."))
    if masked:
        sentences.append(
            tr(
                "The mask $M$ is {infinity} where a token comes later in the decoder’s own attention and 0 elsewhere.",
                infinity=r"$-\infty$",
            )
            if view == "joint"
            else tr(
                "The mask $M$ is {infinity} where a token comes later and 0 elsewhere.", infinity=r"$-\infty$"
            )
        )
    if config.shared_head_projection:
        sentences.append(
            tr(
                "One {size} × {size} matrix makes the queries of all heads, each from its own part of the vector; keys and "
                "values likewise.",
                size=of_each(config, lambda own: str(own.d_head)),
            )
        )
    return " ".join(sentences)


def _scale(config: ModelConfig) -> str:
    if config.score_scale == "head":
        width = f"{of_each(config, lambda own: f'$d_h = {own.d_head}$')} "
        return width + tr("is the width of a head (Vaswani et al. 2017, section 3.2).")
    if config.score_scale == "model":
        return tr(
            "This model divides by the root of its whole width {width}; the paper divides by the root of a head’s "
            "width, here {size}.",
            width=f"$d = {config.d_model}$",
            size=of_each(config, lambda own: str(own.d_head)),
        )
    return tr("This model does not scale its scores.")


def scores(config: ModelConfig, kind: Literal["encoder", "causal", "cross"]) -> str:
    """The formula of the numbers before the softmax: “QKᵀ ÷ √64”, with the position bias where there is one."""
    config = config.of(ATTENTION[kind].stack)
    product = {
        "head": f"QKᵀ ÷ √{config.d_head}",
        "model": f"QKᵀ ÷ √{config.d_model}",
        "none": tr("QKᵀ, not scaled"),
    }[config.score_scale]
    biased = config.positions == "relative_buckets" and kind != "cross"
    return tr("{product}, plus the position bias", product=product) if biased else product


def _next_word(config: ModelConfig) -> str:
    scale = r" / \sqrt{d}" if config.output_scale == "inverse_sqrt_d_model" else ""
    bias = " + b" if config.output_bias else ""
    if not config.tie_output:
        table = tr("a matrix of its own")
    elif config.tie_embeddings:
        table = tr("the table that also embeds source and target tokens")
    else:
        table = tr("the table that also embeds target tokens")
    return tr(
        "The next word’s bars are {formula}: $h$ is {state}, $W$ is {table}, with one row for each of {count} tokens. With "
        "“Sample”, the term in brackets is divided by the temperature first.",
        formula=rf"$\mathrm{{softmax}}(Wh{scale}{bias})$",
        state=tr("the decoder’s last vector, after its final norm")
        if config.of("decoder").final_norm
        else tr("the decoder’s last vector"),
        table=table,
        count=numeral(config.target_vocab_size, ","),
    )


# -- positions ----------------------------------------------------------------------------------------------

_BAG: Final = message("Without positions the encoder would see a bag of words.")


def positions(config: ModelConfig) -> Explained:
    """The Positions page's explanation."""
    if config.positions == "relative_buckets":
        return Explained(
            f"{tr(_BAG)} {tr('Here each head adds a learned number to its scores for every distance between two tokens.')}",
            tr("Equal distances get the same number, wherever in the sentence they are."),
            _relative(config),
        )
    if config.positions == "rotary":
        return Explained(
            f"{tr(_BAG)} {tr('Here each query and key is turned by an angle that grows with its position.')}",
            tr("A score then depends on the distance of two tokens alone, and nothing about it is learned."),
            _rotary(config),
        )
    if config.positions == "none":
        return Explained(
            tr("This model has nothing that says where a word is."),
            tr("Its encoder sees a bag of words; its decoder can tell the order only by the causal mask."),
            "",
        )
    if config.positions == "learned":
        return Explained(
            f"{tr(_BAG)} {tr('A learned vector, added to each token’s embedding, says where the token is.')}",
            tr("A learned table need not treat equal distances alike, and it ends at its last row."),
            _learned(config),
        )
    return Explained(
        f"{tr(_BAG)} {tr('A fixed vector of sines and cosines, added to each token’s embedding, says where the token is.')}",
        tr(
            "The dot product of two of these vectors depends on their distance alone; what the heads make of it is learned."
        ),
        _sinusoids(config),
    )


def _rotary(config: ModelConfig) -> str:
    return tr(
        "Columns {columns} of a head at position {position} turn by {angle}, {width} (Su et al. 2021, section 3.2.2). "
        "Values and cross-attention are not turned.",
        columns="$2i, 2i+1$",
        position="$p$",
        angle="$p / 10000^{2i/d_h}$",
        width=of_each(config, lambda own: f"$d_h = {own.d_head}$"),
    )


def _sinusoids(config: ModelConfig) -> str:
    exponent = "2i/d" if config.sinusoid_denominator == "half" else "i/(d/2-1)"
    longest = "10000^{(d-2)/d}" if config.sinusoid_denominator == "half" else "10000"
    sine, cosine = ("2i", "2i+1") if config.positions == "sinusoidal" else ("i", "i+d/2")
    sentences = [
        rf"$PE_{{(p,{sine})}} = \sin\!\left(p / 10000^{{{exponent}}}\right)$, "
        rf"$PE_{{(p,{cosine})}} = \cos\!\left(p / 10000^{{{exponent}}}\right)$, $d = {config.d_model}$."
    ]
    if config.position_offset:
        sentences.append(tr("The first token has {formula}.", formula=f"$p = {config.position_offset}$"))
    sentences += [
        tr(
            "Wavelengths run from {shortest} to {longest} tokens, {length}, and {product} depends on {distance} alone.",
            shortest=r"$2\pi$",
            longest=rf"$2\pi \cdot {longest}$",
            length=r"$\lVert PE\rVert^2 = d/2$",
            product=r"$PE_p \cdot PE_q$",
            distance="$p-q$",
        ),
        tr(
            "A shift by {count} tokens is one linear map, {formula}, a rotation of every pair.",
            count="$k$",
            formula=r"$PE_{p+k} = M_k\,PE_p$",
        ),
        _embedded(config, "PE_p"),
        tr("None of these waves is trained, so every position has a vector."),
        tr("The paper found a learned table nearly equal in quality (its table 3, row E)."),
        tr("(Vaswani et al. 2017, section 3.5)"),
    ]
    return " ".join(sentences)


def _learned(config: ModelConfig) -> str:
    row = f"p+{config.position_offset}" if config.position_offset else "p"
    sentences = [
        _embedded(config, f"P_{{{row}}}"),
        tr("$P$ is trained with the rest of the model, one table for the encoder and one for the decoder."),
        end_of_table(config),
    ]
    if config.position_offset:
        sentences.append(tr("Its first {count} rows are not used.", count=config.position_offset))
    sentences += [
        tr(
            "The paper’s sinusoids need no training and have a vector for every position; their quality was nearly "
            "equal (its table 3, row E)."
        )
    ]
    return " ".join(sentences)


def end_of_table(config: ModelConfig) -> str:
    """Where a learned table ends: rows that no position uses are not counted."""
    return tr(
        "This table holds {count} positions and has no vector beyond them.",
        count=numeral(config.max_length, ","),
    )


def _embedded(config: ModelConfig, position: str) -> str:
    """The vector that enters the first layer."""
    scale = r"\sqrt{d}\," if config.embedding_scale else ""
    entering = tr(
        "A token {token} at position {position} enters as {formula}.",
        token="$t$",
        position="$p$",
        formula=f"${scale}E_t + {position}$",
    )
    return f"{entering} {tr('A norm follows.')}" if config.embedding_norm else entering


def _relative(config: ModelConfig) -> str:
    near, past = config.relative_buckets // 4, config.relative_buckets // 2
    scale = r"\sqrt{d}\," if config.embedding_scale else ""
    heads = of_each(config, lambda own: str(own.heads))
    tables = (
        tr(
            "Each layer has one table of {buckets} buckets × {heads} heads.",
            buckets=config.relative_buckets,
            heads=heads,
        )
        if config.layer_tables
        else tr(
            "Each stack has one table of {buckets} buckets × {heads} heads for all its layers.",
            buckets=config.relative_buckets,
            heads=heads,
        )
    )
    sentences = [
        tr(
            "{formula} is added to the score of query {query} and key {key}; a token {token} enters as {embedding}, without "
            "a position.",
            formula=r"$B^h_{ij} = b^h_{\mathrm{bucket}(j-i)}$",
            query="$i$",
            key="$j$",
            token="$t$",
            embedding=rf"${scale}E_t$",
        ),
        tables,
        tr(
            "In the encoder, half of the buckets are for keys after the query; distances below {near} have a bucket each.",
            near=near,
        ),
        tr("The decoder looks back only; distances below {past} have a bucket each.", past=past),
        tr(
            "Larger distances share buckets that grow wider; the last one takes every distance from about {most} on.",
            most=config.relative_max_distance,
        ),
        tr("Cross-attention adds nothing. (Raffel et al. 2020, section 2.1)"),
    ]
    return " ".join(sentences)


def embedding_scale(config: ModelConfig) -> str:
    """How a token's embedding is scaled before its position is added: “scaled by √d = 22.6”."""
    if not config.embedding_scale:
        return tr("not scaled")
    return tr("scaled by {factor}", factor=f"√d = {numeral(config.d_model**0.5, '.3g')}")


# -- norms --------------------------------------------------------------------------------------------------


def norm_name(config: ModelConfig) -> str:
    """“layer norm” or “RMS norm”."""
    return tr("RMS norm") if config.norm_formula == "rms" else tr("layer norm")


def norms(config: ModelConfig) -> Explained:
    """The Layer norm page's explanation."""
    return Explained(
        tr(
            "Every sub-layer adds its result to a stream of vectors, one per token; {norm} keeps the input of each sub-layer in range.",
            norm=of_each(config, norm_name),
        ),
        tr("Where a sub-layer adds little, the token’s vector passes through nearly unchanged."),
        _norms_of_each(config),
    )


def _norms_of_each(config: ModelConfig) -> str:
    """The formula and the place of the norms, of each stack where they differ."""
    closing = tr("A final norm closes each stack.") if config.alike else tr("A final norm closes the stack.")
    encoder, decoder = (
        " ".join([_norm_formula(own), _placement(own), *([closing] if own.final_norm else [])])
        for own in map(config.of, STACKS)
    )
    if encoder == decoder:
        return encoder
    return tr("In the encoder: {encoder} In the decoder: {decoder}", encoder=encoder, decoder=decoder)


def _norm_formula(config: ModelConfig) -> str:
    eps = rf"$\varepsilon = {config.norm_eps:g}$"
    if config.norm_formula == "rms":
        return tr(
            "{formula} over the {count} numbers of one token: RMS norm subtracts no mean and has no {shift}. Here {eps}. "
            "Before {gain} the result has a length just under {length}. (Zhang & Sennrich 2019)",
            formula=r"$\mathrm{N}(x) = \gamma \odot \frac{x}{\sqrt{\frac{1}{d}\sum_i x_i^2 + \varepsilon}}$",
            count="$d$",
            shift=r"$\beta$",
            eps=eps,
            gain=r"$\gamma$",
            length=r"$\sqrt{d}$",
        )
    if config.norm_formula == "layer_unbiased_std":
        return tr(
            "{formula} over the {count} numbers of one token, where the deviation {deviation} divides by {divisor} and "
            "{eps}, outside the root. Before {gain} and {shift} the result has mean 0 and a length just under {length}.",
            formula=r"$\mathrm{N}(x) = \gamma \odot \frac{x - \mu}{s + \varepsilon} + \beta$",
            count="$d$",
            deviation="$s$",
            divisor="$d - 1$",
            eps=eps,
            gain=r"$\gamma$",
            shift=r"$\beta$",
            length=r"$\sqrt{d-1}$",
        )
    return tr(
        "{formula} over the {count} numbers of one token; {eps}. Before {gain} and {shift} the result has mean 0 and a "
        "length just under {length}. (Ba et al. 2016)",
        formula=r"$\mathrm{N}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta$",
        count="$d$",
        eps=eps,
        gain=r"$\gamma$",
        shift=r"$\beta$",
        length=r"$\sqrt{d}$",
    )


def _placement(config: ModelConfig) -> str:
    if config.norm_placement == "post":
        sentences = [
            tr(
                "This model is **post-norm**: the norm comes after the sum, {formula}.",
                formula=r"$x' = \mathrm{N}(x + f(x))$",
            )
        ]
    else:
        sentences = [
            tr(
                "This model is **pre-norm**: the norm is inside the branch, {formula}, and the stream {stream} is a plain "
                "running sum.",
                formula=r"$x' = x + f(\mathrm{N}(x))$",
                stream="$x$",
            )
        ]
    if config.embedding_norm:
        sentences.append(tr("One more norm follows the embeddings."))
    return " ".join(sentences)


def norm_spread(config: ModelConfig) -> tuple[str, str]:
    """(column of `norm_table`, its name) of the spread that this model's norms normalise."""
    return (
        ("rms", tr("root mean square")) if config.norm_formula == "rms" else ("std", tr("standard deviation"))
    )


def norm_parameters(config: ModelConfig) -> str:
    """“γ and β”, or “γ” where there is no shift."""
    return "γ" if config.norm_formula == "rms" else tr("γ and β")


def stream_length(config: ModelConfig) -> str:
    """Why the stream's vectors have their length, in words."""
    if config.norm_placement == "post":
        return tr(
            "in a post-norm model each norm resets the length, by its {parameters}",
            parameters=norm_parameters(config),
        )
    return tr("in a pre-norm model the stream is a running sum that no norm shortens")


def stream_after(config: ModelConfig) -> str:
    """The points at which the stream is measured, in words."""
    return tr("each sub-layer and its norm") if config.norm_placement == "post" else tr("each sub-layer")
