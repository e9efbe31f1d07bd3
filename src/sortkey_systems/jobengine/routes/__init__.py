"""The engine over HTTP, a file for each subject: what a route takes and answers. The work is the
service's.
"""
