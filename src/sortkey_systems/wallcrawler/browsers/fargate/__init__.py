"""Browsers as tasks of AWS Fargate: one task for each session, whose container runs a holder."""
