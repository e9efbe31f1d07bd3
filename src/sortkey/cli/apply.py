"""`sortkey apply`: changes what is deployed into what a model says, and drops nothing."""

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
    """Do the steps that `sortkey plan` prints: create tables, add indexes one after the other,
    change settings.

    Nothing is dropped, and no item is read or written. A run that was cut off can be started again.
    What is left is printed: backfills, and what can only be done by hand.
    """
    loaded = load_model(model)
    with open_store(data, begins=True) as store:
        done = store.apply(store.plan(loaded), kms=kms, on_progress=None if json else _tell)
        left = store.plan(loaded)
    if json:
        print_json({"done": [str(step) for step in done], "left": left.to_json()})
        return
    print(left)


def _tell(step: Step) -> None:
    print(step, flush=True)
