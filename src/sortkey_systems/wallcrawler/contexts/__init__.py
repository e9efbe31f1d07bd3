"""Contexts: Chrome profiles that outlive their sessions."""
