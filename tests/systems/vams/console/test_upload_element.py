"""How files of the browser are grouped into uploads."""

from sortkey_systems.vams.console.upload_element import (
    BATCH_FILES_MAX,
    BATCH_PARTS_MAX,
    PART_BYTES,
    LocalFile,
    Result,
    batches_of,
)


def test_many_files_become_several_uploads_with_none_lost() -> None:
    # An upload takes a limited number of files; a dropped folder has any number.
    files = [LocalFile(at, f"/{at}.txt", 10) for at in range(BATCH_FILES_MAX * 2 + 1)]
    batches = list(batches_of(files))
    assert [len(batch) for batch in batches] == [BATCH_FILES_MAX, BATCH_FILES_MAX, 1]
    assert [each for batch in batches for each in batch] == files


def test_large_files_stay_within_the_parts_of_an_upload() -> None:
    # A terabyte has larger parts, not more of them than are taken.
    files = [LocalFile(at, f"/{at}.las", PART_BYTES * 900) for at in range(3)]
    assert [len(batch) for batch in batches_of(files)] == [2, 1]
    huge = LocalFile(0, "/huge.las", 10**12)
    assert huge.parts <= BATCH_PARTS_MAX
    assert huge.parts * huge.part_bytes >= huge.size
    assert LocalFile(0, "/empty.txt", 0).parts == 0


def test_the_result_says_what_was_refused() -> None:
    # A folder with one bad file is uploaded without it, and somebody must learn which.
    result = Result(2, [f"/{at}.exe: blocked" for at in range(7)])
    assert result.text.startswith("2 files are uploaded. Refused: /0.exe: blocked; ")
    assert result.text.endswith("(and 2 more)")
    assert Result(1).text == "1 file is uploaded."
