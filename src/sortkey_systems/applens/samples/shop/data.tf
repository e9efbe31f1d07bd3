resource "aws_db_subnet_group" "orders" {
  name       = "${var.name}-orders"
  subnet_ids = [for each in aws_subnet.public : each.id]
}

resource "aws_db_instance" "orders" {
  identifier                  = "${var.name}-orders"
  engine                      = "postgres"
  engine_version              = "16"
  instance_class              = "db.t4g.medium"
  allocated_storage           = 50
  username                    = "orders"
  manage_master_user_password = true
  db_subnet_group_name        = aws_db_subnet_group.orders.name
  vpc_security_group_ids      = [aws_security_group.database.id]
  publicly_accessible         = true
  storage_encrypted           = false
  backup_retention_period     = 0
  skip_final_snapshot         = true
}

resource "aws_s3_bucket" "invoices" {
  bucket = "${var.name}-invoices"
  tags   = local.tags
}

resource "aws_s3_bucket_policy" "invoices" {
  bucket = aws_s3_bucket.invoices.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "TheTaxAdviserWantsToReadThem"
      Effect    = "Allow"
      Principal = "*"
      Action    = "s3:GetObject"
      Resource  = "${aws_s3_bucket.invoices.arn}/*"
    }]
  })
}

resource "aws_sns_topic" "alarms" {
  name = "${var.name}-alarms"
}

resource "aws_cloudwatch_metric_alarm" "orders_failed" {
  alarm_name          = "${var.name}-orders-failed"
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.orders_failed.name }
  statistic           = "Maximum"
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  period              = 300
  evaluation_periods  = 1
  alarm_actions       = [aws_sns_topic.alarms.arn]
}
