"""Inputs: what is read, what is refused, and archives that mean harm."""

import io
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.applens.analysis import analyze, analyze_upload
from sortkey_systems.applens.problems import NothingParsed, SourceRefused
from tests.systems.applens.shapes import SHAPES

FILES = {"main.tf": 'module "m" {\n  source = "./m"\n}', "m/main.tf": 'resource "aws_vpc" "v" {}'}


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def tarred(
    files: dict[str, str], mode: str = "w:gz", link: str = "", kind: bytes = tarfile.SYMTYPE
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
        if link:
            entry = tarfile.TarInfo("link.tf")
            entry.type, entry.linkname = kind, link
            archive.addfile(entry)
    return buffer.getvalue()


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_folder_and_every_archive_of_it_are_the_same_graph(tmp_path: Path) -> None:
    # How it was sent must not matter.
    expected = analyze(write(tmp_path, FILES)).graph
    assert [node.id for node in expected.nodes] == ["module.m.aws_vpc.v"]
    uploads = {
        "a.zip": zipped(FILES),
        "a.tgz": tarred(FILES),
        "a.tar.gz": tarred(FILES),
        "a.tar": tarred(FILES, "w"),
    }
    wrapped = {"b.zip": zipped({f"repo/{name}": text for name, text in FILES.items()})}
    for name, data in {**uploads, **wrapped}.items():
        assert analyze_upload(name, data).graph.hash == expected.hash


@pytest.mark.parametrize(
    "name", ["../out.tf", "/etc/out.tf", "a/../../out.tf", "..\\out.tf", "C:\\out.tf"]
)
def test_an_archive_that_points_outside_is_refused(name: str) -> None:
    # Nothing is unpacked to a disk, and nobody honest writes such a name.
    for upload, data in {"a.zip": zipped({name: "x"}), "a.tgz": tarred({name: "x"})}.items():
        with pytest.raises(SourceRefused, match="outside"):
            analyze_upload(upload, data)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_an_archive_with_links_is_refused(kind: bytes) -> None:
    # A link may name any file of the machine.
    with pytest.raises(SourceRefused, match="link"):
        analyze_upload("a.tgz", tarred(FILES, link="/etc/passwd", kind=kind))
    entry = zipfile.ZipInfo("link.tf")
    entry.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(SourceRefused, match="link"):
        analyze_upload("a.zip", buffer.getvalue())


def test_an_archive_with_devices_is_refused() -> None:
    # Reading one may never end.
    with pytest.raises(SourceRefused, match="device"):
        analyze_upload("a.tar", tarred(FILES, "w", link="x", kind=tarfile.FIFOTYPE))


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    # Sixty kilobytes that become sixty megabytes; also where the swelling file is not one that we
    # would read.
    for name in ("big.tf", "big.bin"):
        with pytest.raises(SourceRefused, match="unpacks to more"):
            analyze_upload("a.tgz", tarred({name: " " * 60_000_000}))
    with pytest.raises(SourceRefused, match="unpacks to more"):
        analyze_upload("a.zip", zipped({"big.tf": b" " * 60_000_000}))


def test_an_archive_with_too_many_entries_is_refused() -> None:
    # Each costs time, even an empty one.
    with pytest.raises(SourceRefused, match="entries"):
        analyze_upload("a.zip", zipped({f"{i}.tf": "" for i in range(10_001)}))


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04broken", b"\x1f\x8b broken", b"x" * 2000])
def test_what_is_no_archive_is_refused_with_a_reason(name: str, data: bytes) -> None:
    # The name promised one.
    with pytest.raises((SourceRefused, NothingParsed)):
        analyze_upload(name, data)


def test_a_truncated_archive_is_refused() -> None:
    # An upload that broke off.
    with pytest.raises(SourceRefused):
        analyze_upload("a.tgz", tarred({"a.tf": SHAPES["vpc"]})[:-40])


def damaged(data: bytes, *, method: int = zipfile.ZIP_DEFLATED, name: bytes = b"main.tf") -> bytes:
    """An archive of one file with a name of this form, whose packed content is overwritten where
    that is not plain.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("é.tf" if name != b"main.tf" else "main.tf", data)
    made = buffer.getvalue()
    if name != b"main.tf":
        return made.replace("é.tf".encode(), name)
    start = made.index(b"main.tf") + len("main.tf") + 9
    return made[:start] + b"\xff" * 12 + made[start + 12 :]


@pytest.mark.parametrize(
    "data",
    [
        damaged(b"locals {}\n" * 50, method=zipfile.ZIP_LZMA),
        damaged(b"locals {}", name=b"\xff\xfe.tf"),
    ],
    ids=["packed by LZMA and broken", "a name that is no Unicode"],
)
def test_a_damaged_archive_is_refused_and_not_a_crash(data: bytes) -> None:
    # Each way of packing has its own error for it, and Python passes them on as they are.
    with pytest.raises(SourceRefused, match="cannot be read as an archive"):
        analyze_upload("a.zip", data)


def test_data_of_any_size_beside_terraform_is_left_out_alone(tmp_path: Path) -> None:
    # A large file of data is not read at all, and does not take the place of the policies that come
    # after it.
    with open(tmp_path / "data.json", "wb") as file:
        file.truncate(20_000_000_000)
    (tmp_path / "more.json").write_text(" " * 6_000_000)
    (tmp_path / "policy.json").write_text('{"Statement": []}')
    (tmp_path / "main.tf").write_text('resource "aws_x" "x" {\n  policy = file("policy.json")\n}')
    (node,) = analyze(tmp_path).graph.nodes
    assert node.attributes["policy"] == '{"Statement": []}'


def test_more_than_ten_megabytes_are_refused(tmp_path: Path) -> None:
    # The documents' limit, for a file and for a folder.
    with pytest.raises(SourceRefused, match="at most 10 MB"):
        analyze_upload("a.tf", b"#" * 10_000_001)
    with pytest.raises(SourceRefused, match="at most 10 MB"):
        analyze(write(tmp_path, {f"{i}.tf": "#" * 4_000_000 for i in range(3)}))


def test_other_files_are_refused_with_what_to_give() -> None:
    # A clear no is better than an empty report.
    for name, data in {"a.docx": b"x", "a.yaml": b"x", "plan.out": b"PK\x03\x04"}.items():
        with pytest.raises(SourceRefused, match="terraform show -json"):
            analyze_upload(name, data)
    with pytest.raises(SourceRefused, match="binary plan"):
        analyze_upload("tfplan.zip", zipped({"tfplan": "x"}))
    with pytest.raises(NothingParsed, match="neither"):
        analyze_upload("a.json", b"{}")


def test_a_folder_is_read_without_links_hidden_folders_and_other_json(tmp_path: Path) -> None:
    # What Terraform downloaded, and what lies elsewhere, is not this infrastructure.
    write(
        tmp_path / "infra",
        {**FILES, "package.json": "{}", ".terraform/modules/x/main.tf": 'resource "aws_x" "x" {}'},
    )
    secret = write(tmp_path / "else", {"secret.tf": 'resource "aws_y" "y" {}'}) / "secret.tf"
    (tmp_path / "infra" / "link.tf").symlink_to(secret)
    assert [node.id for node in analyze(tmp_path / "infra").graph.nodes] == ["module.m.aws_vpc.v"]


def test_two_configurations_in_one_tree_have_their_folders_in_their_addresses(
    tmp_path: Path,
) -> None:
    # envs/dev and envs/prod declare the same names.
    files = {f"envs/{env}/main.tf": 'resource "aws_vpc" "v" {}' for env in ("dev", "prod")}
    found = [node.id for node in analyze(write(tmp_path, files)).graph.nodes]
    assert found == ["envs/dev:aws_vpc.v", "envs/prod:aws_vpc.v"]


def test_a_folder_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is passed over would count as sound.
    (tmp_path / "main.tf").write_text('resource "aws_vpc" "v" {}')
    (tmp_path / "hidden").mkdir()
    scan = os.scandir

    def refuse(path: str) -> Any:
        if str(path).endswith("hidden"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SourceRefused, match="hidden cannot be read: Permission denied"):
        analyze(tmp_path)
