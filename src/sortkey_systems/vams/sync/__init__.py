"""Files that others put into a bucket: they are noticed, and mapped to assets."""
