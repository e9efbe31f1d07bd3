"""The settings that durability and speed rest on."""

from __future__ import annotations

import pytest

from sortkey.storage.database import Database
from sortkey.storage.folder import Folder


@pytest.mark.parametrize(("synchronous", "level"), [("normal", 1), ("full", 2)])
def test_a_folder_is_opened_as_asked(tmp_path, synchronous, level):
    # A pragma that is not run is silent: NORMAL was FULL once, at a tenth of the speed.
    database = Database(Folder(tmp_path), synchronous)
    settings = {name: database.execute(f"pragma {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert settings == {"journal_mode": "wal", "synchronous": level}
    assert database.execute("pragma cache_size").fetchone()[0] == -32768
    database.close()
