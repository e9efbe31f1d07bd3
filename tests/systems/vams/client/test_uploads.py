"""Batches of an upload."""

from __future__ import annotations

from sortkey_systems.vams.client.contents import Content, content_of_bytes
from sortkey_systems.vams.client.uploads import batches


def test_batches_have_at_most_fifty_files_and_two_hundred_parts() -> None:
    # The interface refuses larger starts.
    small = [content_of_bytes(f"/{number}.txt", b"x") for number in range(120)]
    assert [len(batch) for batch in batches(small)] == [50, 50, 20]
    open_never = small[0].open
    large = [Content(f"/{number}.bin", 15_000_000_000, open_never) for number in range(5)]
    assert [len(batch) for batch in batches(large)] == [2, 2, 1]  # 100 parts each


def test_a_file_with_many_parts_has_a_batch_for_itself() -> None:
    # It must not be left out because it is larger than a batch.
    huge = Content("/huge.bin", 300_000_000_000, content_of_bytes("/", b"").open)
    assert [len(batch) for batch in batches([huge, huge])] == [1, 1]
