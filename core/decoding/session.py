"""`DecodeSession`: a translation written one token at a time; steps can be undone and tokens forced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core import notebook
from core.decoding import inputs, strategies
from core.decoding.path import Path, Row
from core.decoding.search import BeamSearch
from core.decoding.strategies import CutOff, Hypothesis, TreeNode, by_probability, hypotheses, tree_nodes
from core.errors import InputError
from core.model.hooks import Edit, Site
from core.model.trace import Tokens, Trace
from core.tokenizer import Reading

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle


UNWRITTEN = "…"  # the label, with id -1, of the pending row's unwritten token


@dataclass(frozen=True)
class Candidate:
    """One token that a step can write."""

    id: int
    label: str
    probability: float
    kept: bool  # whether the strategy may choose it
    rank: int  # 0 is the most probable


def candidates(
    probability: np.ndarray, cut: CutOff, label: Callable[[int], str], count: int
) -> list[Candidate]:
    """The `count` most probable tokens of `probability` (V,), best first."""
    kept = set(cut.ids)
    best = by_probability(probability)[:count].tolist()
    return [
        Candidate(token, label(token), float(probability[token]), token in kept, rank)
        for rank, token in enumerate(best)
    ]


def assemble(path: Path, checkpoint: Bundle, source_ids: Sequence[int], pending: bool) -> Trace:
    """The trace of the tokens written on `path`; with `pending`, the row being written is included."""
    extra = pending and path.pending is not None
    written = [*path.ids, *((-1,) if extra else ())]
    read = [path.config.bos_id, *path.ids][: len(written)]
    spell = checkpoint.target_tokenizer.labels
    tokens = Tokens(
        tuple(checkpoint.source_tokenizer.labels(source_ids)),
        tuple(spell(read)),
        (*spell(path.ids), *((UNWRITTEN,) if extra else ())),
    )
    return Trace(
        path.config, tokens, tuple(source_ids), tuple(read), tuple(written), path.records(len(written))
    )


class DecodeSession:
    """One decode of one sentence. It belongs to one user; the checkpoint may be shared by any number of sessions.

    Row t of a trace is recorded while the model writes token t: the decoder reads the token before it
    (⟨start⟩ for t = 0). After n tokens there are n rows and, until the end, a pending one, already computed: it
    gives `distribution`, and its maps can be drawn as the row that is being written.

    `record` and `edit` are those of `core.Hooks`; an edit gets one step's tensors, one query long. With strategy
    "beam" the session follows the best hypothesis: the best finished one, or the best live one while none is
    finished; at the limit of steps the best of both.
    A model whose configuration has a `forced_bos_id` writes that first, whatever it predicts; `force` may differ.
    """

    def __init__(
        self,
        checkpoint: Bundle,
        source: str | Reading,
        strategy: str = "greedy",
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        *,
        beam_size: int = 5,
        length_penalty: float = 1.0,
        seed: int = 0,
        max_steps: int | None = None,
        record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
        edit: Mapping[Site | str, Edit] | None = None,
        prefix: Sequence[int] = (),
    ) -> None:
        """Encode `source` and compute the first distribution. `prefix`: tokens written already, read in one pass.

        `source` is a text, or the reading of one (`inputs.read_source`). Raises `InputError` for a source that is
        empty or too long, and for an option out of bounds.
        """
        strategies.check_options(strategy, temperature, top_k, top_p, beam_size, seed, length_penalty)
        reading = source if isinstance(source, Reading) else inputs.read_source(checkpoint, source)
        self.checkpoint, self.reading, self.strategy, self.seed = checkpoint, reading, strategy, seed
        self.temperature = temperature if strategy == "sample" else 1.0
        self.top_k, self.top_p = top_k, top_p
        self.source, self.source_ids = reading.text, list(reading.ids)
        self.limit = inputs.step_limit(checkpoint.config, len(self.source_ids), max_steps)
        inputs.check_written(checkpoint.config, prefix, self.limit)
        self._record, self._edit = tuple(record), dict(edit or {})
        self._search: BeamSearch | None = None
        self._path: Path | None = None
        if strategy == "beam":
            self._search = BeamSearch(
                checkpoint.model, self.source_ids, self.limit, beam_size, length_penalty, self._edit
            )
            for token in prefix:
                self._search.force(token)
        else:
            self._path = self._new_path(prefix)

    @classmethod
    def replay(
        cls, checkpoint: Bundle, source: str | Reading, ids: Sequence[int], **options: Any
    ) -> DecodeSession:
        """A session that has written `ids`, restored in one pass; its next steps are those of the first session."""
        return cls(checkpoint, source, prefix=tuple(ids), **options)

    @classmethod
    def stepped(
        cls, checkpoint: Bundle, source: str | Reading, ids: Sequence[int], **options: Any
    ) -> DecodeSession:
        """The same with one step per token, so that its rows can be compared with a full pass."""
        session = cls(checkpoint, source, **options)
        inputs.check_written(checkpoint.config, ids, session.limit)
        for token in ids:
            session._followed.write(token)
        return session

    def _new_path(self, prefix: Sequence[int]) -> Path:
        return Path(self.checkpoint.model, self.source_ids, self.limit, self._record, self._edit, prefix)

    @property
    def _followed(self) -> Path:
        """The path behind `ids`; for a beam, the best hypothesis is read again when it has changed."""
        if self._path is None or (self._search is not None and self._path.ids != self._search.ids):
            self._path = self._new_path(self._search.ids if self._search is not None else ())
        return self._path

    # -- steps --------------------------------------------------------------------------------------------

    def step(self) -> int:
        """Write the token that the strategy chooses → its id. Raises `InputError` at the end."""
        if self._search is not None:
            self._search.step()
            return self.ids[-1]
        self._followed.write(self._choose())
        return self.ids[-1]

    def force(self, token: str | int) -> int:
        """Write `token`, an id or a label or text of one token, as this step → its id."""
        chosen = self.checkpoint.target_tokenizer.id_of(token) if isinstance(token, str) else int(token)
        inputs.check_written(self.checkpoint.config, (chosen,), self.limit)
        if self._search is not None:
            self._search.force(chosen)
        else:
            self._followed.write(chosen)
        return chosen

    def back(self) -> None:
        """Undo the last token. Stepping again writes the same token, also when sampling."""
        (self._search or self._followed).back()

    def run(self) -> list[str]:
        """Step to the end → `tokens`."""
        while not self.finished:
            self.step()
        return self.tokens

    def reset(self) -> None:
        """Undo all steps; the source stays encoded."""
        (self._search or self._followed).reset()

    def _choose(self) -> int:
        only = strategies.only_choice(self._logits(), self.checkpoint.config, self.step_index, self.strategy)
        if only is not None:
            return only
        return strategies.sample(self.cut_off(), strategies.uniform_draw(self.seed, self.step_index))

    # -- the output ---------------------------------------------------------------------------------------

    @property
    def ids(self) -> list[int]:
        """The tokens written so far."""
        return list(self._search.ids if self._search is not None else self._followed.ids)

    @property
    def tokens(self) -> list[str]:
        """Labels of the tokens written so far."""
        return self.checkpoint.target_tokenizer.labels(self.ids)

    @property
    def text(self) -> str:
        """The text written so far."""
        return self.checkpoint.target_tokenizer.decode(self.ids)

    @property
    def source_tokens(self) -> list[str]:
        """Labels of the source's tokens, its end token included."""
        return self.checkpoint.source_tokenizer.labels(self.source_ids)

    @property
    def step_index(self) -> int:
        """The number of steps made."""
        return self._search.beam.step if self._search is not None else len(self._followed.ids)

    @property
    def finished(self) -> bool:
        """Whether the end token is written or the limit reached; for a beam, whether the search is over."""
        return self._search.finished if self._search is not None else self._followed.finished

    @property
    def ended(self) -> bool:
        """Whether the last token is the end token; a finished decode that did not end was cut at its limit."""
        return self.ids[-1:] == [self.checkpoint.config.eos_id]

    # -- the next token -----------------------------------------------------------------------------------

    @property
    def distribution(self) -> np.ndarray:
        """Probability of every token as the next, (V,) float32, at the session's temperature."""
        return self.distribution_at(None)

    def distribution_at(self, step: int | None) -> np.ndarray:
        """The distribution that token `step` was chosen from; None: the next token's. Raises `InputError`."""
        return strategies.probabilities(self._logits(step), self.temperature)

    def cut_off(self, step: int | None = None) -> CutOff:
        """The tokens the strategy may choose from, most probable first (see `strategies.writable`)."""
        return strategies.writable(
            self._logits(step),
            self.checkpoint.config,
            self.step_index if step is None else step,
            self.strategy,
            temperature=self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            beam_size=self._search.beam.size if self._search is not None else 1,
        )

    def candidates(self, k: int = 12, step: int | None = None) -> list[Candidate]:
        """The `k` most probable tokens for the next step, or for step `step`, best first."""
        return candidates(
            self.distribution_at(step), self.cut_off(step), self.checkpoint.target_tokenizer.label, k
        )

    def _logits(self, step: int | None = None) -> np.ndarray:
        if step is not None:
            return self.row(step).logits
        logits = self._search.next_logits() if self._search is not None else None
        if logits is None and self._search is None and self._followed.pending is not None:
            logits = self._followed.pending.logits
        if logits is None:
            raise InputError("The sentence is finished and no token comes next; step back or reset.")
        return logits

    # -- records ------------------------------------------------------------------------------------------

    def row(self, step: int) -> Row:
        """The row of step `step`; `step` = `len(ids)` is the pending row. Raises `InputError` if there is none."""
        rows = self._followed.rows
        if not 0 <= step < len(rows):
            raise InputError(f"There is no step {step}; this decode has steps 0 to {len(rows) - 1}.")
        return rows[step]

    @property
    def pending(self) -> Row | None:
        """The row whose token is not written yet; None at the end."""
        return self._followed.pending

    @property
    def trace(self) -> Trace:
        """Everything recorded, equal to a full pass over the same tokens: one row for each token written."""
        return self.assemble()

    def _repr_html_(self) -> str | None:
        """HTML for a notebook: the tokens written so far, with every head (`core.notebook`)."""
        return notebook.html(self)

    def assemble(self, pending: bool = False) -> Trace:
        """The trace; with `pending`, the row being written is included, whose written token is "…" with id −1."""
        return assemble(self._followed, self.checkpoint, self.source_ids, pending)

    # -- the beam -----------------------------------------------------------------------------------------

    @property
    def search(self) -> BeamSearch:
        """The beam search. Raises `InputError` for another strategy."""
        if self._search is None:
            raise InputError(f"A decode with strategy {self.strategy} has no tree; choose strategy beam.")
        return self._search

    @property
    def tree(self) -> list[TreeNode]:
        """Every token the beam considered, pruned ones too, indexed by id; the root's is 0."""
        return tree_nodes(self.search.beam, self.checkpoint.target_tokenizer)

    @property
    def hypotheses(self) -> list[Hypothesis]:
        """The finished hypotheses, best first, then the live ones; at the limit of steps all of them by their scores."""
        return hypotheses(self.search.beam, self.checkpoint.target_tokenizer)

    def follow(self, node: int) -> DecodeSession:
        """A greedy session that has written the tokens on the way to `node` of the tree."""
        if not 0 <= node < len(self.search.nodes):
            raise InputError(
                f"The tree has no node {node}; choose one from 0 to {len(self.search.nodes) - 1}."
            )
        options: dict[str, Any] = {"max_steps": self.limit, "record": self._record, "edit": self._edit}
        return DecodeSession.replay(self.checkpoint, self.reading, self.search.beam.ids(node), **options)
