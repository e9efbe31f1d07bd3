"""`/webdriver`: the address that Selenium is given. A header of each command has the token."""

# pyright: reportUnusedFunction=false

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from sortkey.errors import NotConfigured
from sortkey.web import Refused
from sortkey_systems.wallcrawler.addresses import WEBDRIVER_PATH
from sortkey_systems.wallcrawler.connections.gate import Connectable, Gate
from sortkey_systems.wallcrawler.connections.webdriver.driver import Answer
from sortkey_systems.wallcrawler.connections.webdriver.drivers import Drivers, WebDriverError
from sortkey_systems.wallcrawler.session_files import SessionFiles

BODY_BYTES_MAX = 80 << 20
"""A file of 50 MB in base64, and a little."""


class WebDriven(Connectable, Protocol):
    """What WebDriver needs of the service."""

    @property
    def files(self) -> SessionFiles: ...


def webdrivers(service: WebDriven) -> Drivers:
    """The chromedrivers of a service. Close them with it."""

    async def save_upload(session_id: str, name: str, content: bytes) -> None:
        await run_in_threadpool(_save, service.files, session_id, name, content)

    return Drivers(service.browsers.connect, save_upload)


def _save(files: SessionFiles, session_id: str, name: str, content: bytes) -> None:
    with TemporaryDirectory(prefix="wallcrawler-upload-") as folder:
        arrived = Path(folder) / "file"
        arrived.write_bytes(content)
        files.add_upload(session_id, name, arrived)


def add_webdriver(router: APIRouter, gate: Gate, drivers: Drivers) -> None:
    """Add the WebDriver commands to the routes of the system."""

    @router.api_route(
        f"{WEBDRIVER_PATH}/{{path:path}}",
        methods=["GET", "POST", "DELETE"],
        include_in_schema=False,
    )
    async def webdriver(path: str, request: Request) -> Response:
        try:
            session = await gate.session(request)
            body = await _body(request)
            answer = await drivers.command(session.session_id, request.method, f"/{path}", body)
        except Refused as refused:
            problem = WebDriverError(refused.status, "session not created", refused.message)
            answer = Answer(refused.status, problem.body)
        except NotConfigured as missing:
            answer = Answer(501, WebDriverError(501, "session not created", str(missing)).body)
        except WebDriverError as error:
            answer = Answer(error.status, error.body)
        headers = {"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-cache"}
        return Response(answer.body, answer.status, headers)


async def _body(request: Request) -> bytes:
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > BODY_BYTES_MAX:
            raise WebDriverError(
                413, "invalid argument", f"a command has at most {BODY_BYTES_MAX:,} bytes"
            )
    return bytes(parts)
