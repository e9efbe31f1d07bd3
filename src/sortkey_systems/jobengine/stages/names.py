"""Splits table and column names into words: `tbl_CustAddr` is customer address. Used for keys and
mapping.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache

# What old schemas shorten, and what it is in full.
ABBREVIATIONS = {
    "acct": "account",
    "addr": "address",
    "amt": "amount",
    "art": "article",
    "cat": "category",
    "cd": "code",
    "cnt": "count",
    "ctry": "country",
    "cur": "currency",
    "curr": "currency",
    "cust": "customer",
    "desc": "description",
    "descr": "description",
    "dt": "date",
    "grp": "group",
    "hdr": "header",
    "img": "image",
    "inv": "invoice",
    "itm": "item",
    "lbl": "label",
    "lvl": "level",
    "mfr": "manufacturer",
    "mgr": "manager",
    "nbr": "number",
    "nm": "name",
    "no": "number",
    "num": "number",
    "nr": "number",
    "ord": "order",
    "org": "organization",
    "pct": "percent",
    "ph": "phone",
    "pos": "position",
    "prc": "price",
    "prd": "product",
    "prod": "product",
    "qty": "quantity",
    "ref": "reference",
    "sts": "status",
    "stat": "status",
    "sup": "supplier",
    "supp": "supplier",
    "svc": "service",
    "tel": "phone",
    "tot": "total",
    "ts": "timestamp",
    "typ": "type",
    "uom": "unit of measure",
    "upd": "updated",
    "val": "value",
    "ver": "version",
    "whs": "warehouse",
}
_PREFIXES = {"tbl", "tb", "fld", "dbo", "legacy", "master"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@cache
def tokens(name: str) -> tuple[str, ...]:
    """The words of a name, expanded and in the singular, without meaningless prefixes."""
    words: list[str] = [word.lower() for word in _WORD.findall(name)]
    full = [part for word in words for part in ABBREVIATIONS.get(word, word).split()]
    significant = [singular(word) for word in full if word not in _PREFIXES]
    return tuple(significant or full)


@cache
def table_tokens(table: str) -> tuple[str, ...]:
    """The words of a table's name, without its schema: `billing.users` is user."""
    return tokens(table.rpartition(".")[2] or table)


@cache
def singular(word: str) -> str:
    """`categories` → `category`, `addresses` → `address`, `status` → `status`."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


@cache
def likeness(left: tuple[str, ...], right: tuple[str, ...]) -> float:
    """The similarity of two names from 0 to 1: same words, shared words, or similar letters."""
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    if set(left) == set(right):
        return 0.95
    shared = len(set(left) & set(right))
    words = shared / len(set(left) | set(right))
    letters = SequenceMatcher(None, "".join(left), "".join(right)).ratio()
    # Letters alone prove little: "order" and "border" are five sixths alike.
    return max(words * 0.9, letters * 0.8 if letters > 0.85 else 0.0)
