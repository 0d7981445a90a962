"""What the write-ups say, recomputed: each claim with its numbers, right or a mistake. The first one opens the page.

The words are this project's own; numbers that a write-up prints are quoted as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import torch

from core.analysis.positions import rotation_error
from core.analysis.readout import decimal
from core.language import message
from core.learning.later_claims import LATER
from core.learning.printed import Claim, seeded, small
from core.learning.tutorials import preset
from core.model.position_tables import sinusoid_table

if TYPE_CHECKING:
    from core.api import Checkpoint

DRAWS: Final = 2000
D_POSITIONS: Final = """
0.0000 1.0000 0.0000 1.0000 0.0000 1.0000
0.8415 0.5403 0.0464 0.9989 0.0022 1.0000
0.9093 -0.4161 0.0927 0.9957 0.0043 1.0000
0.1411 -0.9900 0.1388 0.9903 0.0065 1.0000
-0.7568 -0.6536 0.1846 0.9828 0.0086 1.0000
-0.9589 0.2837 0.2300 0.9732 0.0108 0.9999
-0.2794 0.9602 0.2749 0.9615 0.0129 0.9999
0.6570 0.7539 0.3192 0.9477 0.0151 0.9999
0.9894 -0.1455 0.3629 0.9318 0.0172 0.9999
0.4121 -0.9111 0.4057 0.9140 0.0194 0.9998
"""
"""The rows that D prints, positions 0 to 9 in six dimensions."""


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
                decimal(error, 6),
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
            {"width": str(width), "before": decimal(before, 1), "after": decimal(after)},
        ),
        message("The dot product of d_k independent numbers has variance d_k, so it is divided by √d_k."),
        (
            (message("variance of q · k"), str(width), decimal(before, 1)),
            (message("the same after the division"), "1", decimal(after)),
        ),
        abs(before / width - 1) < 0.05 and abs(after - 1) < 0.05,
    )


# -- A ------------------------------------------------------------------------------------------------------

WORD: Final = "abcd"


def _after_the_end(trained: Checkpoint | None) -> Claim | None:
    if trained is None:
        return None
    c, label = trained.config, trained.target_tokenizer.labels
    written = trained.target_tokenizer.encode(WORD[::-1])
    inner = [each for each in written if each not in (c.bos_id, c.eos_id)]
    target = [c.bos_id, *inner, c.eos_id]
    source = trained.source_tokenizer.encode(WORD)
    with torch.inference_mode():
        logits = trained.model(torch.tensor([list(source)]), torch.tensor([target]))[0]
    chosen = logits.argmax(-1).tolist()
    reads, writes = label(target), label(chosen)
    wanted = [*label(inner), label([c.eos_id])[0], "–"]
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
        reads[-1] != label([c.eos_id])[0],
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
                decimal(error, 6),
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


# -- C ------------------------------------------------------------------------------------------------------


def _variance(trained: Checkpoint | None) -> Claim:
    before, after = _spread(512)
    return Claim(
        "variance",
        (
            message("Dividing by √512 brings the variance of q · k from {before} to {after}"),
            {"before": decimal(before, 0), "after": decimal(after)},
        ),
        message(
            "With random q and k of 512 numbers, the variance of the scores is 512, and 1 after scaling."
        ),
        (
            (message("variance of q · k"), "512.41", decimal(before)),
            (message("the same after the division"), "1.0008", decimal(after, 4)),
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
            {"moved": decimal(moved, 1)},
        ),
        message("Without positional encoding, each word would be treated independently of the others."),
        (
            (message("change of other words when one is replaced"), "0", decimal(moved)),
            (message("change when the order is shuffled"), "–", decimal(turned, 4)),
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
            {"written": decimal(text), "code": decimal(code), "factor": decimal(text / code)},
        ),
        message("The text scales scores by √d_model, the code by √d_k."),
        ((message("divisor in text and code"), f"√{c.d_model} = {decimal(text)}", f"√{c.d_head} = {decimal(code)}"),),
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
            {"error": decimal(both, 1)},
        ),
        message("An encoder layer is feed-forward, attention, norm, and the same feed-forward again."),
        (
            (message("difference to attention first"), "0", decimal(both)),
            (message("change of other words by the first sub-layer, feed-forward"), "0", decimal(alone)),
            (message("the same, attention"), "> 0", decimal(mixed)),
        ),
        both < 1e-4,
    )  # fmt: skip


# -- D ------------------------------------------------------------------------------------------------------


def _no_residual(trained: Checkpoint | None) -> Claim:
    draw = seeded()
    out, x = (torch.randn(4, 10, 6, generator=draw) for _ in range(2))

    def scratch(t: torch.Tensor) -> torch.Tensor:
        centred = t - t.mean(-1, keepdim=True)
        scaled: torch.Tensor = centred / torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-5)
        return scaled

    norm = torch.nn.functional.layer_norm(out + x, (6,))
    without, within = (float((scratch(each) - norm).abs().max()) for each in (out, out + x))
    return Claim(
        "no-residual",
        (
            message(
                "Its layer norm from scratch leaves out the residual: numbers are wrong by up to {error}"
            ),
            {"error": decimal(without, 1)},
        ),
        message("Computed from scratch on the attention output, the norm gives the same as the library’s."),
        (
            (message("largest difference as written"), "0", decimal(without)),
            (message("with the residual added first"), "0", decimal(within)),
        ),
        without < 1e-4,
    )


def _positions(trained: Checkpoint | None) -> Claim:
    printed = [line.split() for line in D_POSITIONS.strip().splitlines()]
    table = sinusoid_table(len(printed), len(printed[0]))
    same = sum(
        f"{value:.4f}" == cell
        for row, cells in zip(table, printed, strict=True)
        for value, cell in zip(row, cells, strict=True)
    )
    count = table.size
    return Claim(
        "positions",
        (
            message("{same} of the {count} numbers of its ten position rows come out"),
            {"same": str(same), "count": str(count)},
        ),
        message("Ten rows of sinusoids in six dimensions, printed to four decimals."),
        ((message("numbers that agree"), str(count), str(same)),),
        same == count,
    )


def _length(trained: Checkpoint | None) -> Claim:
    from core.learning.printed import encoder_shape

    shapes = {length: encoder_shape("tutorial-d", length) for length in (4, 10)}
    widths = {shape[-1] for shape in shapes.values()}
    return Claim(
        "length",
        (
            message("Sentences of 4 and of 10 tokens both have d_model = {width}: it is no length"),
            {"width": ", ".join(map(str, sorted(widths)))},
        ),
        message("The length of the sequence, S, is d_model in the paper."),
        tuple(
            ((message("{count} tokens: d_model"), {"count": str(length)}), str(length), str(shape[-1]))
            for length, shape in shapes.items()
        ),
        len(widths) > 1,
    )


D_TEXT: Final = (14126, 352, 628, 198, 198, 1026, 373, 257, 6016, 4692, 1110, 287, 3035)
D_START: Final = 50256
"""The ids of the pieces that D's batch holds, and its start token."""


