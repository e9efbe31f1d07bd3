"""Shell completion of models, access patterns and entities."""

from __future__ import annotations

import typer


def complete_models(incomplete: str) -> list[str]:
    """Installed systems."""
    from sortkey.systems.installed import system_names

    return [name for name in system_names() if name.startswith(incomplete)]


def complete_patterns(incomplete: str) -> list[str]:
    """`model:pattern`: first models, then the patterns of the chosen model."""
    from sortkey.commands.models import load_model

    model, colon, prefix = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in complete_models(prefix)]
    return [
        f"{model}:{pattern.name}"
        for pattern in load_model(model).patterns()
        if pattern.name.startswith(prefix)
    ]


def complete_call(ctx: typer.Context, incomplete: str) -> list[str]:
    """What may follow: the patterns of a model, or the argument names of a pattern."""
    from sortkey.commands.failure import CommandFailed
    from sortkey.commands.models import load_model
    from sortkey.commands.pattern_arguments import read_call
    from sortkey.model.description import parameters_of

    first, arguments = ctx.params["pattern"], ctx.params.get("arguments") or ()
    words = [word for word in arguments if word not in (":", incomplete)]  # bash splits at colons
    try:
        pattern, texts = read_call(first, words)
    except CommandFailed:  # only a model so far
        patterns = [pattern.name for pattern in load_model(first).patterns()]
        return [name for name in patterns if name.startswith(incomplete)]
    parameters = [parameter.name for parameter in parameters_of(pattern)]
    names = [name for name in parameters if name not in texts]
    return [f"{name}=" for name in names if name.startswith(incomplete)]


def complete_entities(incomplete: str) -> list[str]:
    """`model:Entity`."""
    from sortkey.commands.models import load_model

    model, colon, prefix = incomplete.rpartition(":")
    if not colon:
        return [f"{name}:" for name in complete_models(prefix)]
    return [
        f"{model}:{entity.__name__}"
        for entity in load_model(model).entities
        if entity.__name__.startswith(prefix)
    ]


def complete_documents(ctx: typer.Context, incomplete: str) -> list[str]:
    """Search documents of the model on the command line."""
    from sortkey.commands.models import load_model

    known = [declared.document.name for declared in load_model(ctx.params["model"]).documents]
    return [name for name in known if name.startswith(incomplete)]
