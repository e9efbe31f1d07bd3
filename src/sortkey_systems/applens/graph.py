"""The graph of an estate: nodes, edges, counts, canonical JSON and its hash. Files and lines are
not included.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.exposure import is_exposed
from sortkey_systems.applens.kinds import is_datastore, surface_of
from sortkey_systems.applens.parsing.provider_marks import SENSITIVE_ATTRIBUTES
from sortkey_systems.applens.relationships import CROSSING, relationship
from sortkey_systems.applens.resources import Resource
from sortkey_systems.applens.secrecy import hide_secrets, is_literal
from sortkey_systems.applens.sensitive import HIDDEN

_FACTS = re.compile(
    r"aws_(iam_policy_document|caller_identity|partition|region|regions|availability_zones|ami|arn)$"
)
"""Data sources that are facts or texts, not resources."""


@dataclass(frozen=True, slots=True)
class Node:
    """A resource. `threatSurface` is one of kinds.SURFACES."""

    id: str
    label: str
    resourceType: str
    provider: str
    address: str
    mode: str
    attributes: dict[str, Any]
    threatSurface: str
    internetExposed: bool
    datastore: bool


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """`source` refers to `target`. `reference` is the expression, `attribute` where it stands."""

    source: str
    target: str
    relationship: str
    attribute: str
    reference: str
    crossesTrustBoundary: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by id and edges in order."""

    nodes: list[Node]
    edges: list[Edge]

    @property
    def counts(self) -> dict[str, int]:
        """The summary of a run, with the names of its item."""
        return {
            "nodeCount": len(self.nodes),
            "edgeCount": len(self.edges),
            "internetExposedCount": sum(node.internetExposed for node in self.nodes),
            "datastoreCount": sum(node.datastore for node in self.nodes),
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "nodes": [asdict(node) for node in self.nodes],
            "edges": [asdict(edge) for edge in self.edges],
        }

    def canonical(self) -> bytes:
        """The canonical text of this graph: sorted, UTF-8, no whitespace."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")

    @property
    def hash(self) -> str:
        return f"sha256:{sha256(self.canonical()).hexdigest()}"


def build_graph(estate: Estate) -> Graph:
    """The graph of all resources in an estate."""
    things = {resource.address: resource for resource in estate.resources if is_thing(resource)}
    nodes = {address: _node(estate, managed) for address, managed in things.items()}
    edges: set[Edge] = set()
    for thing in things.values():
        for link in thing.links:
            target = nodes.get(link.address)
            if target is not None and link.address != thing.address:
                edges.add(_edge(nodes[thing.address], target, link.path, link.attribute))
    return Graph([nodes[address] for address in sorted(nodes)], sorted(edges))


def is_thing(resource: Resource) -> bool:
    if resource.mode == "declaration":
        return False  # a variable or a provider: rules look at it, but it is not part of the graph
    return resource.mode != "data" or not _FACTS.match(resource.type)


def _node(estate: Estate, resource: Resource) -> Node:
    exposed = is_exposed(estate, resource)
    return Node(
        id=resource.address,
        label=_label(resource),
        resourceType=resource.type,
        provider=resource.provider,
        address=resource.address,
        mode=resource.mode,
        attributes=_shown_attributes(resource),
        threatSurface="public" if exposed else surface_of(resource.type),
        internetExposed=exposed,
        datastore=resource.mode == "managed" and is_datastore(resource.type),
    )


def _shown_attributes(resource: Resource) -> dict[str, Any]:
    """The attributes without secrets: those the parser kept because only their name or type marks
    them as secret.
    """
    marked = {
        name: HIDDEN
        for name in SENSITIVE_ATTRIBUTES.get(resource.type, ())
        if is_literal(resource.attributes.get(name))
    }
    return hide_secrets(resource.attributes | marked)


def _label(resource: Resource) -> str:
    tag = resource.get("tags.Name")
    return (
        tag
        if isinstance(tag, str) and "${" not in tag
        else resource.address.rpartition(f"{resource.type}.")[2] or resource.name
    )


def _edge(source: Node, target: Node, path: str, attribute: str) -> Edge:
    name, _ = relationship(source.resourceType, path, target.resourceType)
    crosses = name in CROSSING and source.threatSurface != target.threatSurface
    reference = f"{target.address}.{attribute}" if attribute else target.address
    return Edge(source.id, target.id, name, path, reference, crosses)
