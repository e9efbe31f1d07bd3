"""Pieces of texts as HTML: the word in the middle, everything else escaped."""

import pytest

from sortkey.runtime.search.highlights import snippet


@pytest.mark.parametrize(
    ("text", "marks", "size", "shown"),
    [
        ("old harbour", [(4, 11)], 160, "old <em>harbour</em>"),
        ("a&b <x>", [(0, 1), (5, 6)], 160, "<em>a</em>&amp;b &lt;<em>x</em>&gt;"),
        ("one two three four five", [(8, 13)], 12, "…<em>three</em> four…"),
        ("one two three four five", [(0, 3)], 12, "<em>one</em> two…"),
        ("one two three four five", [(19, 23)], 12, "…four <em>five</em>"),
        ("x" * 30, [(10, 12)], 9, "…xxx<em>xx</em>xxxx…"),
        ("nothing", [], 160, "nothing"),
        ('say "<script>"', [(0, 3)], 160, "<em>say</em> &quot;&lt;script&gt;&quot;"),
    ],
)
def test_a_snippet_is_the_piece_around_the_first_word(
    text: str, marks: list[tuple[int, int]], size: int, shown: str
) -> None:
    assert snippet(text, marks, size) == shown