def _windows(trained: Checkpoint | None) -> Claim:
    rows, length = 4, 10
    text = torch.tensor(D_TEXT)
    encoder = text.unfold(0, length, 1)[:rows]
    decoder = torch.cat([torch.tensor([D_START]), text]).unfold(0, length, 1)[:rows]
    written = torch.stack(
        [text[n : n + length] for n in range(rows)]
    )  # what follows each token of the decoder's rows
    same, starts = int((written == encoder).sum()), int((decoder[:, 0] == D_START).sum())
    return Claim(
        "windows",
        (
            message("Its decoder has to write what its encoder reads: {same} of {count} pieces are the same"),
            {"same": str(same), "count": str(encoder.numel())},
        ),
        message("Encoder and decoder read windows of one text; the decoder’s are shifted by one, behind a start token."),
        (
            (message("pieces to write that the encoder reads at the same place"), "–", f"{same} / {encoder.numel()}"),
            (message("decoder rows that begin with the start token"), str(rows), str(starts)),
        ),
        starts == rows,
    )  # fmt: skip


# -- E ------------------------------------------------------------------------------------------------------


def _shifted(trained: Checkpoint | None) -> Claim:
    target = [1, 7, 4, 3, 5, 9, 2, 0]
    fed, wanted = target[:-1], target[1:]
    return Claim(
        "shifted",
        (
            message("The decoder reads {fed} of {count} target tokens and predicts the {fed} that follow"),
            {"fed": str(len(fed)), "count": str(len(target))},
        ),
        message("The target goes in without its last token: row t has to predict token t + 1."),
        (
            (message("target it reads"), "trg[:, :-1]", " ".join(map(str, fed))),
            (message("target it has to predict"), "trg[:, 1:]", " ".join(map(str, wanted))),
        ),
        len(fed) == len(wanted),
    )


def _einsum(trained: Checkpoint | None) -> Claim:
    draw = seeded()
    q, k, v = (torch.randn(2, length, 8, 32, generator=draw) for length in (7, 9, 9))
    energy = torch.einsum("nqhd,nkhd->nhqk", q, k)
    by_product = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
    weights = torch.softmax(energy / 32**0.5, dim=-1)
    mixed = torch.einsum("nhqk,nkhd->nqhd", weights, v)
    by_mixing = (weights @ v.transpose(1, 2)).transpose(1, 2)
    errors = [float((one - two).abs().max()) for one, two in ((energy, by_product), (mixed, by_mixing))]
    return Claim(
        "einsum",
        (
            message("Its einsum forms are the matrix products: they differ by at most {error}"),
            {"error": small(max(errors))},
        ),
        message("Scores and mixed values are written as sums over named axes."),
        (
            (message("largest difference of the scores"), "0", decimal(errors[0], 6)),
            (message("largest difference of the mixed values"), "0", decimal(errors[1], 6)),
        ),
        max(errors) < 1e-4,
    )


_CLAIMS: Final[Mapping[str, tuple[Callable[[Checkpoint | None], Claim | None], ...]]] = {
    "paper": (_rotation, _root),
    "tutorial-a": (_after_the_end, _cut),
    "tutorial-b": (_means, _exponential, _no_softmax),
    "tutorial-c": (_variance, _independent, _two_roots, _order),
    "tutorial-d": (_no_residual, _positions, _length, _windows),
    "tutorial-e": (_shifted, _einsum),
    "t5": LATER,
}
