"""What an analysis covered and what it did not: files, modules, resources without rules, unknown
values.

A score says nothing about what was not covered, so it is always shown with this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sortkey_systems.applens.parsing.source_reader import Reading
from sortkey_systems.applens.problems import Problem
from sortkey_systems.applens.rules.coverage import RULED_TYPES
from sortkey_systems.applens.sensitive import HIDDEN

NOT_RECORDED = "what it covers was not recorded"
"""For reports stored by an older version."""
NAMED_MAX = 10
"""How many files, modules and types one line names."""


@dataclass(frozen=True, slots=True)
class UnreadModule:
    """A call of a module that is not in the tree: from the registry or a repository."""

    address: str
    source: str
    file: str
    line: int

    def to_json(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "source": self.source,
            "file": self.file,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """`checked` of the `resources` have a type with rules; `without_rules` counts the others by
    type.

    `files_not_read` could not be read, or not completely. `files_left_out` were skipped on purpose:
    a state beside its source.
    """

    resources: int
    checked: int
    without_rules: dict[str, int]
    files_read: int
    files_not_read: list[Problem]
    files_left_out: list[Problem]
    modules_not_read: list[UnreadModule]
    unresolved_values: int
    sensitive_values: int

    @property
    def has_read_all_files(self) -> bool:
        return not self.files_not_read

    @property
    def gaps(self) -> list[str]:
        """What was not covered, one line each, the worst first. Empty if everything was."""
        return list(self._gaps())

    def rating(self, score: int) -> str:
        """The score as text, with what it covers. If no rule checked anything, it says so instead
        of giving a number.
        """
        if score or self.checked:
            text = (
                f"risk {score} of 100 over {self.checked:,} of "
                f"{_resources(self.resources) or '0 resources'}"
            )
            lacking = _counted(self.resources - self.checked, "has no rules", "have no rules")
        else:
            among = f"none of the {_resources(self.resources)} has rules"
            text, lacking = (
                f"risk not rated: {among if self.resources else 'no resources were read'}",
                "",
            )
        return "; ".join(filter(None, (text, lacking, self._files, self._modules)))

    def to_json(self) -> dict[str, Any]:
        return {
            "resources": self.resources,
            "checked": self.checked,
            "withoutRules": self.without_rules,
            "filesRead": self.files_read,
            "filesNotRead": [_problem_json(problem) for problem in self.files_not_read],
            "filesLeftOut": [_problem_json(problem) for problem in self.files_left_out],
            "modulesNotRead": [module.to_json() for module in self.modules_not_read],
            "unresolvedValues": self.unresolved_values,
            "sensitiveValues": self.sensitive_values,
            "gaps": self.gaps,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Coverage:
        return cls(
            document["resources"],
            document["checked"],
            document["withoutRules"],
            document["filesRead"],
            [
                Problem(problem["file"], problem["line"], "parse", problem["message"])
                for problem in document["filesNotRead"]
            ],
            [
                Problem(problem["file"], problem["line"], "source", problem["message"])
                for problem in document["filesLeftOut"]
            ],
            [UnreadModule(**module) for module in document["modulesNotRead"]],
            document["unresolvedValues"],
            document["sensitiveValues"],
        )

    @property
    def _files(self) -> str:
        return _counted(len(self.files_not_read), "file was not read", "files were not read")

    @property
    def _modules(self) -> str:
        return _counted(len(self.modules_not_read), "module was not read", "modules were not read")

    def _gaps(self) -> Iterator[str]:
        if self.files_not_read:
            yield f"{self._files}: {_first([str(file) for file in self.files_not_read], '; ')}"
        if self.files_left_out:
            left_out = _counted(
                len(self.files_left_out), "file was left out", "files were left out"
            )
            yield f"{left_out}: {_first([str(problem) for problem in self.files_left_out], '; ')}"
        if self.modules_not_read:
            modules = [f"{module.address} ({module.source})" for module in self.modules_not_read]
            yield f"{self._modules}: {_first(modules)}"
        if self.without_rules:
            types = sorted(self.without_rules.items(), key=lambda pair: (-pair[1], pair[0]))
            kinds = _first([f"{kind} ({number})" if number > 1 else kind for kind, number in types])
            lacking = self.resources - self.checked
            has = "has" if lacking == 1 else "have"
            yield f"{lacking:,} of {_resources(self.resources)} {has} no rules: {kinds}"
        if self.unresolved_values:
            words = (
                "value is unresolved: only a plan knows it",
                "values are unresolved: only a plan knows them",
            )
            yield _counted(self.unresolved_values, *words)
        if self.sensitive_values:
            words = (
                "value is sensitive: rules do not see it",
                "values are sensitive: rules do not see them",
            )
            yield _counted(self.sensitive_values, *words)


def risk_figure(report: Mapping[str, Any]) -> tuple[str, str]:
    """The score of a stored report as a figure and its label: a dash if no rule checked
    anything.
    """
    coverage = report.get("coverage")
    if coverage is None:
        return str(report["score"]), f"risk, of 100; {NOT_RECORDED}"
    rated = report["score"] or coverage["checked"]
    over = f"over {coverage['checked']:,} of {_resources(coverage['resources']) or '0 resources'}"
    return (str(report["score"]), f"risk, of 100, {over}") if rated else ("–", "risk, not rated")


def coverage_of(reading: Reading) -> Coverage:
    """What was covered of the input."""
    managed = [resource for resource in reading.resources if resource.mode == "managed"]
    lacking = Counter(thing.type for thing in managed if thing.type not in RULED_TYPES)
    modules = [
        UnreadModule(
            resource.address,
            str(resource.attributes.get("source", "")),
            resource.file,
            resource.line,
        )
        for resource in reading.resources
        if resource.mode == "module"
    ]
    unread = [problem for problem in reading.problems if problem.kind == "parse"]
    left_out = [problem for problem in reading.problems if problem.kind == "source"]
    unresolved = [
        problem
        for problem in reading.problems
        if problem.kind == "unresolved" and not _is_module(problem, modules)
    ]
    return Coverage(
        resources=len(managed),
        checked=len(managed) - lacking.total(),
        without_rules=dict(sorted(lacking.items())),
        files_read=reading.files - len({skipped.file for skipped in (*unread, *left_out)}),
        files_not_read=unread,
        files_left_out=left_out,
        modules_not_read=modules,
        unresolved_values=len(unresolved),
        sensitive_values=sum(_hidden(thing.attributes) for thing in managed),
    )


def _problem_json(problem: Problem) -> dict[str, Any]:
    return {"file": problem.file, "line": problem.line, "message": problem.message}


def _is_module(problem: Problem, modules: Sequence[UnreadModule]) -> bool:
    return any(
        (problem.file, problem.line) == (module.file, module.line)
        and problem.message.startswith(f"{module.address}: ")
        for module in modules
    )


def _hidden(value: Any) -> int:
    """How many values are sensitive, completely or in part."""
    if isinstance(value, dict):
        return sum(_hidden(member) for member in cast(dict[str, Any], value).values())
    if isinstance(value, list):
        return sum(_hidden(member) for member in cast(list[Any], value))
    return isinstance(value, str) and HIDDEN in value


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}" if number else ""


def _resources(number: int) -> str:
    return _counted(number, "resource", "resources")


def _first(names: Sequence[str], between: str = ", ") -> str:
    more = [f"and {len(names) - NAMED_MAX} more"] if len(names) > NAMED_MAX else []
    return between.join([*names[:NAMED_MAX], *more])
