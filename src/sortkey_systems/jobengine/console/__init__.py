"""The job engine in the console: its journeys, one journey, one job, its rules and the verdict."""
