"""Second Brain rules: storing them, reading what they say, and applying them in a stage."""
