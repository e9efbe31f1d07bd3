"""Wallcrawler: browsers for many tenants. Sessions, projects, API keys and browser contexts."""
