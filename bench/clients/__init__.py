"""The client libraries that are compared: one script each, run by `bench.typed_clients` in a
process of its own.
"""
