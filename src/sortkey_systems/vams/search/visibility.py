"""What a caller may see, as a clause of the query itself: so hits, totals and facets never count
anything else.

A criterion is a regular expression on one field, which no index can evaluate. So it is tried on the
values that the field has among the documents in question, and becomes the list of those that pass.
Criteria that name their values need no list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from sortkey import Hit, Match, Search
from sortkey_systems.vams.access.criteria import (
    Criterion,
    compile_criterion,
    is_always_true,
    known_criteria,
    literal_beginning,
    literal_values,
)
from sortkey_systems.vams.access.decisions import Rule
from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.search.fields import NOTHING

FIELDS = {
    "databaseId": "str_databaseid",
    "assetName": "str_assetname",
    "assetType": "str_assettype",
    "tags": "list_tags",
}
"""Fields of permissions, and where the documents have them. Those of files have their asset's."""
TAGS = "tags"
VALUES_MAX = 10_000
"""Values in one clause."""
CLAUSES_MAX = 300
"""A caller with more than so many different constraints is answered document by document."""

Verdict = Match | bool
"""A clause, or that it is always or never true."""


@dataclass
class Visibility:
    """Clauses about what one caller may see in one index, among the documents of a query."""

    allows: Sequence[Rule]
    denies: Sequence[Rule]
    may_see: Callable[[AssetObject], bool]
    search: Search[Any]
    where: Match
    _values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def clause(self) -> Match:
        """The documents of the query that the caller may see."""
        allows, denies = _Rules.of(self.allows), _Rules.of(self.denies)
        if allows.weight + denies.weight > CLAUSES_MAX:
            return self._by_documents()
        allowed = self._of_rules(allows, is_deny=False)
        if allowed is False:
            return NOTHING
        denied = self._of_rules(denies, is_deny=True)
        return _clause(all_of([self.where, allowed, not_of(denied)]))

    def shows(self, hit: Hit) -> bool:
        """Whether the caller may see one document: what the clause says, asked again."""
        return self.may_see(object_of(hit))

    def _of_rules(self, rules: _Rules, *, is_deny: bool) -> Verdict:
        named = (one_of(name, values) for name, values in rules.named.items())
        others = (self._of_rule(rule, is_deny=is_deny) for rule in rules.others)
        return any_of(chain(named, others))

    def _of_rule(self, rule: Rule, *, is_deny: bool) -> Verdict:
        all_criteria = known_criteria(rule.object_type, rule.criteria_and)
        one_criteria = known_criteria(rule.object_type, rule.criteria_or)
        if rule.is_unreadable or not (all_criteria or one_criteria):
            return is_deny
        required = [self._of_criterion(each, is_deny=is_deny) for each in all_criteria]
        if one_criteria:
            choices = (self._of_criterion(each, is_deny=is_deny) for each in one_criteria)
            required.append(any_of(choices))
        return all_of(required)

    def _of_criterion(self, criterion: Criterion, *, is_deny: bool) -> Verdict:
        if is_always_true(criterion):
            return True
        name = FIELDS[criterion.field]
        named = literal_values(criterion)
        if named is not None and "" not in named:
            return one_of(name, named)
        beginning = literal_beginning(criterion)
        if beginning:
            return Match.prefix(name, beginning)
        return self._tried(criterion, is_deny=is_deny)

    def _tried(self, criterion: Criterion, *, is_deny: bool) -> Verdict:
        """A criterion that is tried on every value, and on the absence of one."""
        test, name = compile_criterion(criterion, is_deny=is_deny), FIELDS[criterion.field]
        values = self._values_of(name)
        passing = [value for value in values if test(_with(criterion.field, value))]
        passes_nothing = test(_with(criterion.field, None))
        if len(passing) == len(values):
            if passes_nothing:
                return True
            return Match.exists(name) if values else False
        if passes_nothing and criterion.field == TAGS:  # a negative one: no tag may fail
            return not_of(one_of(name, set(values) - set(passing)))
        found = one_of(name, passing)
        return any_of([found, ~Match.exists(name)]) if passes_nothing else found

    def _values_of(self, name: str) -> list[str]:
        if name not in self._values:
            self._values[name] = self.search.values(name, self.where)
        return self._values[name]

    def _by_documents(self) -> Match:
        """Every document is asked about: for constraints that are too many for one query."""
        passing: dict[str, set[str]] = {}
        for hit in self.search.iterate(self.where):
            if self.shows(hit):
                fields = hit.fields
                passing.setdefault(fields["str_databaseid"], set()).add(fields["str_assetid"])
        clauses = [
            all_of([Match.keyword("str_databaseid", database), one_of("str_assetid", ids)])
            for database, ids in passing.items()
        ]
        return _clause(all_of([self.where, any_of(clauses)]))


