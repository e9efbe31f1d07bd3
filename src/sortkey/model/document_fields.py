"""The fields of a document: those it declares, and rules for other fields by name.

A field that is neither declared nor covered by a rule is refused: an index that guessed its type
would keep that type for good.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.field_kinds import FieldKind, Flat
from sortkey.model.field_values import in_normal_text, without_long

Fields = dict[str, Any]
"""The fields of one document, by their names."""

NAME_MAX = 200
REMEMBERED_MAX = 1000
"""Undeclared names whose rule is remembered."""
OURS = "sortkey_"
"""The prefix of fields that the adapters add to an index."""
_NOT_IN_NAMES = re.compile(r'[.*"\\\0]')
_RESERVED = re.compile(
    "_(doc_count|field_names|id|ignored|index|nested_path|primary_term|routing|seq_no|size|source|type|version)"
)
"""Names of OpenSearch's own fields."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """The kind of undeclared fields whose names match a pattern such as `num_*`. With None as kind
    they are left out.

    `name` is the name of its dynamic template in an OpenSearch index.
    """

    pattern: str
    kind: FieldKind | None
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str) or "*" not in self.pattern:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(
                f"the rule {self.pattern!r} needs a * where names may differ; declare a single name"
            )
        if self.kind is not None:
            check_kind(self.pattern, self.kind)

    def fits(self, name: str) -> bool:
        return _compiled(self.pattern).fullmatch(name) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


class DocumentFields(Mapping[str, FieldKind]):
    """The declared fields and their kinds, in order. `kind_of` also knows fields covered by
    rules.
    """

    def __init__(self, declared: Mapping[str, FieldKind], rules: Sequence[FieldRule] = ()) -> None:
        _check_declared(declared)
        _check_rules(rules)
        self._declared, self.rules = dict(declared), tuple(rules)
        self._undeclared: dict[str, FieldKind | None] = {}

    def __getitem__(self, name: str) -> FieldKind:
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def kind_of(self, name: str) -> FieldKind | None:
        """The kind of a field, or None if it is left out. Raises ModelError for an unknown
        field.
        """
        kind = self._declared.get(name)
        if kind is not None:
            return kind
        if name in self._undeclared:
            return self._undeclared[name]
        for rule in self.rules:
            if rule.fits(name):
                if rule.kind is not None:
                    check_name(name)
                if len(self._undeclared) < REMEMBERED_MAX:
                    self._undeclared[name] = rule.kind
                return rule.kind
        patterns = "".join(f", {rule.pattern}" for rule in self.rules if rule.kind is not None)
        raise ModelError(
            f"{name!r} is not declared; there are {', '.join(self._declared)}{patterns}"
        )

    def at(self, path: str) -> tuple[FieldKind, str]:
        """The kind of a field and the path within it, for queries: `attributes.colour` is (Flat(),
        "colour").
        """
        name, dot, inner = path.partition(".")
        kind = self.kind_of(name)
        if kind is None:
            raise ModelError(f"{name!r} is not indexed and cannot be searched")
        if dot and not (inner and isinstance(kind, Flat)):
            raise ModelError(
                f"{path!r} is not a field: only fields declared as Flat() have members"
            )
        return kind, inner

    def normal(self, fields: Mapping[str, Any]) -> Fields:
        """The fields of a document in their normal form, without empty and left-out fields."""
        result: Fields = {}
        forms, name = self._forms, ""
        try:
            for name, value in fields.items():
                form = forms.get(name)
                if form is None:
                    if (kind := self.kind_of(name)) is None:
                        continue
                    form = kind.form
                if value is not None and (formed := form(value)) is not None:
                    result[name] = formed
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from None
        return result

    def still_known(self, stored: Fields) -> Fields:
        """The fields of a stored document that still fit, after the declaration has changed."""
        result: Fields = {}
        for name, value in stored.items():
            try:
                result |= self.normal({name: value})
            except ModelError:
                # Another kind now, or gone: a rebuild from the source fills what this cannot.
                continue
        return result

    def indexable(self, fields: Fields) -> Fields:
        """Normal fields as they are indexed: in one Unicode form, and without overlong texts in
        flat objects.
        """
        result: Fields = {}
        for name, value in fields.items():
            spelled = in_normal_text(value)
            result[name] = (
                without_long(spelled) if isinstance(self.kind_of(name), Flat) else spelled
            )
        return result

    @cached_property
    def signature(self) -> dict[str, Any]:
        """The declaration as JSON. An index stores it, and is rebuilt when it no longer matches."""
        return {
            "fields": {name: kind.signature for name, kind in self._declared.items()},
            "rules": [
                [rule.pattern, rule.kind and rule.kind.signature, rule.name] for rule in self.rules
            ],
        }

    @cached_property
    def _forms(self) -> dict[str, Callable[[Any], Any]]:
        return {name: kind.form for name, kind in self._declared.items()}


def check_name(name: str) -> None:
    """Raise ModelError for a name that some index does not allow."""
    if not name.strip() or len(name) > NAME_MAX or _NOT_IN_NAMES.search(name):
        raise ModelError(
            f"{name!r} cannot be the name of a field: 1 to {NAME_MAX} characters without dots, "
            "stars, double quotes"
            " and backslashes"
        )
    if name.startswith("-"):
        raise ModelError(
            f"{name!r} cannot be the name of a field: a leading minus means a descending order"
        )
    if name.startswith(OURS) or _RESERVED.fullmatch(name):
        raise ModelError(
            f"{name!r} cannot be the name of a field: the index has one of that name for itself"
        )


def check_kind(name: str, kind: object) -> None:
    """Raise ModelError for what is not a kind, as `Text` for `Text()`."""
    if isinstance(kind, type) and issubclass(kind, FieldKind):
        raise ModelError(f"{name}: write {kind.__name__}(), with parentheses")
    if not isinstance(kind, FieldKind) or type(kind) is FieldKind:
        raise ModelError(
            f"{name}: {kind!r} is not a kind of field: use Text(), Keyword(), Number(), Date(), …"
        )


def _check_declared(declared: object) -> None:
    if not isinstance(declared, Mapping):
        raise ModelError(
            f'fields={declared!r} does not say what the fields hold: write {{"title": Text(), …}}'
        )
    if not declared:
        raise ModelError("a document needs fields")
    for name, kind in declared.items():  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(name, str):
            raise ModelError(f"{name!r} cannot be the name of a field: it must be a text")
        check_name(name)
        check_kind(name, kind)  # pyright: ignore[reportUnknownArgumentType]


def _check_rules(rules: Sequence[object]) -> None:
    patterns, names = set[str](), set[str]()
    for rule in rules:
        if not isinstance(rule, FieldRule):
            raise ModelError(f'{rule!r} is not a rule: write FieldRule("num_*", Integer())')
        if rule.pattern in patterns:
            raise ModelError(f"two rules have the pattern {rule.pattern}")
        if rule.name and rule.name in names:
            raise ModelError(f"two rules have the name {rule.name}")
        patterns.add(rule.pattern)
        names.add(rule.name)
