"""The keys of the DynamoDB endpoint of `sortkey up`: the same at every start, and nobody else's to
read.
"""

import stat
from configparser import ConfigParser
from pathlib import Path

from sortkey.cli.endpoint_credentials import derive_credentials, write_credentials


def test_the_same_secret_gives_the_same_keys_and_another_gives_others() -> None:
    # Programs are configured once; a folder of its own has keys of its own.
    first, second = derive_credentials(b"a" * 32), derive_credentials(b"b" * 32)
    assert first == derive_credentials(b"a" * 32)
    assert first.access_key != second.access_key
    assert first.secret_key != second.secret_key
    assert len(first.access_key) == 20
    assert first.access_key.isalnum()
    assert len(first.secret_key) >= 40


def test_the_file_is_the_owners_alone_and_is_replaced_as_a_whole(tmp_path: Path) -> None:
    old = tmp_path / "aws-credentials"
    old.write_text("[default]\naws_access_key_id = old\n")
    old.chmod(0o644)
    keys = derive_credentials(b"a" * 32)
    path = write_credentials(str(tmp_path), keys, "eu-west-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["aws-credentials"]
    read = ConfigParser()
    read.read(path)
    assert dict(read["default"]) == {
        "aws_access_key_id": keys.access_key,
        "aws_secret_access_key": keys.secret_key,
        "region": "eu-west-1",
    }
