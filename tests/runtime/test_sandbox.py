"""Functions in a process of their own: what they take is limited, and whatever becomes of them, the
caller goes on.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sortkey import Sandbox
from sortkey.errors import MemoryLimitExceeded, ProcessDied, SandboxError, TimeLimitExceeded
from tests.runtime import sandboxed

MEGABYTES = 300


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(memory_bytes=MEGABYTES * 1_000_000, seconds=60)
    yield made
    made.close()


def test_a_function_runs_in_another_process_and_gives_its_result(sandbox: Sandbox) -> None:
    assert sandbox.call(sandboxed.add, 2, 3) == 5
    assert sandbox.call(sandboxed.process_id) != os.getpid()


def test_the_process_is_used_again(sandbox: Sandbox) -> None:
    # Starting one costs more than most calls.
    assert sandbox.call(sandboxed.process_id) == sandbox.call(sandboxed.process_id)


def test_messages_arrive_in_order_while_the_function_runs(sandbox: Sandbox) -> None:
    heard: list[object] = []
    assert sandbox.call(sandboxed.count, 3, on_message=heard.append) == "done"
    assert heard == [0, 1, 2]


def test_an_exception_of_the_function_is_raised_here_with_its_place(sandbox: Sandbox) -> None:
    with pytest.raises(LookupError, match="nothing there") as error:
        sandbox.call(sandboxed.fail, "nothing there")
    assert any("sandboxed.py" in note for note in error.value.__notes__)
    assert sandbox.call(sandboxed.add, 1, 1) == 2


def test_an_exception_that_cannot_be_sent_is_reported_by_name(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="Unpicklable: this and that"):
        sandbox.call(sandboxed.fail_oddly)
    with pytest.raises(SandboxError, match="cannot be sent"):
        sandbox.call(sandboxed.give_a_lambda)


def test_more_memory_than_the_limit_ends_the_call_and_not_the_caller(sandbox: Sandbox) -> None:
    with pytest.raises(MemoryLimitExceeded, match="take_memory needs more than 300 MB of memory"):
        sandbox.call(sandboxed.take_memory, 2000)
    assert sandbox.call(sandboxed.take_memory, 50) == 50_000_000


def test_a_process_that_was_ended_is_replaced(sandbox: Sandbox) -> None:
    # What ran out of memory half way is in no state to go on.
    before = sandbox.call(sandboxed.process_id)
    with pytest.raises(MemoryLimitExceeded):
        sandbox.call(sandboxed.take_memory, 2000)
    assert sandbox.call(sandboxed.process_id) != before


def test_a_process_that_keeps_much_memory_is_replaced() -> None:
    # It would have less than its limit for the next call.
    sandbox = Sandbox(memory_bytes=MEGABYTES * 1_000_000, seconds=60, keep_bytes=100_000_000)
    try:
        assert [sandbox.call(sandboxed.keep_memory, 60) for _ in range(4)] == [1, 2, 1, 2]
    finally:
        sandbox.close()


@pytest.mark.parametrize("function", [sandboxed.run_forever, sandboxed.compute_forever])
def test_longer_than_the_limit_ends_the_call(function: object) -> None:
    # Also inside of one call of C, which holds on to the process.
    sandbox = Sandbox(memory_bytes=MEGABYTES * 1_000_000, seconds=0.5)
    with pytest.raises(TimeLimitExceeded, match=r"_forever took longer than 0\.5 s"):
        sandbox.call(function)  # pyright: ignore[reportArgumentType]
    sandbox.close()


@pytest.mark.parametrize(
    ("function", "why"),
    [(sandboxed.leave, "exit code 7"), (sandboxed.die, "SIGSEGV")],
    ids=["exit", "signal"],
)
def test_a_process_that_dies_is_reported_with_the_reason(
    sandbox: Sandbox, function: object, why: str
) -> None:
    with pytest.raises(ProcessDied, match=why):
        sandbox.call(function)  # pyright: ignore[reportArgumentType]
    assert sandbox.call(sandboxed.add, 1, 1) == 2


def test_what_the_function_prints_is_no_message(sandbox: Sandbox) -> None:
    assert sandbox.call(sandboxed.print_something) == "printed"


class Stop(Exception):
    """As a job that is cancelled."""


def test_the_caller_can_end_a_call_that_runs(sandbox: Sandbox) -> None:
    # `check` is asked again and again: a job that is cancelled, or whose worker is stopped, ends
    # soon.
    pids: list[int] = []

    def check() -> None:
        if pids:
            raise Stop

    with pytest.raises(Stop):
        sandbox.call(sandboxed.announce_and_run_forever, on_message=pids.append, check=check)
    assert not is_running(pids[0])


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_function_of_the_program_itself_is_refused(sandbox: Sandbox) -> None:
    # The other process would look for it in a program of its own.
    with pytest.raises(ValueError, match="must be importable"):
        sandbox.call(lambda: None)


def test_an_idle_process_that_is_gone_is_no_failure(sandbox: Sandbox) -> None:
    # It goes by itself after a while, or somebody killed it.
    pid = sandbox.call(sandboxed.process_id)
    os.kill(pid, signal.SIGKILL)
    assert sandbox.call(sandboxed.process_id) != pid


def test_an_idle_process_goes_by_itself() -> None:
    # A server that analyses once a day should not hold memory for it.
    sandbox = Sandbox(memory_bytes=MEGABYTES * 1_000_000, seconds=60, idle_seconds=0.05)
    watched = os.pidfd_open(sandbox.call(sandboxed.process_id))
    assert select.select([watched], [], [], 60)[0]
    os.close(watched)
    assert sandbox.call(sandboxed.add, 1, 1) == 2
    sandbox.close()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_the_process_ends_with_its_parent(end: signal.Signals) -> None:
    # A server that is stopped must not leave one behind that goes on computing.
    command = [sys.executable, "-m", "tests.runtime.sandbox_parent"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(end)
        assert select.select([child], [], [], 60)[0], "the child goes on without its parent"
        os.close(child)
