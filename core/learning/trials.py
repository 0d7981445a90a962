"""The experiments behind the measures of lessons: the cost of attention, changes since 2017, and two trainings.

Cost: counted from the shapes. Since 2017: on core's own layers with random weights.
Two trainings differ in one thing: with the decoder's causal mask and without it. Both write short words backwards, from
the same first weights and the same batches. Without the mask each position sees the letter that it has to write, so the
loss falls faster, and the model cannot write: by itself it has nothing to copy.
`python -m core.learning.trials [FILE]` trains both again and writes `mask_training.json` beside this file.
torch is imported by what runs a model, not by this module.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import CheckpointError
from core.learning.tutorials import preset
from core.model.config import ModelConfig
from core.model.hooks import Edit, Hooks, Site
from core.training.tasks import hashed_split

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.transformer import Transformer

# -- the cost of attention ------------------------------------------------------------------------------------

LENGTHS: Final = (64, 128, 256, 512, 1024)
"""The lengths that are compared, in tokens; each is twice the one before."""
NUMBER: Final = 4
"""Bytes of a number in single precision."""


@dataclass(frozen=True)
class Cost:
    """What the encoder's self-attention costs for one sentence of `tokens`.

    `weights`: of one head, n². `bytes`: of the weights of all heads of all layers, as they are kept while a model trains.
    `products`: multiplications of one layer that grow with n² (scores and weighted sums); `others`: those of its
    projections and its feed-forward network, which grow with n.
    """

    tokens: int
    weights: int
    bytes: int
    products: int
    others: int

    @property
    def share(self) -> float:
        """The part of a layer's multiplications that grows with n²."""
        return self.products / (self.products + self.others)


def cost_of(config: ModelConfig, tokens: int) -> Cost:
    """The cost for one sentence, from the shapes alone."""
    inner = config.heads * config.d_head
    weights = tokens * tokens
    projections = inner * config.d_head if config.shared_head_projection else config.d_model * inner
    feed_forward = (3 if config.gated else 2) * config.d_model * config.d_ff
    return Cost(
        tokens,
        weights,
        NUMBER * config.encoder_layers * config.heads * weights,
        2 * weights * inner,
        tokens * (3 * projections + inner * config.d_model + feed_forward),
    )


def break_even(config: ModelConfig) -> int:
    """The length from which the n² part is at least half of an encoder layer's multiplications."""
    one = cost_of(config, 1)
    return -(-one.others // one.products)


def cached_numbers(config: ModelConfig) -> int:
    """The numbers that the decoder keeps of each token it has written: a key and a value for each head of each layer."""
    own = config.of("decoder")
    return 2 * own.decoder_layers * own.heads * own.d_head


# -- since 2017 -----------------------------------------------------------------------------------------------

SHIFT: Final = 5  # words that are put before a sentence
_LENGTH: Final = 12
_WORDS: Final = 100
_SEED: Final = 1


def _small(**options: Any) -> Transformer:
    """A model of the paper's depth and formulas but for `options`, narrow, with the same random weights each time."""
    import torch

    from core.model.transformer import Transformer

    config = {
        **preset("paper").to_json(),
        "source_vocab_size": _WORDS,
        "target_vocab_size": _WORDS,
        "d_model": 64,
        "heads": 4,
        "d_ff": 256,
        "dropout": 0.0,
        "max_length": 64,
        **options,
    }
    model = Transformer(ModelConfig.from_json(config))
    # A generator of its own: others on the server draw from torch's at the same time.
    draw = torch.Generator().manual_seed(_SEED)
    for name, values in model.named_parameters():
        if name.endswith("_bias.table"):
            torch.nn.init.normal_(values, generator=draw)
        elif "embedding" in name:
            torch.nn.init.normal_(values, std=values.shape[1] ** -0.5, generator=draw)
        elif values.dim() > 1:
            torch.nn.init.xavier_uniform_(values, generator=draw)
        else:
            torch.nn.init.constant_(values, 1.0 if "norm" in name and name.endswith("weight") else 0.0)
    return model


PAPER_WIDTH: Final = {"d_model": 512, "heads": 8, "d_ff": 2048}
POST_GRADIENT_WIDE: Final = 6.097
"""`gradient_ratio("post")` at the paper's width, which takes seconds and 400 MB: a test computes it, the app does not."""


@cache
def gradients(placement: str, wide: bool = False) -> tuple[float, ...]:
    """The length of the loss's gradient at the feed-forward output matrix of each decoder layer, before any training.

    The layers are 64 numbers wide, or as wide as the paper's.
    """
    import torch

    own = PAPER_WIDTH if wide else {}
    model = _small(norm_placement=placement, final_norm=placement == "pre", **own)
    draw = torch.Generator().manual_seed(_SEED)
    source, target, wanted = (torch.randint(4, _WORDS, (8, _LENGTH), generator=draw) for _ in range(3))
    with torch.enable_grad():
        logits = model(source, target)
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten()).backward()
    matrices = [layer.feed_forward.down_proj.weight for layer in model.decoder_layers]  # type: ignore[union-attr]
    return tuple(float(each.grad.norm()) for each in matrices)  # type: ignore[union-attr, operator]


