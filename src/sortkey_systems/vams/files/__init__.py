"""The files of assets: what their buckets hold, and what is done with them."""
