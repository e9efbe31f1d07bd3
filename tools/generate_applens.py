"""Writes docs/applens.md from the tables that the analysis itself uses. `--check` compares and
writes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from sortkey_systems.applens import (
    archives,
    isolated,
    json_depth,
    kinds,
    relationships,
    report,
    sources,
)
from sortkey_systems.applens.exposure import EXPOSED
from sortkey_systems.applens.guards import GUARDED
from sortkey_systems.applens.parsing import budget, hcl
from sortkey_systems.applens.rules import RULES, Rule
from sortkey_systems.applens.rules.coverage import RULED_TYPES
from tools.generated import keep

PAGE = Path(__file__).parents[1] / "docs/applens.md"

_INTRODUCTION = f"""\
# AppLens: what it says, and what it means by it

`sortkey applens analyze PATH` reads Terraform and prints findings, the ways from the internet to data, and a score.
Nothing is run and nothing is connected to. This page is generated from the analysis's own tables; a test compares.

```
sortkey applens analyze ./infra                                    # a page for people
sortkey applens analyze plan.json --fail-on high                   # a gate for CI, see the exit codes
sortkey applens analyze ./infra --format sarif --output out.sarif  # for code hosts and editors
```

`--json` and `--sarif` are short for `--format`. Places in SARIF are relative to the current folder (`%SRCROOT%`): run
it at the top of the checkout, and a code host finds the files.

| exit code | when |
|---|---|
| 0 | analysed; with `--fail-on` everything was read, and there is no finding of that severity or a worse one |
| 1 | with `--fail-on`: there is such a finding |
| 2 | wrong arguments |
| 3 | not analysed; or with `--fail-on`: no such finding, but a file could not be read, and it may be in there |

## What is not covered

Every output says it first: text, `coverage` in JSON and REST, the console; in SARIF there are notifications. A score is
shown with what it covers, as "risk 0 of 100 over 12 of 15 resources; 3 have no rules". Where no rule looked at
any resource, there is none.

- Files that could not be read, or parts of them, with the line; also links that lead out of the folder.
- Modules of a registry or a repository: what they make is not known. A plan has it.
- Resources of a type without rules. Rules look at {len(RULED_TYPES)} types of AWS, listed below; secrets are looked for
  in all resources, of any provider.
- Values that only a plan knows, and values that are sensitive: a rule that needs one finds nothing.

## Runs