@dataclass(frozen=True, slots=True)
class _Rules:
    """Constraints of which one has to match."""

    named: dict[str, set[str]]
    """By field of the documents: the values that single criteria name."""
    others: list[Rule]

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> _Rules:
        named: dict[str, set[str]] = {}
        others: list[Rule] = []
        for rule in rules:
            match rule:
                case Rule(criteria_and=(only,), criteria_or=(), is_unreadable=False):
                    values = literal_values(only) if only.field in FIELDS else None
                case _:
                    only, values = None, None
            if only is None or values is None or "" in values:
                others.append(rule)
            else:
                named.setdefault(FIELDS[only.field], set()).update(values)
        others.sort(key=_cost)  # one that matches everything spares the rest
        return cls(named, others)

    @property
    def weight(self) -> int:
        """How many clauses they become."""
        criteria = (len(rule.criteria_and) + len(rule.criteria_or) + 2 for rule in self.others)
        return len(self.named) + sum(criteria)


def _cost(rule: Rule) -> int:
    """How many criteria have to be looked at."""
    criteria = (*rule.criteria_and, *rule.criteria_or)
    return sum(not is_always_true(each) for each in criteria)


def object_of(hit: Hit) -> AssetObject:
    """What permissions know of the asset of a document."""
    fields = hit.fields
    return AssetObject(
        databaseId=fields.get("str_databaseid", ""),
        assetName=fields.get("str_assetname", ""),
        assetType=fields.get("str_assettype", ""),
        tags=tuple(fields.get("list_tags", ())),
    )


def one_of(name: str, values: Iterable[str]) -> Verdict:
    """Documents with one of some values."""
    listed = sorted(set(values))
    clauses = [
        Match.keyword(name, *listed[start : start + VALUES_MAX])
        for start in range(0, len(listed), VALUES_MAX)
    ]
    return any_of(clauses)


def any_of(verdicts: Iterable[Verdict]) -> Verdict:
    """At least one is true. Clauses that name values of the same field become one."""
    clauses: list[Match] = []
    for verdict in verdicts:
        if verdict is True:
            return True
        if verdict is not False:
            clauses.append(verdict)
    return _joined(clauses, False, Match.any)


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """All are true."""
    clauses: list[Match] = []
    for verdict in verdicts:
        if verdict is False:
            return False
        if verdict is not True:
            clauses.append(verdict)
    return _joined(clauses, True, Match.all)


def not_of(verdict: Verdict) -> Verdict:
    """The opposite."""
    return (not verdict) if isinstance(verdict, bool) else ~verdict


def _clause(verdict: Verdict) -> Match:
    if isinstance(verdict, bool):
        return Match.all() if verdict else NOTHING
    return verdict


def _joined(clauses: Sequence[Match], empty: bool, join: Callable[..., Match]) -> Verdict:
    different = list(dict.fromkeys(clauses))
    if not different:
        return empty
    return different[0] if len(different) == 1 else join(*different)


def _with(name: str, value: str | None) -> AssetObject:
    """An object with one value in one field, or with none."""
    if name == TAGS:
        return AssetObject(databaseId="", tags=() if value is None else (value,))
    values: dict[str, Any] = {"databaseId": "", name: value or ""}
    return AssetObject(**values)
