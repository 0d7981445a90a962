"""The write-ups' small models: which are shipped, and a random one made for this session."""

from __future__ import annotations

from pathlib import Path

from core.errors import AtlasError
from ui.data import resources
from ui.data.entry import Entry
from ui.session import state
from ui.uploads import gate, policy

SEED = 1


def trained(name: str) -> Entry | None:
    """The shipped small version, if it is there and can be read."""
    found = next((each for each in resources.entries() if each.name == name), None)
    return found if found and not found.problem and resources.is_tutorial(found) else None


def make_random(name: str) -> str:
    """A checkpoint of random weights of the small version, which this session alone sees; returns its name in the list.

    Raises `AtlasError`, or `OSError` where there is no room.
    """
    folder = gate.new_folder()
    try:
        _write(folder / "checkpoint", name)
    except (AtlasError, OSError):
        gate.remove_folder(folder)
        raise
    own = policy.free_name(f"{name}-random", [each.name for each in resources.entries()])
    state.add_imported(own, folder / "checkpoint")
    return own


def _write(folder: Path, name: str) -> None:
    import torch

    from core.checkpoints.bundle import save
    from core.model.transformer import Transformer
    from core.training.cli import RECIPES
    from core.training.config import load_config
    from core.training.vocabulary import build_tokenizers, model_config

    recipe = load_config(RECIPES / f"{name}.toml")
    source, target = build_tokenizers(recipe, [])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        model = Transformer(model_config(recipe, source, target))
    card = {
        "name": f"{name}, random weights",
        "description": "The same small version with the weights it starts from: nothing is learnt.",
        "source_language": recipe.data.source_language,
        "target_language": recipe.data.target_language,
        "examples": [{"source": text} for text in recipe.examples],
    }
    save(folder, model, source, target, card)
