"""The database of a shop after fifteen years: 22 tables with missing keys, mixed dates and
duplicates.

Every call gives the same data: random values come from one seed. `FLAWS` counts the flaws by kind.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, full_name TEXT, email TEXT, phone TEXT,
  status TEXT, registered_on TEXT, credit_score INTEGER, loyalty_points INTEGER, row_version
  INTEGER);
CREATE TABLE customer_addresses (address_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES
  customers(customer_id), address_type TEXT, street TEXT, city TEXT, zip_code TEXT, country_code
  CHAR(2), is_default INTEGER);
CREATE TABLE customer_contacts (cust_id INTEGER, contact_type TEXT, contact_value TEXT, created_at
  TEXT);
CREATE TABLE catalogs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT, valid_from
  TEXT, valid_until TEXT, active BOOLEAN);
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES
  categories(id), descr TEXT, is_active BOOLEAN, updated_at TEXT);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, sku TEXT, title TEXT, long_description TEXT,
  brand TEXT, status TEXT, weight_grams INTEGER, image_url TEXT, supplier_id INTEGER, created_at
  TEXT, modified_at TEXT, row_version INTEGER);
CREATE TABLE product_attributes (product_id INTEGER, attribute_name TEXT, attribute_value TEXT, unit
  TEXT);
CREATE TABLE product_categories (product_id INTEGER NOT NULL REFERENCES products(product_id),
  category_id INTEGER NOT NULL REFERENCES categories(id), PRIMARY KEY (product_id, category_id));
CREATE TABLE product_offers (offer_id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES
  products(product_id), offer_name TEXT, sellable BOOLEAN, valid_from TEXT, valid_to TEXT,
  sales_channel TEXT, status TEXT);
CREATE TABLE prices (price_id INTEGER PRIMARY KEY, offer_id INTEGER, amount TEXT, currency CHAR(3),
  vat_rate REAL, start_date TEXT, end_date TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, order_no TEXT, cust_id INTEGER, order_date TEXT,
  status TEXT, total_amount TEXT, currency CHAR(3), sales_channel TEXT, remarks TEXT, delivered_at
  TEXT);
CREATE TABLE order_items (order_id INTEGER, line_no INTEGER, offer_id INTEGER, qty INTEGER,
  unit_price REAL, line_total REAL);
CREATE TABLE services (service_id INTEGER PRIMARY KEY, service_name TEXT NOT NULL, description TEXT,
  version TEXT, status TEXT, launch_date TEXT, provider TEXT);
CREATE TABLE service_categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT);
CREATE TABLE service_plans (plan_id INTEGER PRIMARY KEY, service_id INTEGER REFERENCES
  services(service_id), category_id INTEGER REFERENCES service_categories(id), plan_name TEXT,
  details TEXT, status TEXT, valid_from TEXT);
CREATE TABLE suppliers (supplier_id INTEGER PRIMARY KEY, company TEXT, vat_number TEXT, city TEXT);
CREATE TABLE warehouses (warehouse_id INTEGER PRIMARY KEY, location TEXT, capacity INTEGER);
CREATE TABLE stock_levels (warehouse_id INTEGER, product_id INTEGER, on_hand INTEGER, counted_at
  TEXT);
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id),
  paid_at TEXT, method TEXT, amount REAL);
CREATE TABLE reviews (product_id INTEGER, customer_id INTEGER, stars INTEGER, review_text TEXT,
  written_on TEXT);
CREATE TABLE audit_log (id INTEGER PRIMARY KEY, at TEXT, actor TEXT, what TEXT);
CREATE TABLE tmp_import_products (sku TEXT, raw TEXT);
CREATE INDEX orders_by_customer ON orders (cust_id);
CREATE INDEX items_by_order ON order_items (order_id);
CREATE INDEX prices_by_offer ON prices (offer_id);
"""

