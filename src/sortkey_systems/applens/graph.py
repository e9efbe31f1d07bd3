"""The graph of an estate: nodes, edges, counts, canonical JSON and its hash. Files and lines are no
part of it.
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
"""Data sources that are facts or texts, not things."""


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
    """`source` refers to `target`; `reference` is the text that did, `attribute` where it stood."""

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
        """The summary of a run, in the words of its item."""
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
        """The one text of this graph: sorted, UTF-8, no whitespace."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")

    @property
    def hash(self) -> str:
        return f"sha256:{sha256(self.canonical()).hexdigest()}"


def build_graph(estate: Estate) -> Graph:
    """The graph of all things in an estate."""
    things = {each.address: each for each in estate.resources if is_thing(each)}
    nodes = {address: _node(estate, each) for address, each in things.items()}
    edges: set[Edge] = set()
    for each in things.values():
        for link in each.links:
            target = nodes.get(link.address)
            if target is not None and link.address != each.address:
                edges.add(_edge(nodes[each.address], target, link.path, link.attribute))
    return Graph([nodes[address] for address in sorted(nodes)], sorted(edges))


def is_thing(resource: Resource) -> bool:
    if resource.mode == "declaration":
        return (
            False  # a variable or a provider: rules look at it, but it is no part of what is built
        )
    return resource.mode != "data" or not _FACTS.match(resource.type)


def _node(estate: Estate, each: Resource) -> Node:
    exposed = is_exposed(estate, each)
    return Node(
        id=each.address,
        label=_label(each),
        resourceType=each.type,
        provider=each.provider,
        address=each.address,
        mode=each.mode,
        attributes=_shown_attributes(each),
        threatSurface="public" if exposed else surface_of(each.type),
        internetExposed=exposed,
        datastore=each.mode == "managed" and is_datastore(each.type),
    )


def _shown_attributes(each: Resource) -> dict[str, Any]:
    """Without secrets: those that the parser left, because only their name or their type says what
    they are.
    """
    marked = {
        name: HIDDEN
        for name in SENSITIVE_ATTRIBUTES.get(each.type, ())
        if is_literal(each.attributes.get(name))
    }
    return hide_secrets(each.attributes | marked)


def _label(each: Resource) -> str:
    tag = each.get("tags.Name")
    return (
        tag
        if isinstance(tag, str) and "${" not in tag
        else each.address.rpartition(f"{each.type}.")[2] or each.name
    )


def _edge(source: Node, target: Node, path: str, attribute: str) -> Edge:
    name, _ = relationship(source.resourceType, path, target.resourceType)
    crosses = name in CROSSING and source.threatSurface != target.threatSurface
    reference = f"{target.address}.{attribute}" if attribute else target.address
    return Edge(source.id, target.id, name, path, reference, crosses)
