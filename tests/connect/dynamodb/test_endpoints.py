"""TLS: certificates are verified, by the system's authorities or by those that are given, and so
are names.
"""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from sortkey.errors import NotConfigured, Unreachable
from tests.connect.conftest import Connect
from tests.connect.scripted import Act, answer, scripted

DONE = answer(b'{"done":true}')
ACTS: list[Act] = [DONE] * 3


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for `localhost` that signs itself, with its key beside it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: no certificate can be made")
    folder = tmp_path_factory.mktemp("tls")
    made = [
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        folder / "key.pem",
        "-out",
        folder / "cert.pem",
        "-days",
        "2",
    ]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([openssl, "req", "-x509", *made, *name], check=True, capture_output=True)
    return folder / "cert.pem"


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.parent / "key.pem")
    return context


def test_a_certificate_of_a_given_authority_is_trusted(
    connect: Connect, certificate: Path, tls: ssl.SSLContext
) -> None:
    # Companies have authorities of their own. The connection is kept, as without TLS.
    with scripted(ACTS, tls=tls) as server:
        caller = connect(server.url, ca_file=str(certificate))
        assert [caller.call() for _ in range(3)] == [{"done": True}] * 3
    assert server.connections == 1


def test_a_certificate_of_nobody_we_know_is_refused_at_once(
    connect: Connect, tls: ssl.SSLContext
) -> None:
    # Somebody in between, or a wrong setting: either way trying again is of no use, and nothing was
    # sent.
    with scripted(ACTS, tls=tls) as server:
        caller = connect(server.url)
        with pytest.raises(Unreachable, match="not trusted"):
            caller.call()
    assert (server.requests, caller.slept) == ([], [])


def test_a_certificate_for_another_name_is_refused(
    connect: Connect, certificate: Path, tls: ssl.SSLContext
) -> None:
    # A trusted authority may have signed for somebody else.
    with (
        scripted(ACTS, tls=tls) as server,
        pytest.raises(Unreachable, match=r"not trusted.*127\.0\.0\.1"),
    ):
        connect(server.url.replace("localhost", "127.0.0.1"), ca_file=str(certificate)).call()
    assert server.requests == []


def test_a_connection_that_ends_is_replaced(
    connect: Connect, certificate: Path, tls: ssl.SSLContext
) -> None:
    # The end looks different under TLS: with and without a word of farewell.
    with scripted([DONE], [DONE]) as server, scripted([DONE], [DONE], tls=tls) as safe:
        for each in (server, safe):
            caller = connect(each.url, ca_file=str(certificate))
            assert [caller.call(), caller.call()] == [{"done": True}] * 2
            assert (each.connections, caller.slept) == (2, [])


def test_a_server_without_tls_is_unreachable_with_it(connect: Connect) -> None:
    # http in place of https, the other way round: say something, and do not hang.
    with scripted(ACTS) as server, pytest.raises(Unreachable):
        connect(server.url.replace("http:", "https:"), attempts_max=1, connect_seconds=0.3).call()


def test_authorities_that_cannot_be_read_are_a_setting_to_mend(
    connect: Connect, tmp_path: Path
) -> None:
    # At once, and by the file's name.
    with pytest.raises(NotConfigured, match=r"none\.pem"):
        connect("https://localhost", ca_file=str(tmp_path / "none.pem"))
