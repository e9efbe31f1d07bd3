"""Functions that tests run in a limited process: each does one thing that a server must survive."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable


def add(left: int, right: int) -> int:
    return left + right


def process_id() -> int:
    return os.getpid()


def take_memory(megabytes: int) -> int:
    """Take so much memory, and leave it again."""
    return len(bytearray(megabytes * 1_000_000))


def keep_memory(megabytes: int, kept: list[bytes] = []) -> int:  # noqa: B006  # kept from call to call on purpose
    """Take memory that is filled and stays taken."""
    kept.append(b"x" * (megabytes * 1_000_000))
    return len(kept)


def run_forever() -> None:
    while True:
        time.sleep(0.01)


def compute_forever() -> None:
    """In one call of C, which no other thread of the process interrupts."""
    re.match(r"(a|aa)+$", "a" * 100 + "b")


def announce_and_run_forever(send: Callable[[object], None]) -> None:
    send(os.getpid())
    run_forever()


def count(to: int, send: Callable[[object], None]) -> str:
    for number in range(to):
        send(number)
    return "done"


def fail(message: str) -> None:
    raise LookupError(message)


class Unpicklable(Exception):
    """An exception that cannot be made again from its arguments."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(f"{left} and {right}")


def fail_oddly() -> None:
    raise Unpicklable("this", "that")


def give_a_lambda() -> object:
    return lambda: None


def leave() -> None:
    os._exit(7)


def die() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def print_something() -> str:
    os.write(1, b"not a message of the protocol\n")
    return "printed"
