"""Which datastores the internet reaches, and how: requests along routes and security groups, rights along roles.

A way says that nothing in the Terraform stands between, not that the software on it would let anyone pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import rustworkx as rx

from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.graph import Graph
from sortkey_systems.applens.policies import identity_statements
from sortkey_systems.applens.relationships import relationship

INTERNET = "internet"
_SERVICES = {"s3": "aws_s3_bucket", "dynamodb": "aws_dynamodb_table"}


@dataclass(frozen=True, slots=True)
class Path:
    """The shortest way from the internet to a datastore, by addresses."""

    datastore: str
    steps: tuple[str, ...]

    @property
    def entry(self) -> str:
        return self.steps[1]

    @property
    def direct(self) -> bool:
        return len(self.steps) == 2

    def to_json(self) -> dict[str, object]:
        return {"datastore": self.datastore, "steps": list(self.steps)}


def exposed_paths(estate: Estate, graph: Graph) -> list[Path]:
    """One path for each datastore that can be reached, in order of their addresses."""
    flows = rx.PyDiGraph()
    index: dict[str, int] = {}

    def at(name: str) -> int:
        if name not in index:
            index[name] = flows.add_node(name)
        return index[name]

    for source, target in _flows(estate, graph):
        # A permission only allows a call; where the call itself is declared, that is the way to show.
        allowed = "aws_lambda_permission." in source + target
        flows.add_edge(at(source), at(target), 1.5 if allowed else 1.0)
    if INTERNET not in index:
        return []
    ways = cast(Any, rx).digraph_dijkstra_shortest_paths(flows, index[INTERNET], weight_fn=float)
    stores = [node.id for node in graph.nodes if node.datastore and node.id in index and index[node.id] in ways]
    return [Path(store, _steps([flows[i] for i in ways[index[store]]])) for store in stores]


def _steps(names: list[str]) -> tuple[str, ...]:
    """Without the helpers that stand for the two sides of a security group and for whole services."""
    plain = [name.partition("|")[0] for name in names if not name.startswith("|")]
    return tuple(name for i, name in enumerate(plain) if i == 0 or plain[i - 1] != name)


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
    """Members of a group reach the members of another that lets them in, also by addresses of the same network."""
    for each in estate.resources:
        if each.type.startswith(("aws_security_group", "aws_vpc_security_group")):
            continue
        for group in estate.groups_of(each):
            yield each.address, f"{group}|out"
            yield f"{group}|in", each.address
    for group, rules in estate.ingress.items():
        network = next(iter(estate.by_address[group].targets("vpc_id")), "") if group in estate.by_address else ""
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
    for each in estate.resources:
        for statement in identity_statements(each):
            if statement.allows and "*" in statement.resources:
                for service in _SERVICES:
                    if any(action == "*" or action.startswith(f"{service}:") for action in statement.actions):
                        yield each.address, f"|{service}"
