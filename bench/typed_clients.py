"""Client libraries beside ours on one server of ours: CPU a call, which is what an application pays
for its data.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench import peers
from bench.client import Client
from tools.downloads import Missing

SCRIPTS = Path(__file__).parent / "clients"
RAW = "boto3, client"
OURS = "Sortkey"
OPERATIONS = ("get", "put", "query")
RATIO_MAX = 0.2
"""Of the raw boto3 client's CPU."""

_TABLE = "Clients"
_DEFINITION = {
    "TableName": _TABLE,
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


@dataclass(frozen=True, slots=True)
class Library:
    """A script in `clients`, and whether it runs in the environment of the peers or in ours."""

    name: str
    script: str
    arguments: tuple[str, ...] = ()
    is_ours: bool = False


LIBRARIES = (
    Library(RAW, "boto3_client.py"),
    Library("boto3, resource", "boto3_resource.py"),
    Library("PynamoDB", "with_pynamodb.py"),
    Library("pydynox", "with_pydynox.py"),
    Library("dyntastic", "with_dyntastic.py"),
    Library("aiodynamo", "with_aiodynamo.py"),
    Library(OURS, "with_sortkey.py", is_ours=True),
    Library("Sortkey, awaited", "with_sortkey.py", ("async",), is_ours=True),
)


@dataclass(frozen=True, slots=True)
class Cost:
    cpu_us: float
    per_second: float


Costs = dict[tuple[str, str], Cost]  # (library, operation)


def measure(seconds: int, rounds: int, notes: list[str]) -> Costs:
    """Every library in turn, round by round; of the rounds the cheapest, as noise only
    ever adds.
    """
    costs: Costs = {}
    with peers.started(peers.NORMAL) as server:
        client = Client(server.port)
        client.call("CreateTable", _DEFINITION)
        client.close()
        for number in range(rounds):
            for library in LIBRARIES:
                try:
                    result = _run(library, server.port, seconds)
                except (Missing, subprocess.CalledProcessError, StopIteration) as problem:
                    if number == 0:
                        notes.append(f"{library.name}: {problem}")
                    continue
                for operation, cost in result.items():
                    known = costs.get((library.name, operation))
                    if known is None or cost.cpu_us < known.cpu_us:
                        costs[library.name, operation] = cost
    return costs


def _run(library: Library, port: int, seconds: int) -> dict[str, Cost]:
    python = (
        sys.executable if library.is_ours else str(peers.peers_environment() / "bin" / "python")
    )
    command = [python, str(SCRIPTS / library.script), str(port), str(seconds), *library.arguments]
    print(f"  {library.name}", file=sys.stderr, flush=True)
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = next(line for line in output.splitlines() if line.startswith("RESULT "))
    return {name: Cost(**cost) for name, cost in json.loads(line.removeprefix("RESULT ")).items()}
