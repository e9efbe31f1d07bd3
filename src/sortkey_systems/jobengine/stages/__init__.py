"""The six stages: the defaults, the function of each step, and a folder for each stage."""
