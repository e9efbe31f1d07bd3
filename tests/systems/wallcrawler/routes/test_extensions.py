"""/v1/extensions over HTTP: multipart in, objects out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from tests.systems.wallcrawler.routes.test_sessions import refused
from tests.systems.wallcrawler.served import ONE, Served


def extension(padding: int = 0) -> bytes:
    """The zip of an extension; `padding` bytes do not shrink."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("manifest.json", '{"manifest_version": 3, "name": "T", "version": "1"}')
        archive.writestr("padding", bytes(padding))
    return data.getvalue()


def test_an_extension_is_uploaded_read_and_deleted(without_browsers: Served) -> None:
    # Also one of more than a megabyte, which other routes do not take.
    one = without_browsers.one
    sent = one.post("/v1/extensions", files={"file": ("mine.zip", extension(3 << 20))})
    assert sent.status_code == 200, sent.text
    body = sent.json()
    assert body.keys() == {"id", "createdAt", "updatedAt", "fileName", "projectId"}
    assert (body["fileName"], body["projectId"]) == ("mine.zip", ONE)
    assert one.get(f"/v1/extensions/{body['id']}").json() == body
    refused(without_browsers.other.get(f"/v1/extensions/{body['id']}"), 404)
    assert one.delete(f"/v1/extensions/{body['id']}").status_code == 204
    refused(one.get(f"/v1/extensions/{body['id']}"), 404)
    refused(one.post("/v1/sessions", json={"extensionId": body["id"]}), 404)


def test_what_is_not_an_extension_is_refused(without_browsers: Served) -> None:
    # 415 is what clients of the original expect for a file that is not a zip.
    one = without_browsers.one
    refused(one.post("/v1/extensions", files={"file": ("mine.zip", b"text")}), 415)
    refused(one.post("/v1/extensions", files={"other": ("mine.zip", extension())}), 400)
    refused(one.post("/v1/extensions", json={}), 400)
    refused(one.post("/v1/extensions", data={"file": "text"}), 400)


def test_a_file_that_does_not_say_its_size_is_counted(without_browsers: Served) -> None:
    # Leaving out the length must not be the way to fill the disk.
    def endless() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
        for _ in range(52):
            yield bytes(1 << 20)

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    refused(without_browsers.one.post("/v1/extensions", content=endless(), headers=headers), 413)
