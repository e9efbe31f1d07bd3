"""The document of the live view: what it may do, and that nothing in it comes from outside."""

import re

import pytest

from sortkey_systems.wallcrawler.live.page import live_page


def test_nothing_is_loaded_from_elsewhere_and_only_its_own_script_runs() -> None:
    # It stands in frames of other sites, and shows what strangers' pages call themselves.
    document, headers = live_page(is_interactive=True)
    assert re.findall(r"""(?:src|href)=["']""", document) == []
    nonce = re.search(r"script-src 'nonce-([^']+)'", headers["Content-Security-Policy"])
    assert nonce is not None
    assert document.count(f'nonce="{nonce[1]}"') == 2
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert "__" not in re.sub(r"[\w.]*__proto__", "", document)
    assert live_page(is_interactive=True)[0] != document


@pytest.mark.parametrize(
    "page_id", ["'+alert(1)+'", "</script><script>alert(1)</script>", "\\", '"', "\n"]
)
def test_a_page_id_cannot_leave_its_quotes(page_id: str) -> None:
    # It comes from an address that anybody can write.
    document, _ = live_page(is_interactive=False, page_id=page_id)
    quoted = re.search(r"JSON\.parse\('(.*)'\)", document)
    assert quoted is not None
    assert "'" not in quoted[1]
    assert "<" not in quoted[1]
    assert document.count("<script") == 1


def test_a_view_that_only_looks_has_no_driving_and_a_full_one_no_bar() -> None:
    assert '"drives": false' in live_page(is_interactive=False)[0]
    assert 'data-bar="off"' in live_page(is_interactive=True, has_bar=False)[0]
    assert 'data-theme="dark"' in live_page(is_interactive=True, theme="dark")[0]
