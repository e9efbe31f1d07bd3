"""The model: tables, entities, key templates and access patterns, as Python classes. Pure: nothing
here does I/O.
"""
