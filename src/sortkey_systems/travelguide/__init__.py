"""The travel guide: articles of travellers, favourites, a gallery with trending tags, profiles,
cached places.
"""
