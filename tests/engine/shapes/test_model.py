"""The generated model: the same as botocore's data gives, complete, and cheap to have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sortkey.engine.shapes import compiled, constraints, model

ROOT = Path(__file__).parents[3]
OPERATIONS = sorted(model._model()["operations"])


def test_the_checked_in_model_is_what_botocore_gives():
    # A new AWS release shows up here, as a small diff to read, and nowhere else.
    command = [sys.executable, "-m", "tools.generate_shapes", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_compiles(operation: str):
    # A pattern that Python cannot read, or a type that nobody handles, must not wait for a client to find it.
    assert compiled.compile_test(model.input_shape(operation))


def test_every_constraint_can_be_applied():
    # Patterns are Java's; each must compile here too.
    for name in [*model._model()["shapes"], *model.exceptions.EXTRA_SHAPES]:
        constraints._constraints(name)


def test_every_exception_names_something_that_exists():
    # An exception for a member that AWS removed is dead and misleads.
    shapes = model._model()["shapes"]
    for name, member in model.exceptions.MEMBERS:
        assert member in shapes[name].get("members", shapes[name])
    for name, members in model.exceptions.REQUIRED.items():
        assert set(members) <= set(shapes[name]["members"])


def test_the_engine_does_not_need_botocore():
    # botocore costs tens of megabytes; the server does without it.
    code = (
        "import sys, sortkey.engine.shapes as s; s.check('ListTables', {}); sys.exit('botocore' in "
        "sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
