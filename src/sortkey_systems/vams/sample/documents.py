"""A PDF with one page of text, small enough to read in an editor."""

from __future__ import annotations

from collections.abc import Sequence

PAGE = (595, 842)
FONT_SIZE, LINE_HEIGHT = 11, 16


def pdf(title: str, lines: Sequence[str]) -> bytes:
    """A page with a title and lines. Letters are those of Latin-1."""
    text = ["BT", "/F1 18 Tf", "56 780 Td", f"({_escaped(title)}) Tj", f"/F1 {FONT_SIZE} Tf"]
    for number, line in enumerate(lines):
        text += [f"0 -{LINE_HEIGHT * (2 if number == 0 else 1)} Td", f"({_escaped(line)}) Tj"]
    content = "\n".join([*text, "ET"]).encode("latin-1", "replace")
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE[0]} {PAGE[1]}] "
        "/Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>"
    )
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page.encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            font,
        ]
    )


def _file(objects: Sequence[bytes]) -> bytes:
    """Objects with the table of where each begins."""
    data, offsets = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    begin = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        begin,
    )
    return bytes(data)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
