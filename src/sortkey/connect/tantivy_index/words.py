"""Words as tantivy tokenizes them: letters and digits, without accents, in lower case. Also finds
their positions in a text.
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
    """A word of a text: its indexed form and its position."""

    text: str
    start: int
    end: int


Test = Callable[[str], bool]


def analyzer() -> TextAnalyzer:
    """Removes accents first, then lowers case, as in OpenSearch: the other order makes two letters
    of a Turkish İ.
    """
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(WORD_MAX + 1))
    return builder.filter(Filter.ascii_fold()).filter(Filter.lowercase()).build()


class Words:
    """Splits texts into words, and marks the words that clauses match."""

    def __init__(self) -> None:
        self._analyzer = analyzer()

    def of(self, text: str) -> Sequence[str]:
        return counted_words(self._analyzer.analyze(text))

    def marked(self, text: str, clauses: Sequence[TextMatch | PhraseMatch]) -> Marked | None:
        """The text with the positions of the matching words, or None if there are none."""
        text = normal_text(text)
        tokens = self._analyzer.pre_tokenize(text).tokens
        words = [Word(token.text, token.char_offset_from, token.char_offset_to) for token in tokens]
        marks = {mark for clause in clauses for mark in self._marks(words, clause)}
        return (text, sorted(marks)) if marks else None

    def _marks(
        self, words: Sequence[Word], clause: TextMatch | PhraseMatch
    ) -> list[tuple[int, int]]:
        query_words = self.of(clause.words)
        if isinstance(clause, PhraseMatch):
            starts = range(len(words) - len(query_words) + 1) if query_words else ()
            at = [
                n
                for n in starts
                if [word.text for word in words[n : n + len(query_words)]] == query_words
            ]
            return [word[1:] for n in at for word in words[n : n + len(query_words)]]
        tests = [
            _test(word, clause, is_last=n == len(query_words) - 1)
            for n, word in enumerate(query_words)
        ]
        return [word[1:] for word in words if any(test(word.text) for test in tests)]


def _test(query_word: str, clause: TextMatch, *, is_last: bool) -> Test:
    if clause.begins and is_last:
        return lambda word: word.startswith(query_word)
    if clause.fuzzy and edits(query_word):
        return lambda word: _distance(word, query_word, edits(query_word)) <= edits(query_word)
    return lambda word: word == query_word


def _distance(one: str, other: str, most: int) -> int:
    """The edit distance of two words: letters changed, added, removed or swapped with a
    neighbour.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, last = list[int](), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, other_letter in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other_letter))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == other_letter:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
