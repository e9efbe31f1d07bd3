"""The rules of a journey in the console: what each says, what the engine does with it, and new
ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from nicegui import ui
from pydantic import ValidationError

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces
from sortkey_systems.jobengine.inputs import RuleChange, RuleDraft, RuleStatus
from sortkey_systems.jobengine.model import Rule
from sortkey_systems.jobengine.parts import PRIORITIES, TextOrObject
from sortkey_systems.jobengine.rules.directives import Directive, RuleNotUnderstood, directives_of
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.stages.default_stages import title_of

CONSOLE = "console"
"""The creator of rules that are added here."""
STATES: dict[str, tuple[str, pieces.Tone]] = {
    "active": ("active", "good"),
    "inactive": ("switched off", ""),
    "deprecated": ("retired", ""),
}
EXAMPLES = (
    "Drop 'reviews'.",
    "Keep 'audit_log'.",
    "Map 'products.sku' to 'productNumber'.",
    "Coverage of at least 90 %.",
    '{"patterns": {"ProductOrder.externalId": "^O-[0-9]{6}$"}}',
)
DOES: dict[str, Callable[[Directive], str]] = {
    "map": lambda directive: f"maps {directive.source} to {directive.target}",
    "preserve": lambda directive: f"keeps {directive.source}",
    "remove": lambda directive: f"leaves out {directive.source}",
    "threshold": lambda directive: (
        f"asks for {directive.target} of at least {float(directive.value):.0%}"
    ),
    "values": lambda directive: (
        f"changes values of {directive.source or directive.target}: {json.dumps(directive.value)}"
    ),
    "dates": lambda directive: (
        f"reads dates of {directive.source or directive.target} as {directive.value}"
    ),
    "require": lambda directive: (
        f"asks that {directive.target or directive.source} is always there"
    ),
    "pattern": lambda directive: f"asks that {directive.target} looks like {directive.value}",
    "default": lambda directive: (
        f"sets {directive.target} to {directive.value} where no column is mapped to it"
    ),
    "recommend": lambda directive: f"puts a recommendation into the report: {directive.value}",
}


def rules_panel(service: JobEngine, journey_id: str) -> None:
    with ui.element("div").classes("sk-row sk-spread").style("margin-bottom: 1rem"):
        pieces.quiet(
            "Rules have a say in what a stage does, when it runs next: by priority, critical first."
        )
        pieces.button(
            "New rule", lambda: _new_rule(service, journey_id, listed.refresh), icon="add"
        )

    @ui.refreshable
    def listed() -> None:
        rules = service.rules.page(journey_id, size=500).items
        if not rules:
            pieces.empty(
                "This journey has no rules of its own.",
                "Names and types decide where no rule does.",
            )
        with ui.element("div").classes("sk-stack"):
            for rule in rules:
                change = partial(_change, service, rule, listed.refresh)
                pieces.fold(partial(_rule, rule, change), head=partial(_head, rule))

    listed()


def directive_texts(content: TextOrObject) -> list[str]:
    """What the engine does with a rule, one line for each directive. Raises RuleNotUnderstood."""
    try:
        return [DOES[directive.kind](directive) for directive in directives_of(content)]
    except (ValueError, TypeError, AttributeError) as error:
        raise RuleNotUnderstood(f"this is not a rule: {error}") from None


def _head(rule: Rule) -> None:
    ui.html(pieces.chip_html(*STATES[rule.status]), sanitize=False)
    ui.label(rule.title).style("font-weight: 550")
    pieces.quiet(f"{title_of(rule.stage_id)} · {rule.priority}")


def _rule(rule: Rule, change: Callable[[RuleStatus, str], None]) -> None:
    with ui.element("div").classes("sk-stack"):
        if rule.description:
            ui.label(rule.description)
        pieces.heading("What it says", 3)
        _content(rule.content)
        pieces.heading("What is done with it", 3)
        _understood(rule.content)
        pieces.heading("When it applies", 3)
        ui.label(_when(rule)).classes("sk-small")
        with ui.element("div").classes("sk-row"):
            if rule.status != "active":
                pieces.button("Switch on", lambda: change("active", "Switched on"))
            else:
                pieces.button(
                    "Switch off", lambda: change("inactive", "Switched off"), is_main=False
                )
            if rule.status != "deprecated":
                pieces.button("Retire", lambda: change("deprecated", "Retired"), is_main=False)
        pieces.quiet(
            "Rules are never deleted, so that their past effects can be explained. A retired rule "
            "is no longer applied."
        )
        ui.html(pieces.copied(rule.rule_id, 40), sanitize=False)


def _when(rule: Rule) -> str:
    stages = " and ".join(
        title_of(applicable_stage) for applicable_stage in rule.metadata.applicable_stages
    ) or title_of(rule.stage_id)
    where = "In all stages" if rule.scope != "stage" else f"In the stage {stages}"
    return (
        f"{where}, as {title_of(rule.type).lower()}, with {rule.priority} priority. Made by "
        f"{rule.metadata.created_by}."
    )


def _content(content: TextOrObject) -> None:
    if isinstance(content, str):
        ui.label(content)
        return
    if text := content.get("naturalLanguage"):
        ui.label(str(text))
    executed = content.get("jsonRule", content if "naturalLanguage" not in content else None)
    if executed:
        pieces.code(
            executed
            if isinstance(executed, str)
            else json.dumps(executed, indent=2, ensure_ascii=False)
        )


def _understood(content: TextOrObject) -> None:
    try:
        lines = directive_texts(content)
    except RuleNotUnderstood as error:
        pieces.error_text(str(error))
        return
    if not lines:
        pieces.quiet(
            "Nothing: it has no sentence that can be executed. One that can is: Drop 'reviews'."
        )
    for line in lines:
        ui.label(f"→ {line}").classes("sk-small")


def _change(
    service: JobEngine, rule: Rule, refresh: Callable[[], Any], status: RuleStatus, message: str
) -> None:
    try:
        service.rules.change(rule.journey_id, rule.rule_id, RuleChange(status=status))
        ui.notify(f"{message}: {rule.title}", type="positive")
    except SortkeyError as error:
        ui.notify(str(error), type="negative")
    refresh()


# -- a new one


@dataclass(frozen=True, slots=True)
class _RuleForm:
    """The fields of a new rule."""

    title: ui.input
    stage: ui.select
    priority: ui.select
    content: ui.textarea

    def values(self, rule_type: str) -> dict[str, Any]:
        return {
            "stage_id": self.stage.value,
            "title": (self.title.value or "").strip(),
            "priority": self.priority.value,
            "type": rule_type,
            "content": written(self.content.value or ""),
        }


def _new_rule(service: JobEngine, journey_id: str, refresh: Callable[[], Any]) -> None:
    stages = {stage.stage_id: stage for stage in service.journeys.stages(journey_id)}
    with (
        pieces.dialog("New rule") as dialog,
        ui.card().style("width: min(38rem, 94vw); max-width: none; gap: 0.9rem"),
    ):
        pieces.heading("New rule")
        form = _rule_form({stage_id: stage.name for stage_id, stage in stages.items()})
        _examples()
        outcome = ui.element("div").classes("w-full sk-stack")

        def preview() -> None:
            outcome.clear()
            with outcome:
                if content := (form.content.value or "").strip():
                    _understood(written(content))

        def add() -> None:
            rule_type = stages[str(form.stage.value)].rule_types[0]
            if refusal := _added(service, journey_id, form.values(rule_type)):
                outcome.clear()
                with outcome:
                    pieces.error_text(refusal)
                return
            dialog.close()
            refresh()

        form.content.on_value_change(preview)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Close", dialog.close, is_main=False)
            pieces.button("Add", add, icon="add")


def _rule_form(stage_names: dict[str, str]) -> _RuleForm:
    title = ui.input("Title", placeholder="Reviews stay behind").props("outlined autofocus")
    stage = ui.select(stage_names, value="tmf_mapping", label="Stage").props("outlined")
    priority = ui.select(list(PRIORITIES), value="medium", label="Priority").props("outlined")
    content = ui.textarea("What it says", placeholder=EXAMPLES[0]).props("outlined autogrow")
    for field in (title, stage, priority, content):
        field.classes("w-full")
    return _RuleForm(title, stage, priority, content)


def _examples() -> None:
    with ui.element("div").classes("sk-stack").style("gap: 0.2rem"):
        pieces.quiet("For example, in plain English or as JSON:")
        for example in EXAMPLES:
            pieces.mono(example)


def written(text: str) -> TextOrObject:
    """The typed content: parsed if it is JSON, otherwise text."""
    try:
        content = json.loads(text)
    except ValueError:
        return text.strip()
    return cast(dict[str, Any], content) if isinstance(content, dict) else text.strip()


def _added(service: JobEngine, journey_id: str, values: dict[str, Any]) -> str:
    """Why the rule was not added, or an empty text."""
    if not values["title"]:
        return "Give the rule a title."
    try:
        if not directive_texts(values["content"]):
            return "No sentence here can be executed. The examples show some that can."
        service.rules.add(journey_id, RuleDraft(**values), created_by=CONSOLE)
    except (RuleNotUnderstood, SortkeyError) as error:
        return str(error)
    except ValidationError as error:
        return "; ".join(fault["msg"] for fault in error.errors())
    return ""
