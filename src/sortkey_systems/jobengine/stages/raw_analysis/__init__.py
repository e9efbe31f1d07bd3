"""The stage raw_analysis: what the source has, how it hangs together, and what its rows
are like.
"""
