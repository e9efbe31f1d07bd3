"""The snippets of the page "Connect". Each is a whole program: it runs as it stands."""

from __future__ import annotations

PLAYWRIGHT = """\
# pip install browserbase playwright        (no browser to install: it runs on the server)
import os
from browserbase import Browserbase
from playwright.sync_api import sync_playwright

bb = Browserbase(api_key=os.environ["BROWSERBASE_API_KEY"], base_url="{url}")
session = bb.sessions.create()

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(session.connect_url)
    page = browser.contexts[0].pages[0]
    page.goto("https://example.com")
    print(page.title())
    page.screenshot(path="page.png")
    browser.close()
"""
NODE = """\
// npm install @browserbasehq/sdk playwright-core
import Browserbase from "@browserbasehq/sdk";
import {{ chromium }} from "playwright-core";

const bb = new Browserbase({{ apiKey: process.env.BROWSERBASE_API_KEY, baseURL: "{url}" }});
const session = await bb.sessions.create();

const browser = await chromium.connectOverCDP(session.connectUrl);
const page = browser.contexts()[0].pages()[0];
await page.goto("https://example.com");
console.log(await page.title());
await browser.close();
"""
PUPPETEER = """\
// npm install @browserbasehq/sdk puppeteer-core
import Browserbase from "@browserbasehq/sdk";
import puppeteer from "puppeteer-core";

const bb = new Browserbase({{ apiKey: process.env.BROWSERBASE_API_KEY, baseURL: "{url}" }});
const session = await bb.sessions.create();

const browser = await puppeteer.connect({{ browserWSEndpoint: session.connectUrl }});
const [page] = await browser.pages();
await page.goto("https://example.com");
console.log(await page.title());
await browser.close();
"""
SELENIUM = """\
# pip install browserbase selenium
import os
from browserbase import Browserbase
from selenium import webdriver
from selenium.webdriver.remote.remote_connection import RemoteConnection

bb = Browserbase(api_key=os.environ["BROWSERBASE_API_KEY"], base_url="{url}")
session = bb.sessions.create()


class Connection(RemoteConnection):
    @classmethod
    def get_remote_connection_headers(cls, parsed_url, keep_alive=False):
        headers = super().get_remote_connection_headers(parsed_url, keep_alive)
        return headers | {{"x-bb-signing-key": session.signing_key}}


connection = Connection(session.selenium_remote_url)
driver = webdriver.Remote(connection, options=webdriver.ChromeOptions())
driver.get("https://example.com")
print(driver.title)
driver.quit()
"""
CURL = """\
curl -s {url}/v1/sessions -X POST \\
  -H "X-BB-API-Key: $BROWSERBASE_API_KEY" -H "Content-Type: application/json" \\
  -d '{{"keepAlive": true, "timeout": 600}}'

# Later: {{id}} is the id in the answer.
curl -s {url}/v1/sessions/{{id}} -X POST \\
  -H "X-BB-API-Key: $BROWSERBASE_API_KEY" -H "Content-Type: application/json" \\
  -d '{{"status": "REQUEST_RELEASE"}}'
"""
RUNNING_PLAYWRIGHT = """\
# CONNECT_URL is what the button above copies.
import os
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(os.environ["CONNECT_URL"])
    page = browser.contexts[0].pages[0]
    print(page.url, page.title())
"""
RUNNING_PUPPETEER = """\
// CONNECT_URL is what the button above copies.
import puppeteer from "puppeteer-core";

const browser = await puppeteer.connect({{ browserWSEndpoint: process.env.CONNECT_URL }});
const [page] = await browser.pages();
console.log(page.url(), await page.title());
await browser.disconnect();
"""


def new_session(url: str) -> dict[str, str]:
    """Programs that create a session and drive it, by their names."""
    texts = {
        "Python": PLAYWRIGHT,
        "Node": NODE,
        "Puppeteer": PUPPETEER,
        "Selenium": SELENIUM,
        "curl": CURL,
    }
    return {name: text.format(url=url) for name, text in texts.items()}


def running_session(url: str) -> dict[str, str]:
    """Programs that join a session which runs."""
    texts = {"Python": RUNNING_PLAYWRIGHT, "Node": RUNNING_PUPPETEER}
    return {name: text.format(url=url) for name, text in texts.items()}
