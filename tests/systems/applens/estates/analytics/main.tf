# A module called twice, its policy in a file beside it, a template for the instances.

module "ingest" {
  source  = "./modules/service"
  name    = "ingest"
  ingress = ["10.0.0.0/8"]
}

module "query" {
  for_each = toset(["blue", "green"])
  source   = "./modules/service"
  name     = "query-${each.key}"
  ingress  = ["0.0.0.0/0"]
  port     = 9200
}

resource "aws_s3_bucket" "lake" { # finds S3-01, S3-02
  bucket = "acme-lake"
}

resource "aws_s3_bucket_policy" "lake" {
  bucket = aws_s3_bucket.lake.id
  policy = file("${path.module}/policies/lake.json")
}

resource "aws_iam_role_policy" "crawler" { # finds IAM-02
  name = "crawler"
  role = "crawler"
  policy = templatefile("policies/crawler.json.tpl", {
    bucket = aws_s3_bucket.lake.arn
  })
}
