"""What development needs and the package does not: downloads, the oracle's process, generated files."""
