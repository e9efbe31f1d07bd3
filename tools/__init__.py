"""What development needs and the package does not: downloads, the process of the oracle, generated
files.
"""
