"""The glossary of contributions, lenses and warnings: each measure by the name that links use."""

from __future__ import annotations

from typing import Final

from core.analysis.glossary import MEASURES, Score
from core.language import message

PREFIX_LABEL: Final = "⟨prefix⟩"
"""The column of a cross map for contributions of the words written before, through the decoder's own stream."""
SOURCE_LABEL: Final = "⟨source⟩"
"""The column of a causal map for contributions of the source."""

_TABLE: Final = (
    Score(
        "lengths",
        message("contribution"),
        message(
            "Contribution, ‖αf(x)‖: the length of the vector that a head adds to one token for another, its weight times the transformed value."
        ),
        "‖α_ij · v_j W_O‖",
        message("Long adds much. A large weight can meet a short vector, and a small weight a long one."),
        0.0,
        None,
        message("length in the stream"),
        "Kobayashi et al. 2020, §2.2",
        ends=message("from 0"),
    ),
    Score(
        "residual",
        message("with residual and norm"),
        message(
            "The length of one token's part in what the sub-layer leaves in the stream: all heads together, the residual "
            "added, and the layer norm behind them where there is one."
        ),
        "‖g(Σ_h α f^h(x_j) + [j = i] x_i)‖",
        message("Long is a large part; the token's own part is mostly the residual."),
        0.0,
        None,
        message("length in the stream"),
        "Kobayashi et al. 2021, §2",
        ends=message("from 0"),
    ),
    Score(
        "alti",
        message("ALTI+"),
        message(
            "The share of a layer's vector that comes from each token of the input, followed through the attention of all layers "
            "below. Feed-forward networks mix no tokens and are passed over."
        ),
        "c_ij ∝ max(0, ‖y_i‖₁ − ‖y_i − part_ij‖₁), multiplied through the layers",
        message(
            "High: the vector would be another without that token's part. Rows sum to 1, source and prefix together."
        ),
        0.0,
        1.0,
        "",
        "Ferrando et al. 2022, §3–4",
    ),
    Score(
        "zeroing",
        message("value zeroing"),
        message(
            "How far a layer's output turns when one token's values are set to zero in that layer alone."
        ),
        "1 − cos(y_i, y_i without v_j), each row scaled to sum 1",
        message("High: the layer's output needs that token."),
        0.0,
        1.0,
        "",
        "Mohebbi et al. 2023, §3",
    ),
    Score(
        "rollout",
        message("rollout"),
        message(
            "Attention averaged over heads, mixed half and half with the residual and multiplied through the layers. The "
            "baseline beside it is the rollout of uniform attention."
        ),
        "Â = ½ mean_h A + ½ I, R_l = Â_l R_{l−1}",
        message(
            "Only the difference from the baseline is informative; above 0: the token matters more than in the baseline."
        ),
        0.0,
        1.0,
        "",
        "Abnar & Zuidema 2020, §3",
    ),
)

CONTRIBUTIONS: Final[dict[str, Score]] = {"weight": MEASURES["weight"]} | {each.name: each for each in _TABLE}
"""Measures of one token's contribution to another, by the name that links use; the first is the attention weight."""

READINGS: Final[dict[str, Score]] = {
    score.name: score
    for score in (
        Score(
            "added_length",
            message("Length added"),
            message(
                "The lengths that a head adds to a row's token, summed over the keys; mean over the rows."
            ),
            "mean_t Σ_j ‖α f(x_j)‖",
            message("Long: the head says much. Lengths are summed, so opposite vectors count twice."),
            0.0,
            None,
            message("length in the stream"),
            "Kobayashi et al. 2020, §3",
            ends=message("from 0"),
        ),
        Score(
            "end_length",
            message("End's part"),
            message("The end token's part of the lengths that a head adds, mean over the rows."),
            "mean_t ‖α f(x_end)‖ / Σ_j ‖α f(x_j)‖",
            message("Far below the weight on the end token: the head rests there and says little."),
            0.0,
            1.0,
            "",
            message("after Kobayashi et al. 2020, §4"),
        ),
        Score(
            "mixing",
            message("Mixing"),
            message("How much of a token's new vector comes from other tokens, mean over the rows."),
            "‖Σ_{j≠i} part‖ / (‖Σ_{j≠i} part‖ + ‖part_i‖)",
            message("Near 0 keeps the stream as it is."),
            0.0,
            1.0,
            "",
            "Kobayashi et al. 2021, §3",
        ),
        Score(
            "from_others",
            message("From others"),
            message("The share of a row that other tokens have, mean over the rows."),
            "mean_i (1 − c_ii)",
            message("Near 0: every token is still mostly itself."),
            0.0,
            1.0,
            "",
            "Ferrando et al. 2022, §3",
        ),
        Score(
            "from_source",
            message("From the source"),
            message(
                "The share of a written word's vector that comes from the source, mean over the words; the rest is the prefix."
            ),
            "mean_t Σ_{j in source} c_tj",
            message("Low may be a translation that no longer listens to its source."),
            0.0,
            1.0,
            "",
            "Ferrando et al. 2022, §4",
        ),
    )
}
"""Numbers under each map on the wall of contributions."""

LENSES: Final[dict[str, Score]] = {
    score.name: score
    for score in (
        Score(
            "logit_lens",
            message("Logit lens"),
            message(
                "What the decoder would write if it ended after a layer: that layer's vector read by the final norm, where "
                "there is one, and the output projection. Padding and the start token, which are never written, are left out."
            ),
            "softmax(W · norm(h_l))",
            message(
                "Neither: the layer from which on the word stays first is where it was settled for this reading."
            ),
            0.0,
            1.0,
            "",
            "nostalgebraist 2020",
        ),
        Score(
            "decoder_lens",
            message("DecoderLens"),
            message(
                "The translation that the whole decoder writes when it reads the memory of an earlier encoder layer."
            ),
            "greedy search on norm(h_l^enc), l = 0 … L",
            message(
                "Neither: it shows from which layers the decoder writes the same translation. A higher layer can lose it again."
            ),
            0.0,
            None,
            message("words of text"),
            "Langedijk et al. 2023, §3",
            ends=message("any text"),
        ),
    )
}

TROUBLES: Final[dict[str, Score]] = {
    score.name: score
    for score in (
        MEASURES["log_probability"],
        CONTRIBUTIONS["alti"],
        Score(
            "unwritten",
            message("Nothing was written for a word"),
            message(
                "The translation is likelier by at least one nat when the word is taken out of the source."
            ),
            "log p(y | x without w) − log p(y | x) ≥ 1",
            message("Low or negative: the translation needs the word."),
            float("-inf"),
            None,
            message("nats"),
            "Vamvas & Sennrich 2022, §3",
            ends=message("any number"),
        ),
    )
}
"""The measures behind the warnings under a translation."""
