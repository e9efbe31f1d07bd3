"""`sortkey vams users`, `password`, `mfa`, `disable`, `enable` and `can`: who may do what.

These commands work on the tables: the way back in for an administrator who cannot sign in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from sortkey import Put, Store
from sortkey.commands import (
    JSON_SHOWS_ALL,
    USAGE,
    CommandFailed,
    Data,
    Json,
    check_address,
    examples,
    open_store,
    print_json,
    print_table,
)
from sortkey.systems import system_secret
from sortkey_systems.vams.access.audit import AuditLog
from sortkey_systems.vams.access.callers import SYSTEM_USER, Caller
from sortkey_systems.vams.access.control import Access, change_mark
from sortkey_systems.vams.access.credentials import CODES_PURPOSE, Credentials, new_password
from sortkey_systems.vams.access.objects import (
    FIELDS,
    OBJECT_CLASSES,
    VERBS,
    AccessObject,
    Value,
    Verb,
)
from sortkey_systems.vams.access.users import user_answer
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.model import User, model

UserArgument = Annotated[str, typer.Argument(metavar="USER", help="The id of a user.")]


def users(data: Data = "data", json: Json = False) -> None:
    """List the users. The server may run meanwhile."""
    with _opened(data) as store:
        rows = [user_answer(user) for user in store.scan(User)]
    rows.sort(key=lambda row: row["userId"])
    if json:
        print_json(rows)
    else:
        names = ["userId", "email", "userStatus", "enabled"]
        cells = [[str(row[name]) for name in names] for row in rows]
        print_table(names, cells, whole=1, more=JSON_SHOWS_ALL)


def password(
    user: UserArgument,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="The user must choose another at the next login.")
    ] = False,
    data: Data = "data",
) -> None:
    """Give a user a new random password and print it. It is shown only now: its hash is kept."""
    with _opened(data) as store:
        _known(store, user)
        created = new_password()
        Credentials(store).set(user, created, is_temporary=temporary)
        status = "FORCE_CHANGE_PASSWORD" if temporary else "CONFIRMED"
        _change(store, user, "resetPassword", user_status=status)
    print(created)


def mfa(user: UserArgument, data: Data = "data") -> None:
    """Ask a user for a one-time code at every login. Prints the secret for their authenticator
    app: it is shown only now.
    """
    secret = _code_secret(data)
    with _opened(data) as store:
        _known(store, user)
        credentials = Credentials(store, secret)
        if credentials.generation_of(user) is None:
            raise CommandFailed(f"{user} has no password: `sortkey vams password {user}` sets one")
        created = credentials.require_codes(user)
        _change(store, user, "mfa", mfa_enabled=True)
    print(created)


def disable(user: UserArgument, data: Data = "data") -> None:
    """Take everything from a user until they are enabled again. It counts from the next request."""
    with _opened(data) as store:
        _change(store, user, "disable", enabled=False)


def enable(user: UserArgument, data: Data = "data") -> None:
    """Let a user who was disabled sign in again, with the roles they had."""
    with _opened(data) as store:
        _change(store, user, "enable", enabled=True)


def can(
    user: UserArgument,
    verb: Annotated[str, typer.Argument(metavar="VERB", help="GET, PUT, POST or DELETE.")],
    object_type: Annotated[str, typer.Argument(metavar="TYPE", help="As in constraints: asset.")],
    fields: Annotated[
        list[str] | None, typer.Argument(metavar="FIELD=VALUE", help="What the object is.")
    ] = None,
    mfa: Annotated[bool, typer.Option("--mfa", help="In a session with MFA.")] = False,
    data: Data = "data",
    json: Json = False,
) -> None:
    """Say whether a user may do something, and which constraints decide. Exits with 1 if not."""
    known: Verb | None = next((each for each in VERBS if each == verb.upper()), None)
    if known is None:
        raise CommandFailed(f"unknown verb {verb!r}: use one of {', '.join(VERBS)}", USAGE)
    subject = _subject(object_type, fields or [])
    with _opened(data) as store:
        access = Access(store, AuditLog(store, time.time))
        decision = access.explain(access.caller(user, has_mfa=mfa), known, subject)
    if json:
        print_json({"allowed": decision.is_allowed, "reason": decision.reason})
    else:
        print(f"{'yes' if decision.is_allowed else 'no'}: {decision.reason}")
    if not decision.is_allowed:
        raise typer.Exit(1)


COMMANDS: dict[Callable[..., Any], str] = {
    users: examples("sortkey vams users", "sortkey vams users --json"),
    password: examples("sortkey vams password admin@example.com"),
    mfa: examples("sortkey vams mfa admin@example.com"),
    disable: examples("sortkey vams disable jan@example.com"),
    enable: examples("sortkey vams enable jan@example.com"),
    can: examples(
        "sortkey vams can jan@example.com GET asset databaseId=hangar-4 tags=scan,building",
        "sortkey vams can jan@example.com POST api route__path=/uploads",
    ),
}
"""The commands, with the examples under their help."""


@contextmanager
def _opened(data: str) -> Generator[Store]:
    with open_store(data, begins=True) as store:
        store.ensure(model)
        yield store


def _known(store: Store, user_id: str) -> User:
    found = store.find(User.key(user_id=user_id), consistent=True)
    if found is None or user_id == SYSTEM_USER:
        raise CommandFailed(f"unknown user {user_id!r}: `sortkey vams users` lists them")
    return found


def _change(store: Store, user_id: str, action: str, **changes: Any) -> None:
    """Change the row of a user, seen by the next request, and record it."""
    changes["user_last_modified_date"] = now_text()
    changed = _known(store, user_id).model_copy(update=changes)
    store.transact(Put(changed), change_mark())
    audit = AuditLog(store, time.time)
    audit.record("AUTHCHANGES", Caller("command-line"), f"user.{action}", f"user/{user_id}")


def _code_secret(data: str) -> bytes:
    """The secret that the server on the same folder has."""
    if "://" in data and not os.environ.get("SORTKEY_SECRET"):
        raise CommandFailed("set SORTKEY_SECRET to the secret of the server", USAGE)
    check_address(data)
    return system_secret(data, "vams", CODES_PURPOSE)


def _subject(object_type: str, texts: list[str]) -> AccessObject:
    if object_type not in OBJECT_CLASSES:
        raise CommandFailed(
            f"unknown type {object_type!r}: use one of {', '.join(OBJECT_CLASSES)}", USAGE
        )
    values: dict[str, Value] = dict.fromkeys(FIELDS[object_type], "")
    if "tags" in values:
        values["tags"] = ()
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or name not in values:
            known = ", ".join(values)
            raise CommandFailed(f"write FIELD=VALUE with one of {known}, not {text!r}", USAGE)
        values[name] = tuple(value.split(",")) if name == "tags" else value
    kind: type[AccessObject] = OBJECT_CLASSES[object_type]
    return kind(**values)
