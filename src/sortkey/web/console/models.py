"""Models: the tables, entities and search documents of a system, a diagram, and its access
patterns, explained and ready to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.model.description import Description, parameters_of
from sortkey.model.patterns import AccessPattern, sample
from sortkey.web.console.diagrams import diagram
from sortkey.web.console.items import items_table
from sortkey.web.console.pattern_runs import PatternRun, run_pattern
from sortkey.web.console.pieces import (
    button,
    chip,
    code_cell,
    coded,
    empty,
    error_text,
    fold,
    heading,
    mono,
    prose,
    quiet,
    tab_panels,
    table,
)
from sortkey.web.console.shell import title
from sortkey.web.console.workspace import Workspace, refusal

MERMAID = {"securityLevel": "strict", "theme": "neutral", "flowchart": {"useMaxWidth": False}}
DOLLARS = 0.125
"""The price of a million read units, on demand, in us-east-1."""


def models_page(workspace: Workspace) -> None:
    title("Models", "What each system stores, with its keys and access patterns.")
    for name, description in workspace.descriptions.items():
        entities = sum(len(table["entities"]) for table in description["tables"])
        with ui.link(target=f"/models/{name}").classes("sk-card sk-stack sk-open"):
            heading(name)
            prose(description["doc"])
            tables, patterns = len(description["tables"]), len(description["patterns"])
            counts = [
                _count(tables, "table", "tables"),
                _count(entities, "entity", "entities"),
            ]
            counts.append(_count(patterns, "access pattern", "access patterns"))
            if description["documents"]:
                counts.append(
                    _count(len(description["documents"]), "search document", "search documents")
                )
            quiet(" · ".join(counts))


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def model_page(workspace: Workspace, name: str) -> None:
    if name not in workspace.descriptions:
        title("Model not found", above=("Models", "/models"))
        empty(
            f"There is no model {name}. Choose from {', '.join(workspace.descriptions)}.",
            link=("All models", "/models"),
        )
        return
    description = workspace.descriptions[name]
    title(name, description["doc"], ("Models", "/models"))
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        patterns = ui.tab("Access patterns", icon="route")
        tables = ui.tab("Tables and entities", icon="table_chart")
        documents_tab = (
            ui.tab("Search documents", icon="search") if description["documents"] else None
        )
        diagram_tab = ui.tab("Diagram", icon="hub")
    with tab_panels(tabs):
        with ui.tab_panel(patterns):
            _patterns(workspace, name)
        with ui.tab_panel(tables):
            for table_description in description["tables"]:
                _table(table_description, description["patterns"])
        if documents_tab is not None:
            with ui.tab_panel(documents_tab):
                for document in description["documents"]:
                    _document(workspace, name, document)
        with (
            ui.tab_panel(diagram_tab),
            ui.element("div").classes("sk-card sk-scroll sk-paper") as paper,
        ):
            # Keyboard users can scroll a wide diagram.
            paper.props('tabindex=0 role=region aria-label="Diagram"')
            ui.mermaid(diagram(description), config=MERMAID)


# -- tables


def _table(description: Description, patterns: Sequence[Description]) -> None:
    with (
        ui.element("section").classes("sk-card sk-stack").style("gap: 0.9rem; margin-bottom: 1rem")
    ):
        with ui.element("div").classes("sk-row sk-spread"):
            heading(description["name"])
            ui.link("Browse its items", f"/data?table={description['name']}").classes("sk-small")
        if description["doc"]:
            prose(description["doc"])
        with ui.element("div").classes("sk-row"):
            chip(f"TTL by {description['ttl']}" if description["ttl"] else "no TTL")
            chip(f"stream {description['stream']}" if description["stream"] else "no stream")
            chip(
                "point-in-time recovery"
                if description["point_in_time_recovery"]
                else "no point-in-time recovery"
            )
            chip("on demand" if description["billing"] == "PAY_PER_REQUEST" else "provisioned")
        rows = [("table", code_cell(", ".join(description["key"])), "", "")]
        rows += [
            (
                index["name"],
                code_cell(", ".join(index["key"])),
                f"{index['kind']}, {index['projection']}",
                coded(index["doc"]),
            )
            for index in description["indexes"]
        ]
        table(("", "key", "index", "purpose"), rows)
        for entity in description["entities"]:
            _entity(entity, patterns)


def _entity(description: Description, patterns: Sequence[Description]) -> None:
    def draw() -> None:
        rows = [
            (
                key["index"] or "table",
                *(code_cell(text or "") for text in _pair(key["templates"])),
            )
            for key in description["keys"]
        ]
        table(("key of", "partition", "sort"), rows)
        example = next(
            (pattern for pattern in patterns if pattern["name"] == f"{description['name']}.key"),
            None,
        )
        if example is not None and "key_condition" in example:
            quiet("For example")
            mono(example["key_condition"])
        fields = [
            (
                code_cell(field["name"]),
                code_cell(field["path"]),
                field["type"],
                ", ".join(field["notes"]),
            )
            for field in description["fields"]
        ]
        table(("field", "stored as", "type", "notes"), fields)

    fold(draw, description["name"], _summary(description["doc"]))


def _summary(doc: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(doc.split("\n\n")[0].split())


def _pair(templates: dict[str, str]) -> tuple[str, str]:
    texts = [*templates.values(), ""]
    return texts[0], texts[1]


# -- search documents


def _document(workspace: Workspace, model: str, description: Description) -> None:
    with (
        ui.element("section").classes("sk-card sk-stack").style("gap: 0.9rem; margin-bottom: 1rem")
    ):
        with ui.element("div").classes("sk-row sk-spread"):
            heading(description["name"])
            if workspace.search is not None:
                ui.link("Search it", f"/search?of={model}/{description['name']}").classes(
                    "sk-small"
                )
        if description["doc"]:
            prose(description["doc"])
        rows = [
            ("id", code_cell(description["id"])),
            (
                "index",
                code_cell(
                    f"{description['index']} on OpenSearch, {description['folder']} in a folder"
                ),
            ),
            ("built from", ", ".join(description["made_of"])),
            ("updated by changes of", ", ".join(description["follows"])),
        ]
        table(("", ""), rows)
        table(
            ("field", "type", "purpose"),
            [
                (code_cell(field["name"]), field["type"], field["for"])
                for field in description["fields"]
            ],
        )


# -- access patterns


def _patterns(workspace: Workspace, name: str) -> None:
    described = {pattern["name"]: pattern for pattern in workspace.descriptions[name]["patterns"]}
    filter_box = ui.input("Find a pattern", placeholder="name, words, index").props(
        "outlined dense clearable"
    )
    filter_box.style("width: min(26rem, 100%)")

    @ui.refreshable
    def listed() -> None:
        text = (filter_box.value or "").lower()
        matches = [
            pattern
            for pattern in workspace.models[name].patterns()
            if text in str(described[pattern.name]).lower()
        ]
        if not matches:
            empty("No access pattern matches.")
        with ui.element("div").classes("sk-stack").style("margin-top: .75rem"):
            for pattern in matches:
                _pattern(workspace, name, pattern, described[pattern.name])

    listed()
    filter_box.on_value_change(lambda _: listed.refresh())


def _pattern(
    workspace: Workspace, model: str, pattern: AccessPattern, description: Description
) -> None:
    call = f"{pattern.name}({', '.join(description['arguments'])})"

    def draw() -> None:
        if "problem" not in description:
            _explained(description)
        _form(workspace, model, pattern)

    fold(draw, call, _summary(pattern.doc))


def _explained(description: Description) -> None:
    units = description["read_units"]
    rows = [
        (
            "operation",
            f"{description['operation']} on {description['table']}"
            + (f", index {description['index']}" if description["index"] else ""),
        ),
        ("key condition", code_cell(description["key_condition"])),
        *([("filter", code_cell(description["filter"]))] if description["filter"] else []),
        (
            "read units",
            " · ".join(
                f"{count:g} for {_items(number)} of 1 KB" for number, count in units.items()
            ),
        ),
        (
            "cost of a million runs",
            " · ".join(
                f"${count * DOLLARS:.2f} for {_items(number)}" for number, count in units.items()
            ),
        ),
    ]
    table(("", ""), rows)


def _items(number: Any) -> str:
    return _count(int(number), "item", "items")


def _form(workspace: Workspace, model: str, pattern: AccessPattern) -> None:
    inputs: dict[str, ui.input] = {}
    with ui.element("div").classes("sk-row q-mt-sm"):
        for parameter in parameters_of(pattern):
            example = pattern.example.get(
                parameter.name, sample(parameter.name, pattern.parameters.get(parameter.name, str))
            )
            field = ui.input(parameter.name, placeholder=str(example)).props(
                "outlined dense stack-label"
            )
            inputs[parameter.name] = field.style("min-width: 12rem; flex: 1 1 12rem")
        button("Run", lambda: run(None), icon="play_arrow")
    shown = ui.element("div").classes("sk-stack q-mt-md")

    def run(cursor: str | None) -> None:
        shown.clear()
        with shown:
            try:
                result = run_pattern(
                    workspace,
                    model,
                    pattern.name,
                    {key: field.value or "" for key, field in inputs.items()},
                    cursor,
                )
            except (SortkeyError, ValueError) as error:
                error_text(refusal(error))
                return
            _show_run(workspace, result)
            if result.cursor:
                button("Next page", lambda: run(result.cursor), is_main=False)

    for field in inputs.values():
        field.on("keydown.enter", lambda: run(None))


def _show_run(workspace: Workspace, result: PatternRun) -> None:
    description = result.explanation
    count = len(result.items)
    with ui.element("div").classes("sk-row"):
        chip(f"{count} item{'s' * (count != 1)}", "note")
        chip(f"{description.read_units:g} read units")
        chip(f"{result.milliseconds:.1f} ms")
    mono(description.key_condition)
    if not result.items:
        empty("There are no items with this key.")
        return
    items_table(workspace, description.table, result.items)
