"""The six stages: which there are by default, which function runs each step, and a folder for each
stage.
"""
