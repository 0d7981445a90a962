"""Attribution and patching of imported models against other programs: captum, inseq, nnsight, and hooks of PyTorch.

`python -m tests.parity.peers` prints the largest difference for each program that is installed. inseq and nnsight are not
among what the tests need; each has an environment of its own (docs/importing.md says how).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from core.api import Checkpoint
from core.experiments.attribution import Inputs, gradient_times_input, integrated_gradients
from core.experiments.patching import FAMILIES as PATCHED
from core.experiments.patching import Contrast, patched
from tests.parity.families import FAMILIES, VOCABULARY, imported, random_model

SOURCE, WRITTEN = [7, 23, 41, 56, 12], [31, 62, 45]
POINTS = 64
MODELS = ("marian", "bart", "m2m-100", "pegasus", "t5")
METHODS = ("integrated_gradients", "input_x_gradient")


def model_and_import(name: str) -> tuple[Any, Checkpoint]:
    """A random model of `transformers` and its import; the decoder starts with the padding, as published Marians and T5s do.

    Embeddings are not scaled, because inseq scales those of Marian's decoder twice.
    """
    family = FAMILIES[name]
    if name != "t5":
        start = {"decoder_start_token_id": family.settings["pad_token_id"], "scale_embedding": False}
        family = replace(family, settings={**family.settings, **start})
    model = random_model(family)
    with TemporaryDirectory() as folder:
        ours = imported(name, Path(folder), model)
    return model, Checkpoint(ours, cast("Any", None), cast("Any", None), {})


# -- attribution ---------------------------------------------------------------------------------------------------


def ours(checkpoint: Checkpoint, source: Sequence[int], method: str, step: int) -> Inputs:
    """The attribution of the logit of the word written at a step."""
    if method == "integrated_gradients":
        return integrated_gradients(checkpoint, source, WRITTEN, step, WRITTEN[step], steps=(POINTS,))
    return gradient_times_input(checkpoint, source, WRITTEN, step, WRITTEN[step])


def captums(model: Any, source: Sequence[int], method: str, step: int) -> tuple[Tensor, Tensor]:
    """captum's attribution over the embeddings that `transformers` is given: of the source and of the prefix."""
    from captum import attr

    embed, pad = model.get_input_embeddings(), model.config.pad_token_id
    prefix = [model.config.decoder_start_token_id, *WRITTEN[:step]]
    ends, begins = (
        tuple(embed(torch.tensor([ids])).detach() for ids in rows)
        for rows in ((source, prefix), ([pad] * len(source), [pad] * len(prefix)))
    )

    def logit(read: Tensor, before: Tensor) -> Tensor:
        logits = model(inputs_embeds=read, decoder_inputs_embeds=before, use_cache=False).logits
        return cast("Tensor", logits[:, -1, WRITTEN[step]])

    if method == "integrated_gradients":
        found = attr.IntegratedGradients(logit).attribute(
            ends, begins, n_steps=POINTS, internal_batch_size=POINTS
        )
    else:
        found = attr.InputXGradient(logit).attribute(tuple(each.requires_grad_() for each in ends))
    return tuple(each.detach()[0].sum(-1) for each in found)


