"""Search over the two indexes, of assets and of files, limited to what a caller may see."""
