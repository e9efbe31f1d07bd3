"""The homes of the systems, for all their tests."""

from tests.systems.homes import home, s3_endpoint

__all__ = ["home", "s3_endpoint"]
