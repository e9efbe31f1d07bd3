"""Random expressions with their placeholders: conditions, updates, projections, key conditions."""

import random
from typing import Any

from tests.oracle.random_tables import PLAIN, Table
from tests.oracle.random_values import scalar, value, wrong

_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_RESERVED = {"status", "name"}


class Expressions:
    """Builds the expressions of one request; names and values that they use collect here."""

    def __init__(self, table: Table, source: random.Random) -> None:
        self.table, self.source = table, source
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def placeholders(self) -> dict[str, Any]:
        """The request members that go with the texts; one time in sixty one too many."""
        if self.names and self.source.random() < 0.015:
            self.names["#unused"] = "a"
        if self.values and self.source.random() < 0.015:
            self.values[":unused"] = {"S": "a"}
        members: dict[str, Any] = {}
        if self.names:
            members["ExpressionAttributeNames"] = self.names
        if self.values:
            members["ExpressionAttributeValues"] = self.values
        return members

    def condition(self, depth: int = 0, plain_only: bool = False) -> str:
        roll = self.source.random()
        if depth < 2 and roll < 0.35:
            word = self.source.choice(("AND", "OR", "and"))
            both = (
                f"{self.condition(depth + 1, plain_only)} {word} "
                f"{self.condition(depth + 1, plain_only)}"
            )
            return f"({both})" if self.source.random() < 0.5 else both
        if depth < 2 and roll < 0.42:
            return f"NOT {self.condition(depth + 1, plain_only)}"
        return self._predicate(self._attribute(plain_only))

    def projection(self) -> str:
        return ", ".join(self.path(self._attribute()) for _ in range(self.source.randint(1, 3)))

    def update(self) -> str:
        # Distinct attributes, so that paths seldom overlap; overlaps have their own table of cases.
        attributes = self.source.sample([*PLAIN, *self._index_attributes()], 4)
        clauses: dict[str, list[str]] = {}
        for attribute in attributes[: self.source.randint(1, 4)]:
            word = self.source.choice(("SET", "SET", "SET", "REMOVE", "ADD", "DELETE"))
            clauses.setdefault(word, []).append(self._action(word, attribute))
        if self.source.random() < 0.02:
            clauses.setdefault("SET", []).append(f"{self.name('pk')} = {self.value({'S': 'a'})}")
        return " ".join(f"{word} {', '.join(actions)}" for word, actions in clauses.items())

    def key_condition(self, hash_name: str, sort_name: str | None) -> str:
        terms = [
            f"{self.name(hash_name)} = "
            f"{self.value(scalar(self.source, self.table.types[hash_name]))}"
        ]
        if sort_name and self.source.random() < 0.6:
            terms.append(self._sort_condition(sort_name))
        if self.source.random() < 0.1:
            terms.reverse()
        return " AND ".join(terms)

    def path(self, attribute: str) -> str:
        text = self.name(attribute)
        while self.source.random() < (0.5 if attribute in "ml" else 0.06):
            text += self.source.choice((".a", ".b", f".{self.name('x')}", "[0]", "[1]"))
        return text

    def name(self, attribute: str) -> str:
        use_placeholder = attribute in _RESERVED or self.source.random() < 0.3
        if not use_placeholder or self.source.random() < 0.005:
            return attribute
        placeholder = f"#{attribute}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, given: dict[str, Any] | None = None) -> str:
        if given is None:
            given = value(self.source) if self.source.random() < 0.99 else wrong(self.source)
        placeholder = f":v{len(self.values)}"
        if self.source.random() >= 0.005:
            self.values[placeholder] = given
        return placeholder

    def _attribute(self, plain_only: bool = False) -> str:
        if plain_only or self.source.random() < 0.7:
            return self.source.choice(PLAIN)
        return self.source.choice(list(self.table.types))

    def _index_attributes(self) -> list[str]:
        return [name for name in self.table.types if name not in self.table.key_names()]

    def _operand(self) -> str:
        roll = self.source.random()
        if roll < 0.8:
            return self.value()
        return (
            self.path(self._attribute(True))
            if roll < 0.9
            else f"size({self.path(self._attribute(True))})"
        )

    def _predicate(self, attribute: str) -> str:
        path = self.path(attribute)
        match self.source.randrange(9):
            case 0:
                return f"attribute_exists({path})"
            case 1:
                return f"attribute_not_exists({path})"
            case 2:
                kind = self.source.choice(
                    ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL", "X")
                )
                return f"attribute_type({path}, {self.value({'S': kind})})"
            case 3:
                return f"begins_with({path}, {self.value()})"
            case 4:
                return f"contains({path}, {self._operand()})"
            case 5:
                count = self.value({"N": str(self.source.randrange(4))})
                return f"size({path}) {self.source.choice(_COMPARATORS)} {count}"
            case 6:
                return f"{path} BETWEEN {self.value()} AND {self.value()}"
            case 7:
                return (
                    f"{path} IN "
                    f"({', '.join(self.value() for _ in range(self.source.randint(1, 3)))})"
                )
            case _:
                return f"{path} {self.source.choice(_COMPARATORS)} {self._operand()}"

    def _action(self, word: str, attribute: str) -> str:
        path = self.path(attribute) if attribute in PLAIN else self.name(attribute)
        if word == "REMOVE":
            return path
        if word == "SET":
            return f"{path} = {self._set_value(attribute)}"
        sets = {"SS": ["a", "b"]}, {"NS": ["1", "2"]}, {"BS": ["YQ=="]}
        given = self.source.choice((*sets, {"N": "2"}) if word == "ADD" else sets)
        return f"{self.name(attribute)} {self.value(given)}"

    def _set_value(self, attribute: str) -> str:
        if attribute in self.table.types and self.source.random() < 0.9:
            return self.value(scalar(self.source, self.table.types[attribute]))
        other = self.path(self.source.choice(PLAIN))
        match self.source.randrange(7):
            case 0:
                return (
                    f"{other} {self.source.choice('+-')} "
                    f"{self.value({'N': self.source.choice(('1', '2.5', '-1'))})}"
                )
            case 1:
                return f"if_not_exists({other}, {self.value()})"
            case 2:
                old = f"if_not_exists({self.path('l')}, {self.value({'L': []})})"
                return f"list_append({old}, {self.value({'L': [value(self.source)]})})"
            case 3:
                return other
            case _:
                return self.value()

    def _sort_condition(self, sort_name: str) -> str:
        kind = self.table.types[sort_name]
        path = self.name(sort_name)
        match self.source.randrange(6):
            case 0:
                return f"begins_with({path}, {self.value(scalar(self.source, kind))})"
            case 1:
                low, high = (
                    self.value(scalar(self.source, kind)),
                    self.value(scalar(self.source, kind)),
                )
                return f"{path} BETWEEN {low} AND {high}"
            case _:
                comparator = self.source.choice(("=", "<", "<=", ">", ">="))
                return f"{path} {comparator} {self.value(scalar(self.source, kind))}"
