"""`sortkey applens analyze`: what it prints, what it writes, and the exit codes that a pipeline
relies on.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sortkey.cli import main

OPEN = (
    'resource "aws_security_group" "g" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    '
    'protocol = "tcp"\n'
)
OPEN += '    cidr_blocks = ["0.0.0.0/0"]\n  }\n}\nresource "aws_vpc" "v" {\n  cidr_block = var.absent\n}\n'
OPEN += 'variable "absent" {}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.tf").write_text(OPEN)
    return tmp_path


def test_the_page_has_the_finding_its_place_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # It is read in a terminal, by someone in a hurry.
    assert main(["applens", "analyze", str(folder)]) == 0
    page = capsys.readouterr().out
    assert (
        "HIGH     NET-01  Administration port open to the internet: SSH (22) from anywhere" in page
    )
    assert "main.tf:1  aws_security_group.g" in page
    assert "Session Manager" in page
    assert "main.tf:12: var.absent has no default and no value" in page


@pytest.mark.parametrize(
    ("severity", "code"), [("low", 1), ("medium", 1), ("high", 1), ("critical", 0)]
)
def test_fail_on_ends_with_1_for_that_severity_or_worse(
    folder: Path, severity: str, code: int
) -> None:
    # A pipeline stops on it.
    assert main(["applens", "analyze", str(folder), "--fail-on", severity]) == code


BROKEN = 'resource "aws_s3_bucket" "b" {\n  acl = "public-read"\n'


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_fail_on_ends_with_3_where_a_file_was_not_read(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # What would have stopped the pipeline may be in that file. The output and
    # stderr say so.
    (tmp_path / "main.tf").write_text('resource "aws_sqs_queue" "q" {}\n')
    (tmp_path / "broken.tf").write_text(BROKEN)
    assert (
        main(["applens", "analyze", str(tmp_path), "--fail-on", "critical", "--format", form]) == 3
    )
    printed = capsys.readouterr()
    why = "broken.tf:1: the block opened on line 1 is not closed"
    assert printed.err == f"sortkey applens: --fail-on: not everything was read: {why}\n"
    assert "the block opened on line 1 is not closed" in printed.out
    assert main(["applens", "analyze", str(tmp_path), "--format", form]) == 0


def test_fail_on_ends_with_1_for_a_finding_whatever_was_not_read(folder: Path) -> None:
    # The finding is certain.
    (folder / "broken.tf").write_text(BROKEN)
    assert main(["applens", "analyze", str(folder), "--fail-on", "high"]) == 1


def test_json_has_report_and_graph(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # For programs: everything, in the words of the documents.
    assert main(["applens", "analyze", str(folder), "--format", "json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert {
        "score",
        "rationale",
        "findings",
        "exposedPaths",
        "warnings",
        "unresolved",
        "graphHash",
        "graph",
    } <= set(output)
    assert output["counts"]["nodeCount"] == len(output["graph"]["nodes"]) == 2


def test_sarif_has_rules_results_and_places(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Code hosts refuse a file that is not in order, and then show nothing.
    target = folder / "out.sarif"
    assert (
        main(["applens", "analyze", str(folder), "--format", "sarif", "--output", str(target)]) == 0
    )
    assert capsys.readouterr().out == ""
    output = json.loads(target.read_text())
    run = output["runs"][0]
    assert output["version"] == "2.1.0"
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) >= 25
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "main.tf"
        assert place["region"]["startLine"] >= 1
    assert run["results"][0]["ruleId"] == "NET-01"


@pytest.mark.parametrize(
    ("here", "given", "uris"),
    [
        (".", ["infra"], {"infra/main.tf", "infra/net%20work/main.tf"}),
        (".", ["./infra/"], {"infra/main.tf", "infra/net%20work/main.tf"}),
        (".", ["infra/main.tf"], {"infra/main.tf"}),
        (".", ["infra/net work", "other"], {"infra/net%20work/main.tf", "other/more.tf"}),
        ("infra", ["."], {"main.tf", "net%20work/main.tf"}),
        ("infra", ["../other"], {"more.tf"}),
    ],
)
def test_sarif_places_are_below_the_current_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    here: str,
    given: list[str],
    uris: set[str],
) -> None:
    # A code host looks for the path in the repository, and shows nothing where there is no such
    # file.
    for number, name in enumerate(("infra/main.tf", "infra/net work/main.tf", "other/more.tf")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            OPEN.replace('"g"', f'"g{number}"').replace('"v"', f'"v{number}"')
        )
    monkeypatch.chdir(tmp_path / here)
    assert main(["applens", "analyze", *given, "--sarif"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    root = "other" if given == ["../other"] else here
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": (tmp_path / root).as_uri() + "/"}}
    found = run["results"] + run["invocations"][0]["toolExecutionNotifications"]
    places = [each["locations"][0]["physicalLocation"]["artifactLocation"] for each in found]
    assert {place["uri"] for place in places} == uris
    assert {place["uriBaseId"] for place in places} == {"%SRCROOT%"}


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_format_has_a_short_form(
    folder: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # The other commands have --json: who tries it here is right.
    pages: list[str] = []
    for arguments in (["--format", form], [f"--{form}"], [f"--{form}", "--format", form]):
        assert main(["applens", "analyze", str(folder), *arguments]) == 0
        pages.append(capsys.readouterr().out)
    assert json.loads(pages[0])
    assert pages == pages[:1] * 3


def test_two_formats_at_once_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # One of them would be left out without a word.
    assert main(["applens", "analyze", str(folder), "--json", "--sarif"]) == 2
    assert "one format at a time: json or sarif" in capsys.readouterr().err


def test_what_cannot_be_analysed_is_one_line_and_code_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Not 1: a pipeline must tell "risks" from "not analysed".
    (tmp_path / "a.tf").write_text("resource {")
    for path in (tmp_path, tmp_path / "none"):
        assert main(["applens", "analyze", str(path)]) == 3
        error = capsys.readouterr().err
        assert error.startswith("sortkey applens: ")
        assert error.count("\n") == 1


def test_a_file_that_grows_without_end_is_one_line_and_code_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # 1.2 KB that describe a terabyte. A pipeline must not hang on it.
    doubled = "".join(f"  a{n} = [local.a{n - 1}, local.a{n - 1}]\n" for n in range(1, 41))
    text = (
        f'locals {{\n  a0 = "x"\n{doubled}}}\nresource "aws_x" "x" '
        f"{{\n  v = jsonencode(local.a40)\n}}\n"
    )
    (tmp_path / "main.tf").write_text(text)
    assert main(["applens", "analyze", str(tmp_path)]) == 3
    error = capsys.readouterr().err
    assert error.startswith(
        "sortkey applens: evaluating aws_x.x needs more than 2,000,000 values: "
    )
    assert error.count("\n") == 1


def test_the_library_does_not_load_the_system_before_the_command_runs() -> None:
    # Starting fast is a feature, and `sortkey` does not know what is built on it.
    code = (
        "import sys, sortkey.cli; sys.exit(any(name.startswith('sortkey_systems') for name in "
        "sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A folder with the sample runs of user 12345."""
    import sortkey
    from sortkey_systems.applens.sample import load
    from sortkey_systems.applens.service import AppLens

    with sortkey.open(
        tmp_path / "data", objects=tmp_path / "data" / "buckets" / "{bucket}"
    ) as store:
        load(AppLens(store))
    return tmp_path / "data"


