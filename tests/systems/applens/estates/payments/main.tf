# An HTTP API whose JWT is missing in places, security groups as rules of their own, secrets in several places.

terraform {
  backend "s3" {
    bucket = "acme-state"
    key    = "payments"
    region = "eu-central-1"
  }
}

provider "aws" { # finds SEC-01
  region     = "eu-central-1"
  access_key = "AKIAQX4BIPW3AHOV29GN"
  secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"
}

variable "anywhere" {
  type    = list(string)
  default = ["0.0.0.0/0"]
}

variable "db_password" { # finds SEC-01
  type    = string
  default = "Winter2024!"
}

variable "admin_ports" {
  type    = map(number)
  default = { ssh = 22, rdp = 3389 }
}

resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_apigatewayv2_api" "http" {
  name          = "payments"
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_authorizer" "jwt" {
  api_id           = aws_apigatewayv2_api.http.id
  name             = "jwt"
  authorizer_type  = "JWT"
  identity_sources = ["$request.header.Authorization"]
  jwt_configuration {
    audience = ["payments"]
    issuer   = "https://login.example.com"
  }
}

locals {
  routes = {
    "GET /payments"  = { auth = true }
    "POST /payments" = { auth = true }
    "GET /statement" = { auth = false }
  }
}

resource "aws_apigatewayv2_integration" "fn" {
  api_id           = aws_apigatewayv2_api.http.id
  integration_type = "AWS_PROXY"
  integration_uri  = aws_lambda_function.payments.invoke_arn
}

resource "aws_apigatewayv2_route" "each" { # finds API-01 ["GET /statement"]
  for_each           = local.routes
  api_id             = aws_apigatewayv2_api.http.id
  route_key          = each.key
  target             = "integrations/${aws_apigatewayv2_integration.fn.id}"
  authorization_type = each.value.auth ? "JWT" : "NONE"
  authorizer_id      = each.value.auth ? aws_apigatewayv2_authorizer.jwt.id : null
}

resource "aws_apigatewayv2_route" "preflight" {
  api_id    = aws_apigatewayv2_api.http.id
  route_key = "OPTIONS /{proxy+}"
  target    = "integrations/${aws_apigatewayv2_integration.fn.id}"
}

resource "aws_apigatewayv2_stage" "prod" {
  api_id      = aws_apigatewayv2_api.http.id
  name        = "prod"
  auto_deploy = true
  default_route_settings {
    throttling_burst_limit = 100
    throttling_rate_limit  = 50
  }
}

resource "aws_apigatewayv2_api" "quick" { # finds API-01
  name          = "webhook"
  protocol_type = "HTTP"
  target        = aws_lambda_function.payments.arn
}

resource "aws_lambda_function" "payments" {
  function_name = "payments"
  role          = aws_iam_role.payments.arn
  runtime       = "python3.12"
  handler       = "app.handler"
  filename      = "app.zip"
  environment {
    variables = {
      LOG_LEVEL    = "info"
      DATABASE_URL = "postgres://app:${var.db_password}@${aws_db_instance.payments.address}:5432/payments"
    }
  }
}

resource "aws_lambda_function_url" "payments" { # finds API-01
  function_name      = aws_lambda_function.payments.function_name
  authorization_type = "NONE"
}

resource "aws_iam_role" "payments" {
  name               = "payments"
  assume_role_policy = <<EOF
{
  "Version": "2012-10-17",
  "Statement": [
    { "Effect": "Allow", "Principal": { "Service": ["lambda.amazonaws.com"] }, "Action": "sts:AssumeRole" }
  ]
}
EOF
}

resource "aws_iam_role_policy" "payments" { # finds IAM-01
  name   = "payments"
  role   = aws_iam_role.payments.name
  policy = <<-JSON
    {
      "Version": "2012-10-17",
      "Statement": [
        {
          "Sid": "Everything",
          "Effect": "Allow",
          "Action": ["*"],
          "Resource": ["*"]
        }
      ]
    }
  JSON
}

resource "aws_security_group" "bastion" {
  name   = "bastion"
  vpc_id = aws_vpc.main.id
}

resource "aws_vpc_security_group_ingress_rule" "bastion" { # finds NET-01 ["ssh"], NET-01 ["rdp"]
  for_each          = var.admin_ports
  security_group_id = aws_security_group.bastion.id
  description       = each.key
  from_port         = each.value
  to_port           = each.value
  ip_protocol       = "tcp"
  cidr_ipv6         = "::/0"
}

resource "aws_security_group" "database" { # finds NET-01, NET-02
  name   = "database"
  vpc_id = aws_vpc.main.id

  dynamic "ingress" {
    for_each = [{ first = 5000, last = 6000 }]
    iterator = range
    content {
      from_port   = range.value.first
      to_port     = range.value.last
      protocol    = "tcp"
      cidr_blocks = var.anywhere
    }
  }
}

resource "aws_db_instance" "payments" { # finds DB-01, DB-02, DB-03
  identifier             = "payments"
  engine                 = "postgres"
  instance_class         = "db.t3.medium"
  allocated_storage      = 20
  username               = "app"
  password               = var.db_password
  publicly_accessible    = true
  vpc_security_group_ids = [aws_security_group.database.id]
  skip_final_snapshot    = true
}

resource "aws_instance" "bastion" { # finds SEC-01, EC2-01, DISK-01
  ami                    = "ami-0abcdef1234567890"
  instance_type          = "t3.micro"
  vpc_security_group_ids = [aws_security_group.bastion.id]
  root_block_device {
    volume_size = 20
  }
  user_data = <<-EOT
    #!/bin/bash
    export DB_PASSWORD="Winter2024!"
    export REGION=eu-central-1
    /opt/start
  EOT
}
