"""VAMS: visual assets with their files, versions, metadata, links, workflows and permissions."""
