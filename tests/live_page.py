"""The engine of the live page (ui/web/engine), run by Node over packed checkpoints, and held against core."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.api import trace_ids
from core.checkpoints.bundle import Bundle
from core.decoding.search import translate_batch
from core.model.hooks import ATTENTION
from tests.browser_code import bundled_for_node
from ui.export.live.pack import pack, rounded_to_halves

KINDS: Final = tuple(ATTENTION)
TOLERANCE: Final = 1e-5
"""The largest difference of an attention weight from core's."""

_DECODES: Final = """
import { readFileSync, writeFileSync } from 'node:fs';
import { Engine } from './engine/engine.ts';
const folder = process.argv[2];
const { tasks, kinds } = JSON.parse(readFileSync(`${folder}/tasks.json`, 'utf8'));
const engine = new Engine(new Uint8Array(readFileSync(`${folder}/model.bin`)));
const answers = [];
const maps = [];
for (const { source, options = {} } of tasks) {
  const zero = new Set(options.zero ?? []);
  const ablated = (kind, layer, head) => zero.has(`${kind}-${layer}.${head}`);
  const began = process.cpuUsage();
  const decode = await engine.decode(source, { ...options, ablated });
  const { user, system } = process.cpuUsage(began);
  answers.push({ ids: decode.ids, ms: (user + system) / 1000 });
  for (const kind of kinds) maps.push(decode.maps(kind).weights);
}
writeFileSync(`${folder}/maps.bin`, Buffer.concat(maps.map((map) => Buffer.from(map.buffer))));
process.stdout.write(JSON.stringify(answers));
"""
_READS: Final = """
import { readFileSync } from 'node:fs';
import { TextReader } from './engine/tokenizer.ts';
const { layout, texts, rows } = JSON.parse(readFileSync(`${process.argv[2]}/tasks.json`, 'utf8'));
const reader = new TextReader(layout);
const read = (text) => {
  try {
    const { ids, doubtful } = reader.read(text);
    return { ids, doubtful: doubtful.join('') };
  } catch (error) {
    return { ids: null, doubtful: '' };
  }
};
const answer = { readings: texts.map(read), texts: rows.map((row) => reader.decode(row)), labels: rows.map((row) => reader.labels(row)) };
process.stdout.write(JSON.stringify(answer));
"""


def ran(script: str, folder: Path) -> Any:
    """What `script`, which imports from ui/web, prints as JSON when Node runs it over `folder`."""
    path = folder / "script.mjs"
    path.write_text(bundled_for_node(script), "utf-8")
    done = subprocess.run(["node", str(path), str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr[-2000:])
    return json.loads(done.stdout)


@dataclass(frozen=True)
class Decoded:
    """What the engine made of one source: ids, the weights of each kind (L, H, T, S), and the processor's time."""

    ids: list[int]
    maps: Mapping[str, NDArray[np.float32]]
    milliseconds: float


def decoded(checkpoint: Bundle, tasks: Sequence[Mapping[str, Any]]) -> list[Decoded]:
    """The engine's decodes of `tasks`: `source` ids, and the engine's `options`."""
    config = checkpoint.config
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.bin").write_bytes(pack(checkpoint))
        (folder / "tasks.json").write_text(json.dumps({"tasks": list(tasks), "kinds": KINDS}))
        answers = ran(_DECODES, folder)
        numbers = np.fromfile(folder / "maps.bin", dtype="<f4")
    results, start = [], 0
    for task, answer in zip(tasks, answers, strict=True):
        sources, written = len(task["source"]), len(answer["ids"])
        maps = {}
        for kind in KINDS:
            queries = sources if kind == "encoder" else written
            keys = written if kind == "causal" else sources
            shape = (*config.shape(ATTENTION[kind].stack), queries, keys)
            size = int(np.prod(shape))
            maps[kind] = numbers[start : start + size].reshape(shape)
            start += size
        results.append(Decoded(answer["ids"], maps, answer["ms"]))
    assert start == len(numbers)
    return results


def expected(checkpoint: Bundle, source: Sequence[int], written: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The weights of each kind that core records for `written`."""
    trace = trace_ids(checkpoint, source, written, record=("*.weights",))
    return {key: trace.stacked(kind.stack, kind.block, "weights") for key, kind in ATTENTION.items()}


@dataclass
class Agreement:
    """How the engine agrees with core over a number of sentences."""

    sentences: int = 0
    same: int = 0
    gaps: dict[str, float] = field(default_factory=lambda: dict.fromkeys(KINDS, 0.0))
    milliseconds: float = 0.0
    steps: int = 0
    other: list[int] = field(default_factory=list)  # numbers of the sentences whose ids differ


def agreement(checkpoint: Bundle, sources: Sequence[Sequence[int]]) -> Agreement:
    """The engine's greedy decodes of `sources` beside core's, both on the weights as float16."""
    halves, result = rounded_to_halves(checkpoint), Agreement()
    for number, (source, ours) in enumerate(
        zip(sources, decoded(checkpoint, [{"source": list(source)} for source in sources]), strict=True)
    ):
        result.sentences += 1
        result.milliseconds += ours.milliseconds
        result.steps += len(ours.ids)
        if ours.ids != translate_batch(halves.model, [source])[0]:
            result.other.append(number)
            continue
        result.same += 1
        for kind, map_ in expected(halves, source, ours.ids).items():
            result.gaps[kind] = max(result.gaps[kind], gap(map_, ours.maps[kind]))
    return result


def gap(one: NDArray[Any], other: NDArray[Any]) -> float:
    """The largest difference of two arrays of one shape; 0 for empty ones."""
    assert one.shape == other.shape
    return float(np.abs(one - other).max(initial=0.0))


def read(layout: Mapping[str, Any], texts: Iterable[str], rows: Sequence[Sequence[int]] = ()) -> Any:
    """What the page's tokenizer makes of `texts` and of `rows` of ids: `readings`, `texts`, `labels`.

    A reading has the `ids`, or None for a text that is refused, and the `doubtful` characters that the page warns of.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = {"layout": layout, "texts": list(texts), "rows": [list(row) for row in rows]}
        (folder / "tasks.json").write_text(json.dumps(tasks))
        return ran(_READS, folder)