As a service AppLens keeps runs: of a file that was uploaded, with its status, its graph and its report. A run is
UPLOADED, then PROCESSING, then COMPLETE, or FAILED with the reason in `lastError`; another attempt is a new run. The
analysis is a durable job: a worker that is killed is replaced once; the run fails when a second one
died of it, or after three tries that failed or timed out.
The analysis runs in a child process with at most {isolated.MEMORY_BYTES_MAX // 1_000_000:,} MB of memory and
{isolated.SECONDS_MAX:g} seconds; an upload that needs more is FAILED with that reason.

```
sortkey rest                                              # serves /applens, and runs the analyses
sortkey token --system applens --user 12345               # a token for a user
sortkey applens runs --user 12345                         # the runs of a user, the newest first
sortkey applens show latest --user 12345                  # the report of a run; --format json, sarif
sortkey applens compare c8a91e latest --user 12345        # what changed
```

| request | what |
|---|---|
| `POST /applens/uploads` | a link for one file, bound to its key, size (at most 10 MB) and type; PUT the file there |
| `POST /applens/runs` | a run of the file that was sent, analysed at once unless `analyze` is false |
| `GET /applens/runs`, `/runs/latest` | the runs of the user, by environment too, page by page; from the items alone |
| `GET /applens/runs/{{runId}}`, `/progress` | one run; the step of its analysis: building, parsed, analysing, storing |
| `GET /applens/runs/{{runId}}/artifacts` | links to upload, graph and report, in the version that the run recorded |
| `GET …/graph`, `/report`, `/sarif`, `/inventory?search=` | what became of it |
| `GET /applens/compare?before=&after=` | by the hash; nodes, edges, findings and ways to data; what changed |

Objects lie under `uploads/<environment>/<userId>/<filename>`, `graphs/<environment>/<userId>/<runId>/graph.json` and
`reports/<environment>/<userId>/<runId>/risk.json`; a graph is written once. A user finds only runs of that user, since
users stand in the keys.

## Input

Give {sources.ACCEPTED}; at most {sources.BYTES_MAX // 1_000_000} MB. Archives are read in memory: at most
{archives.ENTRIES_MAX:,} entries, {archives.UNPACKED_BYTES_MAX // 1_000_000} MB unpacked and {archives.RATIO_MAX} times
their size; one with links, devices or paths that lead out is refused. A plan says more than the source: all variables,
`count` and `for_each` are known in it.

From the source are resolved: local modules, variables with defaults or from `terraform.tfvars` and `*.auto.tfvars`,
locals, `count`, `for_each`, dynamic blocks, most functions, and policies in `aws_iam_policy_document`, `jsonencode()`,
heredocs, or files of the tree that are read with `file()` and `templatefile()`. What is not known stays as its text,
`${{var.x}}`; variables without a value, modules outside of the tree and counts that only a plan knows are listed as
unresolved. A file that does not parse is a warning with file and line.

Evaluation has limits: {budget.VALUES_MAX:,} values (twenty thousand resources need a quarter of that; a value that many
lists share counts as often as it is seen), {budget.SECONDS_MAX:g} seconds of processor time, and names that refer to
names at most {budget.REFERENCES_MAX} deep. A source that needs more is not analysed, and the reason names what grew.
Brackets, blocks and templates are read {hcl.DEPTH_MAX} deep, JSON {json_depth.NESTING_MAX} deep; a file that goes
deeper does not parse.

A folder that no other calls as a module is a configuration of its own; where a tree has several, addresses have the
folder before them.

## Graph

A node is a resource, a data source that is a thing, or a module outside of the tree. An edge is a reference, also one
through locals, variables and outputs. The canonical JSON (sorted, UTF-8, no whitespace) has no files and lines, so its
`sha256:` hash is that of the infrastructure, not of the layout of its source. Passwords are left out.

What Terraform marks as sensitive is dropped while it is read, and shown as `(sensitive)` in every output: variables and
outputs with `sensitive = true` or `ephemeral = true`, `sensitive(…)`, and what is made of them; in plans and states
`sensitive_values`, `after_sensitive`, `before_sensitive` and `sensitive_attributes`, attributes that providers declare
as sensitive, and copies of such values. Rules see that a value is there, and whether the source itself states it.

- `internetExposedCount`: nodes that take requests from the internet by their own settings, see below. One that asks
  everybody who they are is counted too: an address on the internet is one flaw in its policy away from being open. The
  report has these under `behind`, and says of a way to data that it is "behind IAM" or "behind an authorizer".
- `datastoreCount`: nodes of the storage services below.
- An edge crosses a trust boundary if it carries requests or rights between nodes of different threat surfaces:
  {", ".join(sorted(relationships.CROSSING))}.
"""


def page() -> str:
    """The whole document."""
    return "\n".join([_INTRODUCTION, *_tables(), *_rules()]) + "\n"


def _tables() -> Iterator[str]:
    yield "### Threat surfaces\n\n| surface | what |\n|---|---|"
    yield from (f"| {name} | {text} |" for name, text in kinds.SURFACES.items())
    yield "\n### Relationships\n\n| relationship | what the source does |\n|---|---|"
    yield from (f"| {name} | {text} |" for name, text in relationships.RELATIONSHIPS.items())
    yield "\n### Exposed to the internet\n\n| kind | when |\n|---|---|"
    yield from (
        f"| `{kind}` | {' '.join((test.__doc__ or '').split())} |"
        for kind, test in sorted(EXPOSED.items())
    )
    yield "\n### Behind authentication\n\nExposed, but everybody is asked. What is not known asks nobody.\n"
    yield "| kind | behind what, and when |\n|---|---|"
    yield from (
        f"| `{kind}` | {' '.join((test.__doc__ or '').split())} |"
        for kind, test in sorted(GUARDED.items())
    )
    yield "\n### Datastores\n\nKinds that match, and nothing that only configures them:\n"
    yield f"```\n{kinds.DATASTORES.pattern}\n```"


def _rules() -> Iterator[str]:
    weights = ", ".join(f"{name} {100 * weight:g} %" for name, weight in report.WEIGHTS.items())
    yield "\n## Score\n"
    yield "0 is nothing found in what was covered, 100 is the end of the scale. Each rule takes its share of what is"
    yield "left to 100: its first"
    yield f"finding {weights}, times the rule's confidence (high 1, medium ¾, low ½); each further one, up to"
    yield f"{report.REPEATS_MAX}, a quarter of that. The report lists what each took.\n"
    yield f"## Rules\n\n{len(RULES)} rules. A severity may differ in one place where that place is better or worse."
    yield "\n### Types that rules look at\n\n```"
    yield from wrap(" ".join(sorted(RULED_TYPES)), 118)
    yield "```"
    for rule in RULES:
        yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    yield f"\n### {rule.id} {rule.title}\n"
    yield f"{rule.why}\n"
    yield f"- {rule.category}; severity {rule.severity}, confidence {rule.confidence}"
    yield f"- Evidence: {rule.evidence}"
    yield f"- Mitigation: {' '.join(rule.mitigations)}"


if __name__ == "__main__":
    sys.exit(keep(PAGE, page(), sys.argv[1:], "AppLens's tables"))
