"""The adapters of topics that the contract runs over, each opened twice, as two processes would."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortkey.connect.local_topics import LocalTopics
from sortkey.connect.sns_topics import SnsTopics
from sortkey.runtime.topic_hub import MemoryTopics
from sortkey.runtime.topics import Topics


@dataclass
class Place:
    """`ours` and `theirs` open the same place. Where only one process can, they are the same."""

    ours: Topics
    theirs: Topics
    open: Callable[[], Topics]
    keeps_order: bool = True


@contextmanager
def memory() -> Iterator[Place]:
    with MemoryTopics() as topics:
        yield Place(topics, topics, lambda: topics)


@contextmanager
def local(folder: Path) -> Iterator[Place]:
    with LocalTopics(folder) as ours, LocalTopics(folder) as theirs:
        yield Place(ours, theirs, lambda: LocalTopics(folder))


@contextmanager
def sns(endpoint: str) -> Iterator[Place]:
    prefix = f"t{secrets.token_hex(3)}-"

    def connect() -> SnsTopics:
        keys = ("test", "test")
        return SnsTopics(
            "us-east-1", endpoint=endpoint, credentials=keys, prefix=prefix, poll_seconds=1
        )

    with connect() as ours, connect() as theirs:
        yield Place(
            ours, theirs, connect, keeps_order=False
        )  # SNS promises it only for FIFO topics


@contextmanager
def moto_server() -> Iterator[str]:
    """SNS and SQS, emulated by moto over HTTP, on a free port of loopback."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server: Any = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()
