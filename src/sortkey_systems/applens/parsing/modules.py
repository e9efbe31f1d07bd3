"""Folders of Terraform into resources: variables, locals, module calls, `count`, `for_each` and
dynamic blocks.

Values are evaluated lazily and once, so their order in the files does not matter.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.evaluation import evaluate
from sortkey_systems.applens.parsing.instances import (
    Instance,
    Keys,
    body_values,
    instance_keys,
    with_links,
)
from sortkey_systems.applens.parsing.redaction import is_sensitive, redacted
from sortkey_systems.applens.parsing.scope import Scope
from sortkey_systems.applens.parsing.symbols import Reference, Symbol, shown
from sortkey_systems.applens.parsing.types import with_defaults
from sortkey_systems.applens.problems import Problem
from sortkey_systems.applens.resources import Resource
from sortkey_systems.applens.secrecy import without_credentials

DEPTH_MAX = 20
"""Depth of nested modules."""
INSTANCES_MAX = 50_000

_FACTS = {"path", "terraform", "self"}


@dataclass(slots=True)
class Folder:
    """The declarations in the files of one folder."""

    path: str
    blocks: list[s.Block] = field(default_factory=list[s.Block])
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    """From terraform.tfvars and *.auto.tfvars."""
    declared: list[Resource] = field(default_factory=list[Resource])
    """The values of variables in all variable files, including those that Terraform reads only on
    request.
    """


@dataclass(slots=True)
class Tree:
    """All folders, and the problems found while expanding them."""

    folders: dict[str, Folder]
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Other files, by path: policies and scripts read with `file` and `templatefile`."""
    problems: list[Problem] = field(default_factory=list[Problem])
    budget: Budget = field(default_factory=Budget)
    instances: int = 0

    def unresolved(self, block: s.Block, message: str) -> None:
        self.problems.append(Problem(block.file, block.line, "unresolved", message))


