"""Links between assets: parents and children, and related ones, across databases."""
