"""The lines that show what differs between two versions."""

from sortkey_systems.vams.console.version_differences import Difference, differences


def test_files_and_values_that_came_went_or_changed_are_named_in_order() -> None:
    # People look for a file by its path, whatever has happened to it.
    serial = {"type": "metadata", "filePath": "/", "metadataKey": "serial"}
    count = {"type": "attribute", "filePath": "/a.glb", "metadataKey": "n", "metadataValue": "7"}
    found = differences(
        {
            "files": {
                "added": [{"relativeKey": "c.png", "size": 3}],
                "removed": [{"relativeKey": "b.txt", "size": 5}],
                "changed": [{"relativeKey": "/a.glb", "from": {"size": 10}, "to": {"size": 12}}],
                "unchanged": 1,
            },
            "metadata": {
                "added": [],
                "removed": [count],
                "changed": [{**serial, "metadataValue": "2", "previousValue": "1"}],
                "unchanged": 0,
            },
        }
    )
    assert found.files == [
        Difference("changed", "/a.glb", "10", "12"),
        Difference("removed", "/b.txt", "5", ""),
        Difference("added", "/c.png", "", "3"),
    ]
    assert found.metadata == [
        Difference("removed", "/a.glb: n (attribute)", "7", ""),
        Difference("changed", "serial", "1", "2"),
    ]
    assert found.unchanged_files == 1
