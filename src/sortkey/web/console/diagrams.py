"""A model as a diagram, in Mermaid's language: tables and indexes, and the kinds of items that lie in them."""

from __future__ import annotations

from sortkey.model.describing import Told


def diagram(told: Told) -> str:
    """Boxes for entities with their key templates, drums for tables, and an arrow for every key that an entity has."""
    lines = ["flowchart LR"]
    for at, table in enumerate(told["tables"]):
        lines.append(f'  t{at}[("{_safe(table["name"])}<br/><small>{_safe(", ".join(table["key"]))}</small>")]')
        for number, index in enumerate(table["indexes"]):
            lines.append(
                f'  t{at}i{number}[("{_safe(index["name"])}<br/><small>{_safe(", ".join(index["key"]))}</small>")]'
            )
            lines.append(f"  t{at} -.- t{at}i{number}")
        names = {None: f"t{at}"} | {index["name"]: f"t{at}i{n}" for n, index in enumerate(table["indexes"])}
        for number, entity in enumerate(table["entities"]):
            lines.append(f'  t{at}e{number}["<b>{_safe(entity["name"])}</b>"]')
            for key in entity["keys"]:
                template = " / ".join(filter(None, key["templates"].values()))
                lines.append(f'  t{at}e{number} -- "{_safe(template)}" --> {names[key["index"]]}')
    return "\n".join(lines)


def _safe(text: str) -> str:
    """Without what Mermaid would take for its own."""
    for sign, code in (("#", "#35;"), ('"', "#quot;"), ("{", "#123;"), ("}", "#125;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(sign, code) if sign != "#" else text.replace("#", "\0")
    return text.replace("#", "#").replace("\0", "#35;")
