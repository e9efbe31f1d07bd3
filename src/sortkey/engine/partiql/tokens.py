"""A statement as tokens, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sortkey.engine.partiql.keywords import RESERVED
from sortkey.engine.partiql.syntax import Place
from sortkey.errors import ValidationException

# In upper case, because reserved words are in lower case.
NAME, STRING, NUMBER, ION, END = "NAME", "STRING", "NUMBER", "ION", "END"

_TOKEN = re.compile(
    r"""
      (?P<space>    \s+ | --[^\n]* | /\*.*?\*/ )
    | (?P<number>   (?: [0-9]+ (?: \.[0-9]* )? | \.[0-9]+ ) (?: [eE][+-]?[0-9]+ )? (?![A-Za-z0-9_$]) )
    | (?P<word>     [A-Za-z_$][A-Za-z0-9_$]* )
    | (?P<quoted>   "(?: [^"] | "" )*" )
    | (?P<string>   '(?: [^'] | '' )*' )
    | (?P<ion>      `[^`]*` )
    | (?P<symbol>   <<|>>|<>|<=|>=|!=|\|\||[-+*/%<>=()\[\]{},.:;?@] )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is a reserved word in lower case, a symbol, or one of the kinds above."""

    kind: str
    text: str
    place: Place


def malformed(statement: str) -> ValidationException:
    return ValidationException(f"Statement wasn't well formed, can't be processed: {statement}")


def tokenize(statement: str) -> list[Token]:
    tokens: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(statement):
        match = _TOKEN.match(statement, position)
        if match is None:
            raise malformed(statement)
        text = match[0]
        place = Place(line, position - line_start + 1, len(text))
        if match.lastgroup != "space":
            tokens.append(_token(match.lastgroup or "", text, place))
        if "\n" in text:
            line += text.count("\n")
            line_start = position + text.rindex("\n") + 1
        position = match.end()
    tokens.append(Token(END, "", Place(line, position - line_start + 1, 0)))
    return tokens


def _token(group: str, text: str, place: Place) -> Token:
    match group:
        case "word":
            small = text.lower()
            return Token(small if small in RESERVED else NAME, text, place)
        case "quoted":
            return Token(NAME, text[1:-1].replace('""', '"'), place)
        case "string":
            return Token(STRING, text[1:-1].replace("''", "'"), place)
        case "symbol":
            return Token("<>" if text == "!=" else text, text, place)
        case _:
            return Token(group.upper(), text, place)