def gradient_ratio(placement: str, wide: bool = False) -> float:
    """The last decoder layer's gradient divided by the first one's."""
    first, *_, last = gradients(placement, wide)
    return last / first


@cache
def shift_change(positions: str) -> float:
    """How far, at most, a score between two words of the first layer moves when other words are put before both."""
    import torch

    model = _small(positions=positions).eval()
    draw = torch.Generator().manual_seed(_SEED)
    words = torch.randint(4, _WORDS, (1, _LENGTH), generator=draw)
    before = torch.randint(4, _WORDS, (1, SHIFT), generator=draw)
    scores = []
    for source in (words, torch.cat([before, words], dim=1)):
        hooks = Hooks(("encoder.0.self.scores",))
        with torch.inference_mode():
            model.encode(source, hooks)
        scores.append(hooks.records[Site("encoder", 0, "self", "scores")][0, :, -_LENGTH:, -_LENGTH:])
    return float((scores[0] - scores[1]).abs().max())


def feed_forward_parameters(width: int, gated: bool) -> int:
    """The parameters of a feed-forward network of T5 1.1 with this inner width."""
    import torch

    from core.model.layers import FeedForward

    config = ModelConfig.preset("t5", d_ff=width, gated=gated)
    with torch.device("meta"):
        return sum(each.numel() for each in FeedForward(config).parameters())


def gate_cost() -> float:
    """How many times as many parameters a feed-forward network has with a gate, at the same inner width."""
    width = preset("t5").d_ff
    return feed_forward_parameters(width, True) / feed_forward_parameters(width, False)


def decoder_only_share(config: ModelConfig) -> float:
    """The share of the layers' parameters that is left without encoder and cross-attention."""
    import torch

    from core.model.transformer import Transformer

    with torch.device("meta"):
        model = Transformer(config)
    whole = left = 0
    for name, values in model.named_parameters():
        if "_layers." in name:
            whole += values.numel()
            left += values.numel() * (name.startswith("decoder_layers.") and ".cross_" not in name)
    return left / whole


# -- with the causal mask and without it ----------------------------------------------------------------------

STORED: Final = Path(__file__).with_name("mask_training.json")
SHOWN_STEPS: Final = (0, 50, 200, 500)
EVERY: Final = 5  # batches of one loss
ALMOST: Final = 0.1  # nats per token: nearly everything is right

Rows = list[list[float]]


@dataclass(frozen=True)
class Moment:
    """Attention at one step of a training, on the word of the story with its answer as input.

    `causal` (T, T) and `cross` (T, S): rows are the tokens read, in order ⟨start⟩ and the answer's letters.
    """

    step: int
    causal: Rows
    cross: Rows


@dataclass(frozen=True)
class Training:
    """One training: its losses (nats per token, the mean of the EVERY batches before) at each of `steps`, its attention,
    and what it writes by itself.

    `written` are letters and at their end, where it ended, "⟨end⟩"; `right` counts the held-out words written right.
    """

    masked: bool
    steps: list[int]
    losses: list[float]
    moments: list[Moment]
    written: list[str]
    right: int


@dataclass(frozen=True)
class TwoTrainings:
    """Both trainings, with the mask and without, and the held-out word whose attention they show."""

    seed: int
    word: str
    tested: int
    trainings: list[Training]

    @property
    def faster(self) -> int:
        """How many steps earlier the loss without the mask falls below ALMOST; negative where it is later."""
        first = [
            next(
                (step for step, loss in zip(each.steps, each.losses, strict=True) if loss < ALMOST),
                each.steps[-1],
            )
            for each in self.trainings
        ]
        return first[0] - first[1]

    @property
    def answer(self) -> str:
        """The word backwards."""
        return self.word[::-1]


@cache
def stored() -> TwoTrainings:
    """What was measured for the app. Raises CheckpointError where the file is missing or damaged."""
    try:
        data = json.loads(STORED.read_text("utf-8"))
        trainings = [
            Training(**{**each, "moments": [Moment(**moment) for moment in each["moments"]]})
            for each in data["trainings"]
        ]
        return TwoTrainings(**{**data, "trainings": trainings})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CheckpointError(f"{STORED.name} cannot be read; run python -m core.learning.trials.") from error


# -- the trainings themselves ---------------------------------------------------------------------------------

ALPHABET: Final = "abcdefghij"
PAD, BOS, EOS, FIRST = 0, 1, 2, 3
SHORTEST, LONGEST = 4, 7  # letters of a word
BATCH, LEARNING_RATE = 64, 1.5e-3
TESTED: Final = 100  # held-out words
CONFIG: Final = ModelConfig(
    source_vocab_size=FIRST + len(ALPHABET),
    target_vocab_size=FIRST + len(ALPHABET),
    d_model=48,
    heads=1,
    encoder_layers=1,
    decoder_layers=1,
    d_ff=96,
    dropout=0.0,
    max_length=16,
    embedding_scale=False,
    norm_placement="pre",
    final_norm=True,
    tie_embeddings=False,
    tie_output=False,
    pad_id=PAD,
    bos_id=BOS,
    eos_id=EOS,
)


