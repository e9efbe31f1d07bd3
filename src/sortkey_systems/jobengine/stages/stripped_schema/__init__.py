"""The stage stripped_schema: the source without technical tables, reduced to its main entities."""
