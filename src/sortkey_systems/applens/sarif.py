"""Findings as SARIF 2.1.0, the format that code hosts and editors show beside the code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sortkey_systems.applens.problems import Problem
from sortkey_systems.applens.report import Finding, Report
from sortkey_systems.applens.rules import RULES, Rule

LEVELS = {"low": "note", "medium": "warning", "high": "error", "critical": "error"}
SECURITY_SEVERITY = {"low": "3.0", "medium": "5.5", "high": "8.0", "critical": "9.5"}
"""As code hosts rank: above 9 critical, above 7 high, above 4 medium."""


KINDS = {"parse": "file-not-read", "source": "file-left-out", "unresolved": "unresolved"}
"""Names of notifications, by the kind of the problem."""
ROOT = "%SRCROOT%"
"""The name that code hosts know for the top of a checkout."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """Where the analysed files are: in folders below a root."""

    root: Path
    folders: tuple[Path, ...]

    @classmethod
    def of(cls, paths: Sequence[str | os.PathLike[str]]) -> Checkout:
        """Below the current folder, as code hosts expect. Paths outside of it are below their
        common folder.
        """
        absolute = [Path(os.path.abspath(path)) for path in paths]
        folders = tuple(path if path.is_dir() else path.parent for path in absolute)
        here = Path.cwd()
        inside = all(folder.is_relative_to(here) for folder in folders)
        return cls(here if inside else Path(os.path.commonpath(folders)), folders)

    def located(self, file: str) -> str:
        """The path of a file below the root. A file in an archive keeps its own."""
        places = (folder / file for folder in self.folders if (folder / file).is_file())
        place = next(places, None)
        return place.relative_to(self.root).as_posix() if place else file


def to_sarif(report: Report, version: str, checkout: Checkout | None = None) -> dict[str, Any]:
    """One run with all rules, the results, and warnings of the analysis as notifications.

    With a checkout, locations are relative to its root. Without one, as for an upload, they are as
    in the report.
    """
    driver = {
        "name": "AppLens",
        "version": version,
        "rules": [_rule(rule) for rule in RULES],
    }
    numbers = {rule.id: number for number, rule in enumerate(RULES)}
    roots = (
        {"originalUriBaseIds": {ROOT: {"uri": checkout.root.as_uri().rstrip("/") + "/"}}}
        if checkout
        else {}
    )
    covered = {"coverage": report.to_json()["coverage"]} if report.coverage else {}
    run = {
        "tool": {"driver": driver},
        **roots,
        "invocations": [_invocation(checkout, report)],
        "results": [
            _result(checkout, finding, numbers.get(finding.rule, -1)) for finding in report.findings
        ],
        "properties": {
            **covered,
            "score": report.score,
            "graphHash": report.graph_hash,
            **report.counts,
        },
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def _invocation(checkout: Checkout | None, report: Report) -> dict[str, Any]:
    """What was not covered, as notifications. If a file was not read, the analysis is not
    successful.
    """
    unread = [problem for problem in report.problems if problem.kind == "parse"]
    notes = [
        _notification(checkout, problem, report) for problem in report.problems if problem.file
    ]
    if report.coverage and report.coverage.without_rules:
        (text,) = (gap for gap in report.coverage.gaps if " no rules: " in gap)
        notes.append(
            {"descriptor": {"id": "no-rules"}, "level": "warning", "message": {"text": text}}
        )
    return {"executionSuccessful": not unread, "toolExecutionNotifications": notes}


def _notification(checkout: Checkout | None, problem: Problem, report: Report) -> dict[str, Any]:
    modules = report.coverage.modules_not_read if report.coverage else []
    is_module = any(
        problem.message.startswith(f"{module.address}: its source ") for module in modules
    )
    kind = "module-not-read" if is_module else KINDS[problem.kind]
    return {
        "descriptor": {"id": kind},
        "level": "error" if problem.kind == "parse" else "warning",
        "message": {"text": problem.message},
        "locations": [_location(checkout, problem.file, problem.line)],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.title.split()),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": " ".join(rule.mitigations)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {
            "tags": ["security", rule.category],
            "security-severity": SECURITY_SEVERITY[rule.severity],
            "precision": "high" if rule.confidence == "high" else "medium",
        },
    }


def _result(checkout: Checkout | None, finding: Finding, number: int) -> dict[str, Any]:
    text = ": ".join(part for part in (finding.title, finding.detail) if part)
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{text} ({', '.join(finding.evidence)})"},
        "locations": [_location(checkout, finding.file, finding.line, finding.evidence[0])],
        "partialFingerprints": {"applensFinding/v1": finding.id},
        "properties": {"severity": finding.severity, "evidence": list(finding.evidence)},
    }


def _location(checkout: Checkout | None, file: str, line: int, address: str = "") -> dict[str, Any]:
    artifact = (
        {"uri": quote(checkout.located(file)), "uriBaseId": ROOT}
        if checkout
        else {"uri": quote(file)}
    )
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line, 1)}},
    }
    return (
        {**place, "logicalLocations": [{"fullyQualifiedName": address, "kind": "resource"}]}
        if address
        else place
    )
