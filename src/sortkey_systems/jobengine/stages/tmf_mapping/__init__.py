"""The stage tmf_mapping: tables as resources, columns as attributes, links as references; coverage
and gaps.
"""
