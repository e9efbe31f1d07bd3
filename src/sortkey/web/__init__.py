"""REST on FastAPI: what a system gives to the host, and what the host gives to a system.

    Mount, make_app                 routes under a name; an app with several mounts
    Host                            systems with their resources, and the app that serves them
    Refused, errors_for             errors of one shape, and their documentation
    status_of                       status and code of an error, for routes with another shape
    Page                            a page of a list
    Tokens, User, signed_in         users, authenticated by signed tokens
    ApiKeys, Access, api_key_access programs, authenticated by API keys
    OriginPolicy                    which web pages may call, and under which host names
    Waits                           requests that wait for something, without a thread
    object_answer                   an object, or a range of it, as an answer

Names are loaded on first use: a service that only raises `Refused` does not load FastAPI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.web.api_keys import Access, ApiKeys
    from sortkey.web.app import Mount, make_app
    from sortkey.web.callers import api_key_access, signed_in
    from sortkey.web.document import methods_at
    from sortkey.web.errors import ErrorAnswer, errors_for
    from sortkey.web.host import Host
    from sortkey.web.object_answers import object_answer
    from sortkey.web.origin_check import OriginPolicy
    from sortkey.web.pages import Page
    from sortkey.web.refusals import Refused, status_of
    from sortkey.web.tokens import Tokens, User
    from sortkey.web.waits import Waits

_MODULES = {
    "api_keys": ("Access", "ApiKeys"),
    "app": ("Mount", "make_app"),
    "callers": ("api_key_access", "signed_in"),
    "document": ("methods_at",),
    "errors": ("ErrorAnswer", "errors_for"),
    "object_answers": ("object_answer",),
    "origin_check": ("OriginPolicy",),
    "host": ("Host",),
    "pages": ("Page",),
    "refusals": ("Refused", "status_of"),
    "tokens": ("Tokens", "User"),
    "waits": ("Waits",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Access",
    "ApiKeys",
    "ErrorAnswer",
    "Host",
    "Mount",
    "OriginPolicy",
    "Page",
    "Refused",
    "Tokens",
    "User",
    "Waits",
    "api_key_access",
    "errors_for",
    "make_app",
    "methods_at",
    "object_answer",
    "signed_in",
    "status_of",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'sortkey.web' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"sortkey.web.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
