"""A folder that behaves like a versioned S3 bucket, for any number of programs on one machine.

    bucket.db     SQLite: which versions there are, of which keys, with metadata; uploads and their parts; the rules
    objects/      the bytes of versions and parts, one file each, never changed
    incoming/     the same files until they are complete and in the index
    secret        what presigned URLs are signed with

Why an index, and not just file names: keys are not valid file names (`a` and `a/b` may both be
objects, and case matters), lists must be in key order and paged without walking the folder, and
put-if-absent must be atomic between processes. SQLite's transactions give all of that. The bytes
stay plain files.
"""

from sortkey.connect.files.bucket import FileObjects

__all__ = ["FileObjects"]
