"""What differs between two versions."""

from sortkey_systems.vams.console.version_differences import Difference, differences

OLD = {
    "files": [
        {"relativeKey": "a.glb", "versionId": "1", "size": 10},
        {"relativeKey": "b.txt", "versionId": "1", "size": 5},
        {"relativeKey": "same.png", "versionId": "9", "size": 1},
    ],
    "versionedMetadata": [
        {"type": "metadata", "filePath": "/", "metadataKey": "serial", "metadataValue": "1"},
        {"type": "attribute", "filePath": "/a.glb", "metadataKey": "n", "metadataValue": "7"},
    ],
}
NEW = {
    "files": [
        {"relativeKey": "/a.glb", "versionId": "2", "size": 12},
        {"relativeKey": "c.png", "versionId": "1", "size": 3},
        {"relativeKey": "same.png", "versionId": "9", "size": 1},
    ],
    "versionedMetadata": [
        {"type": "metadata", "filePath": "/", "metadataKey": "serial", "metadataValue": "2"},
        {"type": "metadata", "filePath": "/", "metadataKey": "color", "metadataValue": "red"},
    ],
}


def test_files_and_values_that_came_went_or_changed_are_named() -> None:
    # A slash at the beginning of a key is no difference.
    found = differences(OLD, NEW)
    assert found.files == [
        Difference("changed", "/a.glb", "10", "12"),
        Difference("removed", "/b.txt", "5", ""),
        Difference("added", "/c.png", "", "3"),
    ]
    assert found.metadata == [
        Difference("removed", "/a.glb: n (attribute)", "7", ""),
        Difference("added", "color", "", "red"),
        Difference("changed", "serial", "1", "2"),
    ]
    assert found.unchanged_files == 1


def test_a_version_does_not_differ_from_itself() -> None:
    # Otherwise every comparison is noise.
    found = differences(OLD, OLD)
    assert (found.files, found.metadata, found.unchanged_files) == ([], [], 3)
