"""Logs of jobs: written, stored in files, indexed, searched, summarised and exported."""
