"""PynamoDB: a model with an index, conditions, updates and a transaction."""

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import PutError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite


class ByColour(GlobalSecondaryIndex["Thing"]):
    class Meta:
        index_name = "ByColour"
        projection = AllProjection()

    colour = UnicodeAttribute(hash_key=True)
    rank = NumberAttribute(range_key=True)


class Thing(Model):
    class Meta:
        table_name = "things"
        billing_mode = "PAY_PER_REQUEST"
        region = "us-east-1"
        host = ""

    name = UnicodeAttribute(hash_key=True)
    colour = UnicodeAttribute()
    rank = NumberAttribute()
    tags = UnicodeSetAttribute(null=True)
    by_colour = ByColour()


def test_pynamodb_runs_a_short_life_of_a_table(endpoint: str) -> None:
    # The library most Python models are written with today.
    Thing.Meta.host = endpoint
    Thing.create_table(wait=True)
    for number in range(5):
        Thing(f"t{number}", colour="red" if number % 2 else "blue", rank=number).save()
    assert [thing.name for thing in Thing.by_colour.query("red", Thing.rank > 0)] == ["t1", "t3"]

    thing = Thing.get("t1")
    thing.update(actions=[Thing.rank.set(Thing.rank + 10), Thing.tags.add({"new"})])
    assert (thing.rank, thing.tags) == (11, {"new"})
    with pytest.raises(PutError, match="The conditional request failed"):
        Thing("t1", colour="x", rank=0).save(condition=Thing.name.does_not_exist())
    with TransactWrite(connection=Connection(region="us-east-1", host=endpoint)) as transaction:
        transaction.save(Thing("t9", colour="red", rank=9))
        transaction.delete(Thing("t0"))
    assert {each.name for each in Thing.scan()} == {"t1", "t2", "t3", "t4", "t9"}
    Thing.delete_table()
