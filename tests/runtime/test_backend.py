"""The seam between stores and adapters: everything optional is declared in `Capabilities`."""

from __future__ import annotations

import ast
from pathlib import Path

from sortkey import Store, Table
from sortkey.connect.dynamodb import Client
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.runtime.backend import Capabilities
from sortkey.testing import Faults

SRC = Path(__file__).parents[2] / "src/sortkey"
LOOKED_UP = {
    ("connect/dynamodb/idle.py", "poll"): "Windows has no select.poll",
    ("connect/dynamodb/sockets.py", "register_at_fork"): "Windows does not fork",
    ("runtime/sandbox.py", "__module__"): "a child process imports a function by its name",
    ("runtime/sandbox.py", "__qualname__"): "the same",
    ("runtime/streams/dispatch.py", "runner"): "a thread that is new has none",
    ("runtime/streams/handlers.py", "__name__"): "a callable object has no name",
}
"""Attributes that are looked up by name, with the reason."""

table = Table("followed", key=("pk",), stream="KEYS_ONLY", pitr=False)


def put(backend: EmbeddedBackend, key: str) -> None:
    backend.call("PutItem", {"TableName": table.name, "Item": {"pk": {"S": key}}})


def test_an_engine_in_this_process_tells_of_its_commits(engine: Engine) -> None:
    # So a worker sleeps until there is something to read, and an idle program costs nothing.
    backend, woken = EmbeddedBackend(engine), list[str]()
    Store(backend).ensure(table)
    watch = backend.capabilities.watch
    assert watch is not None
    unwatch = watch(lambda: woken.append("woken"))
    put(backend, "a")
    unwatch()
    put(backend, "b")
    assert woken == ["woken"]


def test_over_a_network_calls_are_made_in_parallel_and_streams_are_polled() -> None:
    # A backfill in one segment would spend its time waiting; AWS tells nobody of commits, and
    # limits the reads.
    with Client("http://127.0.0.1:1") as client:
        assert client.capabilities == Capabilities(parallel_calls=8, poll_seconds=0.25, watch=None)


def test_faults_leave_the_capabilities_of_a_backend_as_they_are(engine: Engine) -> None:
    # A test with faults must take the same paths as the program without them.
    backend = EmbeddedBackend(engine)
    assert Faults().around(backend).capabilities is backend.capabilities


def test_nothing_about_an_adapter_is_looked_up_by_name() -> None:
    # What is found by getattr stands in no protocol: a type checker cannot see it, and a wrapper
    # loses it silently.
    found: set[tuple[str, str]] = set()
    for room in ("runtime", "connect"):
        for path in (SRC / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in ("getattr", "hasattr")
                    and isinstance(name := node.args[1], ast.Constant)
                ):
                    found.add((path.relative_to(SRC).as_posix(), str(name.value)))
    assert found == set(LOOKED_UP)
