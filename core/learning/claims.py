"""What the write-ups say, recomputed: each claim with its numbers, right or a mistake. The first one opens the page.

The words are this project's own; numbers that a write-up prints are quoted as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import torch

from core.analysis.readout import exact
from core.language import message
from core.learning.later_claims import LATER, D, E
from core.learning.printed import Claim, seeded, small
from core.learning.tutorials import preset
from core.model.positions import rotation_error, sinusoid_table

if TYPE_CHECKING:
    from core.api import Checkpoint

DRAWS: Final = 2000


def claims(name: str, trained: Checkpoint | None = None) -> tuple[Claim, ...]:
    """The claims of a write-up. `trained`: its small model, for what only a trained one shows."""
    made = [each(trained) for each in _CLAIMS[name]]
    return tuple(each for each in made if each is not None)


# -- the paper ----------------------------------------------------------------------------------------------


def _rotation(trained: Checkpoint | None) -> Claim:
    width, offset, length = 512, 7, 60
    error = rotation_error(sinusoid_table(length + offset, width), offset)
    return Claim(
        "rotation",
        (
            message("A shift by {offset} positions is one linear map: the error is at most {error}"),
            {"offset": str(offset), "error": small(error)},
        ),
        message("For any fixed offset k, the encoding of pos + k is a linear function of that of pos."),
        (
            (
                (message("largest error over {count} positions"), {"count": str(length)}),
                "0",
                exact(error, 6),
            ),
        ),
        error < 1e-4,
    )


def _spread(width: int) -> tuple[float, float]:
    """The variance of q · k of this width before and after ÷ √width, over many pairs of random vectors."""
    q, k = (torch.randn(2, 4 * DRAWS, width, generator=seeded(), dtype=torch.float32)).unbind(0)
    scores = (q * k).sum(-1).double()
    return float(scores.var()), float((scores / math.sqrt(width)).var())


def _root(trained: Checkpoint | None) -> Claim:
    width = preset("paper").d_head
    before, after = _spread(width)
    return Claim(
        "root",
        (
            message("Scores of {width} numbers have variance {before}; divided by √{width}, {after}"),
            {"width": str(width), "before": exact(before, 1), "after": exact(after)},
        ),
        message("The dot product of d_k independent numbers has variance d_k, so it is divided by √d_k."),
        (
            (message("variance of q · k"), str(width), exact(before, 1)),
            (message("the same after the division"), "1", exact(after)),
        ),
        abs(before / width - 1) < 0.05 and abs(after - 1) < 0.05,
    )


# -- A ------------------------------------------------------------------------------------------------------

WORD: Final = "abcd"


def _after_the_end(trained: Checkpoint | None) -> Claim | None:
    if trained is None or trained.config.eos_id is None:
        return None
    c, end, label = trained.config, trained.config.eos_id, trained.target_tokenizer.labels
    written = trained.target_tokenizer.encode(WORD[::-1])
    inner = [each for each in written if each not in (c.bos_id, end)]
    target = [c.bos_id, *inner, end]
    source = trained.source_tokenizer.encode(WORD)
    with torch.inference_mode():
        logits = trained.model(torch.tensor([list(source)]), torch.tensor([target]))[0]
    chosen = logits.argmax(-1).tolist()
    reads, writes = label(target), label(chosen)
    wanted = [*label(inner), label([end])[0], "–"]
    return Claim(
        "after-the-end",
        (
            message("The last position reads {end}, so the “next token” of A is what follows the end"),
            {"end": reads[-1]},
        ),
        message(
            "The next token is the argmax at the last position of a decoder input that ends with the end token."
        ),
        tuple(
            ((message("reads {token}"), {"token": read}), want, write)
            for read, want, write in zip(reads, wanted, writes, strict=True)
        ),
        reads[-1] != label([end])[0],
    )


def _cut(trained: Checkpoint | None) -> Claim:
    config, length = preset("tutorial-a"), 4
    heads, size = config.heads, config.d_head
    x = torch.arange(length * config.d_model).reshape(length, config.d_model)
    right = x.view(length, heads, size).transpose(0, 1)
    same = int((right == x.reshape(heads, length, size)).sum())
    shape = f"({heads}, {length}, {size})"
    return Claim(
        "cut",
        (
            message("After its cut into heads, {same} of {count} numbers are in the right place"),
            {"same": str(same), "count": str(x.numel())},
        ),
        (message("{before} is reshaped to {after}, so each head has its numbers."), {"before": f"({length}, {config.d_model})", "after": shape}),
        (
            (message("shape"), shape, shape),
            (message("numbers in the right place"), str(x.numel()), str(same)),
        ),
        same == x.numel(),
    )  # fmt: skip


def _mask_first(trained: Checkpoint | None) -> Claim:
    length, size = 5, preset("tutorial-a").d_head
    scores = torch.randn(length, length, generator=seeded())
    hidden = torch.tril(torch.ones(length, length)) == 0
    before = torch.softmax(scores.masked_fill(hidden, -torch.inf) / size**0.5, dim=-1)
    after = torch.softmax((scores / size**0.5).masked_fill(hidden, -torch.inf), dim=-1)
    error = float((before - after).abs().max())
    return Claim(
        "mask-first",
        (
            message("Masking before the division gives the same weights: they differ by at most {error}"),
            {"error": small(error)},
        ),
        message("The mask is applied to the scores first, and they are divided by √d_h afterwards."),
        ((message("largest difference of a weight"), "0", exact(error, 6)),),
        error < 1e-6,
    )


# -- B ------------------------------------------------------------------------------------------------------


def _means(trained: Checkpoint | None) -> Claim:
    rows = torch.tensor([[0.2, 0.3, 0.4], [0.2, 0.4, 0.4], [0.3, 0.4, 0.4]])
    printed = (0.2, 0.3, 0.4)
    means = rows.mean(-1).tolist()
    wrong = [n for n, mean in enumerate(means) if f"{mean:.1f}" != f"{printed[n]:.1f}"]
    numbers = [" + ".join(f"{each:.1f}" for each in row) for row in rows.tolist()]
    first = wrong[0] if wrong else 0
    return Claim(
        "means",
        (
            message("In its layer-norm example the mean ({numbers}) / 3 is {mean}, not {printed}"),
            {"numbers": numbers[first], "mean": f"{means[first]:.1f}", "printed": f"{printed[first]:.1f}"},
        ),
        message("The mean of each token’s numbers, for three tokens of three numbers."),
        tuple((f"({numbers[n]}) / 3", f"{printed[n]:.1f}", f"{means[n]:.2f}") for n in range(len(printed))),
        not wrong,
    )


def _exponential(trained: Checkpoint | None) -> Claim:
    width, length = 512, 100
    even = torch.arange(0, width, 2).float()
    by_exp = torch.exp(even * (-math.log(10000.0) / width))
    position = torch.arange(length).float()[:, None]
    table = torch.from_numpy(sinusoid_table(length, width))
    error = max(
        float((by(position * by_exp) - table[:, first::2]).abs().max())
        for first, by in ((0, torch.sin), (1, torch.cos))
    )
    return Claim(
        "exponential",
        (
            message(
                "Wavelengths by exp(−ln 10000 · 2i/d) are those of the paper: the sinusoids differ by {error}"
            ),
            {"error": small(error)},
        ),
        message("The denominators are computed by an exponential instead of a power."),
        (
            (
                (message("largest difference over {count} positions"), {"count": str(length)}),
                "0",
                exact(error, 6),
            ),
        ),
        error < 1e-4,
    )


def _no_softmax(trained: Checkpoint | None) -> Claim:
    logits = torch.randn(DRAWS, 100, generator=seeded())
    same = int((logits.argmax(-1) == logits.softmax(-1).argmax(-1)).sum())
    return Claim(
        "no-softmax",
        (
            message("Without the softmax, {same} of {count} largest logits are the same word"),
            {"same": f"{same:,}", "count": f"{DRAWS:,}"},
        ),
        message("The model ends with logits; the softmax is left to the loss."),
        ((message("rows with the same word"), f"{DRAWS:,}", f"{same:,}"),),
        same == DRAWS,
    )


def _dropped(values: torch.Tensor, rate: float, draw: torch.Generator) -> torch.Tensor:
    """Dropout as in training: numbers set to zero at this rate, the others divided by 1 − rate."""
    kept = torch.rand(values.shape, generator=draw) >= rate
    return values * kept / (1 - rate)


def _inner_dropout(trained: Checkpoint | None) -> Claim:
    config, draw = preset("tutorial-b"), seeded()
    rate, width, inner = config.dropout, 64, 256
    x = torch.randn(width, generator=draw)
    first = torch.randn(width, inner, generator=draw) / width**0.5
    second = torch.randn(inner, width, generator=draw) / inner**0.5
    hidden = torch.relu(x @ first)
    dropped = _dropped(hidden.expand(DRAWS, -1), rate, draw)
    outputs, plain = dropped @ second, hidden @ second
    zero = float((dropped[:, hidden > 0] == 0).float().mean())
    shift = float((outputs.mean(0) - plain).norm() / plain.norm())
    once = float((outputs - plain).norm(dim=-1).mean() / plain.norm())
    return Claim(
        "inner-dropout",
        (
            message("Dropout inside feed-forward moves one output by {once} %, and the mean of {draws} by {shift} %"),
            {"once": f"{100 * once:.0f}", "shift": f"{100 * shift:.0f}", "draws": f"{DRAWS:,}"},
        ),
        message("Dropout also acts between the two matrices of the feed-forward network. The paper has none there."),
        (
            (message("active inner numbers set to zero"), f"{100 * rate:.0f} %", f"{100 * zero:.0f} %"),
            (message("change of the mean output"), "0 %", f"{100 * shift:.0f} %"),
        ),
        abs(zero - rate) < 0.01 and shift < 0.05,
    )  # fmt: skip


def _sum_dropout(trained: Checkpoint | None) -> Claim:
    config, draw = preset("tutorial-b"), seeded()
    rate = config.dropout
    positions = torch.from_numpy(sinusoid_table(DRAWS // 20, config.d_model)).float()
    x = torch.randn(positions.shape, generator=draw) * config.d_model**0.5 + positions
    dropped = _dropped(x, rate, draw)
    zero = float((dropped == 0).float().mean())
    longer = float(dropped.pow(2).sum() / x.pow(2).sum())
    return Claim(
        "sum-dropout",
        (
            message("Dropout on embedding + position sets {zero} % to zero and makes squares {longer} times as large"),
            {"zero": f"{100 * zero:.0f}", "longer": exact(longer)},
        ),
        message("Dropout acts on the sum of embedding and position. The paper says so too (§5.4)."),
        (
            (message("numbers set to zero"), f"{100 * rate:.0f} %", f"{100 * zero:.0f} %"),
            (message("mean square, compared with no dropout"), exact(1 / (1 - rate)), exact(longer)),
        ),
        abs(zero - rate) < 0.01 and abs(longer - 1 / (1 - rate)) < 0.02,
    )  # fmt: skip


def _word_map(trained: Checkpoint | None) -> Claim:
    words, heads, size = 4, 8, 64
    q, k = torch.randn(2, words, heads, size, generator=seeded()).unbind(0)
    weights = torch.softmax(q @ k.mT / (heads * size) ** 0.5, dim=-1)
    drawn = ((0.2, 0.3, 0.1, 0.4), (0.1, 0.4, 0.2, 0.3), (0.1, 0.2, 0.3, 0.4), (0.3, 0.2, 0.1, 0.4))
    sums = " ".join(f"{sum(row):.1f}" for row in drawn)
    return Claim(
        "word-map",
        (
            message("Its comment draws a map of {words} words; its code makes one of {heads} heads for each word"),
            {"words": f"{words} × {words}", "heads": f"{heads} × {heads}"},
        ),
        message("The scores of the first head are a table of four words by four words, and each row sums to 1."),
        (
            (message("shape of the weights"), f"({heads}, {words}, {words})", f"{tuple(weights.shape)}"),
            (message("sums of the rows it draws"), "1.0 1.0 1.0 1.0", sums),
        ),
        tuple(weights.shape) == (heads, words, words),
    )  # fmt: skip


# -- C ------------------------------------------------------------------------------------------------------


def _variance(trained: Checkpoint | None) -> Claim:
    before, after = _spread(512)
    return Claim(
        "variance",
        (
            message("Dividing by √512 brings the variance of q · k from {before} to {after}"),
            {"before": exact(before, 0), "after": exact(after)},
        ),
        message(
            "With random q and k of 512 numbers, the variance of the scores is 512, and 1 after scaling."
        ),
        (
            (message("variance of q · k"), "512.41", exact(before)),
            (message("the same after the division"), "1.0008", exact(after, 4)),
        ),
        abs(before / 512 - 1) < 0.05 and abs(after - 1) < 0.05,
    )


def _independent(trained: Checkpoint | None) -> Claim:
    width, length, draw = 64, 5, seeded()
    x, q, k, v = (torch.randn(size, width, generator=draw) for size in (length, width, width, width))

    def attend(x: torch.Tensor) -> torch.Tensor:
        scores = (x @ q) @ (x @ k).T / width**1.5
        mixed: torch.Tensor = torch.softmax(scores, dim=-1) @ (x @ v)
        scaled: torch.Tensor = mixed / width**0.5
        return scaled

    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    moved = float((attend(other) - attend(x))[:-1].abs().max())
    order = torch.tensor([3, 0, 4, 1, 2])
    turned = float((attend(x[order]) - attend(x)[order]).abs().max())
    return Claim(
        "independent",
        (
            message("Without positions, replacing one word still moves the others’ vectors by {moved}"),
            {"moved": exact(moved, 1)},
        ),
        message("Without positional encoding, each word would be treated independently of the others."),
        (
            (message("change of other words when one is replaced"), "0", exact(moved)),
            (message("change when the order is shuffled"), "–", exact(turned, 4)),
        ),
        moved < 1e-6,
    )


def _two_roots(trained: Checkpoint | None) -> Claim:
    c = preset("tutorial-c")
    text, code = math.sqrt(c.d_model), math.sqrt(c.d_head)
    return Claim(
        "two-roots",
        (
            message("Its text divides by {written} and its code by {code}: a factor of {factor}"),
            {"written": exact(text), "code": exact(code), "factor": exact(text / code)},
        ),
        message("The text scales scores by √d_model, the code by √d_k."),
        ((message("divisor in text and code"), f"√{c.d_model} = {exact(text)}", f"√{c.d_head} = {exact(code)}"),),
        c.d_model == c.d_head,
    )  # fmt: skip


def _order(trained: Checkpoint | None) -> Claim:
    draw, width = seeded(), 64
    x = torch.randn(5, width, generator=draw)
    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    inner, outer, q, k = (torch.randn(width, width, generator=draw) / width**0.5 for _ in range(4))

    def feed(t: torch.Tensor) -> torch.Tensor:
        fed: torch.Tensor = torch.relu(t @ inner) @ outer
        return fed

    def attend(t: torch.Tensor) -> torch.Tensor:
        mixed: torch.Tensor = torch.softmax((t @ q) @ (t @ k).T / width**0.5, dim=-1) @ t
        return mixed

    alone, mixed = (float((part(other) - part(x))[:-1].abs().max()) for part in (feed, attend))
    both = float((attend(feed(x)) - feed(attend(x))).abs().max())
    return Claim(
        "order",
        (
            message("Its layer runs feed-forward before attention: the vectors differ from the paper’s by up to {error}"),
            {"error": exact(both, 1)},
        ),
        message("An encoder layer is feed-forward, attention, norm, and the same feed-forward again."),
        (
            (message("difference to attention first"), "0", exact(both)),
            (message("change of other words by the first sub-layer, feed-forward"), "0", exact(alone)),
            (message("the same, attention"), "> 0", exact(mixed)),
        ),
        both < 1e-4,
    )  # fmt: skip


def _residual(trained: Checkpoint | None) -> Claim:
    width, layers, draw = 64, 24, seeded()
    matrices = [torch.randn(width, width, generator=draw) / width**0.5 for _ in range(layers)]
    start, direction = torch.randn(2, 8, width, generator=draw).unbind(0)
    lengths = []
    with torch.enable_grad():
        for kept in (0, 1):
            x = start.clone().requires_grad_()
            y = x
            for matrix in matrices:
                y = kept * y + torch.relu(y @ matrix)
            (gradient,) = torch.autograd.grad((y * direction).sum(), x)
            lengths.append(float(gradient.norm() / direction.norm()))
    without, with_sum = lengths
    return Claim(
        "residual",
        (
            message("Through {layers} layers a gradient shrinks to {share} % of its length; with residual sums it does not"),
            {"layers": str(layers), "share": f"{100 * without:.1g}"},
        ),
        message("Residual connections let gradients pass, so that they do not vanish in deep networks."),
        (
            (message("length left without residual sums"), "< 1", small(without)),
            (message("the same with them"), "≥ 1", small(with_sum)),
        ),
        without < 1 <= with_sum,
    )  # fmt: skip


def _unit_rows(trained: Checkpoint | None) -> Claim:
    x = 3 + 5 * torch.randn(4, 512, generator=seeded())
    normed = torch.nn.functional.layer_norm(x, (512,))
    mean, deviation = float(normed.mean(-1).abs().max()), float(normed.std(-1, unbiased=False).mean())
    return Claim(
        "unit-rows",
        (
            message("After the norm each token has mean {mean} and deviation {deviation}"),
            {"mean": exact(mean), "deviation": exact(deviation)},
        ),
        message("Layer norm gives the numbers of each token mean 0 and standard deviation 1."),
        (
            (message("largest mean of a token"), "0", exact(mean)),
            (message("standard deviation"), "1", exact(deviation)),
        ),
        mean < 1e-4 and abs(deviation - 1) < 1e-3,
    )


def _table_sizes(trained: Checkpoint | None) -> Claim:
    length, width = 512, preset("tutorial-c").d_model
    relative = preset("t5")
    buckets, heads = relative.relative_buckets, relative.heads
    return Claim(
        "table-sizes",
        (
            message("A learned table has {learned} numbers, relative positions {relative}, sinusoids none"),
            {"learned": f"{length * width:,}", "relative": f"{buckets * heads:,}"},
        ),
        message("There are sinusoidal, learned and relative positions; the last need less memory."),
        (
            ((message("learned, for {count} positions"), {"count": str(length)}), "–", f"{length} · {width} = {length * width:,}"),
            (message("relative, as in T5 small: buckets · heads"), "–", f"{buckets} · {heads} = {buckets * heads:,}"),
        ),
        buckets * heads < length * width,
    )  # fmt: skip


_CLAIMS: Final[Mapping[str, tuple[Callable[[Checkpoint | None], Claim | None], ...]]] = {
    "paper": (_rotation, _root),
    "tutorial-a": (_after_the_end, _cut, _mask_first),
    "tutorial-b": (_means, _exponential, _no_softmax, _sum_dropout, _inner_dropout, _word_map),
    "tutorial-c": (_variance, _independent, _two_roots, _order, _unit_rows, _residual, _table_sizes),
    "tutorial-d": D,
    "tutorial-e": E,
    "t5": LATER,
}
