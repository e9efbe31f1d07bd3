"""The stage data_migration: rows become documents in a target, in batches that can be taken up
again.
"""
