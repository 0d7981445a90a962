"""A beam that reaches its limit of steps ends as Hugging Face's `generate` does: cut hypotheses compete with finished ones."""

from __future__ import annotations

import pytest
import torch

import core
from core.decoding.search import BeamSearch, translate_batch
from tests.parity import families

pytest.importorskip("transformers")
BEAMS = 4


@pytest.mark.parametrize("penalty", [0.6, 1.0])
def test_every_hypothesis_at_the_limit_is_what_generate_returns(penalty: float) -> None:
    cut = 0
    for seed in range(4):
        theirs = families.build("marian", seed)
        theirs.generation_config.forced_eos_token_id = None
        with torch.no_grad():  # so that some hypotheses end before the limit
            theirs.final_logits_bias[0, theirs.config.eos_token_id] += 4.0
        ours = core.wrap(theirs, "numbers")
        padding, end = theirs.config.pad_token_id, theirs.config.eos_token_id
        generator = torch.Generator().manual_seed(seed)
        source = [*torch.randint(4, 90, (9,), generator=generator).tolist(), end]
        for limit in (2, 3, 5, 8):
            with torch.inference_mode():
                found = theirs.generate(
                    torch.tensor([source]),
                    suppress_tokens=[padding],
                    use_cache=False,
                    num_beams=BEAMS,
                    num_return_sequences=BEAMS,
                    max_new_tokens=limit,
                    length_penalty=penalty,
                )
            wanted = [[token for token in row[1:] if token != padding] for row in found.tolist()]
            search = BeamSearch(ours.model, source, limit, BEAMS, penalty)
            for _ in search:
                pass
            assert [search.beam.ids(node) for node in search.beam.hypotheses()][:BEAMS] == wanted
            assert translate_batch(ours.model, [source], BEAMS, limit, penalty) == [wanted[0]] == [search.ids]
            cut += bool(search.beam.ended) and wanted[0][-1] != end
    assert cut > 1  # cases where a hypothesis that was cut short comes before one that ended
