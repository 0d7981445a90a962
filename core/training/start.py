"""Where a run begins: at random weights, or at those of a checkpoint that is trained further."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.checkpoints.bundle import Bundle, load_bundle
from core.errors import TrainingError
from core.model.config import ModelConfig
from core.model.transformer import Transformer

# How a model is trained and not what it computes: a run may differ in these from the checkpoint it starts from.
_OF_TRAINING = frozenset({"dropout", "attention_dropout", "activation_dropout"})


@dataclass(frozen=True)
class Start:
    """The checkpoint a run starts from."""

    bundle: Bundle

    @classmethod
    def at(cls, folder: Path) -> Start:
        """The checkpoint in `folder`. Raises CheckpointError if there is none."""
        return cls(load_bundle(folder, device="cpu"))

    @property
    def shares_tokenizer(self) -> bool:
        """Whether one tokenizer serves both sides."""
        return self.bundle.source_tokenizer == self.bundle.target_tokenizer

    def give_weights(self, model: Transformer) -> None:
        """Copy the checkpoint's weights into `model`. Raises TrainingError if the two compute something else."""
        theirs, ours = _computed(self.bundle.config), _computed(model.config)
        for name, value in theirs.items():
            if ours[name] != value:
                raise TrainingError(
                    f"The recipe's model has {name} = {ours[name]!r}, but the checkpoint it starts from has {value!r}; "
                    "write the checkpoint's into [model], or start from nothing."
                )
        model.load_state_dict(self.bundle.model.state_dict())

    def check_split(self, split_seed: int) -> None:
        """Raise TrainingError if the checkpoint held back other pairs: it has read those that this run would be measured on."""
        recipe = self.bundle.card.get("recipe")
        if not isinstance(recipe, Mapping):
            return
        training = recipe.get("training")
        before = (
            training.get("seed") if isinstance(training, Mapping) else None
        )  # what drew them in older cards
        theirs = recipe.get("split_seed", before)
        if theirs is not None and theirs != split_seed:
            raise TrainingError(
                f"The checkpoint it starts from drew its held-back pairs with split_seed = {theirs!r} and has read others, "
                f"the recipe says {split_seed}; write the checkpoint's into [data], or start from another."
            )

    def to_json(self) -> dict[str, Any]:
        """What the card states of it: name, digest, and the target tokens that it had seen, where its card says so."""
        card = self.bundle.card
        figures = card.get("figures")
        seen = figures.get("target_tokens_seen") if isinstance(figures, Mapping) else None
        return {"name": card.get("name"), "digest": self.bundle.digest, "target_tokens_seen": seen}


def _computed(config: ModelConfig) -> dict[str, Any]:
    return {k: v for k, v in dataclasses.asdict(config).items() if k not in _OF_TRAINING}
