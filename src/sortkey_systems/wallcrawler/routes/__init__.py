"""The routes of Wallcrawler, a module for each kind of thing."""
