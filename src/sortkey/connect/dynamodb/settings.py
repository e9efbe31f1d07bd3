"""The client's limits, with defaults that suit a service in the same region."""

from __future__ import annotations

from dataclasses import dataclass

from sortkey.errors import NotConfigured


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Times are in seconds. `connect_seconds` and `answer_seconds` are for one attempt."""

    connect_seconds: float = 5.0
    answer_seconds: float = 30.0  # from the request to the last byte of its answer
    attempts_max: int = 10  # of one call, the first included
    idle_max: int = 50  # connections that are kept open unused
    idle_seconds: float = (
        50.0  # then closed: load balancers and NAT drop connections, some silently
    )
    trusted_seconds: float = (
        1.0  # a connection used more recently is not checked before it is used again
    )
    resends: bool = (
        True  # immediate retries over new connections when a used one turns out to be closed
    )
    connections_max: int = (
        100  # concurrent connections of the async client in one event loop; further calls wait
    )
    checksums: bool = True  # compare x-amz-crc32 with the body
    gzip: bool = False  # request compressed answers: fewer bytes, more CPU
    ca_file: str | None = None  # trust these certificates (PEM) in place of the system's

    def __post_init__(self) -> None:
        if self.attempts_max < 1 or self.connections_max < 1 or self.idle_max < 0:
            raise NotConfigured(
                "attempts_max and connections_max must be at least 1, and idle_max at least 0"
            )
        if min(self.connect_seconds, self.answer_seconds) <= 0:
            raise NotConfigured("connect_seconds and answer_seconds must be more than 0")
