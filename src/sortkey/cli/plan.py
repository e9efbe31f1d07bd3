"""`sortkey plan`: how deployed tables differ from a model, and what to change."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands.failure import FAILED
from sortkey.commands.help import examples
from sortkey.commands.models import load_model
from sortkey.commands.options import Data, Json, ModelName, open_store
from sortkey.commands.output import print_json

EXAMPLES = examples(
    "sortkey plan shop.model:model",
    "sortkey plan shop.model:model --data aws://eu-west-1",
    'sortkey plan shop.model:model --check || echo "the tables are out of date"',
)


def run(
    model: ModelName,
    data: Data = "data",
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if there is anything to do.")
    ] = False,
    json: Json = False,
) -> int:
    """Compare a model with the deployed tables and print what to do, in order: tables to create,
    indexes to add, settings to change, entities whose stored items need a backfill, and changes
    that must be made by hand.

    Nothing is changed. `sortkey apply` runs the steps, `sortkey backfill` the backfills.
    """
    with open_store(data) as store:
        plan = store.plan(load_model(model))
    print_json(plan.to_json()) if json else print(plan)
    return FAILED if check and not plan.is_empty else 0
