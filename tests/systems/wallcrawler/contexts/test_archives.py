"""Archives of profiles: what comes back, and what hostile archives and profiles cannot do."""

import io
import os
import resource
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.contexts import archives
from sortkey_systems.wallcrawler.contexts.archives import (
    ArchiveRefused,
    pack_profile,
    unpack_profile,
)


def test_a_profile_comes_back_without_caches_and_locks(tmp_path: Path) -> None:
    # Logins live in the profile; caches would make every create and release slow.
    profile = tmp_path / "profile"
    kept = {
        "Local State": b"{}",
        "Default/Cookies": b"sqlite",
        "Default/Local Storage/leveldb/000003.log": b"storage",
        "Default/Service Worker/CacheStorage/entry": b"of the site",
    }
    left_out = ["SingletonLock", "Default/Cache/data_0", "Default/Code Cache/js/1", "Crashpad/x"]
    for name, content in kept.items() | {(name, b"x") for name in left_out}:
        (profile / name).parent.mkdir(parents=True, exist_ok=True)
        (profile / name).write_bytes(content)
    pack_profile(str(profile), str(tmp_path / "a.tar.gz"), b'{"cookies": []}')
    target = tmp_path / "target"
    target.mkdir()
    assert unpack_profile(str(tmp_path / "a.tar.gz"), str(target)) == b'{"cookies": []}'
    assert _files(target) == kept
    assert all(path.stat().st_mode & 0o077 == 0 for path in target.rglob("*"))


def test_links_in_a_profile_are_not_followed(tmp_path: Path) -> None:
    # A page that has taken over its browser plants a link to a file of the server. Packing it
    # would hand the file to the tenant.
    secret = tmp_path / "secret"
    secret.write_text("of the server")
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "Preferences").symlink_to(secret)
    (profile / "Default").symlink_to(tmp_path)
    os.mkfifo(profile / "pipe")
    (profile / "Local State").write_text("{}")
    pack_profile(str(profile), str(tmp_path / "a.tar.gz"))
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        assert tar.getnames() == ["Local State"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../escaped", tarfile.REGTYPE),
        ("Default/../../escaped", tarfile.REGTYPE),
        ("/etc/escaped", tarfile.REGTYPE),
        ("x" * 2000, tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("link", tarfile.LNKTYPE),
        ("device", tarfile.CHRTYPE),
        ("pipe", tarfile.FIFOTYPE),
    ],
)
def test_an_archive_that_reaches_beyond_the_profile_is_refused(
    tmp_path: Path, name: str, kind: bytes
) -> None:
    # It is unpacked by a server that may run as root.
    archive = _archive(tmp_path, [(name, kind, b"evil")])
    target = tmp_path / "inside" / "profile"
    target.mkdir(parents=True)
    with pytest.raises(ArchiveRefused):
        unpack_profile(str(archive), str(target))
    assert list(target.iterdir()) == []
    assert not (tmp_path / "inside" / "escaped").exists()


def test_a_file_that_is_also_a_folder_is_refused(tmp_path: Path) -> None:
    # Depending on the order it would be written through, or fail in the middle with a traceback.
    archive = _archive(
        tmp_path, [("Default", tarfile.REGTYPE, b""), ("Default/Cookies", tarfile.REGTYPE, b"")]
    )
    target = tmp_path / "profile"
    target.mkdir()
    with pytest.raises(ArchiveRefused, match="both a file and a folder"):
        unpack_profile(str(archive), str(target))


def test_an_archive_that_swells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A kilobyte can describe a terabyte.
    monkeypatch.setattr(archives, "UNPACKED_BYTES_MAX", 1000)
    archive = _archive(tmp_path, [(f"f{n}", tarfile.REGTYPE, b"0" * 400) for n in range(3)])
    target = tmp_path / "profile"
    target.mkdir()
    with pytest.raises(ArchiveRefused, match="larger than 1000 bytes"):
        unpack_profile(str(archive), str(target))
    monkeypatch.setattr(archives, "ENTRIES_MAX", 2)
    with pytest.raises(ArchiveRefused, match="more than 2 files"):
        unpack_profile(str(archive), str(target))


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b broken"])
def test_what_is_not_an_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    # The message reaches the caller of a create; it has to say what is wrong.
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(content)
    with pytest.raises(ArchiveRefused, match=r"tar\.gz"):
        unpack_profile(str(archive), str(tmp_path))


def test_a_full_disk_leaves_no_half_archive(tmp_path: Path) -> None:
    # Half an archive would replace the profile of the last session, and with it the login.
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "Local State").write_bytes(os.urandom(100_000))
    with _file_size_limit(10_000), pytest.raises(OSError, match="File too large"):
        pack_profile(str(profile), str(tmp_path / "a.tar.gz"))
    assert _files(tmp_path) == {"profile/Local State": (profile / "Local State").read_bytes()}


@contextmanager
def _file_size_limit(size: int) -> Iterator[None]:
    """Writing beyond a size fails in this process, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _archive(folder: Path, members: list[tuple[str, bytes, bytes]]) -> Path:
    path = folder / "hostile.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            member.size = len(content) if kind == tarfile.REGTYPE else 0
            tar.addfile(member, io.BytesIO(content))
    return path


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
