# Ten years old, grown by many hands: classic shapes, old resource kinds, interpolation everywhere.

variable "env" { default = "prod" }

variable "open" {
  default = "true"
}

resource "aws_instance" "web" { # finds SEC-01, EC2-01
  ami                         = "${lookup(var.amis, "eu-west-1")}"
  instance_type               = "t2.micro"
  associate_public_ip_address = true
  security_groups             = ["${aws_security_group.web.name}"]
  vpc_security_group_ids      = ["${aws_security_group.web.id}"]
  user_data                   = "${data.template_file.boot.rendered}"
}

variable "amis" {
  type = "map"
  default = {
    eu-west-1 = "ami-12345678"
  }
}

data "template_file" "boot" {
  template = "${file("${path.module}/boot.sh.tpl")}"
  vars = {
    env = "${var.env}"
  }
}

resource "aws_security_group" "web" { # finds NET-01
  name = "web-${var.env}"

  ingress {
    from_port   = "22"
    to_port     = "22"
    protocol    = "TCP"
    cidr_blocks = ["${var.env == "prod" ? "0.0.0.0/0" : "10.0.0.0/8"}"]
  }

  ingress {
    from_port   = 80
    to_port     = 80
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_elb" "web" { # finds EDGE-01
  name            = "web"
  security_groups = ["${aws_security_group.web.id}"]

  listener {
    instance_port     = 80
    instance_protocol = "http"
    lb_port           = 80
    lb_protocol       = "http"
  }
}

resource "aws_s3_bucket" "assets" { # finds S3-01, S3-02
  bucket = "assets-${var.env}"
  acl    = "${var.open == "true" ? "public-read" : "private"}"

  versioning {
    enabled = true
  }
}

resource "aws_s3_bucket" "uploads" { # finds S3-01, S3-02
  bucket = "uploads-${var.env}"

  grant {
    type        = "Group"
    permissions = ["READ", "WRITE"]
    uri         = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
  }
}

resource "aws_s3_bucket" "dump" { # finds S3-01, S3-02
  bucket = "dump"
}

resource "aws_s3_bucket_object" "dump" {
  bucket = "${aws_s3_bucket.dump.id}"
  key    = "customers.sql"
  acl    = "public-read"
  source = "customers.sql"
}

resource "aws_iam_user" "ci" {
  name = "ci"
}

resource "aws_iam_access_key" "ci" { # finds IAM-12
  user = "${aws_iam_user.ci.name}"
}

resource "aws_iam_user_policy" "ci" { # finds IAM-02
  name = "ci"
  user = "${aws_iam_user.ci.name}"

  policy = <<EOF
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Action": [
        "ec2:*",
        "s3:*",
        "lambda:*",
        "cloudwatch:*"
      ],
      "Effect": "Allow",
      "Resource": "*"
    }
  ]
}
EOF
}

resource "aws_elasticsearch_domain" "logs" { # finds SEARCH-01, SEARCH-02
  domain_name = "logs"
}

resource "aws_elasticsearch_domain_policy" "logs" {
  domain_name = "${aws_elasticsearch_domain.logs.domain_name}"

  access_policies = <<POLICIES
{
    "Version": "2012-10-17",
    "Statement": [
        {
            "Action": "es:*",
            "Principal": "*",
            "Effect": "Allow",
            "Condition": {
                "IpAddress": {"aws:SourceIp": "0.0.0.0/0"}
            },
            "Resource": "${aws_elasticsearch_domain.logs.arn}/*"
        }
    ]
}
POLICIES
}

resource "aws_neptune_cluster" "graph" { # finds DB-01
  cluster_identifier = "graph"
  storage_encrypted  = false
}

resource "aws_neptune_cluster_instance" "graph" { # finds DB-02
  count               = 1
  cluster_identifier  = "${aws_neptune_cluster.graph.id}"
  instance_class      = "db.r4.large"
  publicly_accessible = true
}

resource "aws_launch_configuration" "web" { # finds EC2-01, SEC-01
  image_id      = "ami-12345678"
  instance_type = "t2.micro"
  user_data     = <<-EOF
    #! /bin/bash
    sudo apt-get update
    export AWS_ACCESS_KEY_ID=AKIAQX4BIPW3AHOV29GN
    export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz
    export AWS_DEFAULT_REGION=us-west-2
  EOF
}

resource "aws_lambda_function" "old" { # finds FN-01, SEC-01
  function_name = "old"
  runtime       = "python3.7"
  role          = "arn:aws:iam::123456789012:role/old"

  environment {
    variables = {
      access_key = "AKIAQX4BIPW3AHOV29GN"
      secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"
    }
  }
}

resource "aws_db_parameter_group" "old" { # finds DB-05
  family = "mysql8.0"

  parameter {
    name  = "require_secure_transport"
    value = "OFF"
  }
}

resource "aws_db_snapshot" "all" { # finds SHARE-01
  db_instance_identifier = "old"
  db_snapshot_identifier = "old-1"
  shared_accounts        = ["all"]
}

# What was written by hand before there were types.
resource "aws_db_instance" "texts" { # finds DB-01, DB-02, DB-03
  engine                  = "mysql"
  storage_encrypted       = "false"
  publicly_accessible     = "true"
  backup_retention_period = "0"
}

resource "aws_ebs_volume" "texts" { # finds DISK-01
  availability_zone = "eu-west-1a"
  size              = "8"
  encrypted         = "false"
}

resource "aws_instance" "texts" { # finds EC2-01, DISK-01
  ami           = "ami-12345678"
  instance_type = "t2.micro"

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "optional"
  }

  root_block_device {
    encrypted = "false"
  }
}

resource "aws_kms_key" "texts" { # finds KMS-01
  enable_key_rotation = "false"
}

resource "aws_cloudtrail" "texts" { # finds LOG-01
  name                       = "texts"
  s3_bucket_name             = "trail"
  is_multi_region_trail      = "false"
  enable_log_file_validation = "true"
}

resource "aws_dynamodb_table" "texts" { # finds DDB-01
  name     = "texts"
  hash_key = "id"

  point_in_time_recovery {
    enabled = "false"
  }
}

resource "aws_eks_cluster" "texts" { # finds EKS-01, EKS-02
  name = "texts"

  vpc_config {
    endpoint_public_access = "true"
  }
}

resource "aws_lb" "texts" {
  internal = "true"
}

resource "aws_s3_bucket" "texts" {
  bucket = "texts"
}

resource "aws_s3_bucket_public_access_block" "texts" {
  bucket                  = "texts"
  block_public_acls       = "true"
  block_public_policy     = "true"
  ignore_public_acls      = "true"
  restrict_public_buckets = "true"
}
