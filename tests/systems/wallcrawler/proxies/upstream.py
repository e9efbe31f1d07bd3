"""A site, and a proxy that answers for every host by itself and notes what it was asked."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

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


@contextmanager
def tls_site(folder: Path) -> Iterator[int]:
    """The same site over TLS, with a certificate that nobody has signed; gives its port."""
    handler = type("Handler", (_Handler,), {"seen": []})
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "far.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(encoding, form, serialization.NoEncryption())
    path = folder / "site.pem"
    path.write_bytes(secret + certificate.public_bytes(encoding))
    return path
