"""`sortkey apply`: creates and changes tables to match a model. It drops nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.commands.help import examples
from sortkey.commands.models import load_model
from sortkey.commands.options import Data, Json, ModelName, open_store
from sortkey.commands.output import print_json

if TYPE_CHECKING:
    from sortkey.runtime.evolution.plans import Step

EXAMPLES = examples(
    "sortkey apply shop.model:model",
    "sortkey apply shop.model:model --data aws://eu-west-1 --kms alias/shop",
)


def run(
    model: ModelName,
    data: Data = "data",
    kms: Annotated[
        str | None, typer.Option(metavar="KEY", help="Encrypt new tables with this key.")
    ] = None,
    json: Json = False,
) -> None:
    """Apply the steps that `sortkey plan` prints: create tables, add indexes, change settings.

    Nothing is dropped, and no item is read or written. An interrupted run can be started again.
    What remains is printed: backfills, and changes that must be made by hand.
    """
    loaded = load_model(model)
    with open_store(data, begins=True) as store:
        done = store.apply(store.plan(loaded), kms=kms, on_progress=None if json else _print_step)
        left = store.plan(loaded)
    if json:
        print_json({"done": [str(step) for step in done], "left": left.to_json()})
        return
    print(left)


def _print_step(step: Step) -> None:
    print(step, flush=True)
