"""`terraform show -json` of a plan or a state, and state files, into resources.

Links come from the plan's configuration, and in states from identifiers: a resource that holds
another's id or ARN refers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from sortkey_systems.applens.parsing.plan_marks import Redactor, object_at, objects_at
from sortkey_systems.applens.parsing.symbols import Reference
from sortkey_systems.applens.resources import Link, Resource, as_list
from sortkey_systems.applens.sensitive import Sensitive

_INDEX = re.compile(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')
_IDENTIFIERS = ("id", "arn", "invoke_arn", "execution_arn", "dns_name")
_TOO_PLAIN = re.compile(r"^[\w.-]{1,7}$")


def is_plan_or_state(document: Any) -> bool:
    """Whether this module can read a JSON document."""
    if not isinstance(document, dict):
        return False
    names = set(cast(dict[str, Any], document))
    shown_json = "format_version" in names and bool(
        names & {"planned_values", "values", "terraform_version"}
    )
    return shown_json or ("terraform_version" in names and "resources" in names)


def resources_of(document: dict[str, Any], file: str) -> list[Resource]:
    """All resources of a plan or a state, without values marked as sensitive."""
    redactor = Redactor(document)
    if "resources" in document and "format_version" not in document:
        resources = list(_from_state_file(document, redactor, file))
    else:
        values = object_at(document, "planned_values") or object_at(document, "values")
        resources = list(_from_module(object_at(values, "root_module"), redactor, file))
        prior = object_at(object_at(document, "prior_state"), "values")
        planned = {resource.address for resource in resources}
        resources += [
            e
            for e in _from_module(object_at(prior, "root_module"), redactor, file)
            if e.mode == "data" and e.address not in planned
        ]
    redactor.remove_copies(resources)
    _link_by_configuration(
        resources, object_at(object_at(document, "configuration"), "root_module")
    )
    _link_by_identifiers(resources)
    return resources


def _from_module(module: dict[str, Any], redactor: Redactor, file: str) -> Iterator[Resource]:
    for block in objects_at(module, "resources"):
        values = {
            name: value for name, value in object_at(block, "values").items() if value is not None
        }
        values = redactor.planned(
            block["address"], block["type"], values, block.get("sensitive_values")
        )
        resource = _resource(block["address"], block, values, module.get("address", ""), file)
        resource.links += [
            Link("depends_on", address, "") for address in as_list(block.get("depends_on"))
        ]
        yield resource
    for child in objects_at(module, "child_modules"):
        yield from _from_module(child, redactor, file)


def _index_text(key: Any) -> str:
    """The index of an instance of `count` or `for_each`, as it is in an address."""
    if key is None:
        return ""
    return f"[{key}]" if isinstance(key, int) else f'["{key}"]'


def _from_state_file(document: dict[str, Any], redactor: Redactor, file: str) -> Iterator[Resource]:
    for block in objects_at(document, "resources"):
        prefix = f"{block['module']}." if block.get("module") else ""
        data = "data." if block.get("mode") == "data" else ""
        for instance in objects_at(block, "instances"):
            index = _index_text(instance.get("index_key"))
            address = f"{prefix}{data}{block['type']}.{block['name']}{index}"
            values = {n: v for n, v in object_at(instance, "attributes").items() if v is not None}
            values = redactor.stored(block["type"], values, instance.get("sensitive_attributes"))
            resource = _resource(address, block, values, block.get("module", ""), file)
            resource.links += [
                Link("depends_on", str(target), "")
                for target in as_list(instance.get("dependencies"))
            ]
            yield resource


def _resource(
    address: str, block: dict[str, Any], values: dict[str, Any], module: str, file: str
) -> Resource:
    kind, name = str(block["type"]), str(block["name"])
    mode = str(block.get("mode", "managed"))
    return Resource(address, kind, name, values, [], mode, kind.partition("_")[0], module, file, 1)


def _link_by_configuration(resources: list[Resource], root: dict[str, Any]) -> None:
    links: dict[str, list[tuple[str, Reference]]] = {}
    _configured(root, "", {}, links)
    instances: dict[str, list[str]] = {}
    for resource in resources:
        instances.setdefault(_INDEX.sub("", resource.address), []).append(resource.address)
    for resource in resources:
        for path, (target, attribute) in links.get(_INDEX.sub("", resource.address), []):
            for address in _same_index(
                resource.address, target, instances.get(_INDEX.sub("", target), [])
            ):
                resource.links.append(Link(path, address, attribute))
                if path.partition(".")[0] not in resource.attributes and "." not in path:
                    resource.attributes[path] = "${" + f"{address}.{attribute}" + "}"


def _same_index(source: str, target: str, instances: list[str]) -> list[str]:
    """Instances that a reference means: the one it names, the one with the same key, or all."""
    if target in instances:
        return [target]
    key = _INDEX.findall(source)[-1:]
    same = [instance for instance in instances if _INDEX.findall(instance)[-1:] == key]
    return same if key and same else instances


def _configured(
    module: dict[str, Any],
    prefix: str,
    variables: dict[str, list[Reference]],
    links: dict[str, list[tuple[str, Reference]]],
) -> dict[str, list[Reference]]:
    """Collect the links of a module and its child modules. Returns the references of its
    outputs.
    """
    outputs: dict[str, list[Reference]] = {}
    calls = object_at(module, "module_calls")
    for name, call in calls.items():
        arguments = {
            variable: _resolved(_references(expression), prefix, variables, outputs)
            for variable, expression in object_at(call, "expressions").items()
        }
        inner = _configured(object_at(call, "module"), f"{prefix}module.{name}.", arguments, links)
        outputs.update(
            {f"module.{name}.{output}": references for output, references in inner.items()}
        )
    for block in objects_at(module, "resources"):
        into = links.setdefault(prefix + block["address"], [])
        for path, expression in _expressions(object_at(block, "expressions")):
            into += [
                (path, reference)
                for reference in _resolved(_references(expression), prefix, variables, outputs)
            ]
    return {
        name: _resolved(_references(output.get("expression")), prefix, variables, outputs)
        for name, output in object_at(module, "outputs").items()
    }


def _expressions(tree: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in tree.items():
        for part in as_list(value):
            if isinstance(part, dict):
                inner = cast(dict[str, Any], part)
                if "references" in inner:
                    yield path + name, inner
                elif "constant_value" not in inner:
                    yield from _expressions(inner, f"{path}{name}.")


def _references(expression: Any) -> list[str]:
    if not isinstance(expression, dict):
        return []
    return [
        str(reference) for reference in as_list(cast(dict[str, Any], expression).get("references"))
    ]


def _resolved(
    texts: list[str],
    prefix: str,
    variables: dict[str, list[Reference]],
    outputs: dict[str, list[Reference]],
) -> list[Reference]:
    references_found: dict[Reference, None] = {}
    for text in texts:
        if any(other != text and other.startswith((f"{text}.", f"{text}[")) for other in texts):
            continue  # Terraform lists `a.b.c` and also `a.b`
        parts = text.split(".")
        if parts[0] == "var":
            references_found.update(dict.fromkeys(variables.get(parts[1].partition("[")[0], [])))
        elif parts[0] == "module":
            plain = ".".join(_INDEX.sub("", part) for part in parts[:3])
            references_found.update(dict.fromkeys(outputs.get(plain, [])))
        elif parts[0] not in ("local", "each", "count", "path", "terraform", "self"):
            length = 3 if parts[0] == "data" else 2
            references_found[
                Reference(prefix + ".".join(parts[:length]), ".".join(parts[length:]))
            ] = None
    return list(references_found)


def _link_by_identifiers(resources: list[Resource]) -> None:
    owners: dict[str, tuple[str, str]] = {}
    for candidate in sorted(
        resources, key=lambda candidate: (len(candidate.type), candidate.address)
    ):  # aws_s3_bucket before its parts
        for name in _IDENTIFIERS:
            value = candidate.attributes.get(name)
            if (
                isinstance(value, str)
                and not isinstance(value, Sensitive)
                and not _TOO_PLAIN.match(value)
            ):
                owners.setdefault(value, (candidate.address, name))
    for resource in resources:
        existing = {(link.path, link.address) for link in resource.links}
        for path, value in _texts(resource.attributes):
            owner = owners.get(value)
            if (
                owner
                and owner[0] != resource.address
                and path not in _IDENTIFIERS
                and (path, owner[0]) not in existing
            ):
                existing.add((path, owner[0]))
                resource.links.append(Link(path, *owner))


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, member in cast(dict[str, Any], value).items():
            yield from _texts(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for member in cast(list[Any], value):
            yield from _texts(member, path)
