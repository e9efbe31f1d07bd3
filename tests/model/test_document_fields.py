"""The fields of a document: declared ones, those that rules cover, and what an index remembers of
them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from sortkey import (
    Bool,
    Date,
    FieldKind,
    FieldRule,
    Flat,
    GeoPoint,
    GeoShape,
    Integer,
    Keyword,
    LatLon,
    Number,
    Text,
)
from sortkey.errors import ModelError
from sortkey.model.document_fields import DocumentFields

RULES = (
    FieldRule("internal_*", None),
    FieldRule("*_count", Integer()),
    FieldRule("at_*", GeoPoint()),
    FieldRule("at_*_name", Text()),
)


def test_a_field_is_what_it_is_declared_as_and_others_what_the_first_rule_says_that_fits() -> None:
    # Names are the user's: nothing in them has a meaning that nobody gave it.
    fields = DocumentFields({"str_size": Number(), "internal_id": Keyword()}, RULES)
    assert [fields.kind_of(name) for name in ("str_size", "internal_id", "internal_x")] == [
        Number(),
        Keyword(),
        None,
    ]
    assert [fields.kind_of(name) for name in ("word_count", "at_home", "at_home_name")] == [
        Integer(),
        GeoPoint(),
        GeoPoint(),
    ]
    assert list(fields) == ["str_size", "internal_id"]


def test_a_field_that_nothing_speaks_of_is_refused_with_what_there_is() -> None:
    # An index that guessed its type would keep it for good.
    with pytest.raises(ModelError, match=r"'colour' is not declared; there are name, kind$"):
        DocumentFields({"name": Text(), "kind": Keyword()}).kind_of("colour")
    with pytest.raises(ModelError, match=r"there are a, \*_count, at_\*, at_\*_name$"):
        DocumentFields({"a": Text()}, RULES).kind_of("colour")


@pytest.mark.parametrize(
    "name", ["title", "Größe", "site of work", "_rectype", "a-b/c#d", "k616263", "x" * 200]
)
def test_names_are_free(name: str) -> None:
    assert list(DocumentFields({name: Text()})) == [name]


def test_a_declaration_has_a_signature_that_changes_with_what_is_indexed_and_with_nothing_else() -> (
    None
):
    # An index is built again when it does: for a new label that would be a waste, for a new kind it
    # is needed.
    def signature(kind: FieldKind, *rules: FieldRule) -> dict[str, Any]:
        return DocumentFields({"a": kind}, rules).signature

    assert signature(Text(label="A")) == signature(Text())
    kinds = [
        Text(),
        Text(many=True),
        Keyword(),
        Keyword(many=True),
        Number(),
        Integer(),
        Bool(),
        Date(),
        GeoPoint(),
    ]
    kinds += [GeoShape(), Flat(), Flat(exclude=("_",))]
    made = [
        *(signature(kind) for kind in kinds),
        signature(Text(), *RULES),
        signature(Text(), *RULES[::-1]),
    ]
    assert all(one != other for n, one in enumerate(made) for other in made[:n])


def test_what_was_stored_for_an_earlier_declaration_is_kept_where_it_still_fits() -> None:
    # A folder answers at once after an upgrade; what the old documents cannot tell is filled by the
    # rebuild.
    now = DocumentFields({"same": Text(), "other": Number(), "listed": Text(many=True)}, RULES)
    stored = {
        "same": "x",
        "other": "no number",
        "listed": "x",
        "gone": 1,
        "at_home": {"lat": 1.0, "lon": 2.0},
    }
    assert now.still_known(stored) == {"same": "x", "at_home": {"lat": 1.0, "lon": 2.0}}


def test_what_a_rule_leaves_out_is_left_out_and_what_nothing_speaks_of_is_refused() -> None:
    ruled = DocumentFields({"a": Text()}, RULES)
    assert ruled.normal({"a": "x", "internal_id": object(), "word_count": 5}) == {
        "a": "x",
        "word_count": 5,
    }
    with pytest.raises(ModelError, match="colour: 'colour' is not declared"):
        ruled.normal({"colour": "red"})
    with pytest.raises(ModelError, match="cannot be the name of a field"):
        ruled.normal({"at_a.b": LatLon(0, 0)})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FieldRule("num_", Integer()), "needs a \\* where names may differ"),
        (
            lambda: FieldRule("num_*", cast(Any, Integer)),
            r"num_\*: write Integer\(\), with parentheses",
        ),
        (lambda: Flat(exclude=cast(Any, "VAMS_")), "must be a tuple of prefixes"),
        (lambda: Flat(exclude=("",)), "none of them empty"),
    ],
)
def test_a_rule_or_a_kind_that_cannot_be_right_is_refused_at_once(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        make()
