"""Instances of resources: keys from `count` and `for_each`, bodies with dynamic blocks, attributes
with their links.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sortkey_systems.applens.json_depth import NESTING_MAX, is_too_deep
from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.documents import policy_document
from sortkey_systems.applens.parsing.evaluation import evaluate, rendered
from sortkey_systems.applens.parsing.scope import Scope
from sortkey_systems.applens.parsing.symbols import (
    NotKnown,
    Reference,
    References,
    Symbol,
    shown,
    top,
    with_references,
)
from sortkey_systems.applens.problems import AnalysisFailed
from sortkey_systems.applens.resources import Link, Resource, as_list

if TYPE_CHECKING:
    from sortkey_systems.applens.parsing.modules import Module, Tree

INSTANCES_MAX = 50_000
_META = {"count", "for_each", "provider", "lifecycle", "provisioner", "connection", "depends_on"}


@dataclass(slots=True)
class Keys:
    """Keys of the instances as written in addresses, with the names that each binds. `kind` is the
    form of the whole.
    """

    kind: str
    entries: list[tuple[str, Any, dict[str, Any]]]

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return ((key, names) for key, _, names in self.entries)

    def shaped(self, instances: dict[str, Any]) -> Any:
        """One instance, a list for count, or an object for for_each: as expressions see them."""
        if self.kind == "one":
            return instances[""]
        if self.kind == "count":
            return list(instances.values())
        return {str(raw): instances[key] for key, raw, _ in self.entries}


def instance_keys(block: s.Block, scope: Scope, tree: Tree, address: str) -> Keys:
    """The instances of a block from `count` or `for_each`. If those are unknown, one instance
    stands for all.
    """
    count, for_each = block.body.arguments.get("count"), block.body.arguments.get("for_each")
    names: dict[str, Any] = {}
    try:
        if count is not None:
            names = {"count": {"index": Symbol("${count.index}")}}
            number = int(float(top(evaluate(count.expression, scope), [])))
            _spend(tree, number)
            return Keys("count", [(f"[{i}]", i, {"count": {"index": i}}) for i in range(number)])
        if for_each is not None:
            names = {"each": {"key": Symbol("${each.key}"), "value": Symbol("${each.value}")}}
            pairs = _pairs(top(evaluate(for_each.expression, scope), []))
            _spend(tree, len(pairs))
            return Keys(
                "each",
                [(f"[{json.dumps(k)}]", k, {"each": {"key": k, "value": v}}) for k, v in pairs],
            )
        _spend(tree, 1)
    except (NotKnown, ValueError, TypeError):
        what = "count" if count is not None else "for_each"
        tree.unresolved(
            block, f"{address}: {what} is known only to a plan; one instance stands for all"
        )
    return Keys("one", [("", "", names)])


def _spend(tree: Tree, number: int) -> None:
    tree.instances += number
    if tree.instances > INSTANCES_MAX:
        raise AnalysisFailed(
            f"more than {INSTANCES_MAX:,} instances of resources: analyse a part of the tree"
        )


def _pairs(over: Any) -> list[tuple[str, Any]]:
    if isinstance(over, dict):
        values = cast(dict[str, Any], over)
        return [(str(key), values[key]) for key in sorted(values)]
    keys = [str(top(item, [])) for item in cast(list[Any], over)]
    return [(key, key) for key in keys]


class Instance:
    """One instance of a resource or data source."""

    def __init__(
        self, module: Module, block: s.Block, address: str, kind: str, names: dict[str, Any]
    ) -> None:
        self.module, self.block, self.address, self.type = module, block, address, kind
        self.scope = module.scope.bind(**names) if names else module.scope
        self._attributes: dict[str, Any] = {}
        self._body: dict[str, Any] | None = None

    def attribute(self, name: str) -> Any:
        """`address.name` as other expressions see it: a reference, with the value if the source
        states it.
        """
        if name not in self._attributes:
            here = [Reference(self.address, name)]
            text = "${" + f"{self.address}.{name}" + "}"
            self._attributes[name] = Symbol(text, here)  # a circular reference
            with self.scope.budget.evaluating(f"{self.address}.{name}"):
                stated = self._stated(name)
            if not (stated is None or (isinstance(stated, Symbol) and not stated.known)):
                self._attributes[name] = Symbol(text, here, stated)
        return self._attributes[name]

    def _stated(self, name: str) -> Any:
        if self.type == "aws_iam_policy_document" and name in ("json", "minified_json"):
            references = self.scope.references()
            return with_references(policy_document(shown(self.body(), references)), references)
        if self.type == "template_file" and name == "rendered":
            return self._rendered()
        argument = self.block.body.arguments.get(name)
        if argument is not None:
            return evaluate(argument.expression, self.scope)
        if any(block.type == name for block in self.block.body.blocks):
            return self.body()[name]
        return None

    def _rendered(self) -> Any:
        try:
            template = top(self.body().get("template"), [])
            return rendered(str(template), self.body().get("vars", {}), self.scope.budget)
        except (NotKnown, s.HclError):
            return None

    def body(self) -> dict[str, Any]:
        if self._body is None:
            with self.scope.budget.evaluating(self.address):
                self._body = body_values(self.block.body, self.scope, top_level=True)
        return self._body

    def resource(self) -> Resource:
        attributes, links = with_links(self.address, self.body(), self.scope.budget)
        depends = self.block.body.arguments.get("depends_on")
        if depends is not None:
            references = self.scope.references()
            shown(evaluate(depends.expression, self.scope), references)
            links += [Link("depends_on", *reference) for reference in references]
        mode = "data" if self.block.type == "data" else "managed"
        if mode == "data" and self.type != "aws_iam_policy_document":
            self.module.tree.unresolved(
                self.block, f"{self.address} is looked up only when Terraform runs"
            )
        module = self.module.prefix.rstrip(".")
        name, provider = self.block.labels[1], self.type.partition("_")[0]
        place = self.block.file, self.block.line, "\n".join(s.texts(self.block.body))
        return Resource(
            self.address, self.type, name, attributes, links, mode, provider, module, *place
        )


def body_values(body: s.Body, scope: Scope, top_level: bool = False) -> dict[str, Any]:
    """Arguments and nested blocks of a body. Null counts as missing."""
    scope.budget.spend()
    values: dict[str, Any] = {}
    for name, argument in body.arguments.items():
        if not (top_level and name in _META):
            value = evaluate(argument.expression, scope)
            if value is not None:
                values[name] = value
    nested: dict[str, list[Any]] = {}
    for block in body.blocks:
        if top_level and block.type in _META:
            continue
        if block.type == "dynamic" and block.labels:
            nested.setdefault(block.labels[0], []).extend(_dynamic(block, scope))
        else:
            nested.setdefault(block.type, []).append(body_values(block.body, scope))
    # An argument may have the name of a block, and its value may be that of a local: it is not
    # changed.
    return values | {name: [*as_list(values.get(name)), *blocks] for name, blocks in nested.items()}


def _dynamic(block: s.Block, scope: Scope) -> list[dict[str, Any]]:
    content = next((inner.body for inner in block.body.blocks if inner.type == "content"), s.Body())
    iterator = block.body.arguments.get("iterator")
    name = (
        iterator.expression.name
        if iterator and isinstance(iterator.expression, s.Name)
        else block.labels[0]
    )
    for_each = block.body.arguments.get("for_each")
    over: Any = evaluate(for_each.expression, scope) if for_each else []
    references = scope.references()
    try:
        items = top(over, references)
        pairs = (
            list(cast(dict[Any, Any], items).items())
            if isinstance(items, dict)
            else [(v, v) for v in items]
        )
    except (NotKnown, TypeError):
        shown(over, references)
        pairs = [
            (Symbol("${" + f"{name}.key" + "}"), Symbol("${" + f"{name}.value" + "}", references))
        ]
    return [
        body_values(content, scope.bind(**{name: {"key": key, "value": value}}))
        for key, value in pairs
    ]


def with_links(
    address: str, values: dict[str, Any], budget: Budget
) -> tuple[dict[str, Any], list[Link]]:
    """Plain attributes, and the links in the values. Raises AnalysisFailed if they are nested too
    deeply.
    """
    links: dict[Link, None] = {}
    with budget.evaluating(address):
        plain = {name: _linked(value, name, links, budget) for name, value in values.items()}
    if is_too_deep(plain):
        raise AnalysisFailed(f"{address} has values that are nested more than {NESTING_MAX} deep")
    return plain, list(links)


def _linked(value: Any, path: str, links: dict[Link, None], budget: Budget) -> Any:
    if isinstance(value, dict):
        budget.spend()
        members = cast(dict[str, Any], value).items()
        return {
            name: _linked(member, f"{path}.{name}", links, budget)
            for name, member in members
            if member is not None
        }
    if isinstance(value, list):
        budget.spend()
        return [_linked(member, path, links, budget) for member in cast(list[Any], value)]
    references = References(budget)
    plain = shown(value, references)
    links.update(dict.fromkeys(Link(path, *reference) for reference in references))
    return plain
