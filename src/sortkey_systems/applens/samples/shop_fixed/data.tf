resource "aws_db_subnet_group" "orders" {
  name       = "${var.name}-orders"
  subnet_ids = [for each in aws_subnet.private : each.id]
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
  publicly_accessible         = false
  storage_encrypted           = true
  backup_retention_period     = 14
  deletion_protection         = true
}

resource "aws_s3_bucket" "invoices" {
  bucket = "${var.name}-invoices"
  tags   = local.tags
}

resource "aws_s3_bucket_public_access_block" "invoices" {
  bucket                  = aws_s3_bucket.invoices.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_versioning" "invoices" {
  bucket = aws_s3_bucket.invoices.id

  versioning_configuration {
    status = "Enabled"
  }
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
