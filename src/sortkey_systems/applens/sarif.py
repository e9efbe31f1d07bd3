"""Findings as SARIF 2.1.0, the format that code hosts and editors show beside the lines."""

from __future__ import annotations

from typing import Any

from sortkey_systems.applens.report import Finding, Report
from sortkey_systems.applens.rules import RULES, Rule

LEVELS = {"low": "note", "medium": "warning", "high": "error", "critical": "error"}
SECURITY_SEVERITY = {"low": "3.0", "medium": "5.5", "high": "8.0", "critical": "9.5"}
"""As code hosts rank: above 9 critical, above 7 high, above 4 medium."""


def to_sarif(report: Report, version: str) -> dict[str, Any]:
    """One run with all rules, the results, and warnings of the analysis as notifications."""
    driver = {
        "name": "AppLens",
        "version": version,
        "rules": [_rule(rule) for rule in RULES],
    }
    numbers = {rule.id: number for number, rule in enumerate(RULES)}
    notes = [
        {"level": "warning", "message": {"text": each.message}, "locations": [_location(each.file, each.line)]}
        for each in report.problems
        if each.file
    ]
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": [_result(finding, numbers.get(finding.rule, -1)) for finding in report.findings],
        "properties": {"score": report.score, "graphHash": report.graph_hash, **report.counts},
    }
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


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


def _result(finding: Finding, number: int) -> dict[str, Any]:
    text = ": ".join(part for part in (finding.title, finding.detail) if part)
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{text} ({', '.join(finding.evidence)})"},
        "locations": [_location(finding.file, finding.line, finding.evidence[0])],
        "partialFingerprints": {"applensFinding/v1": finding.id},
        "properties": {"severity": finding.severity, "evidence": list(finding.evidence)},
    }


def _location(file: str, line: int, address: str = "") -> dict[str, Any]:
    from urllib.parse import quote

    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": max(line, 1)}}
    }
    return {**place, "logicalLocations": [{"fullyQualifiedName": address, "kind": "resource"}]} if address else place