class Module:
    """One instance of a folder: the root, or a call with its arguments."""

    def __init__(
        self,
        tree: Tree,
        folder: Folder,
        prefix: str,
        arguments: dict[str, Any] | None,
        depth: int = 0,
        root: str | None = None,
    ) -> None:
        self.tree, self.folder, self.prefix, self.depth = tree, folder, prefix, depth
        self.root = folder.path if root is None else root
        self.arguments = arguments
        self.scope = Scope(self, budget=tree.budget)
        self.variables: dict[str, s.Block] = {}
        self.locals: dict[str, s.Argument] = {}
        self.outputs: dict[str, s.Block] = {}
        self.resources: dict[str, s.Block] = {}
        self.calls: dict[str, s.Block] = {}
        self._values: dict[str, Any] = {}
        for block in folder.blocks:
            self._declare(block)

    def _declare(self, block: s.Block) -> None:
        if block.type == "locals":
            self.locals.update(block.body.arguments)
        elif block.type in ("resource", "data") and len(block.labels) == 2:
            self._once(
                self.resources,
                ("data." if block.type == "data" else "") + ".".join(block.labels),
                block,
            )
        elif block.type in ("variable", "output", "module") and len(block.labels) == 1:
            kinds = {"variable": self.variables, "output": self.outputs, "module": self.calls}
            self._once(kinds[block.type], block.labels[0], block)

    def _once(self, into: dict[str, s.Block], name: str, block: s.Block) -> None:
        if name in into:
            first = into[name]
            used = f"{first.file}:{first.line}"
            message = f"{block.type} {name} is declared twice; using the one in {used}"
            self.tree.problems.append(Problem(block.file, block.line, "parse", message))
        else:
            into[name] = block

    def lookup(self, name: str) -> Any:
        if name in ("var", "local", "module", "data"):
            return _Namespace(self, name)
        if name in _FACTS or "_" not in name:
            return Symbol("${" + name + "}")
        return _Resources(self, name)

    def read_file(self, path: str) -> str | None:
        """A file of the tree, by the path given to Terraform, or None."""
        bases = {
            "${path.module}": self.folder.path,
            "${path.root}": self.root,
            "${path.cwd}": self.root,
        }
        marker = next((base for base in bases if path.startswith(f"{base}/")), "")
        data = self.tree.files.get(
            _joined(bases.get(marker, self.root), path[len(marker) :].lstrip("/"))
        )
        return None if data is None else data.decode("utf-8", "replace")

    def value(self, kind: str, name: str) -> Any:
        """A variable, a local, a module, or the instances of a resource. Evaluated once. A circular
        reference is a symbol.
        """
        key = f"{kind}.{name}"
        if key not in self._values:
            self._values[key] = Symbol("${" + key + "}")
            with self.tree.budget.evaluating(self.prefix + (name if kind == "resource" else key)):
                self._values[key] = self._evaluated(kind, name)
        return self._values[key]

    def _evaluated(self, kind: str, name: str) -> Any:
        if kind == "var":
            return self._variable(name)
        if kind == "local":
            value = self.locals.get(name)
            return (
                evaluate(value.expression, self.scope)
                if value
                else self.undeclared(f"local.{name}")
            )
        if kind == "output":
            return self._output(name)
        return self._modules(name) if kind == "module" else self._instances(name)

    def _output(self, name: str) -> Any:
        block = self.outputs.get(name)
        stated = block.body.arguments.get("value") if block else None
        if block is None or stated is None:
            return Symbol("${output." + name + "}")
        value = evaluate(stated.expression, self.scope)
        return redacted(value, self.tree.budget) if is_sensitive(block) else value

    def undeclared(self, name: str) -> Symbol:
        message = f"{self.prefix}{name} is not declared"
        self.tree.problems.append(Problem(self.folder.path or ".", 1, "unresolved", message))
        return Symbol("${" + name + "}")

    def _variable(self, name: str) -> Any:
        block = self.variables.get(name)
        value = self._given(name)
        # A default and a file of values are declarations of their own, and reported there; an
        # argument is not.
        is_argument = self.arguments is not None and name in self.arguments
        hides = block is not None and is_sensitive(block)
        return redacted(value, self.tree.budget, is_written=is_argument) if hides else value

    def _given(self, name: str) -> Any:
        arguments = self.folder.values if self.arguments is None else self.arguments
        block = self.variables.get(name)
        stated = block.body.arguments if block is not None else {}
        if name in arguments:
            return self._typed(stated, arguments[name])
        if "default" in stated:
            return self._typed(stated, evaluate(stated["default"].expression, self.scope))
        if block is not None:
            self.tree.unresolved(block, f"var.{self.prefix}{name} has no default and no value")
        else:
            self.undeclared(f"var.{name}")
        return Symbol("${var." + self.prefix + name + "}")

    def _typed(self, stated: dict[str, s.Argument], value: Any) -> Any:
        constraint = stated["type"].expression if "type" in stated else None
        return with_defaults(
            constraint, value, lambda default: evaluate(default, self.scope), self.tree.budget
        )

    def _instances(self, address: str) -> Any:
        block = self.resources[address]
        keys = instance_keys(block, self.scope, self.tree, f"{self.prefix}{address}")
        kind = block.labels[0]
        return keys.shaped(
            {
                key: Instance(self, block, f"{self.prefix}{address}{key}", kind, names)
                for key, names in keys
            }
        )

    def _modules(self, name: str) -> Any:
        block = self.calls[name]
        keys = instance_keys(block, self.scope, self.tree, f"{self.prefix}module.{name}")
        return keys.shaped({key: self._called(name, block, key, names) for key, names in keys})

    def _called(self, name: str, block: s.Block, key: str, names: dict[str, Any]) -> Call:
        scope = self.scope.bind(**names)
        arguments = {
            parameter: evaluate(argument.expression, scope)
            for parameter, argument in block.body.arguments.items()
            if parameter
            not in ("source", "version", "count", "for_each", "providers", "depends_on")
        }
        address = f"{self.prefix}module.{name}{key}"
        source = block.body.arguments.get("source")
        where = shown(evaluate(source.expression, scope), scope.references()) if source else ""
        where = without_credentials(str(where))
        folder = self._folder_of(where)
        if folder is None or self.depth >= DEPTH_MAX:
            why = (
                "is not in the tree" if folder is None else f"goes deeper than {DEPTH_MAX} modules"
            )
            self.tree.unresolved(
                block, f"{address}: its source {where!r} {why}; its resources are not analysed"
            )
            return Call(address, block, where, arguments, self.tree.budget)
        module = Module(self.tree, folder, f"{address}.", arguments, self.depth + 1, self.root)
        return Call(address, block, where, arguments, self.tree.budget, module)

    def _folder_of(self, source: str) -> Folder | None:
        if not source.startswith(("./", "../", ".")):
            return None
        return self.tree.folders.get(_joined(self.folder.path, source))

    def all_resources(self) -> list[Resource]:
        """Every resource of the module and of the modules it calls."""
        resources: list[Resource] = []
        for address in self.resources:
            resources += [
                instance.resource() for instance in _each(self.value("resource", address))
            ]
        for name in self.calls:
            for call in _each(self.value("module", name)):
                resources += call.resources()
        return resources


