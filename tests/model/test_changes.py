"""Records of streams as changes of entities: whose they are, what they show, and what they refuse
to guess.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey import CamelPart, Entity, Table, attr, camel, key
from sortkey.errors import InvalidItem, ModelError
from sortkey.model.changes import change_of

table = Table("single", key=("PK", "SK"), stream="NEW_AND_OLD_IMAGES")
nameless = Table("nameless", key=("id",), stream="KEYS_ONLY")


class Place(CamelPart):
    """Something inside."""

    town_name: str = ""
    streets: list[str] = []


class Journey(Entity, table=table, kind="Journey", names=camel):
    """What stages belong to."""

    journey_id: str
    title: str = ""
    meta: dict[str, Any] = {}
    place: Place | None = None

    @key("JOURNEY#{journeyId}", "META")
    def key(*, journey_id: str):
        """A journey."""


class Stage(Entity, table=table, kind="Stage", names=camel, archive="#deleted"):
    """A part of a journey."""

    journey_id: str
    order: int

    @key("JOURNEY#{journeyId}", "STAGE#{order:02d}")
    def key(*, journey_id: str, order: int):
        """A stage."""


class Anything(Entity, table=table, kind="Anything", names=camel):
    """A kind whose key has the form of all others too."""

    one: str
    other: str

    @key("{one}", "{other}")
    def key(*, one: str, other: str):
        """Anything."""


class User(Entity, table=nameless, unique=("email",)):
    """A kind without a name, with a guard item for its email."""

    id: str
    email: str = ""

    @key("{id}")
    def key(*, id: str):
        """A user."""


def text(**values: str) -> dict[str, Any]:
    return {name: {"S": value} for name, value in values.items()}


STAGE = {
    **text(PK="JOURNEY#j", SK="STAGE#01", EntityType="Stage", journeyId="j"),
    "order": {"N": "1"},
}
JOURNEY = text(PK="JOURNEY#j", SK="META", EntityType="Journey", journeyId="j", title="old")


def record(
    old: dict[str, Any] | None = None,
    new: dict[str, Any] | None = None,
    *,
    keys: dict[str, Any] | None = None,
    name: str = "",
    view: str = "NEW_AND_OLD_IMAGES",
    **more: Any,
) -> dict[str, Any]:
    item = new or old or {}
    content: dict[str, Any] = {
        "ApproximateCreationDateTime": 1_800_000_000,
        "Keys": keys or {part: item[part] for part in ("PK", "SK") if part in item},
        "SequenceNumber": "000000000000000000007",
        "SizeBytes": 1,
        "StreamViewType": view,
    }
    content |= {"OldImage": old} if old else {}
    content |= {"NewImage": new} if new else {}
    event = name or ("INSERT" if old is None else "REMOVE" if new is None else "MODIFY")
    return {"eventID": "e1", "eventName": event, "dynamodb": content, **more}


def test_a_change_has_the_entities_and_what_the_record_tells() -> None:
    # Handlers are written against this, and nothing else.
    change = change_of(Journey, record(JOURNEY, JOURNEY | text(title="new")))
    assert change is not None
    assert (change.old, change.new) == (
        Journey(journey_id="j", title="old"),
        Journey(journey_id="j", title="new"),
    )
    assert (change.kind, change.id, change.by) == ("changed", "e1", "user")
    assert change.at == datetime(2027, 1, 15, 8, tzinfo=UTC)
    assert change.sequence_number == "000000000000000000007"
    assert change.key == Journey.key(journey_id="j")


def test_a_record_of_another_kind_is_none() -> None:
    # Many kinds share a table; each handler sees its own.
    assert change_of(Journey, record(None, STAGE)) is None
    assert change_of(Stage, record(None, STAGE)) is not None
    assert change_of(Stage, record(None, text(PK="x", SK="y", EntityType="UniqueGuard"))) is None


@pytest.mark.parametrize(
    "identity",
    [
        {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"},
        {"principalId": "dynamodb.amazonaws.com", "type": "Service"},  # as Lambda spells it
    ],
)
def test_what_had_expired_was_deleted_by_ttl(identity: dict[str, str]) -> None:
    # A session that a user ended and one that ran out are two stories.
    change = change_of(Stage, record(STAGE, None, userIdentity=identity))
    assert change is not None
    assert (change.kind, change.by) == ("deleted", "ttl")


def test_an_item_that_became_another_kind_went_for_one_and_came_for_the_other() -> None:
    # For the handlers of each kind that is the truth, and the service's MODIFY is not.
    replaced = record(STAGE, STAGE | text(EntityType="Anything", one="JOURNEY#j", other="STAGE#01"))
    gone, come = change_of(Stage, replaced), change_of(Anything, replaced)
    assert gone is not None
    assert come is not None
    assert (gone.kind, gone.new, come.kind, come.old) == ("deleted", None, "created", None)


def test_keys_alone_tell_the_kind_by_their_form_the_most_particular_wins() -> None:
    # A deletion under NEW_IMAGE shows keys only, and `{one}` fits every key.
    keys = text(PK="JOURNEY#j", SK="STAGE#01")
    gone = record(keys=keys, name="REMOVE", view="NEW_IMAGE")
    change = change_of(Stage, gone)
    assert change is not None
    assert (change.old, change.new, change.latest) == (None, None, None)
    assert change.key == Stage.key(journey_id="j", order=1)
    assert change_of(Journey, gone) is None
    assert change_of(Anything, gone) is None
    other = record(keys=text(PK="x", SK="y"), name="REMOVE", view="NEW_IMAGE")
    assert change_of(Anything, other) is not None


def test_the_key_of_what_is_in_the_archive_says_so() -> None:
    # An archived asset is another item of the same entity.
    keys = text(PK="JOURNEY#j#deleted", SK="STAGE#01")
    change = change_of(Stage, record(keys=keys, name="REMOVE", view="KEYS_ONLY"))
    assert change is not None
    assert change.key == Stage.key(journey_id="j", order=1).archived()


def test_guard_items_are_no_entities() -> None:
    # They lie among the users, under keys that a user could nearly have.
    guard = text(id="UNIQUE#User#email#a@b.c")
    assert change_of(User, record(keys=guard, name="INSERT", view="KEYS_ONLY")) is None
    assert (
        change_of(User, record(None, {**guard, "guards": {"M": text(id="u1")}}, keys=guard)) is None
    )
    assert (
        change_of(User, record(None, text(id="u1", email="a@b.c"), keys=text(id="u1"))) is not None
    )


def test_an_image_that_no_longer_fits_its_entity_is_an_error() -> None:
    # It must be seen, kept and replayed, not skipped.
    with pytest.raises(InvalidItem, match="not a valid Stage"):
        change_of(Stage, record(None, STAGE | {"order": {"S": "first"}}))


def test_empty_maps_that_lost_their_type_are_read() -> None:
    # DynamoDB Local does that to them, in streams only.
    broken = JOURNEY | {"meta": {"M": {"a": {}, "b": {"L": [{}, {"M": {}}]}}}}
    change = change_of(Journey, record(None, broken))
    assert change is not None
    assert change.new is not None
    assert change.new.meta == {"a": {}, "b": [{}, {}]}


def test_what_changed_needs_both_images() -> None:
    # A guess would be right most of the time.
    change = change_of(Journey, record(None, JOURNEY, name="MODIFY", view="NEW_IMAGE"))
    assert change is not None
    with pytest.raises(ModelError, match="NEW_AND_OLD_IMAGES"):
        change.became(Journey.title, "old")
    with pytest.raises(ModelError, match="NEW_AND_OLD_IMAGES"):
        change.touched(Journey.title)


def test_a_value_is_reached_once_also_by_what_is_created_with_it() -> None:
    # READY is announced once: when the value becomes READY.
    became = [
        change.became(Journey.title, "new")
        for each in (
            record(None, JOURNEY | text(title="new")),
            record(JOURNEY, JOURNEY | text(title="new")),
            record(JOURNEY | text(title="new"), {**JOURNEY, **text(title="new", more="x")}),
            record(JOURNEY | text(title="new"), JOURNEY),
            record(JOURNEY | text(title="new"), None),
        )
        if (change := change_of(Journey, each)) is not None
    ]
    assert became == [True, True, False, False, False]


def test_what_lies_inside_a_field_is_distinguished_from_the_rest_of_it() -> None:
    # A handler that waits for a town must not hear of its streets, nor miss the town.
    def journey(town: str, *streets: str) -> dict[str, Any]:
        inside = {"townName": {"S": town}, "streets": {"L": [{"S": street} for street in streets]}}
        return {**JOURNEY, "place": {"M": inside}, "meta": {"M": {"town": {"S": town}}}}

    town, street, meta = (
        attr(Journey.place).town_name,
        attr(Journey.place).streets[0],
        attr(Journey.meta)["town"],
    )  # type: ignore[attr-defined]
    change = change_of(Journey, record(journey("Ulm"), journey("Bonn", "Am Hof")))
    assert change is not None
    assert [change.became(each, "Bonn") for each in (town, meta)] == [True, True]
    assert (change.became(street, "Am Hof"), change.became(street, "x")) == (True, False)
    change = change_of(Journey, record(journey("Ulm"), journey("Ulm", "Am Hof")))
    assert change is not None
    assert [change.touched(each) for each in (town, meta, street, Journey.place)] == [
        False,
        False,
        True,
        True,
    ]
    change = change_of(Journey, record(JOURNEY, journey("Ulm")))
    assert change is not None
    assert change.became(town, "Ulm")