FIRST = (
    "Ann",
    "Bob",
    "Carla",
    "Deniz",
    "Eva",
    "Farid",
    "Gina",
    "Hugo",
    "Ines",
    "Jan",
    "Kim",
    "Lea",
    "Milan",
    "Nora",
)
LAST = (
    "Adler",
    "Bauer",
    "Costa",
    "Dubois",
    "Eriksen",
    "Greco",
    "Hansen",
    "Ivanov",
    "Jansen",
    "Keller",
    "Novak",
)
CITIES = ("Utrecht", "Gent", "Lyon", "Porto", "Graz", "Aarhus", "Turin", "Malmö")
BRANDS = ("Nordlys", "Acme", "Veltro", "Oakline", "Pixo")
NOUNS = ("Lamp", "Chair", "Router", "Phone", "Kettle", "Desk", "Camera", "Speaker", "Tent", "Bike")
STATUSES = ("A", "active", "ACTIVE", "Active", "I", "inactive")
ORDER_STATES = ("new", "paid", "shipped", "delivered", "DELIVERED", "cancelled", "returned")
_START = datetime(2015, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Flaws:
    """How many of each flaw there are, whatever the size of the shop."""

    nameless_customers: int = 3
    repeated_customers: int = 12
    repeated_contacts: int = 9
    repeated_order_lines: int = 7
    lines_of_lost_orders: int = 5
    orders_of_lost_customers: int = 4
    broken_dates: int = 6


FLAWS = Flaws()


def make_shop(path: str | Path, *, customers: int = 400, seed: int = 2002) -> Path:
    """Write the shop into a new SQLite file. About 18 rows for each customer."""
    where = Path(path)
    where.unlink(missing_ok=True)
    db = sqlite3.connect(where)
    try:
        db.executescript(SCHEMA)
        shop = _Shop(db, random.Random(seed), customers)
        shop.people()
        shop.products()
        shop.orders()
        shop.services()
        shop.rest()
        db.commit()
    finally:
        db.close()
    return where


@dataclass(slots=True)
class _Shop:
    db: sqlite3.Connection
    chance: random.Random
    customers: int

    @property
    def size(self) -> int:
        """Of products."""
        return max(20, self.customers // 2)

    def people(self) -> None:
        people = [self._person(number) for number in range(1, self.customers + 1)]
        for person in people[: FLAWS.nameless_customers]:
            person[1] = None
        for number in range(FLAWS.broken_dates):
            people[10 + number][5] = "0000-00-00" if number % 2 else "soon"
        for number in range(FLAWS.repeated_customers):
            again = list(people[20 + number])
            people.append([self.customers + 1 + number, again[1], again[2], *again[3:]])
        self._fill("customers", people)
        numbers = range(1, self.customers + 1)
        self._fill("customer_addresses", (self._address(number) for number in numbers))
        contacts = [
            [number, "phone", self._phone(), self._date()] for number in numbers if number % 2
        ]
        self._fill("customer_contacts", [*contacts, *contacts[: FLAWS.repeated_contacts]])

    def products(self) -> None:
        validity = ("2015-01-01", "2030-12-31")
        self._fill(
            "catalogs",
            [
                [1, "Webshop", "All that is sold online", *validity, 1],
                [2, "Paper", None, *validity, 0],
            ],
        )
        tree = [
            [number, f"Group {number}", None if number < 5 else number % 4 + 1]
            for number in range(1, 25)
        ]
        self._fill(
            "categories",
            (
                [*category, f"All of {category[1]}", number % 6 > 0, self._date()]
                for number, category in enumerate(tree)
            ),
        )
        numbers = range(1, self.size + 1)
        self._fill("products", (self._product(number) for number in numbers))
        self._fill(
            "product_attributes",
            (attribute for number in numbers for attribute in self._attributes(number)),
        )
        self._fill("product_categories", {(number, number % 24 + 1) for number in numbers})
        self._fill("product_offers", (self._offer(number) for number in numbers))
        self._fill(
            "prices", ([n, n, self._amount(), "EUR", 0.21, "2020-01-01", None] for n in numbers)
        )

    def orders(self) -> None:
        count = self.customers * 2
        orders = [self._order(number) for number in range(1, count + 1)]
        for number in range(FLAWS.orders_of_lost_customers):
            orders[30 + number][2] = 900_000 + number
        self._fill("orders", orders)
        lines = [
            self._line(number, line)
            for number in range(1, count + 1)
            for line in range(1, number % 4 + 2)
        ]
        lines += [self._line(800_000 + number, 1) for number in range(FLAWS.lines_of_lost_orders)]
        self._fill("order_items", [*lines, *lines[: FLAWS.repeated_order_lines]])
        self._fill(
            "payments",
            ([n, n, self._date(), "card", 10.0 + n % 90] for n in range(1, count + 1, 2)),
        )

    def services(self) -> None:
        names = ("Delivery", "Assembly", "Insurance", "Repair", "Storage", "Broadband")
        self._fill(
            "services",
            (
                [n, name, f"{name} for customers", "1.0", "active", "2019-03-01", "Shop"]
                for n, name in enumerate(names, 1)
            ),
        )
        self._fill("service_categories", [[1, "Home", "At home"], [2, "Online", None]])
        plans = (
            [n, n % 6 + 1, n % 2 + 1, f"Plan {n}", None, "A", "01/02/2020"] for n in range(1, 19)
        )
        self._fill("service_plans", plans)

    def rest(self) -> None:
        self._fill(
            "suppliers",
            ([n, f"{LAST[n % 11]} & Co", f"NL{n:09d}B01", CITIES[n % 8]] for n in range(1, 16)),
        )
        self._fill("warehouses", ([n, CITIES[n], n * 1000] for n in range(1, 4)))
        self._fill(
            "stock_levels",
            ([n % 3 + 1, n, n * 7 % 50, self._date()] for n in range(1, self.size + 1)),
        )
        stars = (
            [n % self.size + 1, n, n % 5 + 1, "Fine.", self._date()]
            for n in range(1, self.customers, 3)
        )
        self._fill("reviews", stars)
        self._fill(
            "audit_log",
            ([n, self._iso(), "batch", f"change {n}"] for n in range(1, self.customers)),
        )
        self._fill("tmp_import_products", ([f"SKU-{n}", "{}"] for n in range(40)))

    # -- rows

    def _person(self, number: int) -> list[Any]:
        name = f"{self.chance.choice(FIRST)} {self.chance.choice(LAST)}"
        email = f"{name.lower().replace(' ', '.')}.{number}@example.com"
        status = self.chance.choice(STATUSES)
        score = self.chance.randint(300, 850)
        return [
            number,
            name,
            email,
            self._phone(),
            status,
            self._date(),
            score,
            number * 13 % 500,
            1,
        ]

    def _address(self, number: int) -> list[Any]:
        street = f"{self.chance.choice(LAST)}straat {number % 140 + 1}"
        return [
            number,
            number,
            "billing",
            street,
            self.chance.choice(CITIES),
            f"{1000 + number % 9000:04d}",
            "NL",
            1,
        ]

    def _product(self, number: int) -> list[Any]:
        title = f"{self.chance.choice(BRANDS)} {NOUNS[number % 10]} {number}"
        text, image = f"{title}, made to last", f"https://img.example.com/{number}.jpg"
        dates = [self._date(), self._iso()]
        grams = self.chance.randint(50, 20_000)
        supplier = number % 15 + 1
        about = [f"SKU-{number:05d}", title, text, BRANDS[number % 5], self.chance.choice(STATUSES)]
        return [number, *about, grams, image, supplier, *dates, 3]

    def _attributes(self, number: int) -> list[list[Any]]:
        colour = self.chance.choice(("red", "blue", "oak", "black"))
        return [[number, "colour", colour, None], [number, "height", str(number % 90 + 10), "cm"]]

    def _offer(self, number: int) -> list[Any]:
        return [
            number,
            number,
            f"Offer {number}",
            number % 9 > 0,
            "2020-01-01",
            None,
            "web",
            "active",
        ]

    def _order(self, number: int) -> list[Any]:
        person = self.chance.randint(1, self.customers)
        state = self.chance.choice(ORDER_STATES)
        done = self._iso() if state.lower() == "delivered" else None
        note = self.chance.choice((None, None, "Leave at the door; ring twice"))
        return [
            number,
            f"O-{number:06d}",
            person,
            self._date(),
            state,
            self._amount(),
            "EUR",
            "web",
            note,
            done,
        ]

    def _line(self, order: int, line: int) -> list[Any]:
        quantity, price = self.chance.randint(1, 4), round(self.chance.uniform(5, 300), 2)
        return [
            order,
            line,
            self.chance.randint(1, self.size),
            quantity,
            price,
            round(quantity * price, 2),
        ]

    # -- values

    def _date(self) -> str:
        """One of four forms, as if four programs had written to the column."""
        at = _START + timedelta(minutes=self.chance.randint(0, 5_000_000))
        forms: tuple[Callable[[datetime], str], ...] = (
            lambda day: day.strftime("%Y-%m-%d"),
            lambda day: day.strftime("%Y-%m-%d %H:%M:%S"),
            lambda day: day.strftime("%d/%m/%Y"),
            lambda day: day.strftime("%d.%m.%Y"),
        )
        return self.chance.choice(forms)(at)

    def _iso(self) -> str:
        at = _START + timedelta(minutes=self.chance.randint(0, 5_000_000))
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _phone(self) -> str:
        return f"+31 6 {self.chance.randint(10_000_000, 99_999_999)}"

    def _amount(self) -> str:
        """With a comma, with a point, or with a sign."""
        amount = self.chance.uniform(5, 2500)
        return self.chance.choice(
            (f"{amount:.2f}", f"{amount:.2f}".replace(".", ","), f"€ {amount:.2f}")
        )

    def _fill(self, table: str, rows: Iterable[Iterable[Any]]) -> None:
        tuples = [tuple(row) for row in rows]
        if isinstance(rows, set):
            tuples.sort()
        self.db.executemany(
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(tuples[0]))})", tuples
        )
