"""A small system for the tests of the host: it lists, finds, refuses and breaks."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field, field_validator

from sortkey import Entity, Model, Store, Table, key, query
from sortkey.web import Access, Mount, Page, Refused, User, api_key_access, errors_for, signed_in

model = Model("shop")
table = model.add(Table("shop", key=("PK", "SK")))


class Order(Entity, table=table):
    """An order of a customer."""

    customer: str
    number: int

    @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
    def key(*, customer: str, number: int):
        """An order."""

    @query(key)
    def of_customer(*, customer: str):
        """The orders of a customer."""


class Note(Entity, table=table):
    """What a customer wants to be known, in any form."""

    customer: str
    note: Any

    @key("CUSTOMER#{customer}", "NOTE")
    def key(*, customer: str):
        """The note of a customer."""


class OrderView(BaseModel):
    """An order as it is shown."""

    customer: str
    number: int = Field(ge=1, le=999_999)

    @staticmethod
    def of(order: Order) -> OrderView:
        return OrderView(customer=order.customer, number=order.number)


class Wanted(BaseModel):
    """What to order."""

    number: int = Field(ge=1, le=999_999)

    @field_validator("number")
    @classmethod
    def may_be_ordered(cls, number: int) -> int:
        if number == 666:
            raise ValueError("nobody orders that")
        return number


class Receipt(PlainTextResponse):
    """A table in text."""

    media_type = "text/csv"


class SoldOut(Refused):
    """There is nothing left."""

    status = 409


Customer = Annotated[User, Depends(signed_in("shop"))]
Reader = Annotated[Access, Depends(api_key_access("shop", "read"))]
Writer = Annotated[Access, Depends(api_key_access("shop", "full"))]


def system(store: Store) -> Mount:
    store.ensure(model)
    router = APIRouter()

    @router.get("/orders")
    def orders(
        user: Customer, cursor: str | None = None, size: Annotated[int, Field(ge=1, le=100)] = 2
    ) -> Page[OrderView]:
        """The orders of the user."""
        page = store.page(Order.of_customer(customer=user.user_id), cursor=cursor, size=size)
        return Page.of(page, OrderView.of)

    @router.post("/orders", status_code=201, responses=errors_for(409))
    def order(user: Customer, wanted: Wanted) -> OrderView:
        """Order something."""
        if wanted.number == 13:
            raise SoldOut("13 is sold out: order another", number=13)
        return OrderView.of(store.create(Order(customer=user.user_id, number=wanted.number)))

    @router.get("/orders/{number}", responses=errors_for(404))
    def one(user: Customer, number: Annotated[int, Field(ge=1, le=999_999)]) -> OrderView:
        """An order of the user."""
        return OrderView.of(store.get(Order.key(customer=user.user_id, number=number)))

    @router.get("/stock")
    def stock(access: Reader) -> dict[str, str]:
        """What is there; the name of the key that asks."""
        return {"asked by": access.name}

    @router.delete("/stock", status_code=204)
    def clear(access: Writer) -> None:
        """Throw everything away."""

    @router.put("/notes", status_code=204)
    def write(user: Customer, note: Annotated[Any, Body(embed=True)]) -> None:
        """Note something."""
        store.put(Note(customer=user.user_id, note=note))

    @router.get("/receipt", response_class=Receipt)
    def receipt(user: Customer) -> Receipt:
        """What the user owes, for a spreadsheet."""
        return Receipt(f"customer,total\n{user.user_id},0\n")

    @router.get("/broken", include_in_schema=False)
    def broken() -> None:
        raise RuntimeError("the password is swordfish")

    return Mount("shop", router, "Orders of customers")
