"""Steps by HTTP: the message is posted to a server of the operator's choice."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut, Task

ANSWER_BYTES_MAX = 1 << 20
TEXT_CHARACTERS_MAX = 500
CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class HttpRunner:
    """Posts `{"body": {…}}`. The step succeeds if the answer is 2xx; redirects are not followed."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    seconds_max: float = 900.0

    def run(self, task: Task) -> None:
        """Post the message of the step."""
        post(self.url, {"body": dict(task.body)}, self.headers, self._seconds(task))

    def _seconds(self, task: Task) -> float:
        return min(task.seconds, self.seconds_max)


def post(url: str, message: Any, headers: Mapping[str, str], seconds: float) -> bytes:
    """Post JSON, and return the answer. Raises StepFailed unless it is 2xx, and StepTimedOut."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _connection(parts.scheme, parts.hostname or "", parts.port)
    try:
        connection.connect()
        connection.sock.settimeout(seconds)
        all_headers = {"Content-Type": "application/json", **headers}
        connection.request("POST", target, json.dumps(message).encode(), all_headers)
        response = connection.getresponse()
        answer = response.read(ANSWER_BYTES_MAX)
        status = response.status
    except TimeoutError:
        raise StepTimedOut(f"{parts.hostname} did not answer within {seconds:g} s") from None
    except (OSError, http.client.HTTPException) as error:
        raise StepFailed(f"{parts.hostname} could not be asked: {error}") from None
    finally:
        connection.close()
    if not 200 <= status < 300:
        text = answer[:TEXT_CHARACTERS_MAX].decode("utf-8", "replace")
        raise StepFailed(f"{parts.hostname} answered {status}: {text}")
    return answer


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=CONNECT_SECONDS, context=context)
    return http.client.HTTPConnection(host, port, timeout=CONNECT_SECONDS)
