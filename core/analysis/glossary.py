"""Glossary of the head scores and the other numbers on the pages: name, label, definition, range and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.language import message, tr
from core.model.hooks import ATTENTION_NAMES

KINDS: Final = ATTENTION_NAMES
_SELF: Final = ATTENTION_NAMES[:2]


@dataclass(frozen=True)
class Score:
    """The name of one number, its definition, and how to read it.

    `kinds` names the attention kinds for which the score is defined; elsewhere it is NaN.
    `high` and `units` are the largest possible value (None: depends on the length) and its unit.
    """

    name: str
    label: str
    definition: str
    formula: str
    better_when: str
    low: float
    high: float | None
    units: str
    source: str
    kinds: tuple[str, ...] = KINDS
    ends: str = ""  # the range in words, where two numbers are not enough
    counts: str = "this sentence only; another sentence can give another number"
    down: bool = False  # lower is better

    @property
    def range(self) -> str:
        """“0 to 1”, or only the lower end where the upper depends on the length, with the unit."""
        low = f"{self.low:g}".replace("-", "−")
        if self.ends:
            return self.ends
        if self.high is not None:
            ends = f"{low} to {self.high:g}" if self.low > float("-inf") else f"up to {self.high:g}"
        else:
            ends = f"from {low}; its upper end grows with the number of tokens"
        return f"{ends}, in {self.units}" if self.units else ends

    @property
    def details(self) -> tuple[tuple[str, str], ...]:
        """All fields beside the definition, as lines of (word, text)."""
        return (
            ("formula", self.formula),
            ("range", self.range),
            ("better", self.better_when),
            ("source", self.source),
            ("counts", self.counts),
        )

    @property
    def tip(self) -> str:
        """Definition, range and source in one or two lines, for a tooltip."""
        return tr(
            "{label}: {definition} Range: {range}. {source}.",
            label=tr(self.label),
            definition=tr(self.definition),
            range=tr(self.range),
            source=self.source,
        )

    @property
    def markdown(self) -> str:
        """The same in one paragraph of Markdown."""
        return f"**{self.label}** {self.definition} `{self.formula}`, {self.range}. {self.better_when} ({self.source})"


_TABLE: Final = (
    Score(
        "entropy",
        message("Entropy"),
        "How spread out a row is, averaged over the query tokens.",
        "mean_t −Σ_j A_tj · log A_tj",
        "Neither: low is focused on few tokens, high looks everywhere.",
        0.0,
        None,
        "nats",
        "Clark et al. 2019, §3",
    ),
    Score(
        "normalised_entropy",
        message("Normalised entropy"),
        "Entropy divided by the most it could be, the log of the number of allowed keys.",
        "mean_t H_t / log n_t, 0 where n_t = 1",
        "Neither: 0 is one token only, 1 is perfectly even.",
        0.0,
        1.0,
        "",
        "Clark et al. 2019, §3",
    ),
    Score(
        "confidence",
        message("Confidence"),
        "The largest weight of each row, averaged; the end token is left out.",
        "mean_t max_j A_tj",
        "High: heads that mattered in translation were often confident.",
        0.0,
        1.0,
        "",
        "Voita et al. 2019, §4",
    ),
    Score(
        "previous_share",
        message("Previous token"),
        "Mean weight on the token just before the query.",
        "mean_i A[i, i−1]",
        "Neither: near 1 marks a previous-token head.",
        0.0,
        1.0,
        "",
        "Voita et al. 2019, §5.1",
        _SELF,
    ),
    Score(
        "self_share",
        message("Same token"),
        "Mean weight of a token on itself.",
        "mean_i A[i, i]",
        "Neither: near 1 copies each token to itself.",
        0.0,
        1.0,
        "",
        "Voita et al. 2019, §5.1",
        _SELF,
    ),
    Score(
        "next_share",
        message("Next token"),
        "Mean weight on the token just after the query.",
        "mean_i A[i, i+1]",
        "Neither: near 1 marks a next-token head. Impossible in the causal decoder.",
        0.0,
        1.0,
        "",
        "Voita et al. 2019, §5.1",
        ("encoder-self",),
    ),
    Score(
        "positional",
        message("Positional"),
        "Share of query tokens whose largest weight lies at one fixed offset (−1, 0 or +1, the best of them).",
        "max_δ mean_i [argmax_j A_ij = i+δ]",
        "Neither: from 0.9 on the head counts as positional.",
        0.0,
        1.0,
        "",
        "Voita et al. 2019, §5.1",
        _SELF,
    ),
    Score(
        "bos_share",
        message("Start token"),
        "Mean weight on the start token.",
        "mean_t A[t, start]",
        "Neither: high is often a resting place; the weight alone does not say how much arrives.",
        0.0,
        1.0,
        "",
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "eos_share",
        message("End token"),
        "Mean weight on the end token.",
        "mean_t A[t, end]",
        "Neither: high is often a resting place; the weight alone does not say how much arrives.",
        0.0,
        1.0,
        "",
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "punctuation_share",
        message("Punctuation"),
        "Mean weight on all punctuation tokens together.",
        "mean_t Σ_{j punctuation} A_tj",
        "Neither: high marks a separator head.",
        0.0,
        1.0,
        "",
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "distance",
        message("Distance"),
        "How far away the head looks: in tokens for self-attention, in parts of the sentence for cross.",
        "self: mean_i Σ_j A_ij · |i−j|; cross: mean_t Σ_j A_tj · |j/(S−1) − t/(T−1)|",
        "Neither: low is local, high is long-range.",
        0.0,
        None,
        "tokens (self), sentence lengths (cross)",
        "Vig & Belinkov 2019, §3",
    ),
    Score(
        "rare_token",
        message("Rarest token"),
        "1 where the source token with the most weight is the sentence's least frequent one; "
        "over a corpus, the share of such sentences.",
        "[argmax_j Σ_t A_tj = argmin_j count_j]",
        "Neither: a high share over many sentences marks a rare-word head.",
        0.0,
        1.0,
        "",
        "Voita et al. 2019, §5.3",
        ("encoder-self", "cross"),
    ),
    Score(
        "diagonality",
        message("Diagonality"),
        "Weight near the diagonal of the map, with a soft border a fifth of the sentence wide.",
        "Σ_tj A_tj · exp(−(j/S − t/T)² / (2 · 0.2²)) / T",
        "High in a cross head means it follows the word order of the source.",
        0.0,
        1.0,
        "",
        "after Tachibana et al. 2018, §4.1",
    ),
    Score(
        "monotonicity",
        message("Monotonicity"),
        "Whether the mean attended position moves forward with every written token.",
        "Kendall τ-b of (t, Σ_j j · A_tj)",
        "Near 1 reads the source left to right, −1 right to left, 0 in no order.",
        -1.0,
        1.0,
        "",
        "Kendall 1938; ties as Kendall 1945",
        ("cross",),
    ),
    Score(
        "effective_rank",
        message("Effective rank"),
        "How many independent patterns the rows of the map hold.",
        "exp(−Σ_k p_k · log p_k), p_k = σ_k / Σ σ",
        "Neither: 1 means every token looks at the same places, the length means all differ.",
        1.0,
        None,
        "",
        "Roy & Vetterli 2007, §2",
    ),
)

SCORES: Final[dict[str, Score]] = {score.name: score for score in _TABLE}
"""The scores of a head on one sentence."""

MEASURES: Final[dict[str, Score]] = {
    score.name: score
    for score in (
        Score(
            "weight",
            message("Weight"),
            "The share of a head's attention that one token gives another; those of a row sum to 1.",
            "A_tj = softmax_j(score_tj)",
            "Neither: it says where a head looks, not how much arrives.",
            0.0,
            1.0,
            "",
            "Vaswani et al. 2017, §3.2",
        ),
        Score(
            "probability",
            message("Probability"),
            "How likely the decoder holds a token as the next one, after the source and all tokens before it.",
            "softmax(W h_t)",
            "High is certain, which is not the same as right.",
            0.0,
            1.0,
            "",
            "Vaswani et al. 2017, §3.4",
        ),
        Score(
            "rank",
            message("Rank"),
            "The place of a token among all that could be written next, by probability; 1 is what greedy search writes.",
            "1 + number of tokens that are more probable",
            "Low: the model would have written it too, or nearly.",
            1.0,
            None,
            "",
            "Gehrmann et al. 2019 (GLTR)",
            ends="1 to the size of the vocabulary",
        ),
        Score(
            "log_probability",
            message("Log-probability"),
            "The natural logarithm of the probability of a whole translation: its tokens' logarithms summed, the end "
            "token included. Divided by their number it can be compared between lengths.",
            "Σ_t log P(y_t | y_<t, x)",
            "Near 0: the model holds it likely. Longer translations have lower sums.",
            float("-inf"),
            0.0,
            "nats",
            "Sutskever et al. 2014",
        ),
        Score(
            "difference",
            message("Difference"),
            "The second map's weight minus the first's, in percentage points of the row's attention.",
            "100 · (A₂ − A₁)_tj",
            "Neither: below 0 the first looks there more, above 0 the second; rows of a difference sum to 0.",
            -100.0,
            100.0,
            "points",
            "two weights after Vaswani et al. 2017, §3.2, subtracted",
        ),
        Score(
            "sureness",
            message("How sure a head is"),
            "The largest weight of a row, averaged over the rows that have a choice.",
            "mean_t max_j A_tj",
            "Neither: high says that a head looks at one token, not that it is the right one.",
            0.0,
            1.0,
            "",
            "after Voita et al. 2019, §4",
        ),
        Score(
            "stream_length",
            message("Length of the stream ‖h‖"),
            message("The Euclidean length of a token's vector in the residual stream."),
            "√(Σ_i h_i²)",
            "Neither: without a norm after the sum it grows with depth, and what is added later weighs less.",
            0.0,
            None,
            "",
            "residual stream: Elhage et al. 2021",
            ends=message("from 0 upwards"),
        ),
        Score(
            "sublayer_share",
            message("‖sub-layer‖ ÷ ‖stream‖"),
            message(
                "The length of what a sub-layer adds to a token's vector, divided by the length of that vector before it."
            ),
            "‖f(x)‖ / ‖x‖",
            "Neither: near 0 the vector passes by as it was, above 1 what is added is longer than it.",
            0.0,
            None,
            "",
            "residual stream: Elhage et al. 2021",
            ends=message("from 0 upwards"),
        ),
        Score(
            "sublayer_cosine",
            message("Cosine"),
            message("The cosine of the angle between what a sub-layer adds and the vector it is added to."),
            "f(x)·x / (‖f(x)‖ ‖x‖)",
            "Neither: 1 lengthens the vector, −1 shortens it, 0 stands at a right angle to it.",
            -1.0,
            1.0,
            "",
            "residual stream: Elhage et al. 2021",
        ),
        Score(
            "deviation",
            message("Deviation"),
            message("The standard deviation of the numbers of one token's vector, over its dimensions."),
            "√(mean_i (x_i − μ)²)",
            "Neither: a layer norm brings it to about the size of its gains γ.",
            0.0,
            None,
            "",
            "Ba et al. 2016, §3",
            ends=message("from 0 upwards"),
        ),
        Score(
            "root_mean_square",
            message("Root mean square"),
            message("The root of the mean square of the numbers of one token's vector, over its dimensions."),
            "√(mean_i x_i²)",
            "Neither: an RMS norm brings it to about the size of its gains γ.",
            0.0,
            None,
            "",
            "Zhang & Sennrich 2019, §3",
            ends=message("from 0 upwards"),
        ),
        Score(
            "feature_mean",
            message("Mean"),
            message("The mean of the numbers of one token's vector, over its dimensions."),
            "μ = mean_i x_i",
            "Neither: a layer norm subtracts it; what is left after γ and β need not be 0.",
            float("-inf"),
            None,
            "",
            "Ba et al. 2016, §3",
            ends=message("any number"),
        ),
        Score(
            "gain",
            message("Gain γ"),
            message("What a norm multiplies each dimension by, learned and the same for every token."),
            "N(x) = γ ⊙ (x − μ) / σ + β",
            "Neither: an outlying gain lies more than 3 standard deviations from its norm's mean (Kovaleva et al. 2021).",
            float("-inf"),
            None,
            "",
            "Ba et al. 2016, §3",
            ends=message("any number"),
            counts="the model, not only this sentence",
        ),
        Score(
            "shift",
            message("Shift β"),
            message("What a norm adds to each dimension, learned and the same for every token."),
            "N(x) = γ ⊙ (x − μ) / σ + β",
            "Neither.",
            float("-inf"),
            None,
            "",
            "Ba et al. 2016, §3",
            ends=message("any number"),
            counts="the model, not only this sentence",
        ),
    )
}
"""The other numbers that the pages show of a decode."""

_ALL_SENTENCES: Final = "all sentences of the set together"

QUALITY: Final[dict[str, Score]] = {
    score.name: score
    for score in (
        Score(
            "bleu",
            message("BLEU"),
            "How many runs of one to four words the translations share with the reference translations.",
            "BP · exp(mean of log precision of n-grams, n = 1 to 4) · 100",
            "High. Compare only the same set, the same references and the same way of cutting words.",
            0.0,
            100.0,
            "",
            "Papineni et al. 2002; Post 2018",
            counts=_ALL_SENTENCES,
        ),
        Score(
            "chrf",
            message("chrF"),
            "How many runs of one to six characters the translations share with the reference translations.",
            "(1 + β²) · P · R / (β² · P + R) · 100, β = 2",
            "High. It forgives a wrong ending of a word more than BLEU does.",
            0.0,
            100.0,
            "",
            "Popović 2015",
            counts=_ALL_SENTENCES,
        ),
        Score(
            "exact",
            message("Exact match"),
            "The share of sentences that come out letter for letter as the reference.",
            "100 · number equal / number of sentences",
            "High. For tasks with one right answer.",
            0.0,
            100.0,
            "%",
            "Lake & Baroni 2018, §2",
            counts=_ALL_SENTENCES,
        ),
    )
}
"""Quality figures of a model on its card."""

_GOLD: Final = "the sentences whose gold alignment it is held against"

ALIGNMENT: Final[dict[str, Score]] = {
    score.name: score
    for score in (
        Score(
            "aer",
            message("AER"),
            "How far a head's links are from the gold alignment: 0 finds every sure link and nothing that is not possible.",
            "1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), links A, sure S, possible P ⊇ S",
            "Low.",
            0.0,
            1.0,
            "",
            "Och & Ney 2003, §5.1",
            counts=_GOLD,
            down=True,
        ),
        Score(
            "precision",
            message("Precision"),
            "The share of a head's links that the gold alignment allows.",
            "|A ∩ P| / |A|",
            "High.",
            0.0,
            1.0,
            "",
            "Och & Ney 2003, §5.1",
            counts=_GOLD,
        ),
        Score(
            "recall",
            message("Recall"),
            "The share of the sure links that a head finds.",
            "|A ∩ S| / |S|",
            "High.",
            0.0,
            1.0,
            "",
            "Och & Ney 2003, §5.1",
            counts=_GOLD,
        ),
    )
}
"""Measures of links against a gold alignment."""
