"""Journeys: their items, what they count, how far they are, and how they begin, end, leave and come
back.
"""
