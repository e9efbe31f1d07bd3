"""The samples of `sortkey up`: each system's own, in a thread, and none in the way of another."""

from __future__ import annotations

import threading
import time

import pytest

import sortkey
from sortkey.cli.samples import Samples
from sortkey_systems.wallcrawler.model import Project, model
from sortkey_systems.wallcrawler.sample import DEFAULT, load


def test_a_sample_that_fails_is_logged_and_the_next_is_loaded(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    # A newcomer shall see what can be seen, and where to look for the rest.
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        samples = Samples({"broken": lambda: 1 / 0, "wallcrawler": lambda: load(store)})
        samples.start()
        end, said = time.monotonic() + 60, ""
        while not said and time.monotonic() < end:
            time.sleep(0.01)
            said = capsys.readouterr().out
        samples.stop()
        assert store.find(Project.key(project_id=DEFAULT)) is not None
    assert said == "  wallcrawler: sample data is loaded\n"
    assert [each.message for each in caplog.records] == [
        "the sample data of broken could not be loaded"
    ]


def test_what_a_sample_has_to_say_is_printed_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    # A key to try the system with is known only when the system runs.
    began = threading.Event()

    def load() -> str:
        began.set()
        return "API key abc"

    samples = Samples({"shop": load})
    samples.start()
    assert began.wait(30)
    samples.stop()
    assert "  shop: sample data is loaded\n  shop: API key abc\n" in capsys.readouterr().out


def test_after_a_stop_no_sample_is_begun(caplog: pytest.LogCaptureFixture) -> None:
    # Ctrl-C in the first second waits for one sample at most. This one would fail, and say so.
    samples = Samples({"broken": lambda: 1 / 0})
    samples.stop()
    samples.start()
    samples.stop()
    assert not caplog.records
