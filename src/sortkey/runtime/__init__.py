"""The stores, and the ports that adapters in `connect` fill. Nothing here knows which service
answers.
"""
