"""Proxies of a session: which one a request takes, and the forward proxy that adds what Chromium
cannot.

Chromium takes no proxy credentials on the command line and knows one proxy for everything. So a
session with proxies gets a forward proxy on loopback: it chooses by host name, adds the credentials
and counts the bytes.
"""
