"""The stage raw_analysis: the tables of the source, their relationships, and a profile of their
rows.
"""
