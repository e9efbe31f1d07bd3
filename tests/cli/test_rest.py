"""`sortkey rest` as a process, with tokens and keys made beside it; and how all three fail in one
line.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import sortkey as library
from sortkey.systems.host_secret import derive, host_secret
from sortkey.web import ApiKeys
from sortkey.web.tokens import Tokens
from tests.cli.program import refused, said, sortkey
from tests.contract.objects_adapters import new_s3_bucket, s3_endpoint
from tests.faults.served import Served
from tests.oracle.server import apart_port
from tools.downloads import Missing

__all__ = ["s3_endpoint"]


@contextmanager
def serving(
    folder: Path, *arguments: str, systems: str | None = "applens", **environment: str
) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """`sortkey rest` in a folder: its address, and the process, which is ended if it still runs."""
    chosen = ["--systems", systems] if systems else []
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", "rest", "--port", "0", *chosen, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, process.communicate()
        yield found[0], process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_it_serves_lets_users_in_and_stops_cleanly(tmp_path: Path) -> None:
    # The first minute of everybody who tries it.
    with serving(tmp_path) as (address, process):
        assert httpx.get(f"{address}/health").json()["systems"] == ["applens"]
        assert httpx.get(f"{address}/docs").status_code == 200
        assert httpx.get(f"{address}/applens/runs").status_code == 401
        token = said(
            sortkey("token", "--system", "applens", "--user", "12345", cwd=tmp_path)
        ).strip()
        runs = httpx.get(f"{address}/applens/runs", headers={"Authorization": f"Bearer {token}"})
        assert runs.json() == {"items": [], "cursor": None}
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_one_system_is_served_at_the_root(tmp_path: Path) -> None:
    # Clients with built-in paths are pointed at it by the address alone.
    with serving(tmp_path, "applens", systems=None) as (address, _):
        assert httpx.get(f"{address}/runs").status_code == 401
        assert httpx.get(f"{address}/applens/runs").status_code == 404
    message = refused(sortkey("rest", "applens", "--systems", "applens", cwd=tmp_path), 2)
    assert "omit --systems" in message


@pytest.mark.slow
def test_keys_are_made_and_revoked_while_it_runs(tmp_path: Path) -> None:
    # A folder has one owner; the others come in through it. Nobody stops a server to make a key.
    with serving(tmp_path):
        made = json.loads(
            said(
                sortkey("keys", "create", "nightly", "--system", "applens", "--json", cwd=tmp_path)
            )
        )
        assert made["key"].startswith(f"sk_{made['key_id']}_")
        listed = json.loads(
            said(sortkey("keys", "list", "--system", "applens", "--json", cwd=tmp_path))
        )
        assert [(each["name"], each["access"], each["revoked_at"]) for each in listed] == [
            ("nightly", "read", None)
        ]
        assert "revoked" in said(sortkey("keys", "revoke", made["key_id"], cwd=tmp_path))
        with library.open(tmp_path / "data") as store:
            assert store.backend.call("DescribeTable", {"TableName": "sortkey-api-keys"})
    with library.open(tmp_path / "data") as store:
        assert "nightly" in str(store.backend.call("Scan", {"TableName": "sortkey-api-keys"}))


@pytest.mark.slow
def test_what_token_and_keys_print_for_a_system_opens_that_system(tmp_path: Path) -> None:
    # Somebody follows the help and sends what it printed. It must be accepted.
    with serving(tmp_path, "--systems", "applens,jobengine") as (address, _):
        for system, path in (("applens", "runs"), ("jobengine", "journeys")):
            token = said(
                sortkey("token", "--system", system, "--user", "12345", cwd=tmp_path)
            ).strip()
            key = said(
                sortkey("keys", "create", "nightly", "--system", system, cwd=tmp_path)
            ).strip()
            for headers in ({"Authorization": f"Bearer {token}"}, {"X-Api-Key": key}):
                answer = httpx.get(f"{address}/{system}/{path}", headers=headers)
                assert (answer.status_code, answer.json()) == (
                    200,
                    {"items": [], "cursor": None},
                ), answer.text


@pytest.mark.slow
def test_strangers_of_this_machine_do_not_get_in_beside_rest(tmp_path: Path) -> None:
    # The port for second openers is for those who can read the folder.
    with serving(tmp_path):
        published = json.loads((tmp_path / "data" / "sortkey.lock").read_text())
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
        }
        without = httpx.post(published["address"], headers=headers, content=b"{}")
        assert without.status_code == 400
        assert "MissingAuthenticationToken" in without.text
        tables = httpx.post(
            published["address"],
            headers={**headers, "X-Sortkey-Token": published["token"]},
            content=b"{}",
        )
        assert "sortkey-api-keys" in tables.json()["TableNames"]


@pytest.mark.slow
def test_web_pages_of_others_and_names_that_were_made_to_point_here_are_refused(
    tmp_path: Path,
) -> None:
    # It listens on loopback, where every page that somebody visits can send requests.
    with serving(tmp_path, "--allow-host", "rest.test") as (address, _):
        for headers, status in (
            ({}, 200),
            ({"Host": "rest.test"}, 200),
            ({"Origin": address}, 200),
            ({"Host": "evil.test"}, 403),
            ({"Origin": "https://evil.test"}, 403),
        ):
            assert httpx.get(f"{address}/health", headers=headers).status_code == status, headers
        published = json.loads((tmp_path / "data" / "sortkey.lock").read_text())["address"]
        assert httpx.get(published, headers={"Host": "evil.test"}).status_code == 403


TERRAFORM = b'resource "aws_s3_bucket" "logs" {\n  bucket = "logs"\n}\n'


def analysed(folder: Path, address: str) -> str:
    """Send a file over a link and have it analysed, as a user does; the link."""
    token = said(sortkey("token", "--system", "applens", "--user", "12345", cwd=folder)).strip()
    with httpx.Client(
        base_url=f"{address}/applens", headers={"Authorization": f"Bearer {token}"}
    ) as client:
        about = {"environment": "dev", "filename": "main.tf"}
        link = client.post("/uploads", json={**about, "size": len(TERRAFORM)}).json()
        httpx.put(link["url"], content=TERRAFORM, headers=link["headers"]).raise_for_status()
        run = client.post("/runs", json=about).json()
        while run["status"] not in ("COMPLETE", "FAILED"):
            run = client.get(f"/runs/{run['runId']}").raise_for_status().json()
        assert run["status"] == "COMPLETE", run
        return client.get(f"/runs/{run['runId']}/artifacts").json()["report"]


@pytest.mark.slow
def test_a_run_goes_through_and_its_links_outlive_the_server(tmp_path: Path) -> None:
    # Upload, job, download, in one process; a link in a mail must not die with a restart.
    with serving(tmp_path) as (address, process):
        link = analysed(tmp_path, address)
        assert httpx.get(link).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    with serving(tmp_path) as (again, _):
        assert httpx.get(link.replace(address, again)).status_code == 200


@pytest.mark.slow
@pytest.mark.oracle
@pytest.mark.xdist_group("s3")
def test_tables_and_buckets_may_be_elsewhere(tmp_path: Path, s3_endpoint: str) -> None:
    # As on AWS: the folder has the secret, and nothing else.
    try:
        store = f"http://127.0.0.1:{apart_port()}"
    except Missing as missing:
        pytest.skip(f"no DynamoDB Local: {missing}")
    with new_s3_bucket(s3_endpoint, name="applens") as bucket:
        objects = f"s3://{bucket.name.replace('applens', '{bucket}')}?endpoint={s3_endpoint}"
        with serving(tmp_path, "--store", store, "--objects", objects) as (address, _):
            assert analysed(tmp_path, address).startswith(s3_endpoint)
    assert sorted(each.name for each in (tmp_path / "data").iterdir()) == ["files", "secret"]


@pytest.mark.slow
def test_a_key_is_signed_by_the_server_wherever_the_tables_are(tmp_path: Path) -> None:
    # A row that somebody writes into the table of keys opens nothing: the folder has the secret
    # that signs them.
    with Served(tmp_path / "tables", "--own-tables") as tables:
        store = f"http://127.0.0.1:{tables.port}"
        create = ("keys", "create", "nightly", "--system", "applens", "--data", store)
        with serving(tmp_path, "--store", store) as (address, _):
            good = said(sortkey(*create, "--folder", "data", cwd=tmp_path)).strip()
            with library.open(store) as opened:
                forged = ApiKeys(opened).create("forged", "applens", "full").text
            statuses = [
                httpx.get(f"{address}/applens/runs", headers={"X-Api-Key": key}).status_code
                for key in (good, forged)
            ]
            assert statuses == [200, 401]
        assert "--folder" in refused(sortkey(*create, cwd=tmp_path), 2)
        assert said(sortkey(*create, cwd=tmp_path, SORTKEY_SECRET="x" * 32))


def test_a_token_is_signed_with_the_secret_of_the_folder(tmp_path: Path) -> None:
    # Made once, for nobody else to read; the same for the command and the server.
    (tmp_path / "data").mkdir()
    token = said(
        sortkey("token", "--user", "ada", "--scope", "a", "--scope", "b", cwd=tmp_path)
    ).strip()
    secret = tmp_path / "data" / "secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    user = Tokens(derive(host_secret(tmp_path / "data", {}), "tokens")).check(token)
    assert (user.user_id, user.scopes) == ("ada", ("a", "b"))
    given = "a secret of the environment, long enough"
    other = said(sortkey("token", "--user", "ada", cwd=tmp_path, SORTKEY_SECRET=given)).strip()
    assert Tokens(derive(given.encode(), "tokens")).check(other).user_id == "ada"


def test_purposes_have_keys_of_their_own(tmp_path: Path) -> None:
    # A cursor must not pass for a token, whoever finds out how.
    secret = host_secret(tmp_path, {})
    assert host_secret(tmp_path, {}) == secret
    made = {
        derive(secret, purpose) for purpose in ("tokens", "cursors", "console", "dynamodb", "keys")
    }
    assert len(made) == 5
    assert secret not in made


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rest", "--systems", "nothing"], 2, "applens, jobengine"),
        (["rest", "--data", ""], 2, "--data"),
        (["rest", "--port", "70000"], 2, "65535"),
        (["rest", "--host", "no.such.host.invalid"], 1, "cannot listen"),
        (["token", "--user", "ada", "--data", "missing"], 2, "no folder 'missing'"),
        (["token", "--user", "ada", "--data", "http://localhost"], 2, "--data"),
        (["token"], 2, "--user"),
        (
            ["keys", "create", "a", "--system", "applens", "--data", "missing"],
            2,
            "no folder 'missing'",
        ),
    ],
)
def test_what_cannot_be_is_reported_in_one_line(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    # And what to do instead.
    assert message in refused(sortkey(*arguments, cwd=tmp_path), code)


def test_a_token_for_a_system_that_nobody_knows_says_so(tmp_path: Path) -> None:
    # It may be one of your own; or a typing error, and then the token opens nothing.
    (tmp_path / "data").mkdir()
    done = sortkey("token", "--user", "ada", "--system", "apples", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert done.stderr == "note: apples is not installed here\n"


def test_a_system_that_is_none_makes_no_folder(tmp_path: Path) -> None:
    # A typing error leaves nothing behind.
    refused(sortkey("rest", "--systems", "apples", cwd=tmp_path), 2)
    assert list(tmp_path.iterdir()) == []


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    # It would be guessed.
    (tmp_path / "data").mkdir()
    assert "SORTKEY_SECRET" in refused(
        sortkey("token", "--user", "ada", cwd=tmp_path, SORTKEY_SECRET="short"), 1
    )
