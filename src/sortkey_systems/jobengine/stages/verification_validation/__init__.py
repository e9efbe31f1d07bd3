"""The stage verification_validation: verifies the migrated data and writes a report for people."""
