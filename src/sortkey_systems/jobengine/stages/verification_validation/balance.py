"""Accounts for every source row, by table: documents, references, refused, left behind, or excluded
by a rule.

The whole source is counted, including tables that were excluded after the analysis.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.jobengine.stages.data_migration.dataset_selection import Selection
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.verification_validation.integrity import Integrity
from sortkey_systems.jobengine.stages.verification_validation.mapping_validation import (
    MappingValidation,
    TableProof,
)
from sortkey_systems.jobengine.stages.work import Work


@dataclass(slots=True)
class TableBalance:
    """One table of the source. The outcomes add up to its rows."""

    table: str
    resource: str = ""
    rows: int = 0
    documents: int = 0
    references: int = 0
    """Rows of a junction table, found as references between documents."""
    refused: int = 0
    duplicates: int = 0
    left_behind: int = 0
    left_out: int = 0
    """Excluded by a rule of the journey."""
    unexplained: int = 0
    reason: str = ""
    """Why rows were left behind or excluded."""
    values: int = 0
    """Values of mapped columns in migrated rows."""
    values_refused: int = 0
    references_dropped: int = 0
    """Values that could not be converted, and references to rows that the source does not have."""
    columns: int = 0
    columns_mapped: int = 0

    @property
    def lost(self) -> int:
        return self.rows - self.documents - self.references - self.left_out


@dataclass(slots=True)
class Balance:
    """All tables of the source, and how many references of documents are broken."""

    tables: list[TableBalance]
    references: int = 0
    references_dangling: int = 0

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def left_out(self) -> int:
        return sum(table.left_out for table in self.tables)

    @property
    def lost(self) -> int:
        return sum(table.lost for table in self.tables)

    @property
    def documents(self) -> int:
        return sum(table.documents for table in self.tables)

    @property
    def values(self) -> int:
        return sum(table.values for table in self.tables)

    @property
    def values_refused(self) -> int:
        return sum(table.values_refused for table in self.tables)

    @property
    def columns(self) -> tuple[int, int]:
        """The mapped columns, and all columns."""
        return sum(table.columns_mapped for table in self.tables), sum(
            table.columns for table in self.tables
        )


def count_source(work: Work, target: Target) -> Balance:
    """Count the outcome of every row. Tables that were not migrated are counted again now."""
    schema, whole = (
        work.result("schema_extraction", ExtractedSchema),
        work.result("integrity", Integrity),
    )
    counting = _Counting(work, target)
    balance = Balance([counting.table(table.name) for table in schema.tables])
    dropped = sum(table_balance.references_dropped for table_balance in balance.tables)
    balance.references, balance.references_dangling = (
        whole.references + dropped,
        whole.dangling + dropped,
    )
    return balance


class _Counting:
    def __init__(self, work: Work, target: Target) -> None:
        self.work, self.target = work, target
        self.plan, self.selection = (
            work.result("etl_script", EtlPlan),
            work.result("dataset_selection", Selection),
        )
        self.proof = work.result("mapping_validation", MappingValidation)
        stripped, matches = (
            work.result("schema_stripping", StrippedSchema),
            work.result("tmf_api_matching", ApiMatches),
        )
        self.removed = {
            removal.table: removal for removal in stripped.removed if removal.column is None
        }
        self.unmatched = dict(matches.unmatched)
        self.coverage = {
            column.table: column
            for column in work.result("api_coverage_analysis", Coverage).columns
        }

    def table(self, name: str) -> TableBalance:
        rows = self._rows(name)
        columns = self.coverage[name]
        rows.columns = columns.counted
        rows.columns_mapped = len(columns.mapped) if rows.documents or rows.references else 0
        return rows

    def _rows(self, name: str) -> TableBalance:
        proof = next((table for table in self.proof.tables if table.table == name), None)
        if proof is not None:
            return self._migrated(proof)
        join = next((joined for joined in self.proof.joins if joined.table == name), None)
        if join is not None:
            reason = (
                "its rows join rows that are not both in the target"
                if join.found < join.rows
                else ""
            )
            return TableBalance(
                name,
                "",
                join.rows,
                references=join.found,
                left_behind=join.rows - join.found,
                reason=reason,
            )
        rows, removed = self.work.source.count(name), self.removed.get(name)
        if (removed is not None and removed.is_decided) or name in self.selection.left_out:
            return TableBalance(name, "", rows, left_out=rows, reason="a rule leaves it out")
        reason = (
            removed.reason
            if removed
            else self.unmatched.get(name, "no resource refers to what it joins")
        )
        return TableBalance(name, "", rows, left_behind=rows, reason=reason if rows else "")

    def _migrated(self, proof: TableProof) -> TableBalance:
        dataset = self.plan.dataset(proof.table)
        assert dataset is not None
        linked = {reference.path for reference in dataset.references}
        findings = self.target.findings_of_documents(proof.table)
        return TableBalance(
            proof.table,
            proof.resource,
            proof.source_rows,
            documents=proof.documents,
            refused=proof.refused,
            duplicates=proof.duplicates,
            unexplained=proof.source_rows - proof.documents - proof.refused - proof.duplicates,
            values=proof.documents * len(dataset.fields),
            values_refused=sum(count for path, count in findings.items() if path not in linked),
            references_dropped=sum(count for path, count in findings.items() if path in linked),
        )
