"""A site, and a proxy that answers for every host by itself and notes what it was asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

BODY = b"x" * 100_000


class _Handler(BaseHTTPRequestHandler):
    """A site, and an upstream proxy that answers for every host by itself."""

    seen: list[tuple[str, str, str | None]]

    def do_GET(self) -> None:
        self.seen.append((self.command, self.path, self.headers.get("Proxy-Authorization")))
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.command, self.path, self.headers.get("Proxy-Authorization")))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        authorization = self.headers.get("Proxy-Authorization")
        self.seen.append((self.command, self.path, authorization))
        if authorization is None:
            self.send_error(407)
            return
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        self.wfile.write(b"echo " + self.rfile.readline())
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def upstream() -> Iterator[tuple[int, list[tuple[str, str, str | None]]]]:
    """Its port, and the requests that it has seen: method, target and credentials."""
    handler = type("Handler", (_Handler,), {"seen": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1], handler.seen
        server.shutdown()
