# Rights: inline, managed, by name, through data sources, with and without conditions.

data "aws_iam_policy" "admin" {
  name = "AdministratorAccess"
}
resource "aws_iam_role" "deployer" { # finds IAM-09
  name = "deployer"
  assume_role_policy = jsonencode({
    Statement = [{
      Effect    = "Allow"
      Principal = { Federated = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com" }
      Action    = "sts:AssumeRoleWithWebIdentity"
      Condition = { StringEquals = { "token.actions.githubusercontent.com:aud" = "sts.amazonaws.com" } }
    }]
  })
}
resource "aws_iam_role_policy_attachment" "deployer" { # finds IAM-06
  role       = aws_iam_role.deployer.name
  policy_arn = data.aws_iam_policy.admin.arn
}
resource "aws_iam_group_policy_attachment" "everyone" { # finds IAM-06
  group      = "everyone"
  policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess"
}
resource "aws_iam_policy" "table" { # finds IAM-02
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "arn:aws:dynamodb:*:*:table/orders" }] })
}
resource "aws_iam_policy" "buckets" { # finds IAM-03
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = ["s3:PutObject", "s3:DeleteObject"], Resource = "arn:aws:s3:::*" }] })
}
resource "aws_iam_policy" "pass" { # finds IAM-04
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "iam:PassRole", Resource = "arn:aws:iam::123456789012:role/*" }] })
}
resource "aws_iam_role" "inline" { # finds IAM-01
  name               = "inline"
  assume_role_policy = data.aws_iam_policy_document.ec2.json
  inline_policy {
    name = "all"
    policy = jsonencode({
      Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }]
    })
  }
}
data "aws_iam_policy_document" "ec2" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}
data "aws_iam_policy_document" "base" {
  statement {
    sid       = "Secrets"
    actions   = ["secretsmanager:GetSecretValue"]
    resources = ["*"]
  }
}
data "aws_iam_policy_document" "joined" {
  source_policy_documents = [data.aws_iam_policy_document.base.json]
  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["*"]
  }
}
resource "aws_iam_user_policy" "robot" { # finds IAM-03
  user   = "robot"
  policy = data.aws_iam_policy_document.joined.json
}
resource "aws_iam_access_key" "robot" { # finds IAM-12
  user = "robot"
}
resource "aws_iam_role" "anyone" { # finds IAM-07
  name = "anyone"
  assume_role_policy = jsonencode({
    Statement = [{ Effect = "Allow", Principal = { AWS = "*" }, Action = "sts:AssumeRole" }]
  })
}
resource "aws_iam_policy" "not_action" { # finds IAM-05
  policy = jsonencode({ Statement = [{ Effect = "Allow", NotAction = ["iam:*"], Resource = "*" }] })
}
resource "aws_lambda_permission" "anyone" { # finds IAM-11
  action        = "lambda:InvokeFunction"
  function_name = "orders"
  principal     = "*"
}
# Lower case, as IAM also takes it.
resource "aws_iam_policy" "case" { # finds IAM-04
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "iam:passrole", Resource = "*" }] })
}
