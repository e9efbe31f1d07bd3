"""Terraform's sources into resources: HCL, `.tf.json`, plans and states, with modules and
expressions resolved.

The parser of HCL is our own. python-hcl2 was tried first: it reads what we read (a test compares
the two), but needs 3.6 ms a resource, which is 18 s for 5,000 of them, and leaves expressions as
text that would have to be parsed again.
"""
