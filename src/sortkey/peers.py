"""Which local user is at the other end of a TCP connection, and whether that user is a guest.

A guest is a user whose processes run for strangers, such as a browser that anyone may steer. On
loopback it would be taken for a user of this machine. Linux says who owns a socket, when asked for
one by netlink (sock_diag(7), in microseconds), or in the list of all (/proc/net/tcp, in
milliseconds). Other systems do not.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

Endpoint = tuple[str, int]
"""An address and a port."""
IsGuest = Callable[[int], bool]
"""Whether a user id is that of a guest."""

_Address = IPv4Address | IPv6Address

_SOCK_DIAG, _BY_FAMILY, _REQUEST, _ANY = 4, 20, 1, 0xFFFFFFFF
_HEAD = struct.Struct("=IHHII")
_QUERY, _ENDS, _COOKIE = struct.Struct("=BBBBI"), struct.Struct("!HH16s16s"), struct.Struct("=III")
_ANSWER_ENDS, _ANSWER_OWNER = _HEAD.size + 4, _HEAD.size + 64
_ANSWER_BYTES = _ANSWER_OWNER + 8

_TABLES = Path("/proc/net")
_MAPPED = b"\0" * 10 + b"\xff\xff"
_UID, _INODE = 7, 9


def is_refused(is_guest: IsGuest, peer: Endpoint, own: Endpoint) -> bool:
    """Whether a connection comes from a guest on this machine. One whose user cannot be found out
    is refused too: its other end has been closed, so nobody waits for an answer.
    """
    address = _address(peer[0])
    if not address.is_loopback and address != _address(own[0]):
        return False
    uid = peer_uid(peer, own)
    return uid is None or is_guest(uid)


def peer_uid(peer: Endpoint, own: Endpoint) -> int | None:
    """The user of the process at the other end of a connection on this machine. None if the system
    does not say, or the other end is closed.
    """
    owner = diagnosed_owner(peer, own) or listed_owner(peer, own)
    # A socket that no process holds has no inode, and counts as root's.
    return owner[0] if owner and owner[1] else None


def diagnosed_owner(peer: Endpoint, own: Endpoint) -> tuple[int, int] | None:
    """The user id and the inode of the peer's socket, by netlink."""
    ends = [_address(peer[0]), _address(own[0])]
    family = socket.AF_INET if ends[0].version == 4 else socket.AF_INET6
    ports = _ENDS.pack(peer[1], own[1], ends[0].packed, ends[1].packed)
    query = (
        _QUERY.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY) + ports + _COOKIE.pack(0, _ANY, _ANY)
    )
    head = _HEAD.pack(_HEAD.size + len(query), _BY_FAMILY, _REQUEST, 1, 0)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as netlink:
            netlink.send(head + query)
            answer = netlink.recv(4096)
    except (AttributeError, OSError):  # another system, or netlink is not allowed
        return None
    # An error, or a socket that only listens on that port.
    if len(answer) < _ANSWER_BYTES or not answer.startswith(ports[:4], _ANSWER_ENDS):
        return None
    return struct.unpack_from("=II", answer, _ANSWER_OWNER)


def listed_owner(peer: Endpoint, own: Endpoint, tables: Path = _TABLES) -> tuple[int, int] | None:
    """The user id and the inode of the peer's socket, from the list of all sockets."""
    ends = [_address(peer[0]), _address(own[0])]
    packed = [end.packed for end in ends]
    mapped = [_MAPPED + end.packed if end.version == 4 else end.packed for end in ends]
    for table, addresses in (("tcp", packed), ("tcp6", mapped)):
        row = _row(
            tables / table, f"{_hex(addresses[0])}:{peer[1]:04X} {_hex(addresses[1])}:{own[1]:04X}"
        )
        if row is not None:
            return int(row[_UID]), int(row[_INODE])
    return None


def _address(text: str) -> _Address:
    address = ip_address(text)
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address


def _row(table: Path, ends: str) -> list[str] | None:
    """The row of a socket: its own end is the first."""
    try:
        text = table.read_text("ascii")
    except OSError:
        return None
    begin = text.find(f" {ends} ")
    if begin < 0:
        return None
    return text[text.rfind("\n", 0, begin) + 1 : text.find("\n", begin)].split()


def _hex(packed: bytes) -> str:
    """As the kernel prints an address: words of four bytes, each as a number of this machine."""
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
