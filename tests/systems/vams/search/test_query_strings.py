"""The query strings of clients: what they mean, and what is refused."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from sortkey import Match
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.model import file_document
from sortkey_systems.vams.search.query_strings import query_string_clause


def clause(text: str, operator: str = "OR") -> Match:
    return query_string_clause(
        file_document,
        text,
        general=lambda words: Match.text(words),
        operator="AND" if operator == "AND" else "OR",
    )


A, B, C = (Match.text(word) for word in "abc")
SIZE = "num_filesize"
MEANINGS = {
    "a": A,
    "a b": A | B,
    "a OR b": A | B,
    "a || b": A | B,
    "a AND b": A & B,
    "a && b": A & B,
    "a AND b OR c": Match.any(Match.all(A, B), C),
    "a OR b AND c": Match.any(A, Match.all(B, C)),
    "(a OR b) AND c": Match.all(Match.any(A, B), C),
    "NOT a": ~A,
    "!a": ~A,
    "a -b": Match.all(A, ~B),
    "+a b": A,
    "a AND NOT b": Match.all(A, ~B),
    '"a b"': Match.text('"a b"'),
    f"{SIZE}:5": Match.keyword(SIZE, 5),
    f"{SIZE}:[1 TO 2]": Match.range(SIZE, at_least=1, at_most=2),
    f"{SIZE}:{{1 TO 2}}": Match.range(SIZE, above=1, below=2),
    f"{SIZE}:[* TO 2}}": Match.range(SIZE, below=2),
    f"{SIZE}:[* TO *]": Match.exists(SIZE),
    f"{SIZE}:>=3": Match.range(SIZE, at_least=3),
    f"{SIZE}:*": Match.exists(SIZE),
    f"_exists_:{SIZE}": Match.exists(SIZE),
    "date_lastmodified:[2026-01-01 TO *]": Match.range("date_lastmodified", at_least="2026-01-01"),
    "bool_archived:TRUE": Match.keyword("bool_archived", True),
    "str_databaseid:plant-1": Match.keyword("str_databaseid", "plant-1"),
    "str_databaseid:plant*": Match.prefix("str_databaseid", "plant"),
    r"str_databaseid:a\*": Match.keyword("str_databaseid", "a*"),
    'str_databaseid:"a*"': Match.keyword("str_databaseid", "a*"),
    'str_databaseid:("a" OR b)': Match.keyword("str_databaseid", "a")
    | Match.keyword("str_databaseid", "b"),
    "MD_colour:red": Match.keyword("MD_.colour", "red"),
    r"MD_site\ of\ work:x": Match.keyword("MD_.site of work", "x"),
    "AB_sha:1*": Match.prefix("AB_.sha", "1"),
    "str_assetname:old": Match.phrase("old", ["str_assetname"]),
    "str_asset_version_comment:x": Match.phrase("x", ["str_asset_version_comment"]),
}
REFUSED = {
    "": "too early",
    "a AND": "too early",
    "(a": "too early",
    "a)": "not expected",
    "AND AND": "not expected",
    "a OR": "too early",
    "a AND AND b": "not expected",
    "nothing:x": "not a field",
    f"{SIZE}:x": "is a number",
    "bool_archived:maybe": "true or false",
    "str_databaseid:*a*": "wildcard",
    "str_databaseid:a?b": "wildcard",
    "str_assetid:(str_databaseid:a)": "within the group",
    "a~": "fuzzy",
    "gp_place:x": "places",
    "(" * 60 + "a" + ")" * 60: "nested",
    "NOT " * 500 + "a": "nested",
    " OR ".join(["a"] * 300): "at most 200",
    " ".join("()" for _ in range(3000)): "at most",
    '"a': "cannot be read",
}


@pytest.mark.parametrize("text", MEANINGS)
def test_a_query_string_means_what_its_words_say(text: str) -> None:
    # Filters of clients are written in this language and nowhere else.
    assert clause(text) == MEANINGS[text]


def test_the_default_operator_joins_terms_without_one() -> None:
    assert clause("a b", "AND") == Match.all(A, B)
    assert clause("a b OR c", "AND") == Match.any(Match.all(A, B), C)


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_read_is_refused_with_a_reason(text: str) -> None:
    # A filter that is guessed at shows what it should have hidden.
    with pytest.raises(Invalid, match=REFUSED[text]):
        clause(text)


def test_hostile_texts_are_read_or_refused_in_time() -> None:
    # A filter comes from outside: no text may keep the server busy.
    began = time.process_time()
    for text in ("\\" * 4999, "[" * 4999, '"' * 4999, "a:" * 2499, "[a TO " * 800, "(" * 4999):
        with suppress(Invalid):
            clause(text)
    assert time.process_time() - began < 1
