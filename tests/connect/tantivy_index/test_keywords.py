"""Codes of exact values: the order, and the beginnings, are those of the values."""

from hypothesis import given
from hypothesis import strategies as st

from sortkey.connect.tantivy_index.keywords import beginning, decode, encode, name_code

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(TEXTS, TEXTS)
def test_codes_are_in_the_order_of_the_bytes(one: str, other: str) -> None:
    # Pages in the order of a text go on behind a code.
    assert (encode(one) < encode(other)) == (one.encode() < other.encode())


@given(TEXTS)
def test_a_code_gives_its_text_back(text: str) -> None:
    assert decode(encode(text)) == text


@given(TEXTS, TEXTS)
def test_what_begins_with_a_text_is_between_two_codes(begin: str, other: str) -> None:
    # And nothing else is.
    first, last = beginning(begin)
    for text in (other, begin + other, begin):
        assert (first <= encode(text) <= last) == text.startswith(begin)


@given(TEXTS)
def test_codes_are_words_of_the_query_language(text: str) -> None:
    # A bound is put into a query as it is.
    assert encode(text).replace("-", "x").replace("_", "x").isalnum()
    assert encode(text).isascii()
    assert name_code(text).isalnum()
