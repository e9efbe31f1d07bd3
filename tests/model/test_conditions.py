"""Mistakes that everybody makes once: the message says what to write instead."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import ValidationError

from sortkey import Entity, Follows, Table, Update, camel, key
from sortkey.errors import ModelError
from sortkey.model.operations import set_actions


class Note(Entity, table=Table("Notes", key=("noteId",)), names=camel):
    """A note."""

    note_id: str
    text: str = ""

    @key("{noteId}")
    def key(*, note_id: str):
        """A note."""


def test_a_field_in_a_template_is_distinguished_from_its_attribute() -> None:
    # The class has note_id, the item noteId; the template is about the item.
    with pytest.raises(
        ModelError, match=r"Wrong: write \{noteId\} for \{note_id\}: key templates name attributes"
    ):

        class Wrong(Entity, table=Table("Wrong", key=("noteId",)), names=camel):  # pyright: ignore[reportUnusedClass]
            note_id: str

            @key("{note_id}")
            def key(*, note_id: str):
                """A note."""


def test_a_class_without_a_key_says_that_it_is_stored_nowhere() -> None:
    # It may be a base of others, so it is no error before it is used.
    class Base(Entity, names=camel):
        note_id: str

    with pytest.raises(ModelError, match="Base is not stored: give it a table= and a @key"):
        Base(note_id="1").to_item()


def test_an_unknown_field_lists_those_that_there_are() -> None:
    with pytest.raises(AttributeError, match="Note has no field 'txt'; it has: note_id, text"):
        _ = Note.txt == "x"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "missing a required argument: 'note_id'"),
        ({"note_id": "1", "text": "x"}, "got an unexpected keyword argument 'text'"),
    ],
)
def test_wrong_arguments_of_a_key_name_those_that_it_takes(
    arguments: dict[str, str], message: str
) -> None:
    with pytest.raises(TypeError) as refused:
        Note.key(**arguments)
    assert str(refused.value) == f"key(note_id): {message}"


def test_arguments_by_position_are_refused() -> None:
    # Their order is that of the template, which may change.
    with pytest.raises(TypeError, match="too many positional arguments"):
        Note.key("1")  # type: ignore[misc]


def test_a_value_that_a_follower_does_not_know_is_reported_by_name() -> None:
    # Of a plain text nobody can say beforehand what it may be.
    class Light(Entity, table=Table("Lights", key=("id",))):
        id: str
        colour: str = "red"
        means: Annotated[str, Follows("colour", {"red": "stop", "green": "go"})] = "stop"

        @key("{id}")
        def key(*, id: str): ...

    assert Light(id="1", colour="green").means == "go"
    with pytest.raises(
        ValidationError,
        match="Follows has no value for colour='blue': add it; there are 'red', 'green'",
    ):
        Light(id="1", colour="blue")
    with pytest.raises(ModelError, match="Follows has no value for colour='blue'"):
        Update(Light.key(id="1"), set_actions(Light, {"colour": "blue"})).request(0)
