"""Terraform in the shapes of public examples, written for these tests: network, containers,
serverless, web, data.
"""

VPC = """
variable "cidr" {
  description = "Range of the network"
  type        = string
  default     = "10.0.0.0/16"
}
locals {
  zones = ["a", "b"]
  tags  = { Project = "shop", Managed = "terraform" }
}
resource "aws_vpc" "main" {
  cidr_block           = var.cidr
  enable_dns_hostnames = true
  tags                 = merge(local.tags, { Name = "main" })
}
resource "aws_internet_gateway" "main" {
  vpc_id = aws_vpc.main.id
}
resource "aws_subnet" "public" {
  count                   = length(local.zones)
  vpc_id                  = aws_vpc.main.id
  cidr_block              = cidrsubnet(aws_vpc.main.cidr_block, 8, count.index)
  availability_zone       = "eu-central-1${local.zones[count.index]}"
  map_public_ip_on_launch = true
}
resource "aws_subnet" "private" {
  for_each   = { for i, z in local.zones : z => i + 10 }
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(aws_vpc.main.cidr_block, 8, each.value)
}
resource "aws_flow_log" "main" {
  vpc_id          = aws_vpc.main.id
  traffic_type    = "ALL"
  log_destination = aws_cloudwatch_log_group.flow.arn
}
resource "aws_cloudwatch_log_group" "flow" {
  name = "flow"
}
"""

ALB_ECS_RDS = (
    VPC
    + """
resource "aws_security_group" "lb" {
  vpc_id = aws_vpc.main.id
  dynamic "ingress" {
    for_each = [80, 443]
    content {
      from_port   = ingress.value
      to_port     = ingress.value
      protocol    = "tcp"
      cidr_blocks = ["0.0.0.0/0"]
    }
  }
}
resource "aws_security_group" "app" {
  vpc_id = aws_vpc.main.id
  ingress {
    from_port       = 8080
    to_port         = 8080
    protocol        = "tcp"
    security_groups = [aws_security_group.lb.id]
  }
}
resource "aws_security_group" "db" {
  vpc_id = aws_vpc.main.id
}
resource "aws_security_group_rule" "db_from_app" {
  type                     = "ingress"
  security_group_id        = aws_security_group.db.id
  source_security_group_id = aws_security_group.app.id
  from_port                = 5432
  to_port                  = 5432
  protocol                 = "tcp"
}
resource "aws_lb" "web" {
  load_balancer_type = "application"
  subnets            = aws_subnet.public[*].id
  security_groups    = [aws_security_group.lb.id]
}
resource "aws_lb_target_group" "app" {
  port     = 8080
  protocol = "HTTP"
  vpc_id   = aws_vpc.main.id
}
resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.web.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.app.arn
  }
}
resource "aws_ecs_cluster" "main" {
  name = "main"
}
resource "aws_ecs_task_definition" "app" {
  family             = "app"
  task_role_arn      = aws_iam_role.task.arn
  execution_role_arn = aws_iam_role.task.arn
  container_definitions = jsonencode([{
    name  = "app"
    image = "app:1"
    environment = [{ name = "DB_HOST", value = aws_db_instance.main.address }]
  }])
}
resource "aws_ecs_service" "app" {
  cluster         = aws_ecs_cluster.main.id
  task_definition = aws_ecs_task_definition.app.arn
  network_configuration {
    subnets         = values(aws_subnet.private)[*].id
    security_groups = [aws_security_group.app.id]
  }
  load_balancer {
    target_group_arn = aws_lb_target_group.app.arn
    container_name   = "app"
    container_port   = 8080
  }
}
resource "aws_iam_role" "task" {
  assume_role_policy = <<-EOF
    {
      "Version": "2012-10-17",
      "Statement": [{
        "Effect": "Allow",
        "Principal": { "Service": "ecs-tasks.amazonaws.com" },
        "Action": "sts:AssumeRole"
      }]
    }
  EOF
}
resource "random_password" "db" {
  length = 32
}
resource "aws_db_instance" "main" {
  engine                  = "postgres"
  storage_encrypted       = true
  backup_retention_period = 7
  deletion_protection     = true
  password                = random_password.db.result
  vpc_security_group_ids  = [aws_security_group.db.id]
}
"""
)

