resource "aws_dynamodb_table" "baskets" {
  name         = "${var.name}-baskets"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "PK"
  range_key    = "SK"
  tags         = local.tags

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }
}

data "aws_iam_policy_document" "assume_lambda" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "api" {
  name               = "${var.name}-api"
  assume_role_policy = data.aws_iam_policy_document.assume_lambda.json
}

resource "aws_iam_role_policy" "api" {
  role = aws_iam_role.api.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:Query"]
        Resource = [aws_dynamodb_table.baskets.arn]
      },
      { Effect = "Allow", Action = ["sqs:SendMessage"], Resource = [aws_sqs_queue.orders.arn] },
    ]
  })
}

resource "aws_lambda_function" "api" {
  function_name = "${var.name}-api"
  role          = aws_iam_role.api.arn
  runtime       = "python3.12"
  handler       = "api.handler"
  filename      = "api.zip"

  environment {
    variables = {
      TABLE       = aws_dynamodb_table.baskets.name
      QUEUE       = aws_sqs_queue.orders.url
      PAYMENT_ARN = aws_secretsmanager_secret.payment.arn
    }
  }
}

resource "aws_apigatewayv2_api" "api" {
  name          = "${var.name}-api"
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_stage" "api" {
  api_id      = aws_apigatewayv2_api.api.id
  name        = "$default"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = 50
    throttling_burst_limit = 100
  }
}

resource "aws_apigatewayv2_integration" "api" {
  api_id                 = aws_apigatewayv2_api.api.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.api.invoke_arn
  payload_format_version = "2.0"
}

resource "aws_apigatewayv2_authorizer" "customers" {
  api_id           = aws_apigatewayv2_api.api.id
  name             = "customers"
  authorizer_type  = "JWT"
  identity_sources = ["$request.header.Authorization"]

  jwt_configuration {
    audience = [aws_cognito_user_pool_client.site.id]
    issuer   = "https://${aws_cognito_user_pool.customers.endpoint}"
  }
}

resource "aws_apigatewayv2_route" "baskets" {
  api_id             = aws_apigatewayv2_api.api.id
  route_key          = "ANY /baskets/{id}"
  target             = "integrations/${aws_apigatewayv2_integration.api.id}"
  authorization_type = "JWT"
  authorizer_id      = aws_apigatewayv2_authorizer.customers.id
}

resource "aws_apigatewayv2_route" "export" {
  api_id             = aws_apigatewayv2_api.api.id
  route_key          = "GET /export"
  target             = "integrations/${aws_apigatewayv2_integration.api.id}"
  authorization_type = "JWT"
  authorizer_id      = aws_apigatewayv2_authorizer.customers.id
}

resource "aws_lambda_permission" "api" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.api.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.api.execution_arn}/*/*"
}

resource "aws_cognito_user_pool" "customers" {
  name              = "${var.name}-customers"
  mfa_configuration = "OPTIONAL"

  software_token_mfa_configuration {
    enabled = true
  }
}

resource "aws_cognito_user_pool_client" "site" {
  name         = "site"
  user_pool_id = aws_cognito_user_pool.customers.id
}

resource "aws_secretsmanager_secret" "payment" {
  name = "${var.name}/payment"
}
