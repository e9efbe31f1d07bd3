"""Whole configurations as people write them: what is wrong is found where it is, and nothing of
weight besides.

In the files a comment `# finds RULE` stands on the first line of what is to blame. With a key, or
the module's address, it means one of several: `# finds NET-01 ["ssh"]`.
"""

import re
from pathlib import Path

import pytest

from sortkey_systems.applens.analysis import analyze

ESTATES = Path(__file__).parent / "estates"
_BLOCK = re.compile(
    r'^(resource|variable|provider|locals) *(?:"([^"]+)")? *(?:"([^"]+)")? *\{ *# finds (.+)$'
)
_VALUE = re.compile(r"^(\w+) *= .*# finds (.+)$")
_FINDS = re.compile(r"([A-Z0-9]+-\d\d)( [^,]+)?")


@pytest.mark.parametrize("folder", sorted(each.name for each in ESTATES.iterdir()))
def test_what_is_wrong_is_found_and_nothing_of_weight_besides(folder: str) -> None:
    # A flaw that is missed is believed to be absent; an alarm that is false is the last one that is
    # read.
    report = analyze(ESTATES / folder).report
    wanted = marked(ESTATES / folder)
    found = {(f.rule, f.evidence[0]) for f in report.findings}
    weighty = {
        (f.rule, f.evidence[0])
        for f in report.at_least("medium")
        if f.rule not in ("PATH-01", "DDB-01")
    }
    named = {(rule, plain(address)) for rule, address in found}
    assert {each for each in wanted if each not in found and each not in named} == set(), "missed"
    assert {
        each for each in weighty if each not in wanted and (each[0], plain(each[1])) not in wanted
    } == set()
    assert [each for each in report.problems if each.kind == "parse"] == []


def plain(address: str) -> str:
    """Without the key of one instance."""
    return re.sub(r"\[[^\]]*\]$", "", address)


def marked(folder: Path) -> set[tuple[str, str]]:
    return {
        each
        for file in folder.rglob("*.tf*")
        for line in file.read_text().splitlines()
        for each in marks(line)
    }


def marks(line: str) -> set[tuple[str, str]]:
    block = _BLOCK.match(line)
    if listed := re.match(r' *"finds (\S+) (\S+)"', line):
        return {(listed[1], listed[2])}
    if value := _VALUE.match(line):
        return {(rule, f"var.{value[1]}") for rule, _ in _FINDS.findall(value[2])}
    if block is None:
        assert "# finds" not in line, line
        return set()
    kind, first, second, found = block.groups()
    address = {
        "resource": f"{first}.{second}",
        "variable": f"var.{first}",
        "provider": f"provider.{first}",
    }.get(kind, kind)
    return {
        (rule, _placed(address, (where or "").strip())) for rule, where in _FINDS.findall(found)
    }


def _placed(address: str, where: str) -> str:
    return f"{where}.{address}" if where.startswith("module.") else address + where
