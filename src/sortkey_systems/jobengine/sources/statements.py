"""A SQL dump as statements, one at a time: it is read line by line and never as a whole.

It knows where a statement ends: strings, comments, dollar quotes, COPY data, GO and DELIMITER. It
does not interpret statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

STATEMENT_CHARACTERS_MAX = 64 * 1024 * 1024

_COPY = re.compile(r"\s*COPY\s.*\sFROM\s+stdin\b", re.IGNORECASE | re.DOTALL)
_DOLLAR = re.compile(r"\$[A-Za-z_]*\$")
_TSQL_START = re.compile(
    r"(INSERT|UPDATE|DELETE|MERGE|TRUNCATE|BULK|EXEC|SET|USE|(CREATE|ALTER|DROP)\s+TABLE)\b",
    re.IGNORECASE,
)
"""In T-SQL scripts nothing separates statements, but each begins a line."""
_TSQL_ROUTINE = re.compile(
    r"\s*(CREATE|ALTER)\s+(OR\s+ALTER\s+)?(PROC|FUNCTION|TRIGGER|VIEW)", re.IGNORECASE
)
"""It is the only statement of its batch: its content is not run."""
_SQLITE_TRIGGER = re.compile(r"\s*CREATE\s+(TEMP(ORARY)?\s+)?TRIGGER\b", re.IGNORECASE)
_TRIGGER_END = re.compile(r";\s*END\s*\Z", re.IGNORECASE)
_PSQL_SETTINGS = re.compile(
    r"\\(connect|c|restrict|unrestrict|set|unset|echo|encoding|pset|timing)\b"
)
_PIECE = re.compile(r"""'|"|`|\[|--|/\*|\#|\$[A-Za-z_]*\$|;""")


class DumpError(Exception):
    """A dump that cannot be split into statements. The message says where."""


@dataclass(slots=True)
class Statement:
    """One statement with its first line; for a COPY from stdin also its data lines, to be read at
    once.
    """

    text: str
    line: int
    data: Iterator[str] | None = None


def statements(lines: Iterable[str], dialect: str) -> Iterator[Statement]:
    """The statements of a dump. The data of a COPY must be read before the next statement."""
    return _Splitter(lines, dialect).split()


@dataclass(slots=True)
class _Splitter:
    lines: Iterable[str]
    dialect: str
    parts: list[str] = field(default_factory=list[str])
    size: int = 0
    first_line: int = 0
    until: str | None = None  # the end of the string or comment that is open
    delimiter: str = ";"

    def split(self) -> Iterator[Statement]:
        numbered = enumerate(self.lines, 1)
        for number, line in numbered:
            if self.until is None and self._is_directive(line):
                yield from self._end()
                if line.startswith("\\") and not _PSQL_SETTINGS.match(
                    line
                ):  # as \\i and \\copy, which bring rows
                    yield Statement(line.strip(), number)
                continue
            if (
                self.dialect == "tsql"
                and self.until is None
                and not self._is_open
                and _TSQL_START.match(line)
            ):
                yield from self._end()
            for text in self._pieces(line, number):
                statement = Statement(text, self.first_line)
                if self.dialect == "postgres" and _COPY.match(text):
                    statement.data = _copy_data(numbered)
                    yield statement
                    with suppress(
                        ValueError
                    ):  # which the reader has reported, or it gave up before
                        for _ in statement.data:
                            """Skip what the reader left."""
                else:
                    yield statement
        yield from self._end()

    def _end(self) -> Iterator[Statement]:
        text = "".join(self.parts).strip()
        self.parts, self.size, self.until = [], 0, None
        if text:
            yield Statement(text, self.first_line)

    def _is_directive(self, line: str) -> bool:
        """Lines for the client: GO ends a batch of T-SQL, DELIMITER is MySQL's, a backslash is
        psql's.
        """
        word = line.strip()
        if self.dialect == "mysql" and word.upper().startswith("DELIMITER "):
            self.delimiter = word.split()[1]
            return True
        if self.dialect == "tsql" and word.upper() == "GO":
            return True
        return self.dialect == "postgres" and not self.size and word.startswith("\\")

    def _pieces(self, line: str, number: int) -> Iterator[str]:
        """The statements that end in this line. The rest of it is kept."""
        at = start = 0
        while at < len(line):
            if self.until is not None:
                at = self._close(line, at)
                continue
            match = _PIECE.search(line, at)
            end = line.find(self.delimiter, at) if self.delimiter != ";" else -1
            if end >= 0 and (match is None or end <= match.start()):
                self._keep(line[start:end], number)
                yield from self._take()
                at = start = end + len(self.delimiter)
            elif match is None:
                break
            elif match[0] == ";" and self.delimiter == ";":
                self._keep(line[start : match.start()], number)
                at = start = match.end()
                if self._is_open:
                    self._keep(";", number)
                else:
                    yield from self._take()
            elif self._is_line_comment(match[0]):
                self._keep(line[start : match.start()] + "\n", number)
                return
            else:
                at = self._open(match)
        self._keep(line[start:], number)

    def _is_line_comment(self, mark: str) -> bool:
        return mark == "--" or (mark == "#" and self.dialect == "mysql")

    def _open(self, match: re.Match[str]) -> int:
        mark = match[0]
        ends = {"'": "'", '"': '"', "`": "`", "/*": "*/"}
        if mark == "[" and self.dialect in ("tsql", "sqlite"):
            self.until = "]"
        elif mark in ends:
            self.until = ends[mark]
        elif self.dialect == "postgres" and _DOLLAR.fullmatch(mark):
            self.until = mark
        return match.end()

    def _close(self, line: str, at: int) -> int:
        """The position after the end of what is open, or the end of the line. A doubled quote
        closes and opens again.
        """
        assert self.until is not None
        while (end := line.find(self.until, at)) >= 0:
            if self.until in "'\"" and self.dialect == "mysql" and _is_escaped(line, end):
                at = end + 1
                continue
            end += len(self.until)
            self.until = None
            return end
        return len(line)

    def _keep(self, text: str, number: int) -> None:
        if not self.size:
            text = text.lstrip()
            self.first_line = number
        if text:
            self.parts.append(text)
            self.size += len(text)
        if self.size > STATEMENT_CHARACTERS_MAX:
            raise DumpError(
                f"the statement of line {self.first_line} is over {STATEMENT_CHARACTERS_MAX} "
                "characters"
            )

    @property
    def _is_open(self) -> bool:
        """Whether a semicolon does not end the statement, because it contains statements."""
        if self.dialect not in ("tsql", "sqlite"):
            return False
        head = "".join(part[:100] for part in self.parts[:3])
        if self.dialect == "tsql":
            return _TSQL_ROUTINE.match(head) is not None
        if not _SQLITE_TRIGGER.match(head):
            return False
        return _TRIGGER_END.search("".join(part[-100:] for part in self.parts[-4:])) is None

    def _take(self) -> Iterator[str]:
        text = "".join(self.parts).strip()
        self.parts, self.size = [], 0
        if text:
            yield text


def _is_escaped(line: str, at: int) -> bool:
    """Whether an odd number of backslashes is before it."""
    before = at
    while before > 0 and line[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _copy_data(numbered: Iterator[tuple[int, str]]) -> Iterator[str]:
    for _, line in numbered:
        if line.rstrip("\r\n") == "\\.":
            return
        yield line
    raise ValueError("the dump ends in the middle of its rows")
