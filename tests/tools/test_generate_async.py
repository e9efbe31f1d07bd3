"""The async twins: what is awaited, what becomes `async def`, and what stays as it is."""

from __future__ import annotations

import inspect

import pytest

import sortkey
from sortkey import AsyncStore, Store
from tools.generate_async import main, twins

SOURCE = '''
class Store(Upkeep):
    """Runs operations."""

    def run(self, steps: Steps[T]) -> T: ...

    def get(self, key):
        """The é under a key."""
        return read(key, self._call("é"), self.run)

    def each(self) -> Iterator[int]:
        # A lambda hands the awaitable on.
        return parallel_segments.in_threads(lambda number: self.run(number))

    def sign(self):
        return "self.run()"

    def __enter__(self) -> Store:
        return self
'''
TWIN = '''
class AsyncStore(AsyncUpkeep):
    """`Store`, awaited. Runs operations."""

    async def run(self, steps: Steps[T]) -> T: ...

    async def get(self, key):
        """The é under a key."""
        return read(key, await self._call("é"), self.run)

    async def each(self) -> AsyncIterator[int]:
        # A lambda hands the awaitable on.
        return await parallel_segments.in_tasks(lambda number: self.run(number))

    def sign(self):
        return "self.run()"

    async def __aenter__(self) -> AsyncStore:
        return self
'''


def test_a_twin_awaits_what_waits_and_nothing_else() -> None:
    # An await too few is a coroutine that nobody runs; one too many is a TypeError in somebody's
    # program.
    assert twins(SOURCE) == [TWIN.strip()]


def test_what_cannot_be_awaited_as_it_stands_is_refused() -> None:
    # `await self.run(steps).first` awaits the attribute, and not the call.
    with pytest.raises(SystemExit, match="give the result a name"):
        twins("def audit(self):\n    '''Doc.'''\n    return self.run(steps).first")


def test_the_files_are_what_their_sources_give() -> None:
    # Whoever edits a generated file by hand loses the change with the next `make format`.
    assert main(["--check"]) == 0


def test_an_async_store_takes_the_same_arguments() -> None:
    # The reference lists the methods once, for both.
    for name, method in inspect.getmembers(Store, inspect.isfunction):
        if name.startswith("_"):
            continue
        ours, twin = inspect.signature(method), inspect.signature(getattr(AsyncStore, name))
        assert list(ours.parameters) == list(twin.parameters), name
    assert list(inspect.signature(sortkey.audit).parameters) == list(
        inspect.signature(sortkey.audit_async).parameters
    )
