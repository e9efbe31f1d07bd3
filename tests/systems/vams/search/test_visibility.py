"""Permissions as a clause: for constraints that nobody thought of, the index must agree with the
decisions.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from sortkey import Match, Search
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.criteria import OPERATORS, Criterion
from sortkey_systems.vams.access.decisions import Permission, Rule, Rules, of_group
from sortkey_systems.vams.model import Asset, SearchedAsset, asset_document
from sortkey_systems.vams.search import visibility
from sortkey_systems.vams.search.visibility import Visibility, object_of
from tests.contract.search_adapters import Open, adapter, open_index

__all__ = ["adapter", "open_index"]  # fixtures

CALLER = Caller("ines@example.com", ("engineers", "readers"))
DATABASES = ("plant", "plant-2", "museum", "Vault")
NAMES = ("Pump 1", "Pump 2", "pump", "Vase (red)", "Vase.red", "A'b, c", "öl")
TYPES = (None, ".glb", ".obj", "folder")
TAGS = ("a", "b", "secret", "secret-2", "a.b", "ü")
VALUES: dict[str, tuple[str, ...]] = {
    "databaseId": ("plant", ".*", "^plant$", "(museum|Vault)", "[", "", "plant-2", "PLANT"),
    "assetName": ("Pump", "pump", r"\d$", "Vase.red", "Vase (red)", ".*", "ö", "^$"),
    "assetType": (".glb", "glb", ".*", "", "folder", r"^\.", "^$"),
    "tags": ("a", "secret", "secret.*", "^a$", ".*", "", "b", "(a)+$", "ü"),
}


def visibility_of(
    rules: list[Rule], search: Search[Any], where: Match, caller: Caller
) -> Visibility:
    known = Rules(rules)
    return Visibility(
        known.concerning(caller, "GET", "asset", "allow"),
        known.concerning(caller, "GET", "asset", "deny"),
        lambda subject: known.allows(caller, "GET", subject),
        search,
        where,
    )


def assets(chance: random.Random, count: int) -> list[SearchedAsset]:
    return [
        SearchedAsset(
            Asset(
                database_id=chance.choice(DATABASES),
                asset_id=f"asset-{number}",
                asset_name=chance.choice(NAMES),
                asset_type=chance.choice(TYPES),
                tags=tuple(chance.sample(TAGS, chance.randrange(4))),
            )
        )
        for number in range(count)
    ]


def random_rule(chance: random.Random, number: int) -> Rule:
    def criterion() -> Criterion:
        field = chance.choice(list(VALUES))
        operator = chance.choice(OPERATORS)
        value: str | tuple[str, ...] = chance.choice(VALUES[field])
        if operator in ("is_one_of", "is_not_one_of"):
            value = tuple(chance.sample(VALUES[field], 2))
        return Criterion(field, operator, value)

    return Rule(
        f"rule-{number}",
        "asset",
        tuple(criterion() for _ in range(chance.randrange(3))),
        tuple(criterion() for _ in range(chance.randrange(3))),
        (
            Permission(
                of_group(chance.choice(CALLER.roles)),
                "GET",
                "deny" if chance.random() < 0.25 else "allow",
            ),
        ),
        is_unreadable=chance.random() < 0.03,
    )


@pytest.fixture
def index(open_index: Open) -> Search[Any]:
    search = open_index(asset_document)
    search.ensure()
    search.put(*assets(random.Random(1), 150))
    search.refresh()
    return search


def check(search: Search[Any], rules: list[Rule], where: Match) -> int:
    known = Rules(rules)
    wanted = sorted(
        hit.id for hit in search.iterate(where) if known.allows(CALLER, "GET", object_of(hit))
    )
    clause = visibility_of(rules, search, where, CALLER).clause()
    assert sorted(hit.id for hit in search.iterate(clause)) == wanted, rules
    assert search.count(clause) == len(wanted)
    return len(wanted)


@pytest.mark.parametrize("seed", range(4))
def test_random_constraints_show_what_the_decisions_allow(index: Search[Any], seed: int) -> None:
    # Regular expressions, lists, absent values, denies: the clause must not be wider or narrower.
    chance = random.Random(seed)
    sizes: set[int] = set()
    for _ in range(60):
        rules = [random_rule(chance, number) for number in range(chance.randrange(1, 6))]
        where = chance.choice((Match.all(), Match.text("pump", ["str_assetname"])))
        sizes.add(check(index, rules, where))
    assert len(sizes) > 5


def test_thousands_of_constraints_are_still_one_query(index: Search[Any]) -> None:
    # Who has a constraint for every database must not be refused, nor wait.
    permission = (Permission(of_group("readers"), "GET", "allow"),)
    rules = [
        Rule(f"r{n}", "asset", (Criterion("databaseId", "equals", f"db-{n}"),), (), permission)
        for n in range(3000)
    ]
    rules.append(
        Rule("last", "asset", (Criterion("databaseId", "equals", "plant"),), (), permission)
    )
    assert check(index, rules, Match.all()) > 10


def test_constraints_that_are_too_many_for_a_query_are_asked_one_by_one(
    index: Search[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visibility, "CLAUSES_MAX", 2)
    chance = random.Random(7)
    for _ in range(10):
        check(index, [random_rule(chance, number) for number in range(6)], Match.all())


def test_nobody_sees_anything_without_a_role(index: Search[Any]) -> None:
    permission = (Permission(of_group("readers"), "GET", "allow"),)
    rules = [Rule("all", "asset", (Criterion("databaseId", "contains", ".*"),), (), permission)]
    nobody = Caller("nobody@example.com")
    assert index.count(visibility_of(rules, index, Match.all(), nobody).clause()) == 0
    assert check(index, rules, Match.all()) == 150
