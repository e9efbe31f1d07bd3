"""Chromium on this machine: a holder process for each session, which owns the browser and outlives
the server.
"""
