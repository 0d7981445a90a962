"""Glossary of the head scores and the other numbers on the pages: name, label, definition, range and source."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Final

from core.language import message, numeral, tr
from core.model.hooks import ATTENTION_NAMES

KINDS: Final = ATTENTION_NAMES
_SELF: Final = ATTENTION_NAMES[:2]


@dataclass(frozen=True)
class Score:
    """The name of one number, its definition, and how to read it.

    `low` and `high` are the smallest and largest possible values (`high` None: depends on the length), `units` their
    unit. `kinds` names the attention kinds for which the score is defined; elsewhere it is NaN.
    """

    name: str
    label: str
    definition: str
    formula: str
    better_when: str
    source: str
    _: KW_ONLY
    low: float = 0.0
    high: float | None = 1.0
    units: str = ""
    kinds: tuple[str, ...] = KINDS
    ends: str = ""  # the range in words, where two numbers are not enough
    counts: str = message("this sentence only; another sentence can give another number")
    down: bool = False  # lower is better

    @property
    def range(self) -> str:
        """“0 to 1”, or only the lower end where the upper depends on the length, with the unit."""
        if self.ends:
            return tr(self.ends)
        low = numeral(self.low, "g").replace("-", "−")
        if self.high is None:
            ends = tr("from {low}; its upper end grows with the number of tokens", low=low)
        elif self.low > float("-inf"):
            ends = tr("{low} to {high}", low=low, high=numeral(self.high, "g"))
        else:
            ends = tr("up to {high}", high=numeral(self.high, "g"))
        return tr("{range}, in {unit}", range=ends, unit=tr(self.units)) if self.units else ends

    @property
    def details(self) -> tuple[tuple[str, str], ...]:
        """All fields beside the definition, as lines of (word, text)."""
        return (
            (tr("formula"), self.formula),
            (tr("range"), self.range),
            (tr("better"), tr(self.better_when)),
            (tr("source"), tr(self.source)),
            (tr("counts"), tr(self.counts)),
        )

    @property
    def tip(self) -> str:
        """Definition, range and source in one or two lines, for a tooltip."""
        return tr(
            "{label}: {definition} Range: {range} ({source}).",
            label=tr(self.label),
            definition=tr(self.definition),
            range=self.range,
            source=tr(self.source),
        )

    @property
    def markdown(self) -> str:
        """The same in one paragraph of Markdown."""
        sentence = f"**{tr(self.label)}** {tr(self.definition)} `{self.formula}`, {self.range}. "
        return f"{sentence}{tr(self.better_when)} ({tr(self.source)})"


def by_name(*scores: Score) -> dict[str, Score]:
    """A table of the glossary."""
    return {score.name: score for score in scores}


SCORES: Final = by_name(
    Score(
        "entropy",
        message("Entropy"),
        message("How spread out a row is, averaged over the query tokens."),
        "mean_t −Σ_j A_tj · log A_tj",
        message("No value is better: low is focused on few tokens, high looks everywhere."),
        "Clark et al. 2019, §3",
        high=None,
        units=message("nats"),
    ),
    Score(
        "normalised_entropy",
        message("Normalised entropy"),
        message("Entropy divided by the most it could be, the log of the number of allowed keys."),
        "mean_t H_t / log n_t, 0 where n_t = 1",
        message("No value is better: 0 is one token only, 1 is uniform."),
        "Clark et al. 2019, §3",
    ),
    Score(
        "confidence",
        message("Confidence"),
        message("The largest weight of each row, averaged; the end token is left out."),
        "mean_t max_j A_tj",
        message("High: in the source cited, heads that mattered were often confident."),
        "Voita et al. 2019, §4",
    ),
    Score(
        "previous_share",
        message("Previous token"),
        message("Mean weight on the token just before the query."),
        "mean_i A[i, i−1]",
        message("No value is better: near 1 marks a previous-token head."),
        "Voita et al. 2019, §5.1",
        kinds=_SELF,
    ),
    Score(
        "self_share",
        message("Same token"),
        message("Mean weight of a token on itself."),
        "mean_i A[i, i]",
        message("No value is better: near 1 copies each token to itself."),
        "Voita et al. 2019, §5.1",
        kinds=_SELF,
    ),
    Score(
        "next_share",
        message("Next token"),
        message("Mean weight on the token just after the query."),
        "mean_i A[i, i+1]",
        message("No value is better: near 1 marks a next-token head. Impossible in the causal decoder."),
        "Voita et al. 2019, §5.1",
        kinds=("encoder-self",),
    ),
    Score(
        "positional",
        message("Positional"),
        message(
            "Share of query tokens whose largest weight lies at one fixed offset (−1, 0 or +1, the best of them)."
        ),
        "max_δ mean_i [argmax_j A_ij = i+δ]",
        message("No value is better: from 0.9 on the head counts as positional."),
        "Voita et al. 2019, §5.1",
        kinds=_SELF,
    ),
    Score(
        "bos_share",
        message("Start token"),
        message("Mean weight on the start token."),
        "mean_t A[t, start]",
        message(
            "No value is better: heads often look there when they find nothing else; the weight alone does not say "
            "how much arrives."
        ),
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "eos_share",
        message("End token"),
        message("Mean weight on the end token."),
        "mean_t A[t, end]",
        message(
            "No value is better: heads often look there when they find nothing else; the weight alone does not say "
            "how much arrives."
        ),
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "punctuation_share",
        message("Punctuation"),
        message("Mean weight on all punctuation tokens together."),
        "mean_t Σ_{j punctuation} A_tj",
        message("No value is better: high marks a separator head."),
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "distance",
        message("Distance"),
        message(
            "How far away the head looks: in tokens for self-attention, in parts of the sentence for cross."
        ),
        "self: mean_i Σ_j A_ij · |i−j|; cross: mean_t Σ_j A_tj · |j/(S−1) − t/(T−1)|",
        message("No value is better: low is local, high is long-range."),
        "Vig & Belinkov 2019, §3",
        high=None,
        units=message("tokens (self), sentence lengths (cross)"),
    ),
    Score(
        "rare_token",
        message("Rarest token"),
        message(
            "1 where the source token with the most weight is the sentence’s least frequent one; "
            "over a corpus, the share of such sentences."
        ),
        "[argmax_j Σ_t A_tj = argmin_j count_j]",
        message("No value is better: a high share over many sentences marks a rare-word head."),
        "Voita et al. 2019, §5.3",
        kinds=("encoder-self", "cross"),
    ),
    Score(
        "diagonality",
        message("Diagonality"),
        message(
            "Share of the weight near the diagonal of the map; near means within about a fifth of the sentence."
        ),
        "Σ_tj A_tj · exp(−(j/S − t/T)² / (2 · 0.2²)) / T",
        message("High in a cross head means it follows the word order of the source."),
        message("after Tachibana et al. 2018, §4.1"),
    ),
    Score(
        "monotonicity",
        message("Monotonicity"),
        message("Whether the mean attended position moves forward with every written token."),
        "Kendall τ-b of (t, Σ_j j · A_tj)",
        message("Near 1 the head reads the source left to right, near −1 right to left, near 0 in no order."),
        message("Kendall 1938; ties as Kendall 1945"),
        low=-1.0,
        kinds=("cross",),
    ),
    Score(
        "effective_rank",
        message("Effective rank"),
        message("How many independent patterns the rows of the map hold."),
        "exp(−Σ_k p_k · log p_k), p_k = σ_k / Σ σ",
        message(
            "No value is better: 1 if all rows are alike; as high as the number of tokens if all differ."
        ),
        "Roy & Vetterli 2007, §2",
        low=1.0,
        high=None,
    ),
)
"""The scores of a head on one sentence."""

ON_THE_WALL: Final[dict[str, tuple[str, ...]]] = {
    "encoder-self": (
        "positional",
        "previous_share",
        "self_share",
        "next_share",
        "eos_share",
        "entropy",
        "confidence",
    ),
    "decoder-self": (
        "previous_share",
        "self_share",
        "bos_share",
        "punctuation_share",
        "entropy",
        "confidence",
    ),
    "cross": ("diagonality", "entropy", "confidence", "eos_share", "monotonicity", "punctuation_share"),
}
"""The scores that the wall of a kind can show under its heads, the one shown first at the front."""

MEASURES: Final = by_name(
    Score(
        "weight",
        message("Weight"),
        message(
            "The share of a head’s attention that one token gives another; the weights of a row sum to 1."
        ),
        "A_tj = softmax_j(score_tj)",
        message("No value is better: it says where a head looks, not how much arrives."),
        "Vaswani et al. 2017, §3.2",
    ),
    Score(
        "probability",
        message("Probability"),
        message(
            "The probability that the decoder gives to a token as the next one, given the source and all tokens before it."
        ),
        "softmax(W h_t)",
        message("High: the model is certain, which does not mean that it is right."),
        "Vaswani et al. 2017, §3.4",
    ),
    Score(
        "rank",
        message("Rank"),
        message(
            "The rank of a token, by probability, among all that could come next; 1 is what greedy search writes."
        ),
        "1 + number of tokens that are more probable",
        message("Low: the token is the model’s own choice, or close to it."),
        "Gehrmann et al. 2019 (GLTR)",
        low=1.0,
        high=None,
        ends=message("1 to the size of the vocabulary"),
    ),
    Score(
        "log_probability",
        message("Log-probability"),
        message(
            "The natural logarithm of the probability of a whole translation: its tokens’ logarithms summed, the end "
            "token included. Divided by the number of tokens, it can be compared across lengths."
        ),
        "Σ_t log P(y_t | y_<t, x)",
        message("Near 0: the model finds it likely. Longer translations have lower sums."),
        "Sutskever et al. 2014",
        low=float("-inf"),
        high=0.0,
        units=message("nats"),
    ),
    Score(
        "difference",
        message("Difference"),
        message("The second map’s weight minus the first’s, in percentage points of the row’s attention."),
        "100 · (A₂ − A₁)_tj",
        message(
            "No value is better: below 0 the first looks there more, above 0 the second; rows of a difference sum to 0."
        ),
        message("the difference of two weights; Vaswani et al. 2017, §3.2"),
        low=-100.0,
        high=100.0,
        units=message("points"),
    ),
    Score(
        "sureness",
        message("How sure a head is"),
        message("The largest weight of a row, averaged over the rows with more than one token to look at."),
        "mean_t max_j A_tj",
        message(
            "No value is better: a high value means that a head looks at one token, not that it is the right one."
        ),
        message("after Voita et al. 2019, §4"),
    ),
    Score(
        "stream_length",
        message("Length of the stream ‖h‖"),
        message("The Euclidean length of a token’s vector in the residual stream."),
        "√(Σ_i h_i²)",
        message(
            "No value is better: without a norm after the sum it grows with depth, and what is added later weighs less."
        ),
        message("residual stream: Elhage et al. 2021"),
        high=None,
        ends=message("from 0 upwards"),
    ),
    Score(
        "sublayer_share",
        message("‖sub-layer‖ ÷ ‖stream‖"),
        message(
            "The length of what a sub-layer adds to a token’s vector, divided by the length of that vector before it."
        ),
        "‖f(x)‖ / ‖x‖",
        message(
            "No value is better: near 0 the vector hardly changes; above 1 what is added is longer than the vector itself."
        ),
        message("residual stream: Elhage et al. 2021"),
        high=None,
        ends=message("from 0 upwards"),
    ),
    Score(
        "sublayer_cosine",
        message("Cosine"),
        message("The cosine of the angle between what a sub-layer adds and the vector it is added to."),
        "f(x)·x / (‖f(x)‖ ‖x‖)",
        message("No value is better: 1 lengthens the vector, −1 shortens it, 0 is at a right angle to it."),
        message("residual stream: Elhage et al. 2021"),
        low=-1.0,
    ),
    Score(
        "deviation",
        message("Deviation"),
        message("The standard deviation of the numbers of one token’s vector, over its dimensions."),
        "√(mean_i (x_i − μ)²)",
        message("No value is better: a layer norm brings it to about the size of its gains γ."),
        "Ba et al. 2016, §3",
        high=None,
        ends=message("from 0 upwards"),
    ),
    Score(
        "root_mean_square",
        message("Root mean square"),
        message("The root of the mean square of the numbers of one token’s vector, over its dimensions."),
        "√(mean_i x_i²)",
        message("No value is better: an RMS norm brings it to about the size of its gains γ."),
        "Zhang & Sennrich 2019, §3",
        high=None,
        ends=message("from 0 upwards"),
    ),
    Score(
        "feature_mean",
        message("Mean"),
        message("The mean of the numbers of one token’s vector, over its dimensions."),
        "μ = mean_i x_i",
        message("No value is better: a layer norm subtracts it; what is left after γ and β need not be 0."),
        "Ba et al. 2016, §3",
        low=float("-inf"),
        high=None,
        ends=message("any number"),
    ),
    Score(
        "gain",
        message("Gain γ"),
        message("What a norm multiplies each dimension by, learned and the same for every token."),
        "N(x) = γ ⊙ (x − μ) / σ + β",
        message(
            "No value is better: an outlying gain lies more than 3 standard deviations from its norm’s mean (Kovaleva "
            "et al. 2021)."
        ),
        "Ba et al. 2016, §3",
        low=float("-inf"),
        high=None,
        ends=message("any number"),
        counts=message("the model, not only this sentence"),
    ),
    Score(
        "shift",
        message("Shift β"),
        message("What a norm adds to each dimension, learned and the same for every token."),
        "N(x) = γ ⊙ (x − μ) / σ + β",
        message("No value is better."),
        "Ba et al. 2016, §3",
        low=float("-inf"),
        high=None,
        ends=message("any number"),
        counts=message("the model, not only this sentence"),
    ),
)
"""The other numbers that the pages show of a decode."""

_ALL_SENTENCES: Final = message("all sentences of the set together")

QUALITY: Final = by_name(
    Score(
        "bleu",
        message("BLEU"),
        message(
            "The share of the translations’ runs of one to four words that the references have too: the geometric mean over the four lengths."
        ),
        "BP · exp(mean of log precision of n-grams, n = 1 to 4) · 100",
        message(
            "Higher is better. Compare only the same set, the same references and the same way of cutting words."
        ),
        "Papineni et al. 2002; Post 2018",
        high=100.0,
        counts=_ALL_SENTENCES,
    ),
    Score(
        "chrf",
        message("chrF"),
        message(
            "How far the translations and the reference translations agree in their runs of one to six characters."
        ),
        "(1 + β²) · P · R / (β² · P + R) · 100, β = 2",
        message("Higher is better. A wrong word ending costs less than in BLEU."),
        "Popović 2015",
        high=100.0,
        counts=_ALL_SENTENCES,
    ),
    Score(
        "exact",
        message("Exact match"),
        message("The share of sentences that match the reference letter for letter."),
        "100 · number equal / number of sentences",
        message("Higher is better. For tasks with one right answer."),
        "Lake & Baroni 2018, §2",
        high=100.0,
        units=message("%"),
        counts=_ALL_SENTENCES,
    ),
)
"""Quality figures of a model on its card."""
