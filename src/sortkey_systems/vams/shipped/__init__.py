"""Pipelines that come with VAMS. Each is a function of a `PipelineStep`, and runs in a process of
its own with limits, because files of users can be anything.
"""
