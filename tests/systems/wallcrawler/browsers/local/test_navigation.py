"""Which URLs clients may open: what Chromium would make of them decides, not how they are
spelled."""

import pytest

from sortkey_systems.wallcrawler.browsers.local.navigation import is_allowed_domain, is_allowed_url


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "HTTP://example.com",
        "about:blank",
        "about:srcdoc",
        "",
        "data:text/html,hello",
        "blob:https://example.com/1b2c",
        "view-source:https://example.com",
        "chrome-extension://abcdef/page.html",
    ],
)
def test_pages_of_the_web_and_of_extensions_may_be_opened(url: str) -> None:
    # Playwright opens about:blank, stagehand the pages of its extension.
    assert is_allowed_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        " \tfile:///etc/passwd",
        "fi\nle:///etc/passwd",
        "\x00file:///etc/passwd",
        "view-source:file:///etc/passwd",
        "view-source:view-source:file:///etc/passwd",
        "view-source:",
        "blob:file:///etc/passwd",
        "chrome://settings",
        "chrome-untrusted://terminal",
        "devtools://devtools/bundled/inspector.html",
        "about:version",
        "about:blank\nx:",
        "filesystem:file:///",
        "/etc/passwd",
        "etc/passwd",
        "example.com",
    ],
)
def test_what_reads_the_machine_or_commands_the_browser_is_refused(url: str) -> None:
    # A plain tenant read the password file through each spelling that Chromium accepts and the
    # filter did not know.
    assert not is_allowed_url(url)


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("https://example.com/a", True),
        ("https://shop.example.com:8443/", True),
        ("https://EXAMPLE.com./", True),
        ("https://example.com.evil.test/", False),
        ("https://notexample.com/", False),
        ("https://evil.test/?example.com", False),
        ("https://example.com@evil.test/", False),
        ("https://evil.test\\@example.com/", False),
        ("about:blank", True),
        ("file:///etc/passwd", False),
    ],
)
def test_a_domain_includes_its_subdomains_and_nothing_that_looks_like_it(
    url: str, is_allowed: bool
) -> None:
    # Comparing text instead of hosts is how allow lists are passed.
    assert is_allowed_domain(url, ("https://*.Example.com/",)) is is_allowed
