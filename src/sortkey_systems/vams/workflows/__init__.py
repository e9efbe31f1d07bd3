"""Pipelines, workflows made of them, and their runs on assets.

`pipelines` and `workflows` are the definitions, `executions` begins, lists and ends runs, and
`advance` carries a run on from step to step. What a step does is in `vams.runners`.
"""
