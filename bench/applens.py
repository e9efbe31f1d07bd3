"""AppLens on 500 to 5,000 resources: seconds to parse, analyse and store, memory, growth. `python
-m bench.applens`.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time

import sortkey
from bench.goals import met
from sortkey_systems.applens.isolated import ANALYSES
from sortkey_systems.applens.service import AppLens

SIZES = (500, 1000, 2500, 5000)
SECONDS_MAX = 10
MEGABYTES_MAX = 500
GROWTH_MAX = 1.5
"""Processor seconds a resource of the largest size over those of the second; 1 is linear."""
ROUNDS = 3
WHOSE = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
"""The program that stores, and the process that analyses for it."""

_SERVICE = """
resource "aws_dynamodb_table" "t{i}" {{
  name         = "orders-{i}-${{var.env}}"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "PK"
  attribute {{
    name = "PK"
    type = "S"
  }}
  tags = merge(local.tags, {{ Service = "s{i}" }})
}}
resource "aws_iam_role" "r{i}" {{
  name = "service-{i}"
  assume_role_policy = jsonencode({{
    Version   = "2012-10-17"
    Statement = [{{ Effect = "Allow", Principal = {{ Service = "lambda.amazonaws.com" }}, Action = "sts:AssumeRole" }}]
  }})
}}
resource "aws_iam_role_policy" "p{i}" {{
  role = aws_iam_role.r{i}.id
  policy = jsonencode({{
    Statement = [{{ Effect = "Allow", Action = ["dynamodb:GetItem"], Resource = [aws_dynamodb_table.t{i}.arn] }}]
  }})
}}
resource "aws_lambda_function" "f{i}" {{
  function_name = "service-{i}"
  role          = aws_iam_role.r{i}.arn
  environment {{
    variables = {{ TABLE = aws_dynamodb_table.t{i}.name, PREVIOUS = aws_lambda_function.f{previous}.arn }}
  }}
}}
resource "aws_lambda_function_url" "u{i}" {{
  function_name      = aws_lambda_function.f{i}.function_name
  authorization_type = "AWS_IAM"
}}
"""
_HEAD = 'variable "env" {\n  default = "dev"\n}\nlocals {\n  tags = { Project = "shop" }\n}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--one", type=int, metavar="N", help="measure one size in this process and print JSON"
    )
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return 0
    text = markdown()
    print(text)
    return 1 if met(False) in text else 0


def markdown() -> str:
    """The section of a report."""
    rows = [_measured(number) for number in SIZES]
    lines = [
        "## AppLens: a run from its upload to its stored report",
        "",
        "| resources | seconds | ms a resource | peak memory | edges | findings |",
        "|" + "---|" * 6,
        *(_line(row) for row in rows),
    ]
    large, small = rows[-1], rows[1]
    growth = (large["processor"] / large["resources"]) / (small["processor"] / small["resources"])
    lines += [
        "",
        f"Goals for {large['resources']:,} resources: {SECONDS_MAX} s "
        f"({met(large['seconds'] < SECONDS_MAX)}), "
        f"{MEGABYTES_MAX} MB ({met(large['megabytes'] < MEGABYTES_MAX)}), and processor time a "
        "resource at most "
        f"{GROWTH_MAX}× of that at {small['resources']:,}: {growth:.2f}× "
        f"({met(growth < GROWTH_MAX)}).",
    ]
    return "\n".join(lines) + "\n"


def _line(row: dict[str, float]) -> str:
    milliseconds = 1000 * row["seconds"] / row["resources"]
    counts = f"{row['edges']:,} | {row['findings']:,}"
    return (
        f"| {row['resources']:,} | {row['seconds']:.2f} | {milliseconds:.2f} | {row['megabytes']:.0f} MB | "
        f"{counts} |"
    )


def terraform(number: int) -> bytes:
    """A file of so many resources, in services of five."""
    services = range(number // 5)
    return (
        _HEAD + "".join(_SERVICE.format(i=i, previous=max(i - 1, 0)) for i in services)
    ).encode()


def measure(number: int) -> dict[str, float]:
    """One run from its upload to COMPLETE: uploaded, parsed, analysed, and stored in a folder."""
    data = terraform(number)
    with (
        tempfile.TemporaryDirectory() as folder,
        sortkey.open(f"{folder}/data", objects=f"{folder}/{{bucket}}") as store,
    ):
        service = AppLens(store)
        service.ensure()
        started, processor = time.perf_counter(), _processor_seconds()
        run = service.upload("12345", "prod", "main.tf", data)
        service.analyze_later(run)
        service.worker().run_once()
        seconds = time.perf_counter() - started
        ANALYSES.close()  # usage of a child is known when it has ended
        processor = _processor_seconds() - processor
        run = service.get("12345", run.run_id)
        findings = len(json.loads(service.report("12345", run.run_id))["findings"])
    return {
        "resources": run.node_count or 0,
        "seconds": seconds,
        "processor": processor,
        "megabytes": sum(_peak_bytes(whose) for whose in WHOSE) / 1_048_576,
        "edges": run.edge_count or 0,
        "findings": findings,
    }


def _processor_seconds() -> float:
    return sum(sum(resource.getrusage(whose)[:2]) for whose in WHOSE)


def _peak_bytes(whose: int) -> int:
    return resource.getrusage(whose).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _measured(number: int) -> dict[str, float]:
    """The best of some rounds, each in a process of its own: peak memory never falls."""
    command = [sys.executable, "-m", "bench.applens", "--one", str(number)]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for _ in range(ROUNDS)
    ]
    return min((json.loads(run) for run in runs), key=lambda run: run["processor"])


if __name__ == "__main__":
    sys.exit(main())
