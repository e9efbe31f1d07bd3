"""Where clients reach the parts of a session: one place makes the URLs that answers carry and
routes serve.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

CONNECT_PATH = "/v1/connect"
"""`/v1/connect/{sessionId}` is the WebSocket; http discovery stands below it."""
LIVE_PATH = "/v1/live"
"""`/v1/live/{sessionId}` is the page of the live view, `/v1/live/{sessionId}/ws` its WebSocket."""
WEBDRIVER_PATH = "/webdriver"
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The URLs of one service. `url` is where callers reach its routes, without a slash at
    the end.
    """

    url: str

    def seen_by(self, request_url: str) -> Addresses:
        """The same for a caller who sent a request to this URL. A server that only knows its own
        loopback address is reached under other names too: through a forwarded port, or in a
        network.
        """
        own, asked = urlsplit(self.url), urlsplit(request_url)
        if own.hostname not in LOOPBACK or not asked.netloc:
            return self
        return Addresses(f"{asked.scheme}://{asked.netloc}{own.path}")

    @property
    def ws_url(self) -> str:
        """The same with the scheme of WebSockets."""
        return "ws" + self.url.removeprefix("http")

    def connect(self, session_id: str, signing_key: str) -> str:
        return f"{self.ws_url}{CONNECT_PATH}/{session_id}?{urlencode({'signingKey': signing_key})}"

    def selenium(self) -> str:
        return f"{self.url}{WEBDRIVER_PATH}"

    def live_socket(self, session_id: str, token: str) -> str:
        return f"{self.ws_url}{LIVE_PATH}/{session_id}/ws?{urlencode({'token': token})}"

    def live_page(
        self, session_id: str, token: str, page_id: str | None = None, *, fullscreen: bool = False
    ) -> str:
        """The page of the live view; of one tab, where its CDP target id is given."""
        query = {"token": token, "pageId": page_id, "fullscreen": "1" if fullscreen else None}
        known = {name: value for name, value in query.items() if value is not None}
        return f"{self.url}{LIVE_PATH}/{session_id}?{urlencode(known)}"

    def under(self, path: str, **query: str) -> str:
        """Any other route of the service."""
        return f"{self.url}{quote(path)}" + (f"?{urlencode(query)}" if query else "")
