"""dyntastic."""

import os

from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key

os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "DYNTASTIC_HOST": endpoint()}

from dyntastic import A, Dyntastic


class Order(Dyntastic):
    __table_name__ = TABLE
    __table_host__ = endpoint()
    __table_region__ = "us-east-1"
    __hash_key__ = "pk"
    __range_key__ = "sk"

    pk: str
    sk: str
    status: str
    currency: str
    note: str
    created_at: str
    customer: str
    quantity: int
    total: int
    paid: bool
    tags: list[str]
    address: dict[str, str]


report(
    get=lambda n: Order.get(QUERIED, sort_key(n)),
    put=lambda n: Order(**{**ITEM, "sk": sort_key(n)}).save(),
    query=lambda n: list(Order.query(A.pk == QUERIED)),
)
