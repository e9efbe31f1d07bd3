"""Whether a migration may be used: what was lost against what may be lost. Pure.

`passed` may be used; `needs_review` lost more than the journey allows; `failed` has documents that
the source does not explain. A journey is completed only where it passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sortkey_systems.jobengine.parts import AllowedLosses
from sortkey_systems.jobengine.stages.verification_validation.balance import Balance

Outcome = Literal["passed", "needs_review", "failed"]


@dataclass(slots=True)
class Verdict:
    """The outcome in one sentence, the exceeded limits, and the losses within limits."""

    outcome: Outcome
    text: str
    exceeded: list[str] = field(default_factory=list[str])
    allowed: list[str] = field(default_factory=list[str])


def allowance(limit: str, total: int) -> float:
    """How many of a total a limit allows: `3`, or `2.5%`."""
    return total * float(limit[:-1]) / 100 if limit.endswith("%") else int(limit)


def judge(
    balance: Balance, allowed: AllowedLosses, wrong: Sequence[str], missed: Sequence[str]
) -> Verdict:
    """`wrong`: what the source does not explain. `missed`: thresholds of rules that were not
    reached.
    """
    verdict = Verdict("passed", "", [*wrong, *missed])
    migrated_rows = balance.rows - balance.left_out
    for table in balance.tables:
        if table.table in allowed.tables:
            what, limit = f"rows of {table.table} not in the target", allowed.tables[table.table]
            _hold(verdict, what, table.lost, table.rows - table.left_out, limit)
    others = sum(table.lost for table in balance.tables if table.table not in allowed.tables)
    of = "other tables" if allowed.tables else "the source"
    _hold(verdict, f"rows of {of} not in the target", others, migrated_rows, allowed.rows)
    _hold(
        verdict,
        "references that lead nowhere",
        balance.references_dangling,
        balance.references,
        allowed.references,
    )
    _hold(
        verdict,
        "values that could not be converted",
        balance.values_refused,
        balance.values,
        allowed.values,
    )
    if wrong:
        verdict.outcome = "failed"
    elif verdict.exceeded:
        verdict.outcome = "needs_review"
    verdict.text = _sentence(verdict, balance, migrated_rows)
    return verdict


def _hold(verdict: Verdict, what: str, lost: int, total: int, limit: str) -> None:
    """Record a loss as allowed, or as over the limit."""
    if lost:
        lines = verdict.allowed if lost <= allowance(limit, total) else verdict.exceeded
        lines.append(f"{what}: {lost:,} of {total:,}, allowed {limit}")


def _sentence(verdict: Verdict, balance: Balance, migrated_rows: int) -> str:
    present = migrated_rows - balance.lost
    if verdict.outcome == "failed":
        return f"Failed: the target is not what the source says ({verdict.exceeded[0]}). Do not use it."
    left_out = (
        f" {balance.left_out:,} more rows were left out by rules." if balance.left_out else ""
    )
    mapped, columns = balance.columns
    gone = f"{columns - mapped:,} of {columns:,} columns" if mapped < columns else ""
    if balance.lost:
        rows = f"{balance.lost:,} of {migrated_rows:,} rows of the source ({100 * balance.lost / migrated_rows:.1f} %)"
        rows += f"{f' and {gone}' if gone else ''} are not in the target"
    else:
        rows = (
            f"all {present:,} rows of the source are in the "
            f"target{f', without {gone}' if gone else ''}"
        )
    if verdict.outcome == "needs_review":
        limits = (
            "1 limit is" if len(verdict.exceeded) == 1 else f"{len(verdict.exceeded)} limits are"
        )
        return f"Needs review: {rows}. {limits} exceeded.{left_out}"
    also = ", as the limits of the journey allow" if verdict.allowed else ""
    return f"Passed: {rows}{also}.{left_out}"
