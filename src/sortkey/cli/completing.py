"""What the shell offers after TAB, besides the names of commands and options."""

from __future__ import annotations


def complete_models(incomplete: str) -> list[str]:
    """Models that ship."""
    from sortkey.cli.loading import SYSTEMS

    return [name for name in SYSTEMS if name.startswith(incomplete)]


def complete_patterns(incomplete: str) -> list[str]:
    """`model:pattern`: models first, then the patterns of the one that was chosen."""
    from sortkey.cli.loading import load_model

    model, colon, begun = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in complete_models(begun)]
    return [f"{model}:{each.name}" for each in load_model(model).patterns() if each.name.startswith(begun)]


def complete_entities(incomplete: str) -> list[str]:
    """`model:Entity`."""
    from sortkey.cli.loading import load_model

    model, colon, begun = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in complete_models(begun)]
    return [f"{model}:{each.__name__}" for each in load_model(model).entities if each.__name__.startswith(begun)]
