"""The part of OpenSearch's query_string that clients of VAMS use, as clauses.

    str_databaseid:"plant" AND (list_tags:pump OR num_filesize:[1000 TO *]) AND NOT str_fileext:glb

Values of a field, quoted or with a `*` at the end; groups; AND, OR, NOT, + and -; ranges with [ ]
and { }; > and <; `_exists_:field`. What is not in this list is refused, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sortkey import Document, Match
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.search.fields import exists_clause, range_clause, value_clause

TERMS_MAX = 200
DEPTH_MAX = 10
EXISTS = "_exists_"
OPERATORS = ("AND", "&&", "OR", "||")
Operator = Literal["AND", "OR"]
_TOKEN = re.compile(
    r"""\s*(?:(?P<open>\()|(?P<close>\))
    |(?P<range>[\[{][^\[\]{}"]{1,200}\sTO\s[^\[\]{}"]{1,200}[\]}])
    |"(?P<quoted>(?:[^"\\]|\\.)*)"
    |(?P<field>(?:\w|\\.)(?:[\w.\-]|\\.)*):(?=\S)
    |(?P<sign>[+!-])(?=[^\s])
    |(?P<word>(?:[^\s()"\\]|\\.)+))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_WILDCARD = re.compile(r"\\[*?]")
_BOUNDS = (("at_least", ">="), ("at_most", "<="), ("above", ">"), ("below", "<"))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def query_string_clause(
    document: Document[Any],
    text: str,
    *,
    general: Callable[[str], Match],
    operator: Operator = "OR",
) -> Match:
    """A query string as a clause. `general` makes one of words that name no field."""
    parser = _Parser(document, _tokens(text), general, operator)
    clause = parser.expression(0)
    if parser.token is not None:
        raise Invalid(f"query_string: {parser.token.text!r} is not expected there")
    return clause


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise Invalid(f"query_string: cannot be read from {text[at : at + 20]!r} on")
        if len(tokens) == 4 * TERMS_MAX:
            raise Invalid(f"query_string: use at most {TERMS_MAX} terms")
        tokens.append(_Token(match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return tokens


class _Parser:
    """By recursive descent. AND binds more tightly than OR."""

    def __init__(
        self,
        document: Document[Any],
        tokens: Sequence[_Token],
        general: Callable[[str], Match],
        operator: Operator,
    ) -> None:
        self._document, self._tokens, self._at = document, tokens, 0
        self._general, self._operator = general, operator
        self._terms = 0

    @property
    def token(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def expression(self, depth: int, field: str | None = None) -> Match:
        """Alternatives. Those with + must match, those with - must not."""
        required: list[Match] = []
        excluded: list[Match] = []
        choices: list[Match] = []
        while True:
            sign, clause = self._sequence(depth, field)
            {"+": required, "-": excluded}.get(sign, choices).append(clause)
            if not (self._take_word("OR", "||") or self._begins_term()):
                break
        if choices and not required:
            required = [choices[0] if len(choices) == 1 else Match.any(*choices)]
        clauses = [*required, *excluded]
        return clauses[0] if len(clauses) == 1 else Match.all(*clauses)

    def _sequence(self, depth: int, field: str | None) -> tuple[str, Match]:
        """Terms that must all match. The sign is that of a single one."""
        sign, first = self._term(depth, field)
        clauses = [first]
        while self._take_word("AND", "&&") or (self._operator == "AND" and self._begins_term()):
            clauses.append(self._term(depth, field)[1])
        if len(clauses) == 1:
            return sign, first
        return "", Match.all(*clauses)

    def _term(self, depth: int, field: str | None) -> tuple[str, Match]:
        if depth > DEPTH_MAX:
            raise Invalid(f"query_string: terms are nested more than {DEPTH_MAX} deep")
        if self._take_word("NOT"):
            return "-", ~self._term(depth + 1, field)[1]
        token = self._next()
        if token.kind == "sign":
            clause = self._term(depth + 1, field)[1]
            return ("+", clause) if token.text == "+" else ("-", ~clause)
        if token.kind == "open":
            clause = self.expression(depth + 1, field)
            if self._next().kind != "close":
                raise Invalid("query_string: a ) is missing")
            return "", clause
        if token.kind == "field":
            if field is not None:
                raise Invalid(f"query_string: a field within the group of {field}")
            return self._term(depth + 1, _ESCAPE.sub(r"\1", token.text))
        return "", self._value(token, field)

    def _value(self, token: _Token, field: str | None) -> Match:
        self._terms += 1
        if self._terms > TERMS_MAX:
            raise Invalid(f"query_string: use at most {TERMS_MAX} terms")
        text = _ESCAPE.sub(r"\1", token.text)
        if token.kind == "range" and field is not None:
            return self._range(field, token.text)
        if token.kind not in ("word", "quoted") or (token.kind == "word" and text in OPERATORS):
            raise Invalid(f"query_string: {token.text!r} is not expected there")
        if token.kind == "word" and token.text[-1] == "~":
            raise Invalid("query_string: fuzzy terms are not supported")
        if field is None:
            return self._general(f'"{text}"' if token.kind == "quoted" else text)
        if field == EXISTS:
            return exists_clause(self._document, text)
        if token.kind == "word":
            for side, mark in _BOUNDS:
                if text.startswith(mark):
                    return range_clause(self._document, field, **{side: text.removeprefix(mark)})
        is_quoted = token.kind == "quoted" or _ESCAPED_WILDCARD.search(token.text) is not None
        return value_clause(self._document, field, text, is_quoted=is_quoted)

    def _range(self, field: str, text: str) -> Match:
        low, high = re.split(r"\sTO\s", text[1:-1], maxsplit=1)
        bounds: dict[str, str] = {}
        if low.strip() != "*":
            bounds["at_least" if text[0] == "[" else "above"] = low.strip()
        if high.strip() != "*":
            bounds["at_most" if text[-1] == "]" else "below"] = high.strip()
        return (
            range_clause(self._document, field, **bounds)
            if bounds
            else exists_clause(self._document, field)
        )

    def _next(self) -> _Token:
        token = self.token
        if token is None:
            raise Invalid("query_string: it ends too early")
        self._at += 1
        return token

    def _take_word(self, *words: str) -> bool:
        token = self.token
        if token is not None and token.kind == "word" and token.text in words:
            self._at += 1
            return True
        return False

    def _begins_term(self) -> bool:
        token = self.token
        if token is None or token.kind == "close":
            return False
        return token.kind != "word" or token.text not in OPERATORS
