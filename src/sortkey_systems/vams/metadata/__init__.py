"""Metadata of databases, assets, files and links, attributes of files, and the schemas that both
follow.
"""
