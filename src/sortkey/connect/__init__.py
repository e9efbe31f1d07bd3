"""Adapters: what joins the stores to an engine in the process, to DynamoDB, and to other services.

The only room that imports the libraries of other services, each where it is needed and not before.
"""
