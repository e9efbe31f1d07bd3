# Files for the public: buckets opened in every way there is, a CDN, a load balancer.

resource "aws_s3_bucket" "a" { # finds S3-01, S3-02
  bucket = "acme-a"
}
resource "aws_s3_bucket_policy" "a" {
  bucket = aws_s3_bucket.a.bucket
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      { Sid = "TLS", Effect = "Deny", Principal = "*", Action = "s3:*", Resource = ["${aws_s3_bucket.a.arn}", "${aws_s3_bucket.a.arn}/*"], Condition = { Bool = { "aws:SecureTransport" = "false" } } },
      { Sid = "Read", Effect = "Allow", Principal = { AWS = "*" }, Action = ["s3:GetObject"], Resource = "${aws_s3_bucket.a.arn}/*" },
    ]
  })
}

data "aws_iam_policy_document" "b" {
  statement {
    sid       = "PublicList"
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.b.arn]
    principals {
      type        = "AWS"
      identifiers = ["*"]
    }
  }
}
resource "aws_s3_bucket" "b" { # finds S3-01, S3-02
  bucket_prefix = "acme-b-"
}
resource "aws_s3_bucket_policy" "b" {
  bucket = aws_s3_bucket.b.id
  policy = data.aws_iam_policy_document.b.json
}

resource "aws_s3_bucket" "c" { # finds S3-01, S3-02
  bucket = "acme-c"
}
resource "aws_s3_bucket_acl" "c" {
  bucket = aws_s3_bucket.c.id
  access_control_policy {
    owner {
      id = "abc"
    }
    grant {
      permission = "READ"
      grantee {
        type = "Group"
        uri  = "http://acs.amazonaws.com/groups/global/AllUsers"
      }
    }
  }
}

resource "aws_s3_bucket" "d" { # finds S3-01, S3-02
  bucket = "acme-d"
  acl    = "public-read-write"
}

resource "aws_s3_bucket" "e" { # finds S3-01, S3-02
  bucket = "acme-e"
}
resource "aws_s3_bucket_acl" "e" {
  bucket = aws_s3_bucket.e.id
  acl    = "authenticated-read"
}

resource "aws_s3_bucket" "f" { # finds S3-01, S3-02
  bucket = "acme-f"
}
resource "aws_s3_bucket_public_access_block" "f" {
  bucket                  = aws_s3_bucket.f.id
  block_public_acls       = true
  block_public_policy     = false
  ignore_public_acls      = true
  restrict_public_buckets = false
}
resource "aws_s3_bucket_policy" "f" {
  bucket = aws_s3_bucket.f.id
  policy = <<POLICY
{
  "Version": "2012-10-17",
  "Statement": {
    "Effect": "Allow",
    "Principal": "*",
    "Action": "s3:*",
    "Resource": "arn:aws:s3:::acme-f/*"
  }
}
POLICY
}

# Only from the office: not public.
resource "aws_s3_bucket" "g" { # finds S3-02
  bucket = "acme-g"
}
resource "aws_s3_bucket_policy" "g" {
  bucket = aws_s3_bucket.g.id
  policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "s3:GetObject", Resource = "arn:aws:s3:::acme-g/*", Condition = { IpAddress = { "aws:SourceIp" = ["198.51.100.0/24"] } } }] })
}

resource "aws_cloudfront_distribution" "cdn" { # finds EDGE-03, EDGE-04, EDGE-05
  enabled = true
  aliases = ["media.example.com"]
  origin {
    domain_name = aws_lb.web.dns_name
    origin_id   = "web"
    custom_origin_config {
      http_port              = 80
      https_port             = 443
      origin_protocol_policy = "http-only"
      origin_ssl_protocols   = ["TLSv1.2"]
    }
  }
  default_cache_behavior {
    target_origin_id       = "web"
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
    viewer_protocol_policy = "redirect-to-https"
  }
  ordered_cache_behavior {
    path_pattern           = "/old/*"
    target_origin_id       = "web"
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
    viewer_protocol_policy = "allow-all"
  }
  restrictions {
    geo_restriction {
      restriction_type = "none"
    }
  }
  viewer_certificate {
    acm_certificate_arn      = "arn:aws:acm:us-east-1:123456789012:certificate/1"
    ssl_support_method       = "sni-only"
    minimum_protocol_version = "TLSv1"
  }
}

resource "aws_lb" "web" {
  name = "web"
}
resource "aws_lb_listener" "http" { # finds EDGE-01
  load_balancer_arn = aws_lb.web.arn
  port              = "80"
  protocol          = "HTTP"
  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      status_code  = "404"
    }
  }
}
resource "aws_lb_listener_rule" "http" {
  listener_arn = aws_lb_listener.http.arn
  action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
  condition {
    host_header {
      values = ["media.example.com"]
    }
  }
}
resource "aws_lb_target_group" "web" {
  port     = 80
  protocol = "HTTP"
}
resource "aws_lb_listener" "old_tls" { # finds EDGE-02
  load_balancer_arn = aws_lb.web.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = "ELBSecurityPolicy-2016-08"
  certificate_arn   = "arn:aws:acm:eu-west-1:123456789012:certificate/2"
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
}
resource "aws_lb_listener" "redirect" {
  load_balancer_arn = aws_lb.web.arn
  port              = 8080
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
resource "aws_lb_listener" "redirect_to_http" { # finds EDGE-01
  load_balancer_arn = aws_lb.web.arn
  port              = 8081
  protocol          = "HTTP"
  default_action {
    type = "redirect"
    redirect {
      host        = "www.example.com"
      status_code = "HTTP_301"
    }
  }
}
resource "aws_transfer_server" "ftp" { # finds EDGE-07
  protocols     = ["FTP"]
  endpoint_type = "VPC"
}
resource "aws_api_gateway_domain_name" "old" { # finds EDGE-04
  domain_name     = "api.example.com"
  security_policy = "TLS_1_0"
}
