"""Browsers: the port of the control plane, the protocol of a holder's socket, and the adapters
behind the port.
"""
