"""Who calls, and what they may do: tokens, keys, users, roles, constraints and decisions."""
