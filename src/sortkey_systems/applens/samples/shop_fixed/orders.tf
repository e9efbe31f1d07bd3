resource "aws_sqs_queue" "orders_failed" {
  name = "${var.name}-orders-failed"
}

resource "aws_sqs_queue" "orders" {
  name           = "${var.name}-orders"
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.orders_failed.arn, maxReceiveCount = 5 })
}

resource "aws_lb" "orders" {
  name               = "${var.name}-orders"
  load_balancer_type = "application"
  security_groups    = [aws_security_group.balancer.id]
  subnets            = [for each in aws_subnet.public : each.id]
}

resource "aws_lb_target_group" "orders" {
  name        = "${var.name}-orders"
  port        = 8080
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = aws_vpc.main.id
}

resource "aws_acm_certificate" "orders" {
  domain_name       = "orders.example.com"
  validation_method = "DNS"
}

resource "aws_lb_listener" "orders" {
  load_balancer_arn = aws_lb.orders.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  certificate_arn   = aws_acm_certificate.orders.arn

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.orders.arn
  }
}

resource "aws_lb_listener" "redirect" {
  load_balancer_arn = aws_lb.orders.arn
  port              = 80
  protocol          = "HTTP"

  default_action {
    type = "redirect"
    redirect {
      port        = "443"
      protocol    = "HTTPS"
      status_code = "HTTP_301"
    }
  }
}

resource "aws_ecr_repository" "orders" {
  name                 = "${var.name}/orders"
  image_tag_mutability = "IMMUTABLE"

  image_scanning_configuration {
    scan_on_push = true
  }
}

resource "aws_ecs_cluster" "main" {
  name = var.name
}

resource "aws_iam_role" "orders" {
  name = "${var.name}-orders"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "ecs-tasks.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
}

resource "aws_iam_role_policy" "orders" {
  role   = aws_iam_role.orders.id
  policy = <<-EOT
    {
      "Version": "2012-10-17",
      "Statement": [
        {"Effect": "Allow", "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage"], "Resource": "${aws_sqs_queue.orders.arn}"},
        {"Effect": "Allow", "Action": ["s3:PutObject"], "Resource": "${aws_s3_bucket.invoices.arn}/*"}
      ]
    }
  EOT
}

resource "aws_ecs_task_definition" "orders" {
  family                   = "${var.name}-orders"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = 512
  memory                   = 1024
  task_role_arn            = aws_iam_role.orders.arn

  container_definitions = jsonencode([{
    name         = "orders"
    image        = "${aws_ecr_repository.orders.repository_url}:stable"
    portMappings = [{ containerPort = 8080 }]
    environment = [
      { name = "DATABASE_HOST", value = aws_db_instance.orders.address },
      { name = "QUEUE_URL", value = aws_sqs_queue.orders.url },
      { name = "INVOICES", value = aws_s3_bucket.invoices.bucket },
    ]
    secrets = [{ name = "DATABASE_PASSWORD", valueFrom = aws_db_instance.orders.master_user_secret[0].secret_arn }]
  }])
}

resource "aws_ecs_service" "orders" {
  name            = "orders"
  cluster         = aws_ecs_cluster.main.id
  task_definition = aws_ecs_task_definition.orders.arn
  desired_count   = 2
  launch_type     = "FARGATE"

  network_configuration {
    subnets         = [for each in aws_subnet.private : each.id]
    security_groups = [aws_security_group.orders.id]
  }

  load_balancer {
    target_group_arn = aws_lb_target_group.orders.arn
    container_name   = "orders"
    container_port   = 8080
  }
}
