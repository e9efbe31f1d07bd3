"""Selenium, through the WebDriver address of a session."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection

from sortkey_systems.wallcrawler.connections.webdriver.driver import PREFIX, remove_leftovers
from tests.systems.wallcrawler.clients.conftest import Server, served, wait_until

pytestmark = pytest.mark.skipif(
    not shutil.which("chromedriver"), reason="no chromedriver (apt-get install chromium-driver)"
)


class Connection(RemoteConnection):
    """As the examples of hosted browsers write it: a header with each command."""

    headers: dict[str, str]

    @classmethod
    def get_remote_connection_headers(
        cls, parsed_url: Any, keep_alive: bool = False
    ) -> dict[str, str]:
        return super().get_remote_connection_headers(parsed_url, keep_alive) | cls.headers


def connected(url: str, headers: dict[str, str]) -> webdriver.Remote:
    own = type("OwnConnection", (Connection,), {"headers": headers})
    connection = own(client_config=ClientConfig(remote_server_addr=url))
    return webdriver.Remote(connection, options=webdriver.ChromeOptions())


@pytest.mark.parametrize("form", ["signing key", "API key and session"])
def test_it_drives_a_session(
    server: Server, site: str, new_session: Callable[..., Any], form: str
) -> None:
    # Both headers stand in examples that people copy.
    session = new_session()
    headers = {
        "signing key": {"x-bb-signing-key": session.signing_key},
        "API key and session": {"x-bb-api-key": server.key, "session-id": session.id},
    }[form]
    driver = connected(session.selenium_remote_url, headers)
    driver.get(site)
    driver.find_element(By.ID, "name").send_keys("Grace")
    driver.find_element(By.ID, "go").click()
    assert driver.find_element(By.ID, "said").text == "Hello Grace"
    assert driver.get_screenshot_as_png()[:4] == b"\x89PNG"
    assert "debuggerAddress" not in str(driver.capabilities)
    driver.quit()
    wait_until(lambda: server.client().sessions.retrieve(session.id).status == "COMPLETED")


def test_a_file_of_the_client_reaches_the_page(
    site: str, new_session: Callable[..., Any], tmp_path: Path
) -> None:
    # Selenium sends it along, since the browser is on another machine.
    (tmp_path / "letter.txt").write_text("from the client")
    session = new_session()
    driver = connected(session.selenium_remote_url, {"x-bb-signing-key": session.signing_key})
    driver.get(site)
    driver.find_element(By.ID, "file").send_keys(str(tmp_path / "letter.txt"))
    wait_until(lambda: driver.find_element(By.ID, "size").text != "")
    assert driver.find_element(By.ID, "size").text == "letter.txt: from the client"
    driver.quit()


def test_files_of_the_server_do_not(site: str, new_session: Callable[..., Any]) -> None:
    # chromedriver runs on the server, and sees them.
    session = new_session()
    driver = connected(session.selenium_remote_url, {"x-bb-signing-key": session.signing_key})
    driver.get(site)
    driver.file_detector = webdriver.remote.file_detector.UselessFileDetector()
    with pytest.raises(WebDriverException):
        driver.find_element(By.ID, "file").send_keys("/etc/passwd")
    with pytest.raises(WebDriverException):
        driver.get("file:///etc/passwd")
    driver.quit()


def test_nobody_gets_in_without_a_token(new_session: Callable[..., Any]) -> None:
    # The address is the same for all sessions.
    session = new_session()
    for headers in ({}, {"x-bb-signing-key": "x"}, {"x-bb-api-key": "x", "session-id": session.id}):
        with pytest.raises(WebDriverException):
            connected(session.selenium_remote_url, headers)


def test_a_server_that_is_killed_leaves_no_chromedriver(tmp_path: Path, site: str) -> None:
    # It would hold its port, and drive a browser that belongs to nobody.
    with served(tmp_path, "rest", "wallcrawler") as server:
        client = server.client()
        session = client.sessions.create()
        headers = {"x-bb-signing-key": session.signing_key}
        connected(session.selenium_remote_url, headers).get(site)
        (process,) = _drivers_of(server.pid)
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{process}").exists())
    stale = list(Path(tempfile.gettempdir()).glob(f"{PREFIX}{server.pid}-*"))
    assert stale
    remove_leftovers()
    assert not any(each.exists() for each in stale)


def _drivers_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(each) for path in children for each in path.read_text().split()]
    return [each for each in pids if "chromedriver" in Path(f"/proc/{each}/cmdline").read_text()]