class _Unmasked:
    """Edits that let every decoder position see every other: the scores before the mask stand in for those after it."""

    def __init__(self) -> None:
        self._scores: Tensor | None = None

    def _keep(self, scores: Tensor) -> Tensor:
        self._scores = scores
        return scores

    def _put(self, masked: Tensor) -> Tensor:
        assert self._scores is not None
        return self._scores

    @property
    def edits(self) -> dict[str, Edit]:
        """For words of one length in a batch, which need no padding."""
        return {"decoder.*.self.scores": self._keep, "decoder.*.self.masked_scores": self._put}


def _hooks(masked: bool, record: Sequence[str] = ()) -> Hooks:
    return Hooks(record=tuple(record), edit={} if masked else _Unmasked().edits)


def _ids(word: str) -> list[int]:
    return [FIRST + ALPHABET.index(letter) for letter in word]


def words(rng: random.Random, split: str, count: int, length: int | None = None) -> list[str]:
    """Random words of one split, which is by a hash of the word: no held-out word is trained on."""
    drawn: list[str] = []
    while len(drawn) < count:
        size = length or rng.randint(SHORTEST, LONGEST)
        word = "".join(rng.choices(ALPHABET, k=size))
        if hashed_split(word, valid_percent=0, test_percent=10) == split:
            drawn.append(word)
    return drawn


def _batch(rng: random.Random) -> tuple[Tensor, Tensor, Tensor]:
    """Source, decoder input and labels (B, T) of words of one length."""
    import torch

    drawn = words(rng, "train", BATCH, rng.randint(SHORTEST, LONGEST))
    source = torch.tensor([[*_ids(word), EOS] for word in drawn])
    answers = torch.tensor([_ids(word[::-1]) for word in drawn])
    start = torch.full((BATCH, 1), BOS)
    return source, torch.cat([start, answers], 1), torch.cat([answers, torch.full((BATCH, 1), EOS)], 1)


def train(masked: bool, seed: int, word: str, steps: int = SHOWN_STEPS[-1]) -> Training:
    """One training of `steps` batches; both kinds begin with the same weights and see the same words."""
    import torch
    from torch.nn import functional as F

    from core.model.transformer import Transformer

    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = Transformer(CONFIG).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    losses: list[float] = []
    moments: list[Moment] = []
    recent = 0.0
    for step in range(steps + 1):
        if step in SHOWN_STEPS:
            moments.append(_moment(model, masked, step, word))
        source, given, labels = _batch(rng)
        logits = model(source, given, _hooks(masked))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        recent += loss.item()
        if step % EVERY == 0:
            losses.append(round(recent / (EVERY if step else 1), 5))
            recent = 0.0
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    held_out = words(random.Random(seed + 1), "test", TESTED)
    right = sum(write(model, masked, each) == [*each[::-1], "⟨end⟩"] for each in held_out)
    return Training(
        masked, list(range(0, steps + 1, EVERY)), losses, moments, write(model, masked, word), right
    )


def _moment(model: Transformer, masked: bool, step: int, word: str) -> Moment:
    import torch

    hooks = _hooks(masked, ("decoder.0.self.weights", "decoder.0.cross.weights"))
    with torch.inference_mode():
        model(torch.tensor([[*_ids(word), EOS]]), torch.tensor([[BOS, *_ids(word[::-1])]]), hooks)
    maps = [hooks.records[Site("decoder", 0, block, "weights")][0, 0] for block in ("self", "cross")]
    causal, cross = ([[round(float(each), 4) for each in row] for row in one] for one in maps)
    return Moment(step, causal, cross)


def write(model: Transformer, masked: bool, word: str) -> list[str]:
    """What the model writes by itself, greedily: every step reads again all that is written, with the mask it was trained with."""
    import torch

    source = torch.tensor([[*_ids(word), EOS]])
    given = [BOS]
    with torch.inference_mode():
        memory = model.encode(source)
        while len(given) <= LONGEST + 1:
            logits = model.decode(torch.tensor([given]), memory, source, _hooks(masked))
            token = int(logits[0, -1].argmax())
            given.append(token)
            if token == EOS:
                break
    return [ALPHABET[each - FIRST] if each >= FIRST else {EOS: "⟨end⟩"}.get(each, "·") for each in given[1:]]


def measure(seed: int = 0, word: str = "gfehbac") -> TwoTrainings:
    """Train both, which takes some seconds on one core."""
    if hashed_split(word, valid_percent=0, test_percent=10) != "test":
        raise ValueError(f"{word} is trained on; choose a held-out word")
    return TwoTrainings(seed, word, TESTED, [train(masked, seed, word) for masked in (True, False)])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else STORED
    target.write_text(
        json.dumps(asdict(measure()), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8"
    )
