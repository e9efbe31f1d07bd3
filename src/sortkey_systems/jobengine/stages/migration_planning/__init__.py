"""The stage migration_planning: in which order, by which plan, checked by what, and how it is
undone.
"""
