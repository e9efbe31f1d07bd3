"""A model as a Mermaid diagram: tables with their entities, and the indexes that contain them."""

from __future__ import annotations

from sortkey.model.description import Description

_CODES = str.maketrans(
    {"#": "#35;", '"': "#quot;", "{": "#123;", "}": "#125;", "<": "#lt;", ">": "#gt;"}
)


def diagram(model: Description) -> str:
    """A frame for each table, with a box for each entity and its key, and arrows to its indexes."""
    lines = ["flowchart LR"]
    for at, table in enumerate(model["tables"]):
        lines.append(f'  subgraph t{at}["{_safe(table["name"])}"]')
        lines += [
            f"    {_entity(f't{at}e{number}', entity)}"
            for number, entity in enumerate(table["entities"])
        ]
        lines.append("  end")
        index_ids = {
            index["name"]: f"t{at}i{number}" for number, index in enumerate(table["indexes"])
        }
        for name, node in index_ids.items():
            lines.append(f'  {node}[("{_safe(name)}")]')
        for number, entity in enumerate(table["entities"]):
            lines += [
                f'  t{at}e{number} -- "{_safe(_templates(key))}" --> {index_ids[key["index"]]}'
                for key in entity["keys"]
                if key["index"] is not None
            ]
    return "\n".join(lines)


def _entity(name: str, entity: Description) -> str:
    key = next(key for key in entity["keys"] if key["index"] is None)
    return f'{name}["<b>{_safe(entity["name"])}</b><br/><small>{_safe(_templates(key), "<br/>")}</small>"]'


def _templates(key: Description) -> str:
    return "\n".join(filter(None, key["templates"].values()))


def _safe(text: str, line: str = " / ") -> str:
    """Escape characters that are special in Mermaid."""
    return text.translate(_CODES).replace("\n", line)
