"""VAMS in the console: the asset manager. Databases with their assets, one asset with its viewer,
workflows, schemas, permissions, users and the audit log.
"""

from __future__ import annotations

from functools import partial

from nicegui import app as nicegui

from sortkey.web.console import ConsolePage
from sortkey_systems.vams.console.asset import asset_page
from sortkey_systems.vams.console.assets import all_assets_page, database_page
from sortkey_systems.vams.console.audit_log import audit_page
from sortkey_systems.vams.console.databases import databases_page
from sortkey_systems.vams.console.file_links import PATH, FileLinks
from sortkey_systems.vams.console.identity import Console
from sortkey_systems.vams.console.interface import Interface
from sortkey_systems.vams.console.permissions import permissions_page
from sortkey_systems.vams.console.schemas import schemas_page
from sortkey_systems.vams.console.users import users_page
from sortkey_systems.vams.console.workflows import workflows_page
from sortkey_systems.vams.service import Vams

GROUP = "VAMS"
_ASSET = "/vams/databases/{database_id}/assets/{asset_id}"


def pages(service: Vams, base: str) -> list[ConsolePage]:
    """The pages in the order of the menu. The links to files are served beside them."""
    interface = Interface(service)
    links = FileLinks(service, interface, base)
    console = Console(service, interface, links, base)
    nicegui.remove_route(PATH)  # of an earlier console in this process
    nicegui.mount(PATH, links)
    databases = partial(databases_page, console)
    database, asset = partial(database_page, console), partial(asset_page, console)
    return [
        ConsolePage("/vams", "Databases", "inventory_2", databases, GROUP),
        ConsolePage(
            "/vams/databases/{database_id}", "Assets", "inventory_2", database, GROUP, in_menu=False
        ),
        ConsolePage(_ASSET, "Asset", "inventory_2", asset, GROUP, in_menu=False),
        ConsolePage(
            "/vams/assets", "Assets", "view_in_ar", partial(all_assets_page, console), GROUP
        ),
        ConsolePage(
            "/vams/workflows",
            "Workflows",
            "play_circle",
            partial(workflows_page, console),
            GROUP,
        ),
        ConsolePage("/vams/schemas", "Schemas", "sell", partial(schemas_page, console), GROUP),
        ConsolePage(
            "/vams/permissions", "Permissions", "gavel", partial(permissions_page, console), GROUP
        ),
        ConsolePage("/vams/users", "Users and keys", "people", partial(users_page, console), GROUP),
        ConsolePage("/vams/audit", "Audit", "policy", partial(audit_page, console), GROUP),
    ]
