"""The complete systems that ship with Sortkey. Each imports only the public `sortkey`, never
another system.
"""
