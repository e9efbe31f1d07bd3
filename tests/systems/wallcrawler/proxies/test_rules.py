"""Which proxy a host name takes."""

import pytest

from sortkey_systems.wallcrawler.proxies.rules import InvalidProxy, read_rules, route

EXTERNAL = {"type": "external", "server": "http://proxy.example:3128"}


@pytest.mark.parametrize(
    ("pattern", "host", "is_matched"),
    [
        ("example.com", "example.com", True),
        ("example.com", "www.example.com", True),
        ("example.com", "notexample.com", False),
        ("*.example.com", "a.example.com", True),
        ("*.example.com", "example.com", False),
        (r"wikipedia\.org", "en.wikipedia.org", True),
        (r"^.*\.org$", "a.org", True),
        (r"(a\.com|b\.com)", "b.com", True),
        (r"(a\.com|b\.com)", "c.com", False),
        (".*", "anything.at.all", True),
        ("", "anything.at.all", True),
        ("EXAMPLE.com", "example.COM.", True),
    ],
)
def test_a_pattern_chooses_hosts(pattern: str, host: str, is_matched: bool) -> None:
    # Clients write host names, wildcards and simple regular expressions; all three are in the wild.
    rules = read_rules([{**EXTERNAL, "domainPattern": pattern}])
    assert (route(rules, host) is not None) is is_matched


def test_the_first_rule_that_matches_wins() -> None:
    # `none` in front of a proxy for everything is how one site is reached directly.
    rules = read_rules([{"type": "none", "domainPattern": "local.example"}, EXTERNAL])
    assert route(rules, "local.example") is None
    upstream = route(rules, "other.example")
    assert upstream is not None
    assert (upstream.host, upstream.port, upstream.is_tls) == ("proxy.example", 3128, False)


@pytest.mark.parametrize(
    "proxy",
    [
        {"type": "browserbase"},
        {"type": "external"},
        {"type": "external", "server": "ftp://proxy.example"},
        {"type": "external", "server": "http://proxy.example:port"},
        {"type": "else"},
        {**EXTERNAL, "domainPattern": "(a+)+"},
        {**EXTERNAL, "domainPattern": "a" * 501},
    ],
)
def test_what_cannot_be_used_is_refused_at_once(proxy: dict[str, str]) -> None:
    # A session that silently goes without its proxy shows the wrong address to the world.
    with pytest.raises(InvalidProxy):
        read_rules([proxy])


def test_credentials_do_not_show() -> None:
    # Rules end up in logs and in error messages.
    rules = read_rules([{**EXTERNAL, "username": "ada", "password": "hunter2"}])
    assert rules[0].upstream is not None
    assert rules[0].upstream.authorization == "Basic YWRhOmh1bnRlcjI="
    assert "YWRh" not in repr(rules)
    with pytest.raises(InvalidProxy) as refused:
        read_rules([{"type": "external", "server": "ftp://ada:hunter2@proxy.example"}])
    assert "hunter2" not in str(refused.value)
