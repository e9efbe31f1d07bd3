"""The bench of VAMS measures every figure of its table; the figures themselves are for a quiet
machine.
"""

from __future__ import annotations

import pytest

from bench import vams
from tools.downloads import Missing


@pytest.mark.slow
def test_every_figure_of_vams_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    # In small: a bench that breaks on a busy day costs half an hour to find out.
    small = {
        "ASSETS_SMALL": 60,
        "ASSETS": 120,
        "PAGES": 3,
        "PAGE_SIZE": 2,
        "SEARCHES": 40,
        "CHECKS": 500,
        "SMALL_FILES": 30,
        "LARGE_PARTS": 2,
    }
    for name, value in small.items():
        monkeypatch.setattr(vams, name, value)
    try:
        rows = vams.measure()
    except Missing as missing:
        pytest.skip(str(missing))
    assert [row.unit for row in rows] == [
        *("ms", "×", "µs", "ms", "ms", "s", "×", "MB", "documents a second")
    ]
    assert all(row.value >= 0 for row in rows)
    assert vams.markdown(rows).count("\n| ") == len(rows) + 1
