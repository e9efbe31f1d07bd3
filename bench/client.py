"""The smallest DynamoDB client: one keep-alive connection, unsigned, to fill tables and to time
first answers.
"""

import http.client
import json
from typing import Any

HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0",
}


class Client:
    """Sends requests to one server; an answer other than 200 is an error that carries the body."""

    def __init__(self, port: int, timeout_seconds: float = 300) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_seconds)

    def call(self, operation: str, request: dict[str, Any] | str) -> dict[str, Any]:
        body = request if isinstance(request, str) else json.dumps(request)
        headers = HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        self._connection.request("POST", "/", body, headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise RuntimeError(f"{operation}: {response.status} {answer.decode()}")
        return json.loads(answer)

    def close(self) -> None:
        self._connection.close()
