"""The stage migration_planning: the order of tables, the plan, the checks and the rollback."""
