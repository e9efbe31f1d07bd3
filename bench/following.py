"""How long after a write a search finds it: change → handler → searchable, at 500 changes a second.

`python -m bench.following` prints it. Store, worker, index and searcher are threads of one process,
on a folder, as a small business runs them. A searcher asks all the time for what is new, and notes
when it first sees each change.
"""

import tempfile
import threading
import time
from dataclasses import dataclass
from typing import Annotated

import sortkey
from bench.goals import met
from bench.processes import settle
from sortkey import (
    Entity,
    EntitySource,
    Instant,
    Integer,
    Match,
    Search,
    Searchable,
    SearchQuery,
    Store,
    StreamWorker,
    Table,
    Text,
    Updated,
    document,
    follow,
    key,
)

CHANGES_PER_SECOND = 500
SECONDS = 20
WARM_SECONDS = 2
P99_MS_MAX = 200
PATIENCE_SECONDS = 60
LOOK_SECONDS = 0.005
PAGE = 1000

table = Table("bench-notes", key=("name",), stream="NEW_AND_OLD_IMAGES", pitr=False)


class Note(Entity, table=table):
    """A note, of which there are a thousand: most changes replace what the index has."""

    name: str
    number: int
    text: str
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{name}")
    def key(*, name: str):
        """By its name."""


@document(Note, "notes", id="{name}", fields={"number": Integer(), "text": Text()})
def notes(note: Note) -> Searchable:
    return {"number": note.number, "text": note.text}


@dataclass(frozen=True, slots=True)
class Freshness:
    """Milliseconds from before the write to the first search that finds it."""

    changes_per_second: float
    p50_ms: float
    p99_ms: float
    most_ms: float
    unseen: int
    """Changes that were replaced by the next one of their key before a search could see them."""

    @property
    def is_met(self) -> bool:
        return self.p99_ms < P99_MS_MAX and self.changes_per_second > 0.95 * CHANGES_PER_SECOND


def measure(seconds: int = SECONDS) -> Freshness:
    count, warm = CHANGES_PER_SECOND * (seconds + WARM_SECONDS), CHANGES_PER_SECOND * WARM_SECONDS
    settle()
    with (
        tempfile.TemporaryDirectory(prefix="sortkey-following-") as folder,
        sortkey.open(f"{folder}/data") as store,
        sortkey.open_search(notes, f"{folder}/search") as search,
    ):
        store.ensure(table)
        search.ensure()
        seen = dict[int, float]()
        searcher = threading.Thread(target=_search, args=(search, count, seen), daemon=True)
        with StreamWorker(store, [follow(search, EntitySource(store, notes))], name="search"):
            searcher.start()
            written = _write(store, count)
            searcher.join()
    took = sorted(
        seen[number] - at for number, at in enumerate(written) if number >= warm and number in seen
    )
    ms = [1000 * took[min(int(len(took) * share), len(took) - 1)] for share in (0.5, 0.99, 1)]
    rate = (count - warm) / (written[-1] - written[warm])
    return Freshness(rate, *ms, unseen=count - warm - len(took))


def _write(store: Store, count: int) -> list[float]:
    """At a steady pace, whatever the one before took; gives the instants at which each
    write began.
    """
    began, written = time.perf_counter(), list[float]()
    for number in range(count):
        pause = began + number / CHANGES_PER_SECOND - time.perf_counter()
        if pause > 0:
            time.sleep(pause)
        written.append(time.perf_counter())
        store.put(
            Note(
                name=f"note-{number % 1000:03d}", number=number, text=f"the note of change {number}"
            )
        )
    return written


def _search(search: Search[Note], count: int, seen: dict[int, float]) -> None:
    """Until the last change is found. A page has all that is new since the last one."""
    last, end = -1, time.perf_counter() + PATIENCE_SECONDS + count / CHANGES_PER_SECOND
    while last < count - 1 and time.perf_counter() < end:
        new = SearchQuery(Match.range("number", above=last)).sorted_by("number").limit(PAGE)
        hits = search.query(new).hits
        now = time.perf_counter()
        for hit in hits:
            seen[last := hit.fields["number"]] = now
        time.sleep(LOOK_SECONDS)


def markdown(result: Freshness | None = None) -> str:
    """A table of a report."""
    result = result or measure()
    return "\n".join(
        [
            f"| change → handler → searchable, at {result.changes_per_second:.0f} changes a second "
            "| |",
            "|---|---|",
            f"| half of all changes are found within | {result.p50_ms:.0f} ms |",
            f"| 99 of 100 | {result.p99_ms:.0f} ms |",
            f"| all | {result.most_ms:.0f} ms |",
            f"| goal for 99 of 100: less than {P99_MS_MAX} ms | {met(result.is_met)} |",
            "",
        ]
    )


def main() -> None:
    print(markdown())


if __name__ == "__main__":
    main()
