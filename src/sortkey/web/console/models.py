"""Models: the tables and entities of a system, what is searchable, a diagram, and its access
patterns, each explained and ready to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.model.description import Description, parameters_of
from sortkey.model.patterns import AccessPattern, sample
from sortkey.web.console.diagrams import diagram
from sortkey.web.console.items import items_table
from sortkey.web.console.pattern_runs import Found, run_pattern
from sortkey.web.console.pieces import (
    button,
    chip,
    code_cell,
    coded,
    empty,
    fold,
    heading,
    mono,
    prose,
    quiet,
    refused,
    tab_panels,
    table,
)
from sortkey.web.console.shell import title
from sortkey.web.console.workspace import Workspace, refusal

MERMAID = {"securityLevel": "strict", "theme": "neutral", "flowchart": {"useMaxWidth": False}}
DOLLARS = 0.125
"""A million read units, on demand, in us-east-1."""


def models_page(workspace: Workspace) -> None:
    title("Models", "What each system stores, under which keys, and how it is read.")
    for name, told in workspace.told.items():
        entities = sum(len(each["entities"]) for each in told["tables"])
        with ui.link(target=f"/models/{name}").classes("sk-card sk-stack sk-open"):
            heading(name)
            prose(told["doc"])
            tables, patterns = len(told["tables"]), len(told["patterns"])
            counts = [
                _count(tables, "table", "tables"),
                _count(entities, "kind of items", "kinds of items"),
            ]
            counts.append(_count(patterns, "access pattern", "access patterns"))
            if told["documents"]:
                counts.append(_count(len(told["documents"]), "search document", "search documents"))
            quiet(" · ".join(counts))


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def model_page(workspace: Workspace, name: str) -> None:
    if name not in workspace.told:
        title("There is no such model", above=("Models", "/models"))
        empty(
            f"Nothing is called {name}. There are: {', '.join(workspace.told)}.",
            link=("All models", "/models"),
        )
        return
    told = workspace.told[name]
    title(name, told["doc"], ("Models", "/models"))
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        patterns = ui.tab("Access patterns", icon="route")
        tables = ui.tab("Tables and entities", icon="table_chart")
        searched = ui.tab("Search documents", icon="search") if told["documents"] else None
        drawn = ui.tab("Diagram", icon="hub")
    with tab_panels(tabs):
        with ui.tab_panel(patterns):
            _patterns(workspace, name)
        with ui.tab_panel(tables):
            for each in told["tables"]:
                _table(each, told["patterns"])
        if searched is not None:
            with ui.tab_panel(searched):
                for each in told["documents"]:
                    _document(workspace, name, each)
        with ui.tab_panel(drawn), ui.element("div").classes("sk-card sk-scroll sk-paper") as paper:
            paper.props(
                'tabindex=0 role=region aria-label="Diagram"'
            )  # it scrolls where it is wider than the window
            ui.mermaid(diagram(told), config=MERMAID)


# -- tables


def _table(told: Description, patterns: Sequence[Description]) -> None:
    with (
        ui.element("section").classes("sk-card sk-stack").style("gap: 0.9rem; margin-bottom: 1rem")
    ):
        with ui.element("div").classes("sk-row sk-spread"):
            heading(told["name"])
            ui.link("Browse its items", f"/data?table={told['name']}").classes("sk-small")
        if told["doc"]:
            prose(told["doc"])
        with ui.element("div").classes("sk-row"):
            chip(f"TTL by {told['ttl']}" if told["ttl"] else "no TTL")
            chip(f"stream {told['stream']}" if told["stream"] else "no stream")
            chip(
                "point-in-time recovery"
                if told["point_in_time_recovery"]
                else "no point-in-time recovery"
            )
            chip("on demand" if told["billing"] == "PAY_PER_REQUEST" else "provisioned")
        rows = [("table", code_cell(", ".join(told["key"])), "", "")]
        rows += [
            (
                each["name"],
                code_cell(", ".join(each["key"])),
                f"{each['kind']}, {each['projection']}",
                coded(each["doc"]),
            )
            for each in told["indexes"]
        ]
        table(("", "key", "index", "for"), rows)
        for entity in told["entities"]:
            _entity(entity, patterns)


def _entity(told: Description, patterns: Sequence[Description]) -> None:
    def draw() -> None:
        rows = [
            (
                each["index"] or "table",
                *(code_cell(text or "") for text in _pair(each["templates"])),
            )
            for each in told["keys"]
        ]
        table(("key of", "partition", "sort"), rows)
        example = next((each for each in patterns if each["name"] == f"{told['name']}.key"), None)
        if example is not None and "key_condition" in example:
            quiet("For example")
            mono(example["key_condition"])
        fields = [
            (
                code_cell(each["name"]),
                code_cell(each["path"]),
                each["type"],
                ", ".join(each["notes"]),
            )
            for each in told["fields"]
        ]
        table(("field", "stored as", "type", "notes"), fields)

    fold(draw, told["name"], told["doc"].split("\n")[0])


def _pair(templates: dict[str, str]) -> tuple[str, str]:
    texts = [*templates.values(), ""]
    return texts[0], texts[1]


# -- search documents


def _document(workspace: Workspace, model: str, told: Description) -> None:
    with (
        ui.element("section").classes("sk-card sk-stack").style("gap: 0.9rem; margin-bottom: 1rem")
    ):
        with ui.element("div").classes("sk-row sk-spread"):
            heading(told["name"])
            if workspace.search is not None:
                ui.link("Search it", f"/search?of={model}/{told['name']}").classes("sk-small")
        if told["doc"]:
            prose(told["doc"])
        rows = [
            ("id", code_cell(told["id"])),
            ("index", code_cell(f"{told['index']} on OpenSearch, {told['folder']} in a folder")),
            ("made of", ", ".join(told["made_of"])),
            ("made anew by changes of", ", ".join(told["follows"])),
        ]
        table(("", ""), rows)
        table(
            ("field", "type", "for"),
            [(code_cell(each["name"]), each["type"], each["for"]) for each in told["fields"]],
        )


# -- access patterns


def _patterns(workspace: Workspace, name: str) -> None:
    told = {each["name"]: each for each in workspace.told[name]["patterns"]}
    wanted = ui.input("Find a pattern", placeholder="name, words, index").props(
        "outlined dense clearable"
    )
    wanted.style("width: min(26rem, 100%)")

    @ui.refreshable
    def listed() -> None:
        text = (wanted.value or "").lower()
        found = [
            each
            for each in workspace.models[name].patterns()
            if text in str(told[each.name]).lower()
        ]
        if not found:
            empty("No access pattern has this in its name, its words or its keys.")
        with ui.element("div").classes("sk-stack").style("margin-top: .75rem"):
            for pattern in found:
                _pattern(workspace, name, pattern, told[pattern.name])

    listed()
    wanted.on_value_change(lambda _: listed.refresh())


def _pattern(workspace: Workspace, model: str, pattern: AccessPattern, told: Description) -> None:
    call = f"{pattern.name}({', '.join(told['arguments'])})"

    def draw() -> None:
        if "problem" not in told:
            _explained(told)
        _form(workspace, model, pattern)

    fold(draw, call, pattern.doc.split("\n")[0])


def _explained(told: Description) -> None:
    units = told["read_units"]
    rows = [
        (
            "operation",
            f"{told['operation']} on {told['table']}"
            + (f", index {told['index']}" if told["index"] else ""),
        ),
        ("key condition", code_cell(told["key_condition"])),
        *([("filter", code_cell(told["filter"]))] if told["filter"] else []),
        (
            "read units",
            " · ".join(
                f"{count:g} for {_items(number)} of 1 KB" for number, count in units.items()
            ),
        ),
        (
            "a million times",
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
        for each in parameters_of(pattern):
            example = pattern.example.get(
                each.name, sample(each.name, pattern.parameters.get(each.name, str))
            )
            made = ui.input(each.name, placeholder=str(example)).props("outlined dense stack-label")
            inputs[each.name] = made.style("min-width: 12rem; flex: 1 1 12rem")
        button("Run", lambda: run(None), icon="play_arrow")
    shown = ui.element("div").classes("sk-stack q-mt-md")

    def run(cursor: str | None) -> None:
        shown.clear()
        with shown:
            try:
                found = run_pattern(
                    workspace,
                    model,
                    pattern.name,
                    {key: each.value or "" for key, each in inputs.items()},
                    cursor,
                )
            except (SortkeyError, ValueError) as error:
                refused(refusal(error))
                return
            _found(workspace, found)
            if found.cursor:
                button("Next page", lambda: run(found.cursor), is_main=False)

    for each in inputs.values():
        each.on("keydown.enter", lambda: run(None))


def _found(workspace: Workspace, found: Found) -> None:
    told = found.explanation
    count = len(found.items)
    with ui.element("div").classes("sk-row"):
        chip(f"{count} item{'s' * (count != 1)}", "note")
        chip(f"{told.read_units:g} read units")
        chip(f"{found.milliseconds:.1f} ms")
    mono(told.key_condition)
    if not found.items:
        empty("Nothing is stored under this key.")
        return
    items_table(workspace, told.table, found.items)
