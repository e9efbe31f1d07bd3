"""The reserved words of the developer guide."""

from __future__ import annotations

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import Placeholders
from sortkey.expressions.reserved import RESERVED_WORDS
from sortkey.expressions.tokens import KEYWORDS


def test_there_are_573_of_them():
    # The guide lists as many; a lost one would let an expression pass here that fails on AWS.
    assert len(RESERVED_WORDS) == 573


@pytest.mark.parametrize("word", sorted(RESERVED_WORDS - KEYWORDS))
def test_a_reserved_word_is_refused_in_any_case(word: str):
    for spelling in (word, word.lower(), word.title()):
        with pytest.raises(ValidationException) as refused:
            Placeholders().projection(f"a.{spelling}")
        fault = f"Attribute name is a reserved keyword; reserved keyword: {spelling}"
        assert refused.value.message == f"Invalid ProjectionExpression: {fault}"
