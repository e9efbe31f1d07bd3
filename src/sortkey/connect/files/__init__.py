"""A folder that behaves like a versioned bucket of S3, for programs on one machine; any number of
them at once.

    bucket.db     SQLite: which versions there are, of which keys, with metadata; uploads and their parts; the rules
    objects/      the bytes of versions and parts, a file each, which is never changed
    incoming/     the same while they are written, and until the index knows them
    secret        what presigned URLs are signed with

Why an index, when file names could say it all: keys are no file names (`a` and `a/b` may both be
objects, and case matters), lists must come in the order of keys with pages that do not walk the
folder, and put-if-absent must be one atomic step between processes. A transaction of SQLite is all
of that; the bytes stay plain files.
"""

from sortkey.connect.files.bucket import FileObjects

__all__ = ["FileObjects"]
