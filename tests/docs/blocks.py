"""The code of a document: its fenced blocks, each with what the document shows as its output.

The words behind `python` say more: `file=shop.py` is a part of that file, `aws` needs an account
and is only compiled. A `text` block right behind another is what that one prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = ("python", "sh")


@dataclass(frozen=True)
class Block:
    """One block of code. `line` is that of its fence; `shown` is None where the document shows no
    output.
    """

    line: int
    language: str
    words: tuple[str, ...]
    text: str
    shown: str | None


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    found: list[Block] = []
    end = -1
    for match in FENCE.finditer(text):
        language, *words = match["info"].split() or [""]
        line = text.count("\n", 0, match.start()) + 1
        if language == "text" and found and text[end : match.start()].strip() == "":
            last = found.pop()
            found.append(Block(last.line, last.language, last.words, last.text, match["text"]))
        elif language in RUN:
            found.append(Block(line, language, tuple(words), match["text"], None))
        end = match.end()
    return found
