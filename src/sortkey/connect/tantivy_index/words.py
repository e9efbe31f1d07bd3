"""Words as tantivy cuts texts into them: letters and digits, without accents, small. And where they
stand in a text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from sortkey.model.field_values import normal_text
from sortkey.runtime.search.matches import PhraseMatch, TextMatch
from sortkey.runtime.search.port import Marked
from sortkey.runtime.search.query_checks import WORD_MAX, counted_words, edits


class Word(NamedTuple):
    """A word of a text: what it is looked up by, and where it stands."""

    text: str
    start: int
    end: int


Test = Callable[[str], bool]


def analyzer() -> TextAnalyzer:
    """Accents go first and capitals second, as in OpenSearch: the other order makes two letters of
    a Turkish İ.
    """
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(WORD_MAX + 1))
    return builder.filter(Filter.ascii_fold()).filter(Filter.lowercase()).build()


class Words:
    """Cuts texts, and marks in them what clauses ask for."""

    def __init__(self) -> None:
        self._analyzer = analyzer()

    def of(self, text: str) -> Sequence[str]:
        return counted_words(self._analyzer.analyze(text))

    def marked(self, text: str, clauses: Sequence[TextMatch | PhraseMatch]) -> Marked | None:
        """The text with the places of the words; None where it has none of them."""
        text = normal_text(text)
        tokens = self._analyzer.pre_tokenize(text).tokens
        words = [Word(token.text, token.char_offset_from, token.char_offset_to) for token in tokens]
        marks = {mark for clause in clauses for mark in self._marks(words, clause)}
        return (text, sorted(marks)) if marks else None

    def _marks(
        self, words: Sequence[Word], clause: TextMatch | PhraseMatch
    ) -> list[tuple[int, int]]:
        wanted = self.of(clause.words)
        if isinstance(clause, PhraseMatch):
            starts = range(len(words) - len(wanted) + 1) if wanted else ()
            at = [n for n in starts if [word.text for word in words[n : n + len(wanted)]] == wanted]
            return [word[1:] for n in at for word in words[n : n + len(wanted)]]
        tests = [_test(word, clause, is_last=n == len(wanted) - 1) for n, word in enumerate(wanted)]
        return [word[1:] for word in words if any(test(word.text) for test in tests)]


def _test(wanted: str, clause: TextMatch, *, is_last: bool) -> Test:
    if clause.begins and is_last:
        return lambda word: word.startswith(wanted)
    if clause.fuzzy and edits(wanted):
        return lambda word: _distance(word, wanted, edits(wanted)) <= edits(wanted)
    return lambda word: word == wanted


def _distance(one: str, other: str, most: int) -> int:
    """Letters to change, add, take away or swap with their neighbours to make one word of the
    other.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, last = list[int](), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
