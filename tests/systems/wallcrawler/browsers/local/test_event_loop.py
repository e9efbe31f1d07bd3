"""The event loop of a holder: timers in order, and writes that never block."""

import os
import socket

import pytest

from sortkey_systems.wallcrawler.browsers.local.event_loop import Channel, EventLoop


@pytest.fixture
def loop() -> EventLoop:
    made = EventLoop()
    made.after(10, made.stop)  # a test that waits for nothing ends
    return made


def test_timers_are_called_in_their_order_unless_cancelled(loop: EventLoop) -> None:
    # The steps of an end follow each other by timers; a cancelled one must not kill a browser.
    calls: list[str] = []
    loop.after(0.02, lambda: calls.append("second"))
    loop.after(0.01, lambda: calls.append("first"))
    loop.after(0.015, lambda: calls.append("never")).cancel()
    loop.after(0.03, loop.stop)
    loop.run()
    assert calls == ["first", "second"]


def test_what_a_slow_reader_has_not_taken_waits_and_arrives_whole(loop: EventLoop) -> None:
    # A write that blocks would stop every client of the browser.
    ours, theirs = socket.socketpair()
    data = os.urandom(3_000_000)
    received = bytearray()

    def take(piece: bytes) -> None:
        received.extend(piece)
        if len(received) == len(data):
            loop.stop()

    sender = Channel(loop, ours.detach(), on_data=None, on_closed=loop.stop)
    sender.write(data)
    assert 0 < sender.pending_bytes <= len(data)
    Channel(loop, theirs.detach(), on_data=take, on_closed=loop.stop)
    loop.run()
    assert bytes(received) == data
    assert sender.pending_bytes == 0


def test_the_end_of_the_other_side_is_heard_once(loop: EventLoop) -> None:
    # Cleaning up twice would detach what another client has attached meanwhile.
    ours, theirs = socket.socketpair()
    closed: list[bool] = []
    channel = Channel(
        loop, ours.detach(), on_data=lambda _: None, on_closed=lambda: closed.append(True)
    )
    theirs.close()
    loop.after(0.05, loop.stop)
    loop.run()
    channel.write(b"too late")
    channel.close()
    assert closed == [True]


def test_a_paused_channel_leaves_data_to_its_sender(loop: EventLoop) -> None:
    # That is how back-pressure reaches whoever sends too much.
    ours, theirs = socket.socketpair()
    received: list[bytes] = []
    channel = Channel(loop, ours.detach(), on_data=received.append, on_closed=loop.stop)
    channel.pause()
    theirs.sendall(b"later")
    loop.after(0.02, lambda: received.append(b"nothing yet"))
    loop.after(0.03, channel.resume)
    loop.after(0.06, loop.stop)
    loop.run()
    theirs.close()
    channel.close()
    assert received == [b"nothing yet", b"later"]
