"""Sortkey beside its peers: the same requests, one run, ratios. `make bench` is the one command."""
