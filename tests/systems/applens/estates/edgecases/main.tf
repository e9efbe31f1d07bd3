# Things that look wrong and are not, beside things that look right and are not.

resource "aws_sqs_queue" "in" {
  name = "in"
}
# The organisation's accounts only.
resource "aws_sqs_queue_policy" "in" {
  queue_url = aws_sqs_queue.in.id
  policy = jsonencode({
    Statement = [{ Effect = "Allow", Principal = "*", Action = "sqs:SendMessage", Resource = aws_sqs_queue.in.arn, Condition = { StringEquals = { "aws:PrincipalOrgID" = "o-abc123" } } }]
  })
}
# Everyone but the organisation.
resource "aws_sqs_queue" "out" {
  name = "out"
}
resource "aws_sqs_queue_policy" "out" { # finds IAM-10
  queue_url = aws_sqs_queue.out.id
  policy = jsonencode({
    Statement = [{ Effect = "Allow", Principal = "*", Action = "sqs:SendMessage", Resource = aws_sqs_queue.out.arn, Condition = { StringNotEquals = { "aws:PrincipalOrgID" = "o-abc123" } } }]
  })
}
resource "aws_secretsmanager_secret" "s" {
  name   = "s"
  policy = jsonencode({ Statement = [{ Effect = "Deny", Principal = "*", Action = "*", Resource = "*", Condition = { StringNotEquals = { "aws:PrincipalOrgID" = "o-abc123" } } }] })
}
# A deny of everything is no permission of everything.
resource "aws_iam_policy" "deny" {
  policy = jsonencode({ Statement = [{ Effect = "Deny", Action = "*", Resource = "*", Condition = { BoolIfExists = { "aws:MultiFactorAuthPresent" = "false" } } }] })
}
resource "aws_security_group" "lb" {
  name = "lb"
  ingress {
    description      = "web"
    from_port        = 80
    to_port          = 80
    protocol         = "tcp"
    cidr_blocks      = ["0.0.0.0/0"]
    ipv6_cidr_blocks = ["::/0"]
  }
  ingress {
    from_port   = -1
    to_port     = -1
    protocol    = "icmp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_security_group" "self" {
  name = "self"
  ingress {
    from_port = 0
    to_port   = 0
    protocol  = "-1"
    self      = true
  }
}
resource "aws_security_group" "wide" { # finds NET-04
  name = "wide"
  ingress {
    from_port   = 8000
    to_port     = 8100
    protocol    = "tcp"
    cidr_blocks = ["10.0.0.0/8", "0.0.0.0/0"]
  }
}
resource "aws_security_group" "udp" { # finds NET-04
  name = "udp"
  ingress {
    from_port   = 11211
    to_port     = 11211
    protocol    = "udp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_s3_bucket" "website" { # finds S3-01, S3-02
  bucket = "website"
}
resource "aws_s3_bucket_website_configuration" "website" {
  bucket = aws_s3_bucket.website.id
  index_document {
    suffix = "index.html"
  }
}
resource "aws_s3_bucket_policy" "website" {
  bucket = aws_s3_bucket.website.id
  policy = data.aws_iam_policy_document.website.json
}
data "aws_iam_policy_document" "website" {
  dynamic "statement" {
    for_each = ["s3:GetObject"]
    content {
      effect    = "Allow"
      actions   = [statement.value]
      resources = ["arn:aws:s3:::website/*"]
      principals {
        type        = "AWS"
        identifiers = ["*"]
      }
      condition {
        test     = "StringLike"
        variable = "aws:Referer"
        values   = ["https://www.example.com/*"]
      }
    }
  }
}
resource "aws_cloudfront_distribution" "ok" {
  enabled    = true
  web_acl_id = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/1"
  origin {
    domain_name = "files.example.com"
    origin_id   = "files"
    custom_origin_config {
      http_port              = 80
      https_port             = 443
      origin_protocol_policy = "https-only"
      origin_ssl_protocols   = ["TLSv1.2"]
    }
  }
  default_cache_behavior {
    target_origin_id       = "files"
    viewer_protocol_policy = "https-only"
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
  }
  viewer_certificate {
    cloudfront_default_certificate = true
  }
}
resource "aws_api_gateway_rest_api" "rest" {
  name = "rest"
}
resource "aws_api_gateway_resource" "orders" {
  rest_api_id = aws_api_gateway_rest_api.rest.id
  parent_id   = aws_api_gateway_rest_api.rest.root_resource_id
  path_part   = "orders"
}
resource "aws_api_gateway_method" "open" { # finds API-01
  rest_api_id   = aws_api_gateway_rest_api.rest.id
  resource_id   = aws_api_gateway_resource.orders.id
  http_method   = "POST"
  authorization = "NONE"
}
resource "aws_api_gateway_method" "guarded" {
  rest_api_id   = aws_api_gateway_rest_api.rest.id
  resource_id   = aws_api_gateway_resource.orders.id
  http_method   = "GET"
  authorization = "COGNITO_USER_POOLS"
  authorizer_id = "abc"
}
resource "aws_api_gateway_stage" "prod" { # finds API-02
  rest_api_id   = aws_api_gateway_rest_api.rest.id
  deployment_id = "d"
  stage_name    = "prod"
}
resource "aws_lambda_function" "settings" {
  function_name = "settings"
  runtime       = "nodejs22.x"
  role          = "arn:aws:iam::123456789012:role/a"
  environment {
    variables = {
      SECRET_ID            = "prod/db"
      TOKEN_URL            = "https://login.example.com/token"
      PASSWORD_MIN_LENGTH  = "12"
      API_KEY_HEADER       = "x-api-key"
      TOKEN_EXPIRY_SECONDS = "3600"
      SECRETS_MANAGER      = "enabled"
      CREDENTIALS_TABLE    = "creds"
      DB_TOKEN_AUTH        = "true"
      KEYSPACE             = "orders"
    }
  }
}
resource "aws_db_instance" "managed" {
  engine                      = "mysql"
  storage_encrypted           = true
  backup_retention_period     = 7
  manage_master_user_password = true
  publicly_accessible         = false
}
resource "aws_db_instance" "replica" {
  replicate_source_db = aws_db_instance.managed.identifier
  instance_class      = "db.t4g.medium"
}
resource "aws_ssm_parameter" "endpoint" {
  name  = "/app/endpoint"
  type  = "String"
  value = "https://api.example.com"
}
resource "aws_opensearchserverless_security_policy" "public" { # finds SEARCH-02
  name = "public"
  type = "network"
  policy = jsonencode([
    { Rules = [{ ResourceType = "collection", Resource = ["collection/logs"] }], AllowFromPublic = true }
  ])
}
resource "aws_s3_bucket_cors_configuration" "website" { # finds API-04
  bucket = aws_s3_bucket.website.id
  cors_rule {
    allowed_methods = ["GET", "PUT", "DELETE"]
    allowed_origins = ["*"]
  }
}
