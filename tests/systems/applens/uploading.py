"""Terraform to upload, and the way of a run from a file to its report."""

from __future__ import annotations

import io
import zipfile
from urllib.request import Request, urlopen

from sortkey_systems.applens.model import Environment, Run
from sortkey_systems.applens.service import AppLens
from sortkey_systems.applens.uploads import UploadLink

USER = "12345"
OTHER = "67890"

SHOP = b"""
resource "aws_dynamodb_table" "orders" {
  name     = "orders"
  hash_key = "PK"
}
resource "aws_lambda_function" "orders" {
  function_name = "orders"
  environment {
    variables = { TABLE = aws_dynamodb_table.orders.name }
  }
}
resource "aws_lambda_function_url" "orders" {
  function_name      = aws_lambda_function.orders.function_name
  authorization_type = "NONE"
}
"""
SHOP_SAFER = (
    SHOP.replace(b'"NONE"', b'"AWS_IAM"')
    + b'resource "aws_s3_bucket" "logs" {\n  bucket = "logs"\n}\n'
)


def analyzed(
    service: AppLens,
    data: bytes = SHOP,
    filename: str = "main.tf",
    user_id: str = USER,
    environment: Environment = "prod",
) -> Run:
    """A run from its file to its end."""
    run = service.upload(user_id, environment, filename, data)
    service.analyze(user_id, run.run_id)
    service.worker().run_once()
    return service.get(user_id, run.run_id)


def send(link: UploadLink, data: bytes, content_type: str | None = None) -> int:
    """PUT a file over its link, as a browser does. Gives the status."""
    headers = {"Content-Type": content_type or link.headers["Content-Type"]}
    with urlopen(Request(link.url, data, headers, method=link.method)) as answer:
        return answer.status


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()
