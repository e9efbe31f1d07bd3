"""The stores, and the ports that adapters in `connect` implement. Nothing here knows which service
answers.
"""
