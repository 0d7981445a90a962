"""One field of config.json at a time, for every family: is the import what the library computes, or refused by name?

Each variation is saved by the library and opened by both. A field that shapes the tensors is changed before the model is
made, any other in the config.json of the same weights, as a person or a conversion would leave it; and each is taken out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from core.errors import AtlasError
from core.importing.comparing import agreement_with
from core.importing.plan import plan_import
from tests.parity.families import FAMILIES, Family, random_model

TOLERANCE: Final = 1e-5
LEFT_OUT: Final = "left out"

BASES: Final = {
    name: family for name, family in FAMILIES.items() if not name.endswith("-uneven") and name != "byt5"
} | {
    "mt5": Family("mT5", "MT5", "t5", {**FAMILIES["t5"].settings, "feed_forward_proj": "gated-gelu"}),
    # Narrower weights: the library cannot run FSMT in double precision, which judges the other families' rounding.
    "fsmt": Family(
        "FSMT",
        "FSMT",
        "fsmt",
        {**FAMILIES["fsmt"].settings, "decoder_attention_heads": 4, "init_std": 0.2},
    ),
}

# Fields that change no logit and no map of a trained model, with the reason.
NO_EFFECT: Final = {
    **dict.fromkeys(("dropout", "attention_dropout", "activation_dropout", "dropout_rate", "classifier_dropout",
                     "classif_dropout", "encoder_layerdrop", "decoder_layerdrop"), "only while training"),
    **dict.fromkeys(("init_std", "initializer_factor"), "only where weights are drawn"),
    **dict.fromkeys(("dtype", "torch_dtype"), "the files' own precision is read, and computed in single"),
    **dict.fromkeys(("return_dict", "output_attentions", "output_hidden_states", "use_cache"),
                    "what the library returns or keeps, not what it computes"),
    **dict.fromkeys(("id2label", "label2id", "num_labels", "problem_type", "finetuning_task", "task_specific_params"),
                    "of the classes on top of a model"),
    **dict.fromkeys(("_name_or_path", "transformers_version", "tokenizer_class", "prefix"), "names"),
    **dict.fromkeys(("is_encoder_decoder", "is_decoder", "add_cross_attention", "cross_attention_hidden_size"),
                    "the classes of these families are encoder-decoders whatever it says"),
    "chunk_size_feed_forward": "these families do not cut their feed-forward layers",
    "langs": "names of FSMT's languages",
    **dict.fromkeys(("max_length", "num_beams", "length_penalty", "encoder_no_repeat_ngram_size", "early_stopping", "forced_eos_token_id"),
                    "of `generate`, said in a note"),
    **dict.fromkeys(("prompt_length", "prompt_mid_dim"), "of MVP's prompts, which are refused"),
    "normalize_embedding": "an option of early files that the library no longer reads",
    "normalize_before": "an option of early files that the library no longer reads",
    "add_final_layer_norm": "an option of early files that the library no longer reads",
    "add_bias_logits": "an option of early files that the library no longer reads",
    "static_position_embeddings": "an option of early files that the library no longer reads",
    "extra_pos_embeddings": "an option of early files that the library no longer reads",
    "bos_token_id": "a text begins as its tokenizer says; the decoder begins with decoder_start_token_id",
    "decoder_vocab_size": "the rows of the tables are counted",
    "scale_decoder_outputs": "T5's alone: other families do not read it",
    "n_positions": "of early T5 files, whose positions have no end",
    "tie_word_embeddings": "read by most families; FSMT and UMT5 tie as their own tables say",
    "use_prompt": "MVP's prompts are in the keys, and are refused",
    "num_hidden_layers": "the layers are counted in the weights",
}  # fmt: skip
EARLY: Final = {  # in published config.json of these families, and unknown to the library's classes today
    "normalize_embedding": (True, False),
    "normalize_before": (True, False),
    "add_final_layer_norm": (True, False),
    "add_bias_logits": (True, False),
    "static_position_embeddings": (True, False),
    "extra_pos_embeddings": (0, 2),
    "num_hidden_layers": (2, 5),
    "torch_dtype": ("float32", "float16"),
    "num_labels": (3,),
    "scale_decoder_outputs": (True, False),
    "n_positions": (30, 512),
}


@dataclass(frozen=True)
class Outcome:
    """What came of one variation."""

    family: str
    field: str
    value: Any
    kind: str  # "exact", "refused", "library" (which itself cannot open it) or "different"
    detail: str
    gap: float | None = None

    def __str__(self) -> str:
        return f"{self.family}: {self.field} = {self.value!r}: {self.kind} {self.detail}"


def variations(name: str) -> Iterator[tuple[str, Any, bool]]:
    """(field, value, whether the model is made with it) of one family; value LEFT_OUT: the field is taken away."""
    import transformers
    from transformers.activations import ACT2CLS

    family = BASES[name]
    config = getattr(transformers, f"{family.prefix}Config")(**family.settings).to_dict()
    sizes = {"d_model": (48,), "vocab_size": (104,), "src_vocab_size": (104,), "tgt_vocab_size": (104,),
             "encoder_layers": (1, 3), "decoder_layers": (1, 2), "num_layers": (1, 3), "num_decoder_layers": (1, 2),
             "encoder_attention_heads": (2, 8), "decoder_attention_heads": (2, 8), "num_heads": (2, 8), "d_kv": (8, 16),
             "encoder_ffn_dim": (40,), "decoder_ffn_dim": (40,), "d_ff": (40,), "max_position_embeddings": (50, 100),
             "relative_attention_num_buckets": (8, 16), "share_encoder_decoder_embeddings": (False,)}  # fmt: skip
    others = {
        **dict.fromkeys(("activation_function", "dense_act_fn"), (*ACT2CLS, "nonsense")),
        "feed_forward_proj": tuple(f"{gate}{act}" for act in ("relu", "gelu", "gelu_new", "silu", "tanh", "nonsense") for gate in ("", "gated-")),
        "pad_token_id": (0, 1, 3), "eos_token_id": (1, 2, 4, [2, 4]), "bos_token_id": (0, 4),
        "decoder_start_token_id": (0, 2, 5, [2]), "forced_eos_token_id": (2,), "forced_bos_token_id": (0, 5),
        "relative_attention_max_distance": (16, 64), "layer_norm_epsilon": (1e-3, 1e-12),
        "model_type": ("bert", "marian", "bart", "t5", "mt5"), "architectures": (["BertModel"], ["MarianMTModel"], None),
        "id2label": ({"0": "a"},), "label2id": ({"a": 0},), "langs": (["en", "fr"],), "dtype": ("float16", "bfloat16"),
        "problem_type": ("regression",), "_name_or_path": ("somewhere",), "transformers_version": ("4.2.0",),
        "use_prompt": (True,), "prompt_length": (7,), "prompt_mid_dim": (7,), "decoder_vocab_size": (96, 104), "num_beams": (4,), "encoder_no_repeat_ngram_size": (0,),
        "max_length": (50,), "length_penalty": (2.0,), "chunk_size_feed_forward": (2,),
    }  # fmt: skip
    for field, own in sorted({**dict.fromkeys(EARLY), "forced_bos_token_id": None, **config}.items()):
        if field in config:
            yield field, LEFT_OUT, False
        if field in sizes:
            yield from ((field, value, True) for value in sizes[field])
            yield from ((field, value, False) for value in sizes[field])
        elif field in others:
            yield from ((field, value, False) for value in others[field] if value != own)
            if field in ("activation_function", "feed_forward_proj"):
                yield from ((field, value, True) for value in others[field][:6:2] if value != own)
        elif field in EARLY:
            yield from ((field, value, False) for value in EARLY[field])
        elif isinstance(own, bool):
            yield field, not own, False
            yield field, not own, True
        elif isinstance(own, float):
            yield field, own / 2 + 0.1, False
        else:
            raise AssertionError(
                f"{name}: {field} = {own!r} has no other value here; add one to `variations`"
            )


def outcome(name: str, field: str, value: Any, made_with: bool, folder: Path) -> Outcome:
    """Both programs on one variation, saved in the empty `folder`."""
    import dataclasses

    import transformers

    family = BASES[name]
    try:
        with_value = {**family.settings, field: value} if made_with else family.settings
        model = random_model(dataclasses.replace(family, settings=with_value))
    except Exception as error:  # the library's own refusals are of many kinds
        return Outcome(name, field, value, "library", str(error)[:60])
    model.save_pretrained(folder)
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8"))
    config.pop(field, None) if value is LEFT_OUT else config.update({field: value})
    path.write_text(json.dumps(config), "utf-8")
    try:
        theirs, loading = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True
        )
        theirs.eval()
        if drawn := sorted(loading["missing_keys"]):
            raise ValueError(f"draws {drawn[0]} at random")
        theirs.config.return_dict = True
        theirs(input_ids=torch.tensor([[5, 6]]), decoder_input_ids=torch.tensor([[5, 6]]))
    except Exception as error:
        theirs, failure = None, str(error)[:60].replace("\n", " ")
    try:
        plan = plan_import(folder, tokenizer="numbers")
        for asked in ("forced_bos_id", "target_language"):
            if any(question.name == asked and question.blocking for question in plan.open_questions):
                plan = plan.answer(**{"forced_bos_id": "none"})
        plan.require_ready()
        ours = plan.checkpoint.model
    except AtlasError as error:
        return Outcome(name, field, value, "refused", str(error))
    if theirs is None:
        return Outcome(name, field, value, "library", failure)
    found = agreement_with(ours, theirs)
    kind = "exact" if found.largest <= TOLERANCE else "different"
    return Outcome(name, field, value, kind, f"{found.largest:.1e}", found.largest)