@dataclass(slots=True)
class Call:
    """One instance of a module call. Of a module outside the tree only the call itself is known."""

    address: str
    block: s.Block
    source: str
    arguments: dict[str, Any]
    budget: Budget
    module: Module | None = None

    def attribute(self, name: str) -> Any:
        if self.module is None or name not in self.module.outputs:
            return Symbol("${" + f"{self.address}.{name}" + "}", [Reference(self.address, name)])
        return self.module.value("output", name)

    def resources(self) -> list[Resource]:
        if self.module is not None:
            return self.module.all_resources()
        values = {"source": self.source, **self.arguments}
        attributes, links = with_links(self.address, values, self.budget)
        name = self.address.rpartition(".")[2]
        place = self.block
        return [
            Resource(
                self.address,
                "module",
                name,
                attributes,
                links,
                "module",
                "",
                "",
                place.file,
                place.line,
            )
        ]


@dataclass(slots=True)
class _Namespace:
    module: Module
    name: str

    def attribute(self, name: str) -> Any:
        if self.name == "data":
            return _Resources(self.module, f"data.{name}")
        if self.name == "module" and name not in self.module.calls:
            return self.module.undeclared(f"module.{name}")
        return self.module.value(self.name, name)


@dataclass(slots=True)
class _Resources:
    module: Module
    name: str

    def attribute(self, name: str) -> Any:
        address = f"{self.name}.{name}"
        if address in self.module.resources:
            return self.module.value("resource", address)
        full = self.module.prefix + address
        return Symbol("${" + full + "}", [Reference(full, "")])


def _each(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast(dict[str, Any], value).values())
    if isinstance(value, list):
        return cast(list[Any], value)
    return [] if isinstance(value, Symbol) else [value]


def _joined(base: str, source: str) -> str:
    path = posixpath.normpath(posixpath.join(base, source))
    return "" if path == "." else path


def roots_of(folders: dict[str, Folder]) -> list[str]:
    """Folders that no other folder calls: each is its own configuration. All folders if they call
    each other in a circle.
    """
    called = {
        _joined(folder.path, str(source.expression.value))
        for folder in folders.values()
        for block in folder.blocks
        if block.type == "module" and (source := block.body.arguments.get("source")) is not None
        if isinstance(source.expression, s.Literal) and str(source.expression.value).startswith(".")
    }
    declared = [
        path for path, folder in folders.items() if any(b.type in _TOP for b in folder.blocks)
    ]
    return sorted(path for path in declared if path not in called) or sorted(declared)


_TOP = {"resource", "data", "module"}

__all__ = ["INSTANCES_MAX", "Call", "Folder", "Keys", "Module", "Tree", "body_values", "roots_of"]
