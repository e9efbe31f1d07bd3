"""What the shell offers after TAB, besides the names of commands and options."""

from __future__ import annotations

import typer


def complete_models(incomplete: str) -> list[str]:
    """Installed systems."""
    from sortkey.systems.installed import system_names

    return [name for name in system_names() if name.startswith(incomplete)]


def complete_patterns(incomplete: str) -> list[str]:
    """`model:pattern`: models first, then the patterns of the one that was chosen."""
    from sortkey.commands.models import load_model

    model, colon, begun = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in complete_models(begun)]
    return [
        f"{model}:{each.name}"
        for each in load_model(model).patterns()
        if each.name.startswith(begun)
    ]


def complete_call(ctx: typer.Context, incomplete: str) -> list[str]:
    """What follows a model or a pattern: the patterns of the model, and the names of the pattern's
    arguments.
    """
    from sortkey.commands.failure import CommandFailed
    from sortkey.commands.models import load_model
    from sortkey.commands.pattern_arguments import read_call
    from sortkey.model.description import parameters_of

    first, given = ctx.params["pattern"], ctx.params.get("arguments") or ()
    words = [each for each in given if each not in (":", incomplete)]  # to bash a colon is a word
    try:
        found, named = read_call(first, words)
    except CommandFailed:  # a model, so far
        return [
            each.name for each in load_model(first).patterns() if each.name.startswith(incomplete)
        ]
    names = [each.name for each in parameters_of(found) if each.name not in named]
    return [f"{name}=" for name in names if name.startswith(incomplete)]


def complete_entities(incomplete: str) -> list[str]:
    """`model:Entity`."""
    from sortkey.commands.models import load_model

    model, colon, begun = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in complete_models(begun)]
    return [
        f"{model}:{each.__name__}"
        for each in load_model(model).entities
        if each.__name__.startswith(begun)
    ]


def complete_documents(ctx: typer.Context, incomplete: str) -> list[str]:
    """Search documents of the model that was given."""
    from sortkey.commands.models import load_model

    known = [each.document.name for each in load_model(ctx.params["model"]).documents]
    return [name for name in known if name.startswith(incomplete)]
