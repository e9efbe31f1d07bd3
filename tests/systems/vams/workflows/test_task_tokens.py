"""Task tokens: only ours are read."""

from __future__ import annotations

import base64
import json

import pytest

from sortkey_systems.vams.workflows.task_tokens import TaskPlace, TaskTokens

PLACE = TaskPlace("plant-one", "pump", "run-1", 0, "nonce")


def test_a_token_reads_back() -> None:
    # It is all that the callback brings.
    tokens = TaskTokens(b"secret")
    assert tokens.read(tokens.write(PLACE)) == PLACE


def test_tokens_of_others_are_refused() -> None:
    # Whoever forges one could say that any step has succeeded.
    tokens = TaskTokens(b"secret")
    token = tokens.write(PLACE)
    name, _, signature = token.partition(".")
    other = base64.urlsafe_b64encode(json.dumps(["a", "b", "c", 0, "n"]).encode()).decode()
    for forged in (
        "",
        ".",
        name,
        f"{other}.{signature}",
        f"{name}.{'0' * 64}",
        TaskTokens(b"another").write(PLACE),
        token + "x",
        "é" * 10,
        "x" * 5000,
    ):
        with pytest.raises(ValueError, match="not a token"):
            tokens.read(forged)
