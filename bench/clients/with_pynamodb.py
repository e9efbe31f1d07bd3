"""PynamoDB."""

from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key
from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
)
from pynamodb.models import Model


class Order(Model):
    class Meta:
        table_name = TABLE
        host = endpoint()
        region = "us-east-1"
        aws_access_key_id = "a"
        aws_secret_access_key = "b"

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    status = UnicodeAttribute()
    currency = UnicodeAttribute()
    note = UnicodeAttribute()
    created_at = UnicodeAttribute()
    customer = UnicodeAttribute()
    quantity = NumberAttribute()
    total = NumberAttribute()
    paid = BooleanAttribute()
    tags = ListAttribute()
    address = MapAttribute()


report(
    get=lambda n: Order.get(QUERIED, sort_key(n)),
    put=lambda n: Order(**{**ITEM, "sk": sort_key(n)}).save(),
    query=lambda n: list(Order.query(QUERIED)),
)