SERVERLESS = """
resource "aws_dynamodb_table" "orders" {
  name         = "orders"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "PK"
  attribute {
    name = "PK"
    type = "S"
  }
  point_in_time_recovery {
    enabled = true
  }
}
data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}
data "aws_iam_policy_document" "orders" {
  statement {
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.orders.arn, "${aws_dynamodb_table.orders.arn}/index/*"]
  }
  statement {
    actions   = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["*"]
  }
}
resource "aws_iam_role" "orders" {
  name               = "orders"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}
resource "aws_iam_policy" "orders" {
  policy = data.aws_iam_policy_document.orders.json
}
resource "aws_iam_role_policy_attachment" "orders" {
  role       = aws_iam_role.orders.name
  policy_arn = aws_iam_policy.orders.arn
}
resource "aws_lambda_function" "orders" {
  function_name = "orders"
  role          = aws_iam_role.orders.arn
  handler       = "app.handler"
  runtime       = "python3.12"
  environment {
    variables = { TABLE_NAME = aws_dynamodb_table.orders.name }
  }
}
resource "aws_apigatewayv2_api" "http" {
  name          = "orders"
  protocol_type = "HTTP"
}
resource "aws_apigatewayv2_integration" "orders" {
  api_id           = aws_apigatewayv2_api.http.id
  integration_type = "AWS_PROXY"
  integration_uri  = aws_lambda_function.orders.invoke_arn
}
resource "aws_apigatewayv2_route" "get" {
  api_id    = aws_apigatewayv2_api.http.id
  route_key = "GET /orders/{id}"
  target    = "integrations/${aws_apigatewayv2_integration.orders.id}"
}
resource "aws_apigatewayv2_stage" "live" {
  api_id      = aws_apigatewayv2_api.http.id
  name        = "$default"
  auto_deploy = true
}
resource "aws_lambda_permission" "api" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.orders.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.http.execution_arn}/*/*"
}
"""

WEBSITE = """
resource "aws_s3_bucket" "site" {
  bucket_prefix = "site-"
}
resource "aws_s3_bucket_public_access_block" "site" {
  bucket                  = aws_s3_bucket.site.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}
resource "aws_cloudfront_origin_access_control" "site" {
  name                              = "site"
  origin_access_control_origin_type = "s3"
  signing_behavior                  = "always"
  signing_protocol                  = "sigv4"
}
data "aws_iam_policy_document" "site" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.site.arn}/*"]
    principals {
      type        = "Service"
      identifiers = ["cloudfront.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "AWS:SourceArn"
      values   = [aws_cloudfront_distribution.site.arn]
    }
  }
}
resource "aws_s3_bucket_policy" "site" {
  bucket = aws_s3_bucket.site.id
  policy = data.aws_iam_policy_document.site.json
}
resource "aws_cloudfront_distribution" "site" {
  enabled = true
  origin {
    domain_name              = aws_s3_bucket.site.bucket_regional_domain_name
    origin_id                = "s3"
    origin_access_control_id = aws_cloudfront_origin_access_control.site.id
  }
  default_cache_behavior {
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
    target_origin_id       = "s3"
    viewer_protocol_policy = "redirect-to-https"
  }
  restrictions {
    geo_restriction {
      restriction_type = "none"
    }
  }
  viewer_certificate {
    cloudfront_default_certificate = true
  }
}
"""

EKS = """
variable "admin_cidrs" {
  type    = list(string)
  default = ["192.0.2.0/24"]
}
resource "aws_eks_cluster" "main" {
  name                      = "main"
  role_arn                  = aws_iam_role.cluster.arn
  enabled_cluster_log_types = ["api", "audit", "authenticator"]
  vpc_config {
    subnet_ids              = ["subnet-1", "subnet-2"]
    endpoint_private_access = true
    public_access_cidrs     = var.admin_cidrs
  }
  encryption_config {
    resources = ["secrets"]
    provider {
      key_arn = aws_kms_key.eks.arn
    }
  }
}
resource "aws_kms_key" "eks" {
  enable_key_rotation = true
}
resource "aws_iam_role" "cluster" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "eks.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
}
resource "aws_iam_role_policy_attachment" "cluster" {
  for_each   = toset(["AmazonEKSClusterPolicy", "AmazonEKSVPCResourceController"])
  role       = aws_iam_role.cluster.name
  policy_arn = "arn:aws:iam::aws:policy/${each.value}"
}
resource "aws_eks_node_group" "main" {
  cluster_name  = aws_eks_cluster.main.name
  node_role_arn = aws_iam_role.cluster.arn
  subnet_ids    = ["subnet-1", "subnet-2"]
  scaling_config {
    desired_size = 2
    max_size     = 3
    min_size     = 1
  }
}
"""

SHAPES = {
    "vpc": VPC,
    "alb_ecs_rds": ALB_ECS_RDS,
    "serverless": SERVERLESS,
    "website": WEBSITE,
    "eks": EKS,
}
