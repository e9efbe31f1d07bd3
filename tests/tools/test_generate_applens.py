"""The document says what the analysis does: it is made from the same tables."""

from pathlib import Path

from sortkey_systems.applens.exposure import EXPOSED
from sortkey_systems.applens.rules import RULES
from tools.generate_applens import page

DOCUMENT = Path(__file__).parents[2] / "docs" / "applens.md"


def test_the_document_is_up_to_date() -> None:
    # `make format` writes it again.
    assert DOCUMENT.read_text(encoding="utf-8") == page()


def test_the_document_has_every_rule_and_every_kind_that_can_be_exposed() -> None:
    # A definition that is not published is an opinion.
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [rule.id for rule in RULES if f"### {rule.id} {rule.title}" not in text] == []
    assert [kind for kind in EXPOSED if f"| `{kind}` | " not in text] == []
