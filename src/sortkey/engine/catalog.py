"""The tables that exist, in memory as on disk. Finds a table by its name or ARN."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sortkey.engine.tables import Table
from sortkey.errors import AccessDeniedException, ResourceNotFoundException, ValidationException
from sortkey.storage.database import Database
from sortkey.storage.records import Records
from sortkey.storage.rows import Rows
from sortkey.values.table_names import OWN_PREFIX, is_own

ACCOUNT = "000000000000"

_RESOURCE = re.compile(r"table/[a-zA-Z0-9_.-]{3,255}")
_FORM = (
    "Valid ARN format is "
    "'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where Resource "
    "name must have length less than or equal to 255, Resource name must have length greater than "
    "or equal to 3, "
    "Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
)
OWN = (
    "{name} belongs to Sortkey, as every table does whose name begins with {prefix}: it can be "
    "read but not changed "
    "over this endpoint. Open the data folder itself, or start `sortkey serve` with --own-tables."
)


class Catalog:
    def __init__(self, database: Database, records: Records, region: str) -> None:
        self._db = database
        self._records = records
        self.region = region
        self._tables: dict[str, Table] = {}
        self._open: dict[str, Table] = {}
        """The tables that can be used. A table that is being restored or imported cannot."""
        self.guards_own = False
        """Whether Sortkey's own tables are refused, while a change runs for an untrusted caller."""
        self.reload()

    # -- finding

    def table(self, name_or_arn: str) -> Table:
        """The table that a data operation names."""
        if self.guards_own and name_or_arn.startswith((OWN_PREFIX, "arn:")):
            self.check_not_own(self.name_of(name_or_arn))
        return self.readable(name_or_arn)

    def readable(self, name_or_arn: str) -> Table:
        """The same for an operation that may change items, but only reads this table."""
        table = self._open.get(name_or_arn) or self._open.get(self.name_of(name_or_arn))
        if table is None:
            raise ResourceNotFoundException("Requested resource not found")
        return table

    def described(self, name_or_arn: str) -> Table:
        """The table that a control operation names. AWS's error for a missing one has its name."""
        name = self.name_of(name_or_arn)
        table = self.find(name)
        if table is None:
            raise ResourceNotFoundException(
                f"Requested resource not found: Table: {name} not found"
            )
        return table

    def find(self, name: str) -> Table | None:
        self.check_not_own(name)
        return self._tables.get(name)

    def check_not_own(self, name: str) -> None:
        """Raise AccessDeniedException for one of Sortkey's own tables, existing or not, if they are
        guarded now.
        """
        if self.guards_own and is_own(name):
            raise AccessDeniedException(OWN.format(name=name, prefix=OWN_PREFIX))

    def by_number(self, number: int) -> Table | None:
        return next((table for table in self._tables.values() if table.number == number), None)

    def tables(self) -> Iterable[Table]:
        """All tables, in the order of their names."""
        return [self._tables[name] for name in sorted(self._tables)]

    # -- naming

    def name_of(self, name_or_arn: str) -> str:
        """AWS accepts a table's ARN wherever it accepts its name, for this region and account."""
        if not name_or_arn.startswith("arn:"):
            return name_or_arn
        parts, own = name_or_arn.split(":", 5), self.arn("").split(":")
        if len(parts) < len(own) or parts[2] != own[2] or not _RESOURCE.fullmatch(parts[5]):
            value = f"Value '{name_or_arn}' at 'tableName' failed to satisfy constraint"
            raise ValidationException(f"1 validation error detected: {value}: {_FORM}")
        for place, what in ((1, "partition"), (3, "region")):
            if parts[place] != own[place]:
                raise ValidationException(
                    f"1 validation error detected: Invalid AWS {what} in '{name_or_arn}'"
                )
        if parts[4] != own[4]:
            raise AccessDeniedException("Access is denied")
        return parts[5].removeprefix("table/")

    def arn(self, table_name: str) -> str:
        return f"arn:aws:dynamodb:{self.region}:{ACCOUNT}:table/{table_name}"

    def next_number(self) -> int:
        return self._records.next_number("table")

    # -- changing

    def create(self, table: Table) -> Table:
        table = self.save(table)
        table.rows.create()
        if table.has_lsi:
            table.rows.create_collections()
        return table

    def save(self, table: Table) -> Table:
        """Save a table's changed definition."""
        self._db.begin()
        self._records.put("table", table.name, table.to_record())
        return self._load(table)

    def drop(self, table: Table) -> None:
        self._db.begin()
        table.rows.drop()
        self._records.delete("table", table.name)
        del self._tables[table.name]
        self._open.pop(table.name, None)

    def reload(self) -> None:
        """Reload all tables, at the start and after a rollback."""
        self._tables.clear()
        self._open.clear()
        for _, record in self._records.all("table"):
            self._load(Table.from_record(record))

    def _load(self, table: Table) -> Table:
        rows = Rows(self._db, table.number, [index.column for index in table.indexes])
        table = replace(table, rows=rows)
        self._tables[table.name] = table
        if table.status == "CREATING":
            self._open.pop(table.name, None)
        else:
            self._open[table.name] = table
        return table
