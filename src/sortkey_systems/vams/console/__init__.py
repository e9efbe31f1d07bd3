"""VAMS in the console: the asset manager. Databases with their assets, one asset with its viewer,
workflows, schemas, permissions, users and the audit log.
"""

from __future__ import annotations

from functools import partial

from nicegui import app as nicegui

from sortkey.web.console import ConsolePage
from sortkey_systems.vams.console.audit_log import audit_page
from sortkey_systems.vams.console.file_links import PATH, FileLinks
from sortkey_systems.vams.console.identity import Console
from sortkey_systems.vams.console.interface import Interface
from sortkey_systems.vams.console.permissions import permissions_page
from sortkey_systems.vams.console.users import users_page
from sortkey_systems.vams.service import Vams

GROUP = "VAMS"


def pages(service: Vams, base: str) -> list[ConsolePage]:
    """The pages in the order of the menu. The links to files are served beside them."""
    interface = Interface(service)
    links = FileLinks(service, interface, base)
    console = Console(service, interface, links, base)
    nicegui.remove_route(PATH)  # of an earlier console in this process
    nicegui.mount(PATH, links)
    return [
        ConsolePage(
            "/vams/permissions", "Permissions", "gavel", partial(permissions_page, console), GROUP
        ),
        ConsolePage("/vams/users", "Users and keys", "people", partial(users_page, console), GROUP),
        ConsolePage("/vams/audit", "Audit", "policy", partial(audit_page, console), GROUP),
    ]
