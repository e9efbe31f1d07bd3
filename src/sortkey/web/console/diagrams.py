"""A model as a diagram for Mermaid: tables with the kinds of items in them, and the indexes they
stand in.
"""

from __future__ import annotations

from sortkey.model.description import Description

_CODES = str.maketrans(
    {"#": "#35;", '"': "#quot;", "{": "#123;", "}": "#125;", "<": "#lt;", ">": "#gt;"}
)


def diagram(told: Description) -> str:
    """A frame for each table, in it a box for each entity with its key; an arrow for every index it
    stands in.
    """
    lines = ["flowchart LR"]
    for at, table in enumerate(told["tables"]):
        lines.append(f'  subgraph t{at}["{_safe(table["name"])}"]')
        lines += [
            f"    {_entity(f't{at}e{number}', each)}"
            for number, each in enumerate(table["entities"])
        ]
        lines.append("  end")
        drums = {each["name"]: f"t{at}i{number}" for number, each in enumerate(table["indexes"])}
        for each in table["indexes"]:
            lines.append(f'  {drums[each["name"]]}[("{_safe(each["name"])}")]')
        for number, entity in enumerate(table["entities"]):
            lines += [
                f'  t{at}e{number} -- "{_safe(_templates(key))}" --> {drums[key["index"]]}'
                for key in entity["keys"]
                if key["index"] is not None
            ]
    return "\n".join(lines)


def _entity(name: str, told: Description) -> str:
    key = next(each for each in told["keys"] if each["index"] is None)
    return f'{name}["<b>{_safe(told["name"])}</b><br/><small>{_safe(_templates(key), "<br/>")}</small>"]'


def _templates(key: Description) -> str:
    return "\n".join(filter(None, key["templates"].values()))


def _safe(text: str, line: str = " / ") -> str:
    """Without what Mermaid would take for its own."""
    return text.translate(_CODES).replace("\n", line)
