"""The stage stripped_schema: the source without what is technical, as the few entities that it is
about.
"""
