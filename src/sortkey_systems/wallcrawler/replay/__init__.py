"""The replay of a session: a page with a time line, and the frames that it plays."""
