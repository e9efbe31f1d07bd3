"""Highlights of a text as safe HTML: an excerpt with the words in `<em>`, everything else
escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

SNIPPET = 160
"""The approximate length of an excerpt, in characters."""
CUT = "…"


def snippet(text: str, marks: Sequence[tuple[int, int]], size: int = SNIPPET) -> str:
    """The excerpt of a text around the first matching word."""
    start, end = _window(text, marks[0][0] if marks else 0, size)
    html, at = "", start
    for begin, stop in marks:
        if begin >= end or stop > end:
            break
        if begin >= at:
            html += f"{escape(text[at:begin])}<em>{escape(text[begin:stop])}</em>"
            at = stop
    return (CUT if start else "") + html + escape(text[at:end]) + (CUT if end < len(text) else "")


def _window(text: str, first: int, size: int) -> tuple[int, int]:
    """The bounds of the excerpt: a third of it before the word, and not cut inside a word if a
    blank is near.
    """
    if len(text) <= size:
        return 0, len(text)
    start = max(0, min(first - size // 3, len(text) - size))
    if start and (blank := text.find(" ", start, first)) >= 0:
        start = blank + 1
    end = min(len(text), start + size)
    if end < len(text) and (blank := text.rfind(" ", max(start, first) + size // 3, end)) >= 0:
        end = blank
    return start, end
