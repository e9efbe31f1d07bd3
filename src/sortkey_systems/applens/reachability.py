"""Which datastores the internet reaches, and how: requests along routes and security groups, rights
along roles.

A path means that nothing in the Terraform prevents access, not that the software on it would allow
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import rustworkx as rx

from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.graph import Graph
from sortkey_systems.applens.guards import CREDENTIALS
from sortkey_systems.applens.policies import identity_statements
from sortkey_systems.applens.relationships import relationship

INTERNET = "internet"
_SERVICES = {"s3": "aws_s3_bucket", "dynamodb": "aws_dynamodb_table"}
_ANYONE = "|anyone"
"""A second start node, for callers who are not authenticated."""


@dataclass(frozen=True, slots=True)
class Path:
    """The worst path from the internet to a datastore, by addresses. Among equally bad ones, the
    shortest.

    It is `unguarded` if its entry requires no authentication, and `unlimited` if a role on it may
    do anything. `behind` is the authentication that its entry requires: IAM, an authorizer.
    """

    datastore: str
    steps: tuple[str, ...]
    unguarded: bool = field(default=False, compare=False)
    unlimited: bool = field(default=False, compare=False)
    behind: str = field(default="", compare=False)

    @property
    def entry(self) -> str:
        return self.steps[1]

    @property
    def direct(self) -> bool:
        return len(self.steps) == 2

    def to_json(self) -> dict[str, object]:
        return {"datastore": self.datastore, "steps": list(self.steps), "behind": self.behind}

    def __str__(self) -> str:
        return " → ".join(self.steps) + (f" (behind {self.behind})" if self.behind else "")


def exposed_paths(
    estate: Estate,
    graph: Graph,
    unguarded: frozenset[str] = frozenset(),
    guarded: Mapping[str, str] | None = None,
) -> list[Path]:
    """One path for each reachable datastore, ordered by address.

    `unguarded` are entries that accept anyone: their paths come before all others except direct
    ones. `guarded` are entries with authentication, and its kind: their paths come last.
    """
    asking = guarded or {}
    ways = _Ways(estate, graph, unguarded, asking)
    paths = (ways.worst(node.id, node.resourceType) for node in graph.nodes if node.datastore)
    return [replace(path, behind=asking.get(path.entry, "")) for path in paths if path is not None]


class _Ways:
    """The shortest paths from the internet, and those that begin at an entry for anyone."""

    def __init__(
        self, estate: Estate, graph: Graph, unguarded: frozenset[str], guarded: Mapping[str, str]
    ) -> None:
        self.flows = rx.PyDiGraph()
        self.index: dict[str, int] = {}
        for source, target in _flows(estate, graph):
            self._add(source, target, _weight(source, target, guarded))
            if source == INTERNET and target in unguarded:
                self._add(_ANYONE, target, 1.0)
        self.all, self.open = self._from(INTERNET), self._from(_ANYONE)

    def worst(self, store: str, kind: str) -> Path | None:
        plain = self.all.get(store)
        if plain is None:
            return None
        if len(plain) == 2:
            return Path(store, _steps(plain))
        for service in (name for name, stored in _SERVICES.items() if stored == kind):
            way = self.open.get(f"|*{service}")
            if way and store not in way:
                return Path(store, _steps([*way, store]), unguarded=True, unlimited=True)
        if store in self.open:
            return Path(store, _steps(self.open[store]), unguarded=True)
        return Path(store, _steps(plain))

    def _add(self, source: str, target: str, weight: float) -> None:
        for name in (source, target):
            if name not in self.index:
                self.index[name] = self.flows.add_node(name)
        self.flows.add_edge(self.index[source], self.index[target], weight)

    def _from(self, source: str) -> dict[str, list[str]]:
        if source not in self.index:
            return {}
        ways = cast(Any, rx).digraph_dijkstra_shortest_paths(
            self.flows, self.index[source], weight_fn=float
        )
        return {self.flows[end]: [self.flows[i] for i in way] for end, way in ways.items()}


def _weight(source: str, target: str, guarded: Mapping[str, str]) -> float:
    if source == INTERNET and target in guarded:
        # An entry with authentication is used only if there is no other. One for a few
        # callers comes last.
        return 2000.0 if guarded[target] == CREDENTIALS else 1000.0
    if source.endswith(("|in", "|out")) or target.endswith(("|in", "|out")):
        return 0.999  # of two equally long paths always the same one
    # A permission only allows a call. If the call itself is declared, show that path.
    return 1.5 if "aws_lambda_permission." in source + target else 1.0


def _steps(names: list[str]) -> tuple[str, ...]:
    """Each address once, without the helper nodes for the two sides of a security group and for
    whole services.
    """
    plain = [name.partition("|")[0] for name in names if not name.startswith("|")]
    return tuple(dict.fromkeys([INTERNET, *plain]))


def _flows(estate: Estate, graph: Graph) -> Iterator[tuple[str, str]]:
    kinds = {node.id: node.resourceType for node in graph.nodes}
    for node in graph.nodes:
        if node.internetExposed:
            yield INTERNET, node.id
    for edge in graph.edges:
        _, flow = relationship(kinds[edge.source], edge.attribute, kinds[edge.target])
        if flow:
            yield (edge.source, edge.target) if flow == ">" else (edge.target, edge.source)
    yield from _through_groups(estate)
    yield from _through_wildcards(estate)


def _through_groups(estate: Estate) -> Iterator[tuple[str, str]]:
    """Members of a group reach the members of a group that allows them in, also by address ranges
    of the same network.
    """
    for resource in estate.resources:
        if resource.type.startswith(("aws_security_group", "aws_vpc_security_group")):
            continue
        for group in estate.groups_of(resource):
            yield resource.address, f"{group}|out"
            yield f"{group}|in", resource.address
    for group, rules in estate.ingress.items():
        network = (
            next(iter(estate.by_address[group].targets("vpc_id")), "")
            if group in estate.by_address
            else ""
        )
        if network:
            yield f"{group}|out", f"|{network}"
        for rule in rules:
            yield from ((f"{source}|out", f"{group}|in") for source in rule.groups)
            if rule.cidrs and network:
                yield f"|{network}", f"{group}|in"


def _through_wildcards(estate: Estate) -> Iterator[tuple[str, str]]:
    """A policy on all resources of a service reaches each of its datastores."""
    for service, kind in _SERVICES.items():
        for store in estate.of(kind):
            yield f"|{service}", store.address
        yield f"|*{service}", f"|{service}"  # all actions, so also the named ones
    for resource in estate.resources:
        for statement in identity_statements(resource):
            if statement.allows and "*" in statement.resources:
                for service in _SERVICES:
                    if any(action in ("*", "*:*", f"{service}:*") for action in statement.actions):
                        yield resource.address, f"|*{service}"
                    elif any(action.startswith(f"{service}:") for action in statement.actions):
                        yield resource.address, f"|{service}"
