"""Which Host and Origin headers a server accepts, and how people name them."""

import pytest

from sortkey.origins import OriginPolicy, read_hosts, read_origins, url_host, url_origin

LOOPBACK = OriginPolicy()


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LOCALHOST:8000",
        "localhost.",
        "shop.localhost:8000",
        "127.0.0.1",
        "127.0.0.1:8000",
        "127.8.9.10:1",
        "[::1]",
        "[::1]:8000",
        "[0:0:0:0:0:0:0:1]:8000",
        "",
    ],
)
def test_names_that_only_this_machine_can_have_are_accepted(host: str) -> None:
    # A program without the header is no browser, so no page can have sent it there.
    assert LOOPBACK.host_problem(host) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:8000",
        "localhost.evil.test",
        "127.0.0.1.evil.test",
        "notlocalhost",
        "evil@127.0.0.1",
        "localhost,evil.test",
        "localhost evil.test",
        "127.0.0.1:8000:9",
        "[::1",
        "[::2]:8000",
        "0.0.0.0:8000",
        "10.0.0.5:8000",
        "localhost/evil",
        ":8000",
    ],
)
def test_other_names_are_refused_and_the_switch_is_named(host: str) -> None:
    # evil.test may resolve to 127.0.0.1: its page would be of our origin, and could read every
    # answer.
    problem = LOOPBACK.host_problem(host)
    assert problem is not None
    assert "--allow-host" in problem


def test_names_that_were_given_are_accepted_with_any_port() -> None:
    policy = OriginPolicy(hosts=read_hosts(["App.Example.com, db", "10.0.0.5", "[fe80::1]"]))
    for host in (
        "app.example.com",
        "APP.example.com:443",
        "db:8000",
        "10.0.0.5:1",
        "[fe80::1]:8000",
        "localhost",
    ):
        assert policy.host_problem(host) is None, host
    assert policy.host_problem("other.example.com") is not None


def test_a_server_that_any_name_may_reach_refuses_none() -> None:
    assert OriginPolicy(hosts=None).host_problem("whatever.example.com") is None


@pytest.mark.parametrize(
    "origin", ["https://evil.test", "http://127.0.0.1:8000", "http://localhost", "null", ""]
)
def test_no_page_may_call_unless_its_origin_was_given(origin: str) -> None:
    # Also a page on another port of this machine is somebody else's.
    assert LOOPBACK.origin_problem(origin) is not None


def test_pages_of_given_origins_may_call_and_others_are_told_the_switch() -> None:
    policy = OriginPolicy(
        origins=read_origins(
            ["https://App.example.com/,http://localhost:3000", "https://a.test:443"]
        )
    )
    for origin in ("https://app.example.com", "http://localhost:3000", "https://a.test"):
        assert policy.origin_problem(origin) is None, origin
    problem = policy.origin_problem("http://app.example.com")
    assert problem is not None
    assert "--cors http://app.example.com" in problem
    assert "--cors" not in str(policy.origin_problem("null"))  # any sandboxed frame has that one


def test_a_star_lets_every_page_call() -> None:
    assert OriginPolicy(origins=read_origins(["*"])).origin_problem("null") is None


def test_a_server_with_pages_knows_its_own() -> None:
    assert LOOPBACK.own_page_problem("http://127.0.0.1:8080", "127.0.0.1:8080") is None
    assert LOOPBACK.own_page_problem("https://app.example.com", "App.example.com") is None
    for origin, host in [("http://127.0.0.1:8081", "127.0.0.1:8080"), ("null", "null"), ("", "")]:
        assert "--url" in str(LOOPBACK.own_page_problem(origin, host))
    given = OriginPolicy(
        origins=frozenset({"https://app.example.com"})
    )  # a proxy that hides the name from us
    assert given.own_page_problem("https://app.example.com", "127.0.0.1:8080") is None


@pytest.mark.parametrize(
    "text", ["", "app.example.com", "https://", "https://a.test/path", "null", "https://u@a.test"]
)
def test_what_is_not_an_origin_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an origin.*https://app\.example\.com"):
        read_origins([text])


@pytest.mark.parametrize(
    "text", ["", "https://app.example.com", "app.example.com:8000", "a b", "*", "-a"]
)
def test_what_is_not_a_host_name_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a host name.*app\.example\.com"):
        read_hosts([text])


def test_the_origin_of_a_url_is_written_as_browsers_write_it() -> None:
    assert url_origin("https://App.example.com:443/rest?x=1") == "https://app.example.com"
    assert url_origin("http://10.0.0.5:8080") == "http://10.0.0.5:8080"
    assert url_host("https://App.example.com:8443/rest") == "app.example.com"
    assert url_host("http://[::1]:80") == "::1"


@pytest.mark.parametrize(
    "url", ["app.example.com", "app.example.com:8080", "https://", "https://u:p@app.example.com"]
)
def test_what_is_not_the_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not the address of a server"):
        url_origin(url)
