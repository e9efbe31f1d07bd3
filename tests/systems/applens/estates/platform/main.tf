# A platform: Kubernetes, containers, brokers, keys, trails. Everything that can be left unencrypted is.

resource "aws_eks_cluster" "main" { # finds EKS-01, EKS-02
  name     = "main"
  role_arn = "arn:aws:iam::123456789012:role/eks"
  vpc_config {
    subnet_ids              = ["subnet-1", "subnet-2"]
    endpoint_private_access = true
    endpoint_public_access  = true
    public_access_cidrs     = ["0.0.0.0/0"]
  }
}
resource "aws_eks_node_group" "main" { # finds NET-01
  cluster_name  = aws_eks_cluster.main.name
  node_role_arn = "arn:aws:iam::123456789012:role/node"
  subnet_ids    = ["subnet-1"]
  remote_access {
    ec2_ssh_key = "ops"
  }
  scaling_config {
    desired_size = 1
    max_size     = 2
    min_size     = 1
  }
}
resource "aws_ecr_repository" "app" { # finds ECR-01
  name                 = "app"
  image_tag_mutability = "MUTABLE"
  image_scanning_configuration {
    scan_on_push = false
  }
}
resource "aws_ecr_repository_policy" "app" { # finds IAM-10
  repository = aws_ecr_repository.app.name
  policy     = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"] }] })
}
resource "aws_ecs_task_definition" "app" { # finds SEC-01, ECS-01
  family = "app"
  container_definitions = jsonencode([
    {
      name       = "app"
      image      = "${aws_ecr_repository.app.repository_url}:latest"
      privileged = true
      environment = [
        { name = "STRIPE_KEY", value = "sk_live_${"51H8xkJ2eZvKYlo2C0aBcDeFg"}" },
        { name = "REGION", value = "eu-west-1" },
      ]
    },
  ])
}
resource "aws_sqs_queue" "jobs" { # finds MSG-01
  name                    = "jobs"
  sqs_managed_sse_enabled = false
}
resource "aws_sqs_queue_policy" "jobs" { # finds IAM-10
  queue_url = aws_sqs_queue.jobs.id
  policy    = <<-EOT
    {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sqs:*","Resource":"${aws_sqs_queue.jobs.arn}"}]}
  EOT
}
resource "aws_sns_topic" "alarms" { # finds MSG-01
  name = "alarms"
}
resource "aws_kinesis_stream" "clicks" { # finds MSG-01
  name             = "clicks"
  shard_count      = 1
  retention_period = 24
}
resource "aws_ebs_volume" "data" { # finds DISK-01
  availability_zone = "eu-west-1a"
  size              = 40
}
resource "aws_efs_file_system" "shared" { # finds DISK-02
  creation_token = "shared"
}
resource "aws_elasticache_replication_group" "sessions" { # finds CACHE-01
  replication_group_id       = "sessions"
  description                = "sessions"
  node_type                  = "cache.t3.micro"
  at_rest_encryption_enabled = false
  transit_encryption_enabled = false
}
resource "aws_elasticache_cluster" "single" { # finds CACHE-01
  cluster_id      = "single"
  engine          = "redis"
  node_type       = "cache.t3.micro"
  num_cache_nodes = 1
}
resource "aws_memorydb_cluster" "m" { # finds CACHE-01
  acl_name    = "open-access"
  name        = "m"
  node_type   = "db.t4g.small"
  tls_enabled = false
}
resource "aws_dax_cluster" "dax" { # finds CACHE-01
  cluster_name       = "dax"
  iam_role_arn       = "arn:aws:iam::123456789012:role/dax"
  node_type          = "dax.r4.large"
  replication_factor = 1
}
resource "aws_redshift_cluster" "dwh" { # finds DB-01, DB-02, SEC-01
  cluster_identifier  = "dwh"
  database_name       = "dwh"
  master_username     = "admin"
  master_password     = "Sup3rSecret"
  node_type           = "ra3.xlplus"
  encrypted           = false
  publicly_accessible = true
}
resource "aws_redshiftserverless_workgroup" "w" { # finds DB-02
  namespace_name      = "n"
  workgroup_name      = "w"
  publicly_accessible = true
}
resource "aws_rds_cluster" "aurora" { # finds DB-01, SEC-01
  engine              = "aurora-postgresql"
  master_username     = "root"
  master_password     = "correct-horse"
  storage_encrypted   = false
  deletion_protection = true
}
resource "aws_rds_cluster_instance" "aurora" { # finds DB-02
  count               = 2
  cluster_identifier  = aws_rds_cluster.aurora.id
  engine              = aws_rds_cluster.aurora.engine
  instance_class      = "db.r6g.large"
  publicly_accessible = true
}
resource "aws_docdb_cluster" "docs" { # finds DB-01, SEC-01
  engine          = "docdb"
  master_username = "docs"
  master_password = "docs-password"
}
resource "aws_opensearch_domain" "search" { # finds SEARCH-01, SEARCH-02
  domain_name     = "search"
  access_policies = data.aws_iam_policy_document.search.json
}
data "aws_iam_policy_document" "search" {
  statement {
    effect = "Allow"
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    actions   = ["es:*"]
    resources = ["arn:aws:es:eu-west-1:123456789012:domain/search/*"]
  }
}
resource "aws_kms_key" "main" { # finds KMS-01
  description         = "main"
  enable_key_rotation = false
}
resource "aws_kms_key_policy" "main" { # finds IAM-10
  key_id = aws_kms_key.main.id
  policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "*" }, Action = "kms:*", Resource = "*" }] })
}
resource "aws_cloudtrail" "main" { # finds LOG-01
  name                          = "main"
  s3_bucket_name                = "acme-trail"
  enable_logging                = false
  is_multi_region_trail         = true
  enable_log_file_validation    = true
}
resource "aws_guardduty_detector" "main" { # finds LOG-02
  enable = false
}
resource "aws_msk_cluster" "kafka" { # finds MSK-01
  cluster_name           = "kafka"
  kafka_version          = "3.6.0"
  number_of_broker_nodes = 3
  client_authentication {
    unauthenticated = true
  }
  encryption_info {
    encryption_in_transit {
      client_broker = "TLS_PLAINTEXT"
    }
  }
  broker_node_group_info {
    instance_type   = "kafka.m5.large"
    client_subnets  = ["subnet-1"]
    security_groups = ["sg-1"]
  }
}
resource "aws_mq_broker" "mq" { # finds DB-02, SEC-01
  broker_name         = "mq"
  engine_type         = "RabbitMQ"
  host_instance_type  = "mq.t3.micro"
  publicly_accessible = true
  user {
    username = "mq"
    password = "mq-password-1"
  }
}
resource "aws_default_security_group" "default" { # finds NET-03
  vpc_id = "vpc-1"
  ingress {
    protocol    = -1
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_security_group" "attributes" { # finds NET-01
  name = "attributes"
  ingress = [
    {
      description      = "ssh"
      from_port        = 22
      to_port          = 22
      protocol         = "tcp"
      cidr_blocks      = []
      ipv6_cidr_blocks = ["::/0"]
      prefix_list_ids  = []
      security_groups  = []
      self             = false
    }
  ]
}
resource "aws_security_group" "split" {
  name = "split"
}
resource "aws_security_group_rule" "split" { # finds NET-01, NET-02
  type              = "ingress"
  from_port         = 1024
  to_port           = 65535
  protocol          = "tcp"
  cidr_blocks       = ["0.0.0.0/1", "128.0.0.0/1"]
  security_group_id = aws_security_group.split.id
}
resource "aws_ssm_parameter" "token" { # finds SEC-02
  name  = "/app/api_token"
  type  = "String"
  value = var.token
}
variable "token" {
  type      = string
  sensitive = true
}
resource "aws_ssm_parameter" "password" { # finds SEC-01
  name  = "/app/db_password"
  type  = "SecureString"
  value = "hunter2hunter2"
}
resource "aws_secretsmanager_secret" "s" {
  name = "s"
}
resource "aws_secretsmanager_secret_version" "s" { # finds SEC-01
  secret_id     = aws_secretsmanager_secret.s.id
  secret_string = jsonencode({ username = "app", password = "plain-text-password" })
}
resource "aws_cognito_identity_pool" "guests" { # finds COG-02
  identity_pool_name               = "guests"
  allow_unauthenticated_identities = true
}
resource "aws_iam_account_password_policy" "weak" { # finds IAM-14
  minimum_password_length = 6
}
resource "aws_appsync_graphql_api" "graph" { # finds API-01
  name                = "graph"
  authentication_type = "API_KEY"
}
resource "aws_launch_template" "nodes" { # finds EC2-01, DISK-01, SEC-01
  name_prefix = "nodes"
  user_data   = base64encode("#!/bin/sh\nAPI_TOKEN=abcdef123456 /opt/agent\n")
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 40
    }
  }
}
