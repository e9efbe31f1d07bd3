"""All resources of an analysis, with the lookups that graph and rules need: by kind, references,
security groups.
"""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sortkey_systems.applens.resources import Link, Resource, as_list, is_true
from sortkey_systems.applens.sensitive import Sensitive

_NAMED = {
    "bucket": ("aws_s3_bucket", "bucket"),
    "role": ("aws_iam_role", "name"),
    "function_name": ("aws_lambda_function", "function_name"),
    "table_name": ("aws_dynamodb_table", "name"),
    "cluster_name": ("aws_eks_cluster", "name"),
    "user": ("aws_iam_user", "name"),
}
"""Attributes that may name a resource in plain text, and the attribute with that name."""

GROUPS = ("aws_security_group", "aws_default_security_group")


@dataclass(frozen=True, slots=True)
class Ingress:
    """A rule of a security group that allows ingress. `rule` is the resource that states it."""

    group: str
    rule: str
    protocol: str
    first: int
    last: int
    cidrs: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def from_anywhere(self) -> bool:
        return any(is_world(cidr) for cidr in self.cidrs)

    @property
    def all_ports(self) -> bool:
        return self.protocol in ("-1", "all") or (self.first <= 0 and self.last >= 65535)

    def covers(self, port: int) -> bool:
        return self.all_ports or (self.protocol in ("tcp", "6") and self.first <= port <= self.last)


class Estate:
    """The resources by address."""

    def __init__(self, resources: list[Resource]) -> None:
        self.resources = resources
        self.by_address = {resource.address: resource for resource in resources}
        self.by_type: dict[str, list[Resource]] = defaultdict(list)
        for resource in resources:
            if resource.mode == "managed":
                self.by_type[resource.type].append(resource)
        self._link_by_name()
        self.referring: dict[str, list[tuple[Resource, Link]]] = defaultdict(list)
        for resource in resources:
            for link in resource.links:
                self.referring[link.address].append((resource, link))

    def of(self, *kinds: str) -> Iterator[Resource]:
        """Managed resources of some kinds, ordered by address."""
        for kind in kinds:
            yield from self.by_type.get(kind, ())

    def parts(self, resource: Resource, kind: str) -> list[Resource]:
        """Resources of a kind that refer to this one, such as the public access block of a
        bucket.
        """
        parts = {
            part.address: part
            for part, _ in self.referring.get(resource.address, ())
            if part.type == kind
        }
        return list(parts.values())

    def targets(self, resource: Resource, path: str, kind: str = "") -> list[Resource]:
        """Resources that an attribute refers to."""
        targets = [
            self.by_address[address]
            for address in resource.targets(path)
            if address in self.by_address
        ]
        return [target for target in targets if target.type.startswith(kind)]

    def _link_by_name(self) -> None:
        """A bucket may be named in plain text instead of by reference; then names are compared."""
        owners = {
            (attribute, str(owner.get(name))): owner.address
            for attribute, (kind, name) in _NAMED.items()
            for owner in self.by_type.get(kind, ())
            if isinstance(owner.get(name), str) and not isinstance(owner.get(name), Sensitive)
        }
        for resource in self.resources:
            for attribute, (kind, name) in _NAMED.items():
                owner = owners.get((attribute, str(resource.attributes.get(attribute))))
                if (
                    owner
                    and owner != resource.address
                    and resource.type != kind
                    and not resource.targets(attribute)
                ):
                    resource.links.append(Link(attribute, owner, name))

    @cached_property
    def ingress(self) -> dict[str, list[Ingress]]:
        """What each security group allows in."""
        rules: dict[str, list[Ingress]] = defaultdict(list)
        for rule in _ingress_rules(self):
            rules[rule.group].append(rule)
        return rules

    def groups_of(self, resource: Resource) -> list[str]:
        """Security groups that guard a resource."""
        return [
            link.address
            for link in resource.links
            if "security_group" in link.path
            and (target := self.by_address.get(link.address)) is not None
            and target.type in GROUPS
        ]

    def open_to_world(self, resource: Resource, when_unknown: bool) -> bool:
        """Whether a security group of the resource allows ingress from the internet."""
        groups = self.groups_of(resource)
        if not groups:
            return when_unknown
        return any(rule.from_anywhere for group in groups for rule in self.ingress.get(group, ()))


def is_world(cidr: Any) -> bool:
    """0.0.0.0/0, ::/0, or a half of it."""
    try:
        return ipaddress.ip_network(str(cidr), strict=False).prefixlen <= 1
    except ValueError:
        return False


def _ingress_rules(estate: Estate) -> Iterator[Ingress]:
    for group in estate.of(*GROUPS):
        inside = [link.address for link in group.links if link.path == "ingress.security_groups"]
        for block in group.blocks("ingress"):
            yield _rule(
                group.address,
                group.address,
                block,
                tuple(inside) if block.get("security_groups") else (),
            )
    for rule in estate.of("aws_security_group_rule"):
        if rule.get("type") == "ingress":
            for group in rule.targets("security_group_id"):
                sources = rule.targets("source_security_group_id")
                own = [group] if is_true(rule.get("self")) else []
                yield _rule(group, rule.address, rule.attributes, (*sources, *own))
    for rule in estate.of("aws_vpc_security_group_ingress_rule"):
        for group in rule.targets("security_group_id"):
            yield _rule(
                group,
                rule.address,
                rule.attributes,
                tuple(rule.targets("referenced_security_group_id")),
            )


def _rule(group: str, rule: str, body: dict[str, Any], groups: tuple[str, ...]) -> Ingress:
    names = ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6")
    cidrs = tuple(str(cidr) for name in names for cidr in as_list(body.get(name)))
    protocol = str(body.get("protocol", body.get("ip_protocol", "tcp"))).lower()
    first, last = _port(body.get("from_port")), _port(body.get("to_port"))
    return Ingress(group, rule, protocol, first, last, cidrs, groups)


def _port(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return -1
