"""What runs the steps of workflows: Python functions, commands, containers, HTTP servers and AWS.

Callers of the interface choose among runners by name. Only the operator of the server says what is
behind a name, in `runners.toml`.
"""
