"""Uploads: files that arrive in parts, under a temporary prefix, and enter an asset when they are
complete.
"""
