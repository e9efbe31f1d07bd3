"""Types that are defined below the class that uses them."""

from __future__ import annotations

import pytest

from sortkey import Entity, Table, camel, key
from sortkey.errors import ModelError


def test_a_field_of_a_type_that_comes_later_is_refused() -> None:
    # pydantic would wait for it; meanwhile the field has no attribute name and no markers, and is
    # stored elsewhere.
    with pytest.raises(
        ModelError,
        match="Box: the type of small_parts is not defined yet: put it above the class Box",
    ):

        class Box(Entity, table=Table("Boxes", key=("boxId",)), names=camel):  # pyright: ignore[reportUnusedClass]
            box_id: str
            small_parts: list[Piece]  # type: ignore[name-defined] # noqa: F821

            @key("{boxId}")
            def key(*, box_id: str):
                """A box."""


def test_a_field_of_the_class_itself_is_none_of_these() -> None:
    class Folder(Entity, table=Table("Folders", key=("folderId",)), names=camel):
        folder_id: str
        inner_folder: Folder | None = None

        @key("{folderId}")
        def key(*, folder_id: str):
            """A folder."""

    made = Folder(folder_id="a", inner_folder=Folder(folder_id="b"))
    assert Folder.from_item(made.to_item()) == made
    assert "innerFolder" in made.to_item()