def listed_runs(
    stored: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> list[dict[str, str]]:
    assert main(["applens", "runs", "--user", "12345", "--data", str(stored), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def test_stored_runs_are_listed_and_all_of_them(
    stored: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who has a folder of somebody else's runs wants to see what is in it.
    assert [run["status"] for run in listed_runs(stored, capsys)] == [
        "COMPLETE",
        "COMPLETE",
        "FAILED",
        "COMPLETE",
    ]
    assert len(listed_runs(stored, capsys, "--environment", "prod")) == 2
    monkeypatch.setattr("sortkey_systems.applens.commands.PAGE_RUNS", 3)
    assert len(listed_runs(stored, capsys)) == 4
    assert main(["applens", "runs", "--user", "12345", "--data", str(stored)]) == 0
    assert "a text is not closed on its line" in capsys.readouterr().out
    assert main(["applens", "runs", "--user", "nobody", "--data", str(stored)]) == 0
    assert "has no runs" in capsys.readouterr().out


def test_a_stored_run_is_shown_as_it_was_analysed(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The same page as that of `analyze`.
    where = ["--user", "12345", "--data", str(stored)]
    assert main(["applens", "show", "latest", *where]) == 0
    page = capsys.readouterr().out
    assert "0 critical, 0 high" in page
    assert main(["applens", "show", "latest", *where, "--format", "sarif"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == "2.1.0"
    assert main(["applens", "show", "latest", *where, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["severities"]["critical"] == 0
    failed = next(run["runId"] for run in listed_runs(stored, capsys) if run["status"] == "FAILED")
    assert main(["applens", "show", failed, *where]) == 3
    assert main(["applens", "show", "nothing", *where]) == 1


def test_two_stored_runs_are_compared(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A line for each thing that came, went or changed, in words.
    first = listed_runs(stored, capsys)[-1]["runId"]
    where = ["--user", "12345", "--data", str(stored)]
    assert main(["applens", "compare", first, "latest", *where]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("another graph, risk 9")
    assert "- finding critical S3-01 Bucket is public: aws_s3_bucket.invoices" in lines
    assert "+ node aws_secretsmanager_secret.payment" in lines
    assert main(["applens", "compare", "latest", "latest", *where]) == 0
    assert capsys.readouterr().out.startswith("the same graph")


def test_a_comparison_says_what_changed(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # "It changed" sends people to read both files. Ways are listed once, whole, and not again with
    # their findings.
    first = listed_runs(stored, capsys)[-1]["runId"]
    assert (
        main(["applens", "compare", first, "latest", "--user", "12345", "--data", str(stored)]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    listener = lines.index("~ node aws_lb_listener.orders")
    assert lines[listener + 2 : listener + 4] == [
        "    port: 80 → 443",
        "    protocol: HTTP → HTTPS",
    ]
    bucket = lines.index("~ node aws_s3_bucket.invoices")
    assert lines[bucket + 1] == "    exposed to the internet: true → false"
    finding = next(at for at, line in enumerate(lines) if line.startswith("~ finding "))
    assert lines[finding + 1] == "    severity: high → low"
    way = lines.index("~ way aws_db_instance.orders")
    assert lines[way - 1] == lines[finding + 1]
    assert lines[way + 1] == "    was internet → aws_db_instance.orders"
    assert lines[way + 2].startswith("    now internet → aws_lb.orders → ")


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    # A typing error would otherwise list no runs, and leave a folder.
    assert main(["applens", "runs", "--user", "1", "--data", str(tmp_path / "dta")]) == 2
    assert not (tmp_path / "dta").exists()
