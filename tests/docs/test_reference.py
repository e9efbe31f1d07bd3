"""The reference is complete: what can be imported, called or typed into a shell stands in a
document.
"""

from __future__ import annotations

import re
from pathlib import Path

import sortkey
from sortkey import AsyncStore, Store, errors
from sortkey.cli import COMMANDS

ROOT = Path(__file__).parent.parent.parent
MODEL = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
HOW_TO = "\n".join(
    page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "how-to").glob("*.md"))
)
ELSEWHERE = {"LeaseLost"}
"""Errors of a store that no method of the store itself raises."""


def missing(names: list[str], text: str, form: str = r"\b{}\b") -> list[str]:
    return [name for name in names if not re.search(form.format(re.escape(name)), text)]


def test_every_name_of_the_model_is_in_the_reference() -> None:
    # What is exported but not documented is only found by reading the source, which a reference
    # should spare.
    rooms_of_models = ("model.", "connect.store_addresses", "connect.search_addresses")
    rooms = {
        room: names for room, names in sortkey._ROOMS.items() if room.startswith(rooms_of_models)
    }
    assert len(rooms) > 9
    assert missing([name for names in rooms.values() for name in names], MODEL + HOW_TO) == []


def test_every_method_of_a_store_is_in_the_reference() -> None:
    public = [name for name in dir(Store) if not name.startswith("_") and name != "run"]
    methods = [name for name in public if callable(getattr(Store, name))]
    assert len(methods) > 20
    assert missing(methods, MODEL, r"\b{}\(") == []


def test_an_async_store_has_the_same_methods() -> None:
    # The reference tells them once.
    public = [
        {name for name in dir(kind) if not name.startswith("_")} for kind in (Store, AsyncStore)
    ]
    assert public[0] == public[1]


def test_every_error_of_a_store_is_in_the_reference() -> None:
    # Whoever writes an `except` needs to know what there is.
    found = [
        n
        for n, e in vars(errors).items()
        if isinstance(e, type) and issubclass(e, errors.StoreError)
    ]
    assert (
        missing(
            [name for name in found if name not in ELSEWHERE and name != "StoreError"],
            MODEL + HOW_TO,
        )
        == []
    )


def test_every_command_is_in_a_document() -> None:
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(document.read_text(encoding="utf-8") for document in documents)
    assert missing([f"sortkey {name}" for name in COMMANDS], text) == []


def test_links_between_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "model.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))
        assert links
        assert [link for link in links if not (document.parent / link).exists()] == []
