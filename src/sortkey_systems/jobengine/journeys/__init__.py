"""Journeys: their items, aggregates and progress, and how they are created, backed up, restored and
deleted.
"""
