"""Addresses of sources as stored with journeys: files, dumps and PostgreSQL servers, never with a
password.

libpq takes a password in three places: `user:password@`, the parameters `password` and
`sslpassword` of a URL, and the same as `password=…` without a URL. A file with passwords
(`passfile`) may be named.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote

SECRET_PARAMETERS = ("password", "sslpassword")
_KEYWORD = re.compile(r"(?i)\b(?:ssl)?password\s*=\s*(?:'(?:\\.|[^'\\])*'|[^\s']*)")
_HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(:\d*)?")
PASSWORD_ADVICE = (
    "set PGPASSWORD for the process that runs the workers, or write it into ~/.pgpass there"
)


class PasswordGiven(ValueError):
    """An address holds a password. The message does not."""


def check_address(address: str) -> str:
    """The address, if it may be stored. Raises PasswordGiven, and ValueError for a URL broken by a
    password.
    """
    if has_password(address):
        raise PasswordGiven(
            "the address is stored with the journey, so leave the password out of it: "
            f"{PASSWORD_ADVICE}"
        )
    if "://" in address and not _is_whole(address):
        raise ValueError(
            "the address is not of the form postgresql://user@host:port/name; for a password "
            f"{PASSWORD_ADVICE}"
        )
    return address


def has_password(address: str) -> bool:
    return without_password(address) != address


def without_password(address: str) -> str:
    """The address without its password, if it has one."""
    scheme, is_url, rest = address.partition("://")
    if not is_url:
        return " ".join(_KEYWORD.sub("", address).split()) if _KEYWORD.search(address) else address
    authority, rest = _split(rest)
    user, at, hosts = authority.rpartition("@")
    path, question, query = rest.partition("?")
    user_name = user.partition(":")[0] if user.partition(":")[2] else user
    parameters = _plain_query(query)
    mark = question if parameters or not query else ""
    return f"{scheme}://{user_name}{at}{hosts}{path}{mark}{parameters}"


def stored_address(address: str) -> str | None:
    """An address from a table or a backup, which may be older than these rules, without its
    password.
    """
    try:
        return check_address(without_password(address))
    except ValueError:
        return None


def database_name(address: str) -> str:
    """The name in a URL: its database, or else its host."""
    authority, rest = _split(address.partition("://")[2])
    return rest.partition("?")[0].strip("/") or authority.rpartition("@")[2]


def _split(rest: str) -> tuple[str, str]:
    """The part before the first `/`, `?` or `#` of a URL, and the rest."""
    end = re.search(r"[/?#]", rest)
    return (rest, "") if end is None else (rest[: end.start()], rest[end.start() :])


def _plain_query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    plain_pairs = [(name, value) for name, value in pairs if name.lower() not in SECRET_PARAMETERS]
    return (
        query
        if len(plain_pairs) == len(pairs)
        else "&".join(f"{quote(name)}={quote(value)}" for name, value in plain_pairs)
    )


def _is_whole(address: str) -> bool:
    """Whether the parts of a URL are what they seem: an unescaped `/`, `?` or `@` in a password
    moves them.
    """
    authority, rest = _split(address.partition("://")[2])
    hosts = authority.rpartition("@")[2].split(",")
    return all(_HOST.fullmatch(host) for host in hosts) and "@" not in rest.partition("?")[0]
