"""The AI Job Engine: journeys of six stages, their rules, jobs, logs and reports."""
