"""Sends a stream of so many megabytes as a payload, reads it back, and tells how much memory that
took, in KB.

python -m tests.faults.payload_stream FOLDER BUCKETS MEGABYTES
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from hashlib import sha256, shake_128
from pathlib import Path
from typing import Any

import sortkey
from sortkey import Payload
from tests.runtime.payloads.runs import model, run


def peak_kb() -> int:
    """The most memory that this program has had. Linux's ru_maxrss would also count that of the one
    that started it.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024  # macOS counts in bytes
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1])


def stream(megabytes: int, hash: Any) -> Iterator[bytes]:
    """Noise that does not compress, a megabyte at a time, made without a second copy of it."""
    for number in range(megabytes):
        piece = shake_128(b"%d" % number).digest(1 << 20)
        hash.update(piece)
        yield piece


def main(folder: str, buckets: str, megabytes: int) -> None:
    with sortkey.open(folder, objects=buckets) as store:
        store.ensure(model)
        store.create(run("small", iac=Payload.stream(stream(9, sha256()), filename="warm")))
        before = peak_kb()
        sent, got = sha256(), sha256()
        stored = store.create(
            run("large", iac=Payload.stream(stream(megabytes, sent), filename="large.bin"))
        )
        up = peak_kb()
        assert stored.iac is not None
        with store.open_payload(stored.iac) as reader:
            for piece in reader:
                got.update(piece)
        figures = {"before": before, "up": up, "down": peak_kb(), "size": stored.iac.size}
        print(
            json.dumps(
                {
                    **figures,
                    "is_same": sent.digest() == got.digest()
                    and stored.iac.sha256 == sent.hexdigest(),
                }
            )
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
