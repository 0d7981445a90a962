"""Every mistake that this project knows: its name, the code, its symptom and the assertion that catches it.

The Pitfalls page shows each of `PITFALLS` on a model, by its study (`core.learning.study`). `core.check` names them, and the
mistakes that have no page, in a `Verdict`. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from core.errors import InputError

Outcome = Literal["correct", "faulty", "undecided"]
_SIGNS: Final = {"correct": "✓", "faulty": "✗", "undecided": "?"}


@dataclass(frozen=True)
class Mistake:
    """A mistake with a page. `found_in`: the letters of the tutorials that make it, or words.

    `sketch` is what was written, in our own words of Python; `test` is the line that would have caught it. `verdicts` are
    the sentences of `core.check` by the way in which the mistake shows, none where a check cannot see it.
    """

    id: str
    title: str
    found_in: str
    explanation: str
    see: str
    sketch: str
    test: str
    verdicts: Mapping[str, str] = field(default_factory=dict)


# In the order in which a reader meets the operations: heads, positions, masks, the stream, the maps themselves.
PITFALLS: Final = (
    Mistake(
        "head-split-view",
        "Heads cut without a transpose",
        "A",
        "The projected queries, keys and values stand as one row of d numbers a token. Cutting a row into H parts gives "
        "(T, H, d_h), and only a transpose brings the heads to the front. Reshaping (T, d) straight to (H, T, d_h) has the "
        "right sizes, so nothing complains; but it deals the numbers out in reading order, and head 0 gets all parts of the "
        "first few tokens in place of the first part of all tokens.",
        "Rows of a map no longer belong to one token: replace one word, and rows of other words change in another head.",
        "q = self.w_q(x)                          # (T, d)\n"
        "q = q.reshape(heads, T, d // heads)      # should be view(T, heads, -1).transpose(0, 1)\n"
        "k = self.w_k(x).reshape(heads, T, d // heads)\n"
        "v = self.w_v(x).reshape(heads, T, d // heads)\n"
        "w = softmax(q @ k.transpose(-2, -1) / sqrt(d // heads))",
        "assert torch.equal(split(x)[h, t], x[t, h * d_h : (h + 1) * d_h])",
        {
            "scores": "A score depends on more than one query and one key, as when heads are cut without a transpose.",
            "values": "With all weight on one key other tokens’ values reach the output, as when values are cut into heads without a transpose.",
        },
    ),
    Mistake(
        "heads-attend-heads",
        "Heads attend to heads",
        "B",
        "After the projection Q, K and V are cut to (N, T, H, d_h) and left there. A matrix product works on the last two "
        "axes, which are now heads and numbers: every token compares its own heads with each other. All sizes fit as long as "
        "queries and keys have one length, the rows sum to one, and the model even trains, but no token ever sees another.",
        "The “attention map” is heads × heads, one for every token; replacing a word changes nothing at any other word.",
        "q = self.w_q(x).view(N, T, heads, d_h)\n"
        "k = self.w_k(x).view(N, T, heads, d_h)   # the transpose(1, 2) is missing\n"
        "v = self.w_v(x).view(N, T, heads, d_h)\n"
        "w = softmax(q @ k.transpose(-2, -1) / sqrt(d_h), dim=-1)   # (N, T, heads, heads)\n"
        "out = (w @ v).reshape(N, T, heads * d_h)",
        "assert weights.shape == (N, heads, T, T)",
        {
            "": "No token’s output depends on another token: the product runs over the heads of one token.",
            "stops": "The product runs over the heads of one token, and then the code stops ({error}).",
        },
    ),
    Mistake(
        "merge-without-transpose",
        "Heads merged without a transpose",
        "C",
        "Each head has computed its own (T, d_h), and the batch stands as (N, H, T, d_h). The way back to (N, T, d) is a "
        "transpose and then a reshape. The reshape alone gives a tensor of the right size whose first row holds what head 0 "
        "found for the first H tokens, and so on: the heads are dealt out over the wrong positions.",
        "Every map of the layer looks right, and its output mixes the tokens.",
        "w = softmax(scores)                # (N, H, T, T): correct\n"
        "out = w @ v                        # (N, H, T, d_h): correct\n"
        "out = out.reshape(N, T, H * d_h)   # should be out.transpose(1, 2).reshape(…)\n"
        "return self.w_o(out)",
        "assert torch.equal(merge(heads)[t, h * d_h : (h + 1) * d_h], heads[h, t])",
        {
            "": "A row of the output depends on the attention weights of another query, as when heads are merged without a transpose."
        },
    ),
    Mistake(
        "scale-by-d-model",
        "Scores divided by √d_model",
        "B, E",
        "A score is a sum over the d_h numbers of one head, so its spread grows with √d_h, and that is what it is divided by. "
        "Dividing by √d_model, the width of all heads together, makes every logit smaller by √H. Nothing breaks: the softmax "
        "only gets flatter, and training from scratch may even learn its way around it, but weights trained with one scale "
        "give other maps with the other.",
        "Flatter maps with more entropy, by a factor in the logits that is known beforehand: √H.",
        "scores = q @ k.transpose(-2, -1)          # a sum over d_h numbers\n"
        "scores = scores / math.sqrt(self.d_model)  # should be math.sqrt(self.d_h)\n"
        "w = torch.softmax(scores, dim=-1)\n"
        "out = w @ v",
        "assert torch.allclose(scores, q @ k.mT / math.sqrt(q.shape[-1]))",
        {"": "The scores are divided by the root of a width that is not this head’s."},
    ),
    Mistake(
        "cross-qkv-swapped",
        "Cross-attention the wrong way round",
        "B, D",
        "In cross-attention the decoder asks (queries) and the encoder’s memory answers (keys and values). Handing the two over "
        "in the other order lets the memory ask the decoder. The output then has one row for each source token, which only "
        "fits the residual sum where both sides are padded to one length; and since the decoder’s states are keys now, each row "
        "reads target words that are not written yet. D does this. B calls (x, memory, memory) where the arguments are "
        "(values, keys, query): the memory asks itself, and the decoder gives the values.",
        "The cross map is source × target, and the first step knows the last word.",
        "x = x + self.self_attention(x, x, x, causal)\n"
        "# signature: attention(query, key, value)\n"
        "x = x + self.cross_attention(memory, x, x)   # should be (x, memory, memory)\n"
        "x = x + self.feed_forward(x)",
        "assert decode(src, tgt_with_another_last_token)[:, 0].allclose(decode(src, tgt)[:, 0])",
        {
            "rows": "The keys ask and the queries answer: the output has a row for every key.",
            "map": "The keys ask and the queries answer: a row of the output follows from one key and every query.",
            "logits": "The output has a row for each source token.",
            "leaks": "It stops where source and target differ in length, and leaks where they do not.",
        },
    ),
    Mistake(
        "no-embedding-scale",
        "Embeddings without √d_model",
        "in general",
        "An embedding table that also serves as the output projection is initialised with entries of about 1/√d_model, so that "
        "logits start near one. A row then has length 1, while a sinusoidal position has length √(d/2). The factor √d_model "
        "brings the word up to its position; without it the sum is nearly the position alone. A table that is used only here "
        "usually starts with entries of about 1, and then nothing is wrong without the factor.",
        "Positions outweigh words: from one sentence to another, the first layer’s maps change less than they should.",
        "x = self.embed(tokens)            # rows of length about 1\n"
        "# x = x * math.sqrt(self.d_model)  is missing\n"
        "x = x + self.positions[: x.size(1)]   # rows of length sqrt(d / 2)\n"
        "return self.dropout(x)",
        "assert 0.3 < (embed(tokens).norm(dim=-1) / positions.norm(dim=-1)).mean() < 3",
    ),
    Mistake(
        "pe-exponent-doubled",
        "The even index doubled once more",
        "C",
        "The formula divides a position by 10000^(2i/d), where i counts the pairs of a sine and a cosine. Code that walks over "
        "the even columns already has 2i in its hand; writing 2 * i then doubles the exponent. The wavelengths run up to "
        "10000² in place of 10000, and half of the dimensions never move in any sentence.",
        "Most dimensions are constant, and the similarity of positions decays less with their distance.",
        "even = torch.arange(0, d_model, 2)              # 0, 2, 4, …: this is 2i\n"
        "denominator = 10000 ** (2 * even / d_model)     # should be even / d_model\n"
        "angle = position[:, None] / denominator\n"
        "table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()",
        "assert abs(denominator[-1] - 10000 ** ((d_model - 2) / d_model)) < 1e-3",
        {"": "The exponent doubles an index that is even already, so most dimensions hardly move."},
    ),
    Mistake(
        "pe-in-feed-forward",
        "Positions added in the feed-forward branch",
        "C",
        "Positions are added once, where the tokens enter, and the residual stream carries them on. This code adds them in the "
        "feed-forward branch instead: to what the network reads, not to the stream. The same network also runs before "
        "attention. Attention then reads what the network makes of word and position, and the residual path never gets a "
        "position.",
        "The stream that enters layer 0 holds no positions. With random weights that stays so after every layer; trained weights "
        "may write a part of them back.",
        "def feed_forward(self, x):\n"
        "    x = x + self.positions(x.size(1))      # a local sum: the stream never gets it\n"
        "    return self.w2(relu(self.w1(x)))\n"
        "x = self.norm1(x + self.attention(self.feed_forward(x)))   # the network runs before attention, too\n"
        "x = self.norm2(x + self.feed_forward(x))                   # the same weights again",
        "assert layer.feed_forward(x).allclose(layer.feed_forward(x[:, perm])[:, inverse])",
    ),
    Mistake(
        "no-causal-mask",
        "No causal mask",
        "in general",
        "In training the decoder reads the whole translation at once and is asked, at every position, for the next word. Only "
        "the causal mask keeps that word out of sight. A model trained without it learns to read the answer. Its training loss "
        "falls to almost nothing, and generation fails: no later word exists there. The weights shown here were trained "
        "with the mask. Taking it away makes their loss rise, because such rows are new to them.",
        "The upper triangle of the causal map is not empty, and the first step moves with the last word.",
        "x = self.embed(target)\n"
        "for layer in self.layers:\n"
        "    x = layer(x, memory, source_mask)   # no target mask is handed on\n"
        "return self.project(x)",
        "assert weights.triu(1).abs().max() == 0",
        {
            "mask": "Every position may attend to every other.",
            "attention": "The mask changes nothing: every query still sees every key.",
            "model": "The decoder sees its own future.",
        },
    ),
    Mistake(
        "target-padding-unmasked",
        "Padding of the target in sight",
        "E",
        "Sentences of a batch are filled up with <pad> to one length. The source side has a mask for it; the target side has "
        "the causal mask alone. As long as padding stands at the end, no word can see it, for it lies in every word’s future, "
        "and that is why nobody notices. The rows of padding do see it, and a loss that counts those rows, or a batch padded "
        "on the left, trains on noise.",
        "Weight in the <pad> columns; here only in the rows of padding itself, since it stands at the end.",
        "def target_mask(self, target):\n"
        "    N, T = target.shape\n"
        "    causal = torch.tril(torch.ones(T, T)).expand(N, 1, T, T)\n"
        "    return causal        # & (target != pad)[:, None, None, :]",
        "assert weights[..., tokens == pad].max() == 0",
        {
            "mask": "The mask is causal and leaves the padding of these tokens in sight.",
            "model": "Padding of the target is attended to: other numbers for <pad> give other logits in the rows after it.",
        },
    ),
    Mistake(
        "mask-truth-value",
        "A mask asked whether it is true",
        "C",
        "An optional argument is tested with `if mask:`. For None that works. A tensor of more than one number has no truth "
        "value, so Python raises an error at the first real mask; and a mask of a single 0, which forbids everything, counts "
        "as false and is skipped without a word. What was meant is `if mask is not None`.",
        "An error for any mask with more than one element; for exactly one, the mask is skipped.",
        "def attention(q, k, v, mask=None):\n"
        "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))\n"
        "    if mask:                        # should be: if mask is not None\n"
        "        scores = scores.masked_fill(mask == 0, -torch.inf)\n"
        "    return torch.softmax(scores, dim=-1) @ v",
        "attention(q, k, v, mask=torch.ones(T, T).tril())   # must not raise",
        {
            "": "A mask is asked whether it is true.",
            "mask": "A tensor is asked whether it is true.",
            "attention": "The mask is asked whether it is true, which a tensor cannot say.",
        },
    ),
    Mistake(
        "masked-row-nan",
        "A row with nothing to attend to",
        "A, D",
        "A row whose scores are all −inf has a softmax of 0/0, which is NaN. It happens as soon as a mask forbids rows of "
        "padding as well as its columns, or a batch holds an empty sentence. In the next layer the NaN is a value like any "
        "other: its weight is zero, but zero times NaN is NaN, and so every token of the sentence is lost, then the loss, "
        "then after one step of the optimiser every weight.",
        "One row of NaN in the first layer; from the second on, all of them.",
        "keep = (tokens != pad)\n"
        "mask = keep[:, :, None] & keep[:, None, :]        # rows of padding keep nothing\n"
        "scores = scores.masked_fill(~mask, -torch.inf)\n"
        "w = torch.softmax(scores, dim=-1)                 # NaN where a row is all -inf",
        "assert torch.isfinite(attention(q, k, v, mask=torch.zeros(T, T))).all()",
        {
            "mask": "A row may attend to nothing, not even to itself.",
            "attention": "A row that may attend to nothing becomes NaN: softmax of −inf alone is 0/0.",
            "model": "A sentence of padding alone makes NaN.",
        },
    ),
    Mistake(
        "mask-leaks",
        "A mask that leaks",
        "found in real code",
        "Scores that are forbidden have to become so small that their softmax is zero: −inf, or −1e9. Where the sign slips into "
        "the exponent, 1e-9, they become zero instead, and e⁰ is one: a forbidden key gets as much as any key with a middling "
        "score. The mask is there, its shape is right, and the map even looks causal where scores are large.",
        "A veil of weight over the upper triangle; the first step moves with the last word.",
        "mask = torch.tril(torch.ones(T, T))\n"
        "scores = q @ k.transpose(-2, -1) / math.sqrt(d_h)\n"
        "scores = scores.masked_fill(mask == 0, 1e-9)   # should be -1e9\n"
        "w = torch.softmax(scores, dim=-1)",
        "assert weights.masked_select(mask == 0).max() < 1e-6",
        {
            "future": "Positions may attend to what comes after them.",
            "small": "What is added to forbidden scores is too small to hide them.",
            "some": "Some of what is added to forbidden scores is too small to hide them.",
            "attention": "Attention weight reaches keys that the mask forbids.",
            "band": "It masks the future by itself, and {ahead} of it is left in sight.",
            "model": "The causal mask is there and lets some weight through.",
        },
    ),
    Mistake(
        "dropout-after-norm",
        "Dropout on the norm’s output",
        "A, E",
        "The paper drops numbers of a sub-layer’s output before it is added to the stream, so the stream itself always arrives "
        "whole. Written the other way round, dropout(norm(x + sublayer(x))), the norm’s output is dropped, and in a post-norm "
        "model that is the stream: in every sub-layer a part of everything known so far is set to zero and the rest is "
        "enlarged. Evaluation hides it, since dropout is off there.",
        "In training mode, what the next layer reads has zeros, and its mean and deviation are no longer 0 and 1.",
        "def forward(self, x):\n"
        "    x = self.dropout(self.norm1(x + self.attention(x)))\n"
        "    x = self.dropout(self.norm2(x + self.ffn(x)))\n"
        "    # should be self.norm1(x + self.dropout(self.attention(x)))\n"
        "    return x",
        "layer.train(); assert (layer(x) == 0).float().mean() < 0.01",
        {"": "Dropout is applied to what the norms give, which is the residual stream."},
    ),
    Mistake(
        "std-plus-eps",
        "A norm that divides by std + ε",
        "B",
        "Layer norm divides by √(variance + ε), and its variance is the mean of the squares. Tensor libraries offer x.std(), "
        "which divides by d − 1 and takes the root first; ε then stands outside of it. A model trained so works. Weights "
        "trained elsewhere give other outputs in it: every norm is too small by about 1/(2d), the more the narrower the model, "
        "and rows that hardly vary are blown up, since ε no longer holds them down.",
        "Small differences everywhere, on maps and logits alike; their size depends on d_model.",
        "mean = x.mean(-1, keepdim=True)\n"
        "std = x.std(-1, keepdim=True)                  # divides by d - 1\n"
        "return gamma * (x - mean) / (std + eps) + beta   # eps outside of the root\n"
        "# should be (x - mean) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)",
        "assert torch.allclose(my_norm(x), F.layer_norm(x, x.shape[-1:]), atol=1e-6)",
        {"": "The norm {how}: weights that were trained with layer norm give other numbers here."},
    ),
    Mistake(
        "axes-swapped",
        "Axes swapped",
        "found in real code",
        "A cross-attention tensor has queries (the target) first and keys (the source) second. A drawing routine that takes x "
        "before y, or a transpose for looks, exchanges them, and the source language stands where the reader expects the "
        "target. For sentences of equal length nothing gives it away but the rows: a row of attention sums to 1, a column "
        "need not.",
        "The words of one language where those of the other should be; rows that do not sum to 1.",
        "w = model.cross_attention_weights        # (T, S): target rows, source columns\n"
        "heatmap(w.T, rows=target, columns=source)\n"
        "# or: plot(x=target, y=source, z=w)",
        "assert drawn.shape == (len(target), len(source)) and np.allclose(drawn.sum(1), 1)",
    ),
    Mistake(
        "beams-not-reordered",
        "Beams whose attention was not reordered",
        "found in real code",
        "In a beam search the hypotheses change places at every step: the best continuation may come from any of them. The "
        "tokens and the cache are put into the new order. Attention that is collected beside them, step by step, keeps the old "
        "one, so the map of the best hypothesis is made of rows that other hypotheses computed.",
        "Some rows are those of another sentence; a full pass over the same words gives other numbers.",
        "for step in range(limit):\n"
        "    logits, attention = model.step(tokens, cache)\n"
        "    maps.append(attention)                 # rows in the order of now\n"
        "    tokens, parents = best(logits)\n"
        "    cache = cache[parents]                 # and maps = maps[parents] is missing",
        "assert np.allclose(beam.maps, model(source, beam.tokens).maps, atol=1e-5)",
    ),
    Mistake(
        "alignment-layer-ignored",
        "An alignment layer silently ignored",
        "found in real code",
        "Which layer aligns words best differs from model to model, so tools take it as an option. Where the option is read "
        "but never handed on, every choice gives the last layer’s attention, which often aligns worst. Nothing fails and every "
        "map is a true map, only not of the layer its title names.",
        "Every layer asked for gives the same map.",
        "def align(model, pair, alignment_layer=None):\n"
        "    output = model(pair)                   # alignment_layer goes nowhere\n"
        "    w = output.cross_attentions[-1]\n"
        "    return w.mean(heads).argmax(-1)",
        "assert not np.allclose(align(pair, layer=0), align(pair, layer=1))",
    ),
)
IDS: Final = tuple(each.id for each in PITFALLS)


def mistake(name: str) -> Mistake:
    """The mistake of this id. Raises `InputError` that lists those with a page."""
    if name not in IDS:
        raise InputError(f"There is no pitfall {name!r}; choose one of {', '.join(IDS)}.")
    return PITFALLS[IDS.index(name)]


# What `core.check` says, by mistake and by the way in which it shows; the last ones have no page.
VERDICTS: Final[Mapping[str, str]] = {
    **{f"{each.id}.{way}".rstrip("."): words for each in PITFALLS for way, words in each.verdicts.items()},
    "no-attention": "No token’s output depends on any other token, so this is no attention.",
    "attends-over-batch": "In the layout {layout} it attends along the batch.",
    "batch-leak": "Sentences of one batch read each other.",
    "heads-leak": "Heads read each other’s tokens.",
    "keys-not-read": "The scores do not depend on the keys.",
    "softmax-axis": "The softmax runs over {axis} and not over the keys, so a query’s weights do not sum to 1.",
    "unused-projection": "A projection is never used.",
    "groups-mixed": "Keys and values are shared by different groups of heads.",
    "scale-by-tokens": "The scores are divided by something that grows with the number of tokens.",
    "no-scale": "The scores are not divided by anything, so the softmax saturates as heads grow.",
    "scale-without-root": "The scores are divided by the size of a head and not by its root.",
    "other-scale": "The scores are divided by another number than the root of the head’s size.",
    "source-ignored": "The logits do not depend on the source.",
    "source-padding": "Padding of the source is attended to.",
    "no-sinusoids": "These are no sinusoids of the paper’s wavelengths.",
    "norm-axis": "The mean and deviation are taken over {axis} and not over the numbers of one token.",
    "no-layer-norm": "This is no layer norm over the last axis.",
    "values-from-keys": "The values are taken from the keys: with the attention weights held fixed, other keys still move the output.",
    "values-from-keys.projected": "The values are taken from the projected keys.",
    "keys-from-values": "The scores depend on the values.",
    "keys-from-values.only": "The keys are taken from the values.",
    "no-mask": "This is no causal mask in any reading.",
    "no-mask.row": "This is neither a causal mask nor one of these tokens’ padding.",
}


@dataclass(frozen=True)
class Verdict:
    """The result of checking somebody's code. True only when the code is correct. Prints itself as sentences.

    `fault` is the id of the mistake, and `pitfall` the same where it has a page, each empty where there is none. An
    undecided verdict accuses of nothing: the code could not be called, or what it does could not be measured; `example`
    is then the call to write, or what stopped.
    """

    outcome: Outcome
    message: str
    fault: str = ""
    pitfall: str = ""
    example: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing was found wrong and everything could be called."""
        return self.outcome == "correct"

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        known = f" This is the pitfall {self.pitfall}." if self.pitfall else ""
        shown = f"\n  for example: {self.example}" if self.example else ""
        return f"{_SIGNS[self.outcome]} {self.message}{known}{shown}"


def passes(message: str) -> Verdict:
    """Nothing to find fault with."""
    return Verdict("correct", message)


def fails(fault: str, example: str = "", **words: object) -> Verdict:
    """The verdict on a mistake, `id` or `id.way` of `VERDICTS`; `words` fill the gaps of its sentence."""
    name = fault.partition(".")[0]
    return Verdict("faulty", VERDICTS[fault].format(**words), name, name if name in IDS else "", example)


def undecided(message: str, example: str = "") -> Verdict:
    """No accusation and no praise; `example` is what to write or what stopped."""
    return Verdict("undecided", message, example=example)
