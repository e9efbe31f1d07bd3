"""Payloads of 10 MB against a plain copy of a file with fsync: written and read through a store
with a folder.

`python -m bench.objects` prints the ratios. Ours also hashes, keeps versions and metadata, writes
the pointer into the item, and checks what it reads. The rounds are interleaved, so that all see the
disk as it is at that moment.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated

import sortkey
from bench.goals import met
from sortkey import Entity, KeyOnly, Payload, StoredIn, Table, key

SIZE_BYTES = 10 << 20
ROUNDS = 40
RATIO_MIN = 0.7

table = Table("bench-payloads", key=("PK",), pitr=False)


class File(Entity, table=table):
    """One file."""

    name: KeyOnly[str]
    data: Annotated[Payload[bytes] | None, StoredIn("files", "{name}")] = None

    @key("{name}")
    def key(*, name: str):
        """By its name."""


@dataclass
class Result:
    """Milliseconds of each round, by what was done."""

    ms: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def ratio(self, what: str) -> float:
        """How fast it is, where the plain copy is 1."""
        return median(self.ms["copy"]) / median(self.ms[what])


def measure(rounds: int = ROUNDS, size_bytes: int = SIZE_BYTES) -> Result:
    """Write and read noise, and text that packs well."""
    result = Result()
    noise, text = (
        os.urandom(size_bytes),
        (b'{"id": "aws_lambda_function.orders", "edges": [1, 2, 3]}\n' * (size_bytes // 50)),
    )
    with tempfile.TemporaryDirectory(prefix="sortkey-objects-") as name:
        folder = Path(name)
        (folder / "source").write_bytes(noise)
        with sortkey.open(folder / "data", objects=folder / "buckets" / "{bucket}") as store:
            store.ensure(table)
            for number in range(rounds):
                _timed(result, "copy", lambda: _copy(folder))
                for what, data in (("", noise), (", packed", text[:size_bytes])):
                    entity = File(name=f"{number}{what}", data=Payload(data))
                    made = _timed(
                        result, f"write{what}", lambda entity=entity: store.create(entity)
                    )
                    _timed(result, f"read{what}", lambda made=made: store.load(made.data))
                    store.delete(made)
    return result


def _copy(folder: Path) -> None:
    target = folder / "target"
    shutil.copyfile(folder / "source", target)
    with target.open("rb+") as file:
        os.fsync(file.fileno())
    target.unlink()


def _timed(result: Result, what: str, function: Callable[[], object]) -> object:
    began = time.perf_counter()
    done = function()
    result.ms.setdefault(what, []).append((time.perf_counter() - began) * 1000)
    return done


def markdown(result: Result | None = None) -> str:
    """The section of a report."""
    result = result or measure()
    rounds = len(result.ms["copy"])
    lines = [
        "## Payloads",
        "",
        f"{SIZE_BYTES >> 20} MB each, through a store on a folder, beside a plain copy of a file "
        "with fsync: the",
        f"median of {rounds} rounds. Ours also hashes, keeps versions, writes the pointer, and "
        "checks what it reads.",
        "",
        "| | time | of the copy's speed | at least | |",
        "|" + "---|" * 5,
        f"| plain copy with fsync | {median(result.ms['copy']):.1f} ms | 1× | – | |",
    ]
    for what in ("write", "read"):
        ratio = result.ratio(what)
        lines.append(f"{_row(result, what)} {RATIO_MIN}× | {met(ratio >= RATIO_MIN)} |")
    lines += [f"{_row(result, what)} – | |" for what in ("write, packed", "read, packed")]
    return "\n".join(lines) + "\n"


def _row(result: Result, what: str) -> str:
    return f"| {what} | {median(result.ms[what]):.1f} ms | {result.ratio(what):.2f}× |"


if __name__ == "__main__":
    print(markdown())
