"""A recording as rrweb events, which players of rrweb show: a document of one image that changes
with every frame.

The pages themselves are not touched: a script in them would slow them down, and pages could see it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from sortkey_systems.wallcrawler.recording.frames import Frame, PageRecording

EVENTS_MAX = 2000
"""Of one page. Of longer recordings, frames are left out evenly."""

# The event types of rrweb.
LOAD, FULL_SNAPSHOT, INCREMENTAL, META = 1, 2, 3, 4
_MUTATION = 0
_DOCUMENT, _DOCTYPE, _ELEMENT = 0, 1, 2
_IMAGE_ID = 6


def events(page: PageRecording) -> Iterator[dict[str, Any]]:
    """The events of one page in the order of their times; without session ids, which the caller
    adds.
    """
    chosen = _thinned(page.frames)
    yield _event(LOAD, page.start_ms, {})
    for number, frame in enumerate(chosen):
        url = next((url for at, url in reversed(page.urls) if at <= frame.time_ms), page.url)
        source = "data:image/jpeg;base64," + b64encode(page.image(frame)).decode()
        if number == 0 or (frame.width, frame.height) != (
            chosen[number - 1].width,
            chosen[number - 1].height,
        ):
            yield _event(
                META, frame.time_ms, {"href": url, "width": frame.width, "height": frame.height}
            )
            yield _event(FULL_SNAPSHOT, frame.time_ms, _document(source, frame))
        else:
            yield _event(INCREMENTAL, frame.time_ms, _changed(source))


def _thinned(frames: list[Frame]) -> list[Frame]:
    if len(frames) <= EVENTS_MAX:
        return frames
    step = len(frames) / EVENTS_MAX
    return [frames[int(number * step)] for number in range(EVENTS_MAX)]


def _event(kind: int, time_ms: int, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "timestamp": time_ms, "data": data}


def _changed(source: str) -> dict[str, Any]:
    attributes = [{"id": _IMAGE_ID, "attributes": {"src": source}}]
    return {"source": _MUTATION, "texts": [], "attributes": attributes, "removes": [], "adds": []}


def _document(source: str, frame: Frame) -> dict[str, Any]:
    style = f"width:{frame.width}px;height:{frame.height}px;display:block"
    image = _element(_IMAGE_ID, "img", {"src": source, "style": style})
    body = _element(5, "body", {"style": "margin:0"}, image)
    root = _element(3, "html", {}, _element(4, "head", {}), body)
    doctype = {"type": _DOCTYPE, "id": 2, "name": "html", "publicId": "", "systemId": ""}
    node = {"type": _DOCUMENT, "id": 1, "childNodes": [doctype, root]}
    return {"node": node, "initialOffset": {"top": 0, "left": 0}}


def _element(
    number: int, tag: str, attributes: dict[str, str], *children: dict[str, Any]
) -> dict[str, Any]:
    return {
        "type": _ELEMENT,
        "id": number,
        "tagName": tag,
        "attributes": attributes,
        "childNodes": list(children),
    }