def inseqs(model: Any, source: Sequence[int], method: str) -> Iterator[tuple[Tensor, Tensor]]:
    """inseq's attribution for each written word: over the source, and over the prefix."""
    import inseq
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    end, pad = model.config.eos_token_id, model.config.pad_token_id
    names = {"</s>": end, "<pad>": pad}
    words = {f"w{n}": n for n in range(VOCABULARY) if n not in (end, pad)}
    tokenizer = Tokenizer(models.WordLevel(words | names, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", end)])
    # inseq's baseline is the unknown word's embedding.
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="</s>", pad_token="<pad>", unk_token="<pad>"
    )
    texts = (" ".join(f"w{n}" for n in ids) for ids in (source[:-1], WRITTEN))
    points = {"n_steps": POINTS, "internal_batch_size": POINTS} if method == "integrated_gradients" else {}
    found = inseq.load_model(model, method, tokenizer=fast).attribute(
        *texts,
        attribute_target=True,
        attributed_fn="logit",
        include_eos_baseline=True,
        show_progress=False,
        **points,
    )
    scores = found.sequence_attributions[0]
    read, before = (each.sum(-1) for each in (scores.source_attributions, scores.target_attributions))
    for step in range(len(WRITTEN)):
        yield read[:, step], before[: step + 1, step]


def attribution_gaps(name: str, program: str) -> dict[str, float]:
    """By method, the largest difference over all tokens and written words, in nats."""
    model, checkpoint = model_and_import(name)
    return {method: _gap(model, checkpoint, method, program) for method in METHODS}


def _gap(model: Any, checkpoint: Checkpoint, method: str, program: str) -> float:
    source = [*SOURCE, model.config.eos_token_id]
    if program == "inseq":
        theirs = list(inseqs(model, source, method))
    else:
        theirs = [captums(model, source, method, step) for step in range(len(WRITTEN))]
    gaps = []
    for step, parts in enumerate(theirs):
        found = ours(checkpoint, source, method, step)
        for mine, other in zip((found.source, found.prefix), parts, strict=True):
            gaps.append(np.abs(mine - other.double().numpy()).max())
    return float(max(gaps))


# -- patching ------------------------------------------------------------------------------------------------------


class Change(NamedTuple):
    """What a module of a T5 is given, or gives, and what is put in its place."""

    module: str
    where: str  # "input" or "output"
    put: Callable[[Tensor], Tensor]


Runner = Callable[[Any, Mapping[str, Tensor], Sequence[Change]], Tensor]


def hooked(model: Any, inputs: Mapping[str, Tensor], changes: Sequence[Change]) -> Tensor:
    """The logits of a run under changes, by forward hooks of PyTorch."""
    handles = []
    for each in changes:
        module = model.get_submodule(each.module)
        if each.where == "input":
            put = partial(lambda change, _, given: (change.put(given[0]), *given[1:]), each)
            handles.append(module.register_forward_pre_hook(put))
        else:
            handles.append(
                module.register_forward_hook(partial(lambda change, *run: change.put(run[2]), each))
            )
    try:
        with torch.inference_mode():
            return cast("Tensor", model(**inputs, use_cache=False).logits)
    finally:
        for handle in handles:
            handle.remove()


def traced(model: Any, inputs: Mapping[str, Tensor], changes: Sequence[Change]) -> Tensor:
    """The same by nnsight."""
    from nnsight import NNsight

    wrapped = NNsight(model)
    with torch.inference_mode(), wrapped.trace(**inputs, use_cache=False):
        for each in changes:
            module = wrapped.get(each.module)
            if each.where == "input":
                module.input = each.put(module.input)
            else:
                module.output = each.put(module.output)
        logits = wrapped.output.logits.save()
    return cast("Tensor", logits)


RUNNERS: dict[str, Runner] = {"hooks of PyTorch": hooked, "nnsight": traced}


def attention(stack: str, layer: int, block: str) -> str:
    """The name of an attention of a T5."""
    place, kind = (1, "EncDecAttention") if block == "cross" else (0, "SelfAttention")
    return f"{stack}.block.{layer}.layer.{place}.{kind}"


def changes_of(
    model: Any, family: str, layer: int, part: int, values: Mapping[str, Tensor], weights: Sequence[Tensor]
) -> list[Change]:
    """One patch: the head or token `part` of a layer, from the recorded values and cross-attention weights of the other run."""
    stack, block = PATCHED[family].stack, PATCHED[family].block
    width = model.config.d_kv
    head = slice(part * width, (part + 1) * width)
    if not PATCHED[family].by_head:
        last = layer == len(model.get_submodule(stack).block)
        module = f"{stack}.final_layer_norm" if last else f"{stack}.block.{layer}"

        def token(tensor: Tensor) -> Tensor:
            return torch.cat([tensor[:, :part], values[module][:, part : part + 1], tensor[:, part + 1 :]], 1)

        return [Change(module, "output" if last else "input", token)]
    name = attention(stack, layer, block)

    def placed(tensor: Tensor, new: Tensor) -> Tensor:
        return torch.cat([tensor[..., : head.start], new, tensor[..., head.stop :]], -1)

    if family != "cross-weights":
        return [Change(f"{name}.o", "input", lambda given: placed(given, values[f"{name}.o"][..., head]))]
    seen: list[Tensor] = []

    def kept(tensor: Tensor) -> Tensor:
        seen.append(tensor)
        return tensor

    return [
        Change(f"{name}.v", "output", kept),
        Change(
            f"{name}.o", "input", lambda given: placed(given, weights[layer][:, part] @ seen[0][..., head])
        ),
    ]


def recorded(
    model: Any, inputs: Mapping[str, Tensor], run: Runner
) -> tuple[Tensor, dict[str, Tensor], Sequence[Tensor]]:
    """The logits of a run, what the modules that are patched were given or gave, and the cross-attention weights."""
    values: dict[str, Tensor] = {}

    def keep(module: str, where: str) -> Change:
        def kept(tensor: Tensor) -> Tensor:
            values[module] = tensor.clone()
            return tensor

        return Change(module, where, kept)

    wanted = []
    for stack in ("encoder", "decoder"):  # in the order of the run
        for layer in range(len(model.get_submodule(stack).block)):
            wanted.append(keep(f"{stack}.block.{layer}", "input"))
            blocks = ["self"] if stack == "encoder" else ["self", "cross"]
            wanted += [keep(f"{attention(stack, layer, block)}.o", "input") for block in blocks]
        wanted.append(keep(f"{stack}.final_layer_norm", "output"))
    logits = run(model, inputs, wanted)
    with torch.inference_mode():
        weights = model(**inputs, use_cache=False, output_attentions=True).cross_attentions
    return logits, values, weights


def patching_gaps(name: str, program: str) -> dict[str, float]:
    """The largest difference of the effects by family of sites, both directions, on a T5."""
    run = RUNNERS[program]
    model, checkpoint = model_and_import(name)
    end, start = model.config.eos_token_id, model.config.decoder_start_token_id
    prefix = (start, *WRITTEN[:2])
    sources = (*SOURCE, end), (*SOURCE[:1], 77, *SOURCE[2:], end)
    inputs = [
        {"input_ids": torch.tensor([ids]), "decoder_input_ids": torch.tensor([prefix])} for ids in sources
    ]
    runs = [recorded(model, each, run) for each in inputs]
    difference = (runs[0][0] - runs[1][0])[0, -1]
    contrast = Contrast(*sources, prefix, int(difference.argmax()), int(difference.argmin()))

    def odds(logits: Tensor) -> float:
        last = logits[0, -1].double()
        return float(last[contrast.word] - last[contrast.other])

    clean, corrupted = (odds(logits) for logits, _, _ in runs)
    gaps = {}
    for family, effects in patched(checkpoint, contrast).effects.items():
        gaps[family] = 0.0
        for layer, part in np.ndindex(effects.restored.shape):
            into_corrupted, into_clean = (
                odds(run(model, inputs[into], changes_of(model, family, layer, part, *runs[1 - into][1:])))
                for into in (1, 0)
            )
            restored = (into_corrupted - corrupted) / (clean - corrupted)
            disturbed = (clean - into_clean) / (clean - corrupted)
            gap = max(
                abs(restored - effects.restored[layer, part]), abs(disturbed - effects.disturbed[layer, part])
            )
            gaps[family] = max(gaps[family], float(gap))
    return gaps


def main() -> None:
    """Print the largest differences."""
    torch.set_num_threads(1)
    for program in ("captum", "inseq"):
        if find_spec(program):
            found = {name: attribution_gaps(name, program) for name in MODELS}
            for method in METHODS:
                gaps = [f"{name} {of[method]:.0e}" for name, of in found.items()]
                print(f"{program}, {method}: {', '.join(gaps)}")
    for program in RUNNERS:
        if program != "nnsight" or find_spec(program):
            gaps = [f"{family} {gap:.0e}" for family, gap in patching_gaps("t5", program).items()]
            print(f"{program}: {', '.join(gaps)}")


if __name__ == "__main__":
    main()
