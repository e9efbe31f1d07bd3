"""Objects on S3, or on anything that speaks its protocol, through boto3. The bucket should have
versioning enabled.

boto3 costs about a millisecond per call, which does not matter for payloads.
"""

from sortkey.connect.s3.bucket import S3Objects

__all__ = ["S3Objects"]
