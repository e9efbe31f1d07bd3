"""The nursery: a small process that has loaded the holder's code once and forks a holder for each
browser.

So a holder starts in milliseconds and shares most of its memory. The server starts the nursery and
speaks to it over standard input, a socket: a frame with a folder for each holder, answered with its
process id. The nursery ends when the server does; its holders go on.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import traceback

from sortkey_systems.wallcrawler.browsers.local.holder import run_holder
from sortkey_systems.wallcrawler.browsers.local.listener import bind_listener
from sortkey_systems.wallcrawler.browsers.protocol import SOCKET, FrameReader, json_frame

READ_BYTES = 64 * 1024


def main() -> None:
    """Serve the socket at standard input until the server closes it."""
    server = socket.socket(fileno=os.dup(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # holders that end are not waited for
    os.umask(0o077)
    gc.collect()
    gc.freeze()  # the collector would write to every object, and so copy every page in each holder
    reader = FrameReader()
    while data := server.recv(READ_BYTES):
        for payload in reader.feed(data):
            server.sendall(json_frame(_answer(server, json.loads(payload)["folder"])))


def _answer(server: socket.socket, folder: str) -> dict[str, int | str]:
    try:
        return {"pid": _fork_holder(server, folder)}
    except OSError as error:
        return {"error": f"the holder cannot be started: {error}"}


def _fork_holder(server: socket.socket, folder: str) -> int:
    """The socket is there when the server gets its answer, so it can connect at once."""
    os.chdir(folder)  # the path of a socket has 108 bytes at most
    listener = bind_listener(SOCKET)
    os.chdir("/")
    pid = os.fork()
    if pid:
        listener.close()
        return pid
    try:
        server.close()
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        run_holder(folder, listener)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
