"""Steps by HTTP: the message is posted to a server of the operator's choice.

Beside the message are links to the input. The server may answer with a ZIP archive of outputs, in
folders as those of a step: `files/…`, `previews/…`, `metadata/…`, `auxiliary/…`.
"""

from __future__ import annotations

import http.client
import json
import shutil
import ssl
import tempfile
import time
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from sortkey_systems.vams.runners.pipeline_step import OUTPUTS, PipelineStep
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut, Task

ZIP = "application/zip"
FILES_MAX = 10_000
BYTES_MAX = 4 << 30
"""Of an answer, and of what is in its archive."""
CHUNK_BYTES = 1 << 20
TEXT_CHARACTERS_MAX = 500
CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class HttpRunner:
    """Posts `{"body": {…}, "inputs": [{"path", "url"}]}`. The step succeeds if the answer is 2xx;
    redirects are not followed.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    seconds_max: float = 900.0

    def run(self, task: Task) -> None:
        """Post the message of the step, and store what comes back."""
        inputs = [dict(each) for each in task.input_links()]
        message = {"body": dict(task.body), "inputs": inputs}
        seconds = min(task.seconds, self.seconds_max)
        with tempfile.TemporaryFile() as archive:
            kind = post(self.url, message, self.headers, seconds, archive)
            if kind == ZIP:
                with task.open_folder(False) as step:
                    unpack(archive, step)


def unpack(archive: BinaryIO, step: PipelineStep) -> None:
    """Write the files of an archive into the folders of a step. Raises StepFailed."""
    archive.seek(0)
    try:
        with zipfile.ZipFile(archive) as opened:
            files = [each for each in opened.infolist() if not each.is_dir()]
            if len(files) > FILES_MAX or sum(each.file_size for each in files) > BYTES_MAX:
                raise StepFailed(f"the answer has over {FILES_MAX:,} files or {BYTES_MAX:,} bytes")
            for each in files:
                place, _, path = each.filename.partition("/")
                if place not in OUTPUTS or not path:
                    raise StepFailed(
                        f"the answer has {each.filename[:100]!r}: begin it with one of "
                        f"{', '.join(OUTPUTS)}"
                    )
                with opened.open(each) as source, step.new_file(place, path).open("wb") as file:
                    shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError) as error:
        raise StepFailed(f"the archive of the answer cannot be read: {error}") from None


def post(
    url: str,
    message: Any,
    headers: Mapping[str, str],
    seconds: float,
    answer_to: BinaryIO | None = None,
) -> str:
    """Post JSON. Returns the content type of the answer, whose bytes are written to a file. Raises
    StepFailed unless it is 2xx, and StepTimedOut.
    """
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _connection(parts.scheme, parts.hostname or "", parts.port)
    deadline = time.monotonic() + seconds
    try:
        connection.connect()
        connection.sock.settimeout(seconds)
        all_headers = {"Content-Type": "application/json", **headers}
        connection.request("POST", target, json.dumps(message).encode(), all_headers)
        response = connection.getresponse()
        status, kind = response.status, response.headers.get_content_type()
        is_fine = 200 <= status < 300
        answer = b"" if is_fine else response.read(TEXT_CHARACTERS_MAX)
        if is_fine and answer_to is not None:
            _copy(response, answer_to, deadline)
    except TimeoutError:
        raise StepTimedOut(f"{parts.hostname} did not answer within {seconds:g} s") from None
    except (OSError, http.client.HTTPException) as error:
        raise StepFailed(f"{parts.hostname} could not be asked: {error}") from None
    finally:
        connection.close()
    if not is_fine:
        text = answer.decode("utf-8", "replace")
        raise StepFailed(f"{parts.hostname} answered {status}: {text}")
    return kind


def _copy(source: http.client.HTTPResponse, target: BinaryIO, deadline: float) -> None:
    """Copy an answer as it comes. A server that sends a byte now and then is not waited for."""
    size = 0
    while chunk := source.read1(CHUNK_BYTES):
        if time.monotonic() > deadline:
            raise TimeoutError
        size += len(chunk)
        if size > BYTES_MAX:
            raise StepFailed(f"the answer has more than {BYTES_MAX:,} bytes")
        target.write(chunk)


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=CONNECT_SECONDS, context=context)
    return http.client.HTTPConnection(host, port, timeout=CONNECT_SECONDS)
