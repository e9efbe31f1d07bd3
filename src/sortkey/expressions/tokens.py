"""Text to tokens, and the message of a syntax error. Keywords may be in any case. White space only
separates.

A token's kind is the token itself for punctuation, the upper-case word for keywords, and else one
of NAME, ALIAS ("#x"), VALUE (":x"), INDEX, UNKNOWN and END.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sortkey.expressions.faults import Fault

NAME, ALIAS, VALUE, INDEX, UNKNOWN, END = "name", "alias", "value", "index", "unknown", "<EOF>"
KEYWORDS = frozenset(("AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"))
COMPARATORS = frozenset(("=", "<>", "<", "<=", ">", ">="))


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """All tokens, the last of kind END. An unknown character is a token too, because the grammar
    reports errors in their order.
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group, word = match.lastgroup or UNKNOWN, match.group()
        if group == "space":
            continue
        if group == "punctuation":
            group = word
        elif group == NAME and word.upper() in KEYWORDS:
            group = word.upper()
        tokens.append(Token(group, word, match.start(), match.end()))
    tokens.append(Token(END, END, len(text), len(text)))
    return tokens


def syntax_error(text: str, tokens: list[Token], position: int) -> Fault:
    """AWS shows the offending token between its neighbours, with the original white space."""
    start = tokens[position - 1].start if position else 0
    following = tokens[min(position + 1, len(tokens) - 1)]
    return Fault(
        f'Syntax error; token: "{tokens[position].text}", near: "{text[start : following.end]}"'
    )


_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<name>[A-Za-z][A-Za-z0-9_]*)
    | (?P<alias>\#[A-Za-z0-9_]+)
    | (?P<value>:[A-Za-z0-9_]+)
    | (?P<index>0|[1-9][0-9]*)
    | (?P<punctuation><>|<=|>=|[=<>()\[\].,+-])
    | (?P<unknown>.)
    """,
    re.VERBOSE | re.DOTALL,
)
