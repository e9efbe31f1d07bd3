"""Objects on S3, or on anything that speaks its protocol, through boto3. The bucket should have
versions switched on.

boto3 costs about a millisecond a call, which the objects of payloads do not feel.
"""

from sortkey.connect.s3.bucket import S3Objects

__all__ = ["S3Objects"]
