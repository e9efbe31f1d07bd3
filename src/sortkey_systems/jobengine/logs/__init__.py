"""Logs of jobs: written, kept in files, indexed, searched, summarised and exported."""
