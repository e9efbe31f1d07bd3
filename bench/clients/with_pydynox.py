"""pydynox."""

from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key
from pydynox import DynamoDBClient, Model, ModelConfig
from pydynox.attributes import (
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    StringAttribute,
)

client = DynamoDBClient(endpoint_url=endpoint(), region="us-east-1", access_key="a", secret_key="b")


class Order(Model):
    model_config = ModelConfig(table=TABLE, client=client)

    pk = StringAttribute(partition_key=True)
    sk = StringAttribute(sort_key=True)
    status = StringAttribute()
    currency = StringAttribute()
    note = StringAttribute()
    created_at = StringAttribute()
    customer = StringAttribute()
    quantity = NumberAttribute()
    total = NumberAttribute()
    paid = BooleanAttribute()
    tags = ListAttribute()
    address = MapAttribute()


report(
    get=lambda n: Order.sync_get(pk=QUERIED, sk=sort_key(n)),
    put=lambda n: Order(**{**ITEM, "sk": sort_key(n)}).sync_save(),
    query=lambda n: list(Order.sync_query(partition_key=QUERIED)),
)
