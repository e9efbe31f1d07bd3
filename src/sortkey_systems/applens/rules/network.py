"""Rules on networks: what security groups allow in from the internet, and what is logged."""

from __future__ import annotations

from collections.abc import Iterator

from sortkey_systems.applens.estate import Ingress
from sortkey_systems.applens.rules.definition import Hit, Subject, rule

ADMIN_PORTS = {
    22: "SSH",
    3389: "RDP",
    23: "Telnet",
    5985: "WinRM",
    5986: "WinRM",
    2375: "Docker",
    6443: "Kubernetes",
}
DATA_PORTS = {
    1433: "SQL Server",
    1521: "Oracle",
    3306: "MySQL",
    5432: "PostgreSQL",
    5439: "Redshift",
    27017: "MongoDB",
    6379: "Redis",
    9200: "OpenSearch",
    11211: "Memcached",
    9042: "Cassandra",
    2049: "NFS",
    445: "SMB",
    9092: "Kafka",
}
WEB_PORTS = (80, 443)


@rule(
    "NET-01",
    "Administration port open to the internet",
    "E",
    "high",
    why="Anyone can try passwords and exploits against SSH, RDP or a cluster's API.",
    evidence="the security group or rule, and the group",
    fix=(
        "Use SSM Session Manager or a bastion.",
        "Restrict the rule to known addresses or a security group.",
    ),
)
def admin_ports(subject: Subject) -> Iterator[Hit]:
    yield from _open_ports(subject, ADMIN_PORTS)
    for nodes in subject.of("aws_eks_node_group"):  # AWS then creates a group that allows anyone in
        access = nodes.blocks("remote_access")
        if any(
            opening.get("ec2_ssh_key") and not opening.get("source_security_group_ids")
            for opening in access
        ):
            yield Hit(
                (nodes.address,), "SSH (22) from anywhere: remote_access names no security groups"
            )


@rule(
    "NET-02",
    "Database port open to the internet",
    "I",
    "critical",
    why="A database that can be reached is attacked within minutes; one weak password gives all of it away.",
    evidence="the security group or rule, and the group",
    fix="Let in only the security groups of the application.",
)
def data_ports(subject: Subject) -> Iterator[Hit]:
    yield from _open_ports(subject, DATA_PORTS)


@rule(
    "NET-03",
    "All ports open to the internet",
    "E",
    "critical",
    why="Every service on the machine is exposed, also those that nobody thinks of.",
    evidence="the security group or rule, and the group",
    fix="Open the ports that are needed, to those who need them.",
)
def all_ports(subject: Subject) -> Iterator[Hit]:
    for opening in _from_anywhere(subject):
        if opening.all_ports:
            yield Hit(_evidence(opening), "all ports from anywhere")


@rule(
    "NET-04",
    "Port other than HTTP or HTTPS open to the internet",
    "E",
    "medium",
    why="What is not a web server seldom needs the whole internet, and is seldom hardened for it.",
    evidence="the security group or rule, and the group",
    fix="Put a load balancer in front, or restrict the rule to known addresses.",
    confidence="medium",
)
def other_ports(subject: Subject) -> Iterator[Hit]:
    for opening in _from_anywhere(subject):
        named_ports = [port for port in (*ADMIN_PORTS, *DATA_PORTS) if opening.covers(port)]
        web = opening.first == opening.last and opening.first in WEB_PORTS
        ping = opening.protocol in ("icmp", "icmpv6", "1", "58")
        if not (opening.all_ports or named_ports or web or ping or opening.first < 0):
            ports = (
                str(opening.first)
                if opening.first == opening.last
                else f"{opening.first}–{opening.last}"
            )
            yield Hit(_evidence(opening), f"{opening.protocol} {ports} from anywhere")


@rule(
    "NET-05",
    "VPC without flow logs",
    "R",
    "low",
    why="After an incident nobody can say who talked to whom.",
    evidence="the VPC",
    fix="Add aws_flow_log for the VPC.",
)
def no_flow_logs(subject: Subject) -> Iterator[Hit]:
    for vpc in subject.of("aws_vpc"):
        if not subject.estate.parts(vpc, "aws_flow_log"):
            yield Hit((vpc.address,))


def _from_anywhere(subject: Subject) -> Iterator[Ingress]:
    for rules in subject.estate.ingress.values():
        yield from (opening for opening in rules if opening.from_anywhere)


def _open_ports(subject: Subject, ports: dict[int, str]) -> Iterator[Hit]:
    for opening in _from_anywhere(subject):
        open_ports = [f"{name} ({port})" for port, name in ports.items() if opening.covers(port)]
        if open_ports and not opening.all_ports:
            yield Hit(_evidence(opening), ", ".join(open_ports) + " from anywhere")


def _evidence(opening: Ingress) -> tuple[str, ...]:
    if opening.rule == opening.group:
        return (opening.rule,)
    return opening.rule, opening.group
