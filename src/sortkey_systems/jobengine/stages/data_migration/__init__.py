"""The stage data_migration: writes rows as documents to a target, in resumable batches."""
