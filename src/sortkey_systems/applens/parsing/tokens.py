"""Terraform's text into tokens: one regular expression for most, a scanner for templates and
heredocs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent
from typing import NamedTuple, cast

from sortkey_systems.applens.parsing.syntax import HclError

TEMPLATES_MAX = 25
"""Depth of nested templates."""
TOKENS_MAX = 3_000_000
"""Tokens in one file. Ten megabytes of ordinary Terraform have about two million."""


class Token(NamedTuple):
    """`kind` is `name`, `number`, `text`, `template`, `newline`, `end`, or the operator itself."""

    kind: str
    value: str | list[Part]
    line: int


@dataclass(frozen=True, slots=True)
class Hole:
    """A `${…}` (`mark` is `$`) or a `%{…}` of a template."""

    mark: str
    tokens: list[Token]


Part = str | Hole

_PLAIN = re.compile(
    r"""(?P<space>[ \t\r]+)
    |(?P<newline>\n)
    |(?P<comment>\#[^\n]*|//[^\n]*)
    |(?P<long>/\*)
    |(?P<heredoc><<-?[A-Za-z_][\w-]*[ \t\r]*\n)
    |(?P<name>[^\W\d][\w-]*)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<text>"(?:[^"\\$%\n]++|\\.|\$\$\{|%%\{|[$%](?!\{))*+")
    |(?P<open>")
    |(?P<operator>\.\.\.|=>|==|!=|<=|>=|&&|\|\||[-+*/%!<>=?:.,~()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(["\\nrt]))|([$%])\4\{')
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_TEMPLATE = re.compile(
    r'(?P<plain>(?:[^"\\$%\n]++|\\.|\$\$\{|%%\{|[$%](?!\{))++)|(?P<hole>[$%]\{~?)|(?P<end>")',
    re.DOTALL,
)
_LONG_TEMPLATE = re.compile(
    r"(?P<plain>(?:[^$%]++|\$\$\{|%%\{|[$%](?!\{))++)|(?P<hole>[$%]\{~?)", re.DOTALL
)
# The patterns for texts never go back (`++`): going back needs memory for each letter, hundreds of
# times the text.


def tokens_of(text: str) -> list[Token]:
    """The tokens of a whole file."""
    scanner = _Scanner(text.removeprefix("\ufeff"))
    tokens = scanner.tokens(closing=False)
    tokens.append(
        Token("end", "", scanner.line - text.endswith("\n"))
    )  # there is no line after the last newline
    return tokens


def parts_of(text: str) -> list[Part]:
    """The parts of a standalone template, such as the strings of `.tf.json`."""
    return _Scanner(text).long_template()


class _Scanner:
    line: int

    def __init__(self, text: str, line: int = 1, depth: int = 0) -> None:
        if depth > TEMPLATES_MAX:
            raise HclError(f"templates are nested more than {TEMPLATES_MAX} deep", line)
        self.text = text
        self.position = 0
        self.line = line
        self.depth = depth

    def tokens(self, closing: bool) -> list[Token]:
        """Tokens to the end of the text or, in a template, to the closing brace."""
        tokens: list[Token] = []
        add, match, text, braces = tokens.append, _PLAIN.match, self.text, 0
        while self.position < len(text):
            hit = match(text, self.position)
            if hit is None:
                raise HclError(f"unexpected character {text[self.position]!r}", self.line)
            kind, value, self.position = cast(str, hit.lastgroup), hit.group(), hit.end()
            if kind == "operator":
                braces += (value == "{") - (value == "}")
                if closing and braces < 0:
                    return tokens
                add(Token(value, value, self.line))
            elif kind in ("name", "number"):
                add(Token(kind, value, self.line))
            elif kind == "text":
                add(
                    Token(
                        "text",
                        unescaped(value[1:-1]) if "\\" in value or "{" in value else value[1:-1],
                        self.line,
                    )
                )
            elif kind == "newline":
                add(Token("newline", value, self.line))
                self.line += 1
            elif kind == "long":
                self._comment()
            elif kind == "open":
                add(Token("template", self._quoted(), self.line))
            elif kind == "heredoc":
                add(self._heredoc(value))
            if len(tokens) > TOKENS_MAX:
                raise HclError(
                    f"more than {TOKENS_MAX:,} words and signs: analyse a part of it", self.line
                )
        if closing:
            raise HclError("a template is not closed", self.line)
        return tokens

    def _comment(self) -> None:
        end = self.text.find("*/", self.position)
        if end < 0:
            raise HclError("a comment is not closed", self.line)
        self.line += self.text.count("\n", self.position, end)
        self.position = end + 2

    def _quoted(self) -> list[Part]:
        parts: list[Part] = []
        while hit := _TEMPLATE.match(self.text, self.position):
            self.position = hit.end()
            if hit.lastgroup == "end":
                return parts
            parts.append(
                unescaped(hit.group()) if hit.lastgroup == "plain" else self._hole(hit.group())
            )
        raise HclError("a text is not closed on its line", self.line)

    def long_template(self) -> list[Part]:
        parts: list[Part] = []
        while hit := _LONG_TEMPLATE.match(self.text, self.position):
            self.position = hit.end()
            if hit.lastgroup == "plain":
                parts.append(hit.group().replace("$${", "${").replace("%%{", "%{"))
                self.line += hit.group().count("\n")
            else:
                parts.append(self._hole(hit.group()))
        return parts

    def _hole(self, opening: str) -> Hole:
        inner = _Scanner(self.text, self.line, self.depth + 1)
        inner.position = self.position
        tokens = [token for token in inner.tokens(closing=True) if token.kind != "newline"]
        self.position, self.line = inner.position, inner.line
        tokens.append(Token("end", "", self.line))
        return Hole(opening[0], tokens)

    def _heredoc(self, opening: str) -> Token:
        word = opening.strip().lstrip("<").lstrip("-")
        end = re.compile(rf"^[ \t]*{re.escape(word)}[ \t\r]*$", re.MULTILINE).search(
            self.text, self.position
        )
        if end is None:
            raise HclError(f"the text that begins with {opening.strip()} is not closed", self.line)
        body = self.text[self.position : end.start()]
        inner = _Scanner(
            dedent(body) if opening.startswith("<<-") else body, self.line + 1, self.depth + 1
        )
        token = Token("template", inner.long_template(), self.line)
        self.line += 1 + body.count("\n")
        self.position = end.end()
        return token


def unescaped(text: str) -> str:
    """A text as it is meant: `\\n`, `\\"`, `\\u00e9`, `$${`."""
    if "\\" not in text:
        return text.replace("$${", "${").replace("%%{", "%{")
    return _ESCAPE.sub(_meant, text)


def _meant(escape: re.Match[str]) -> str:
    short, long, letter, mark = escape.groups()
    if letter:
        return _ESCAPES[letter]
    return f"{mark}{{" if mark else chr(min(int(short or long, 16), 0x10FFFF))
