"""Any JSON at all, in the place of any member: an answer in AWS's errors, or none."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sortkey.engine import shapes
from sortkey.engine.shapes import model
from sortkey.errors import SerializationException, ValidationException

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False)
    | st.text()
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)


@st.composite
def of_shape(draw: st.DrawFn, name: str, depth: int = 0) -> Any:
    """A value of the shape, by and large; one in eight is any JSON."""
    of = model.shape(name)
    if depth > 6 or draw(st.integers(0, 7)) == 0:
        return draw(JSON)
    if of.type == "structure":
        chosen = [
            member for member in of.members if member in of.required or draw(st.integers(0, 3)) == 0
        ]
        return {member: draw(of_shape(of.members[member], depth + 1)) for member in chosen}
    if of.type == "list":
        return [draw(of_shape(of.element, depth + 1)) for _ in range(draw(st.integers(0, 3)))]
    if of.type == "map":
        return {
            key: draw(of_shape(of.element, depth + 1))
            for key in draw(st.sets(st.sampled_from(["a", "abc"])))
        }
    if of.enum:
        return draw(st.sampled_from(of.enum))
    scalars = {
        "string": st.sampled_from(["", "ab", "abc", "é" * 300]),
        "boolean": st.booleans(),
        "blob": st.just("YQ=="),
    }
    return draw(scalars.get(of.type, st.integers(-1, 100)))


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, Any]:
    operation = draw(st.sampled_from(sorted(model._model()["operations"])))
    request = draw(of_shape(model.input_shape(operation).name))
    return operation, request if isinstance(request, dict) else {}


@settings(max_examples=100, deadline=None)
@given(calls())
def test_the_full_check_agrees_with_the_compiled_one_and_nothing_else_is_raised(
    call: tuple[str, Any],
):
    # A KeyError here is a 500 to a client; a compiled yes where the full check says no lets a bad
    # request through.
    operation, request = call
    passed = False
    with suppress(TypeError):
        passed = bool(shapes.compile_test(shapes.input_shape(operation))(request))
    try:
        shapes._examine(operation, copy.deepcopy(request))
    except ValidationException:
        assert not passed
    except SerializationException:
        pass  # attribute values are opaque to the compiled test
