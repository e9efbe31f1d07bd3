"""Sources into resources: each file by its kind, each folder that no other calls as its own
configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sortkey_systems.applens.json_depth import loads
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.declarations import declarations, declared
from sortkey_systems.applens.parsing.evaluation import evaluate
from sortkey_systems.applens.parsing.hcl import parse
from sortkey_systems.applens.parsing.json_syntax import parse_json, parse_json_values
from sortkey_systems.applens.parsing.modules import Folder, Module, Tree, roots_of
from sortkey_systems.applens.parsing.plans import is_plan_or_state, resources_of
from sortkey_systems.applens.parsing.redaction import is_sensitive, redacted_declaration
from sortkey_systems.applens.parsing.symbols import shown
from sortkey_systems.applens.parsing.syntax import HclError
from sortkey_systems.applens.problems import AnalysisFailed, NothingParsed, Problem
from sortkey_systems.applens.resources import Link, Resource
from sortkey_systems.applens.sources import ACCEPTED, TERRAFORM, Source


@dataclass(slots=True)
class Reading:
    """The resources, by address, and the problems. `files` is the number of files that should be
    read.
    """

    resources: list[Resource] = field(default_factory=list[Resource])
    problems: list[Problem] = field(default_factory=list[Problem])
    files: int = 0


def read(sources: Sequence[Source], budget: Budget | None = None) -> Reading:
    """All resources of the sources. A file that does not parse is a problem; if none parses, raises
    `NothingParsed`.

    Raises AnalysisFailed if evaluating them exceeds the budget.
    """
    tree, plans, parsed = Tree({}, budget=budget or Budget()), list[Source](), 0
    tree.files = {file.path: file.data for file in sources if file.is_beside}
    for source in sorted(sources, key=lambda source: source.path):
        if source.is_beside:
            continue
        if source.unread:
            tree.problems.append(Problem(source.path, 1, "parse", source.unread))
        elif source.path.endswith(TERRAFORM):
            parsed += _read_terraform(source, tree)
        else:
            plans.append(source)
    resources = _expanded(tree)
    tree.problems += _undeclared(resources)
    if parsed and plans:
        for plan in plans:
            message = "a plan or state beside Terraform files is left out: analyse it by itself"
            tree.problems.append(Problem(plan.path, 1, "source", message))
    else:
        for plan in plans:
            parsed += _read_plan(plan, resources, tree.problems)
    if not parsed:
        first = min(tree.problems, default=None)
        raise NothingParsed(
            str(first) if first else f"there is no Terraform in the input: give {ACCEPTED}"
        )
    resources.sort(key=lambda problem: problem.address)
    return Reading(
        resources, sorted(set(tree.problems)), sum(not file.is_beside for file in sources)
    )


def _undeclared(resources: list[Resource]) -> list[Problem]:
    addresses = {resource.address for resource in resources}
    return [
        Problem(
            resource.file,
            resource.line,
            "unresolved",
            f"{resource.address}: {link.path} refers to {link.address}, not declared",
        )
        for resource in resources
        for link in resource.links
        if link.address not in addresses
    ]


def _read_terraform(source: Source, tree: Tree) -> bool:
    """Whether the file was understood."""
    folder = tree.folders.setdefault(source.folder, Folder(source.folder))
    try:
        text = source.data.decode("utf-8")
        if source.path.endswith((".tfvars", ".tfvars.json")):
            _read_values(source, text, folder, tree.budget)
            return False
        read_text = parse_json if source.path.endswith(".tf.json") else parse
        folder.blocks += read_text(text, source.path).blocks
        return True
    except HclError as error:
        tree.problems.append(Problem(source.path, error.line, "parse", str(error)))
    except UnicodeDecodeError as error:
        line = source.data[: error.start].count(b"\n") + 1
        tree.problems.append(Problem(source.path, line, "parse", "the text is not UTF-8"))
    return False


def _read_values(source: Source, text: str, folder: Folder, budget: Budget) -> None:
    """Only the files that Terraform loads by itself count. Others are a choice made when it
    runs.
    """
    name = source.path.rpartition("/")[2]
    if name.endswith(".json"):
        values, lines = parse_json_values(text), dict[str, int]()
    else:
        arguments = parse(text, source.path).arguments
        scope = Module(Tree({}, budget=budget), Folder(""), "", {}).scope
        values = {
            name: shown(evaluate(argument.expression, scope), scope.references())
            for name, argument in arguments.items()
        }
        lines = {name: argument.line for name, argument in arguments.items()}
    folder.declared += [
        declared(f"var.{name}", {name: value}, source.path, lines.get(name, 1))
        for name, value in values.items()
    ]
    if name.startswith("terraform.tfvars") or ".auto.tfvars" in name:
        folder.values.update(values)


def _read_plan(source: Source, resources: list[Resource], problems: list[Problem]) -> bool:
    try:
        document: Any = loads(source.data)
        if is_plan_or_state(document):
            resources += resources_of(document, source.path)
            return True
        message = "the JSON is neither a .tf.json file nor the output of `terraform show -json`"
        problems.append(Problem(source.path, 1, "parse", message))
    except ValueError as error:
        problems.append(
            Problem(source.path, getattr(error, "lineno", 1), "parse", f"no JSON: {error}")
        )
    except (KeyError, TypeError, AttributeError) as error:
        problems.append(
            Problem(source.path, 1, "parse", f"a plan or state of an unknown form: {error!r}")
        )
    return False


def _expanded(tree: Tree) -> list[Resource]:
    roots = roots_of(tree.folders)
    expanded: list[Resource] = []
    for path in roots:
        resources = _resources(tree, path)
        expanded += (
            resources if len(roots) == 1 else [_under(path, resource) for resource in resources]
        )
    hidden = _sensitive_variables(tree)
    for path, folder in tree.folders.items():
        prefix = "" if [path] == roots else f"{path or '.'}:"
        expanded += declarations(folder.blocks, prefix)
        expanded += [
            replace(declaration, address=prefix + declaration.address)
            for declaration in _declared(folder, hidden)
        ]
    return expanded


def _resources(tree: Tree, root: str) -> list[Resource]:
    try:
        return Module(tree, tree.folders[root], "", None).all_resources()
    except RecursionError:
        # Expressions, references and values are each limited; together they may still be more than
        # Python follows.
        raise AnalysisFailed(
            "the expressions are nested too deep: analyse a part of the tree, or a plan of it"
        ) from None


def _sensitive_variables(tree: Tree) -> set[str]:
    """For all folders: a variable file may be in another folder than its variables."""
    blocks = [block for folder in tree.folders.values() for block in folder.blocks]
    return {
        f"var.{block.labels[0]}"
        for block in blocks
        if block.type == "variable" and block.labels and is_sensitive(block)
    }


def _declared(folder: Folder, hidden: set[str]) -> list[Resource]:
    return [
        redacted_declaration(declaration) if declaration.address in hidden else declaration
        for declaration in folder.declared
    ]


def _under(path: str, resource: Resource) -> Resource:
    """With several configurations in one tree, an address is prefixed with its folder."""
    prefix = f"{path or '.'}:"
    resource.address = prefix + resource.address
    resource.links = [
        Link(link.path, prefix + link.address, link.attribute) for link in resource.links
    ]
    return resource
