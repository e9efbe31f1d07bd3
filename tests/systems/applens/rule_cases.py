"""For each rule, Terraform that breaks it and Terraform, close to it, that does not. Written as
people write it.
"""

SG = (
    'resource "aws_security_group" "g" {{\n  ingress {{\n    from_port = {0}\n    to_port = {1}\n  '
    '  protocol = "{2}"\n'
)
SG += '    cidr_blocks = ["{3}"]\n  }}\n}}'


def group(first: int, last: int, protocol: str = "tcp", cidr: str = "0.0.0.0/0") -> str:
    return SG.format(first, last, protocol, cidr)


def policy(body: str, kind: str = "aws_iam_policy") -> str:
    return (
        f'resource "{kind}" "p" '
        f'{{\n  policy = jsonencode({{ Statement = [{{ Effect = "Allow", {body} }}] }})\n}}'
    )


def trust(body: str) -> str:
    statement = f'{{ Effect = "Allow", Action = "sts:AssumeRole", {body} }}'
    return (
        'resource "aws_iam_role" "r" '
        f"{{\n  assume_role_policy = jsonencode({{ Statement = [{statement}] }})\n}}"
    )


def one(kind: str, body: str = "", name: str = "x") -> str:
    return f'resource "{kind}" "{name}" {{\n{body}\n}}\n'


BUCKET = one("aws_s3_bucket", 'bucket = "files"', "b")
BLOCKED = BUCKET + one(
    "aws_s3_bucket_public_access_block",
    "bucket = aws_s3_bucket.b.id\nblock_public_acls = true\nblock_public_policy = true\n"
    "ignore_public_acls = true\nrestrict_public_buckets = true",
)
PUBLIC_POLICY = """
data "aws_iam_policy_document" "read" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.b.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
  }
}
resource "aws_s3_bucket_policy" "p" {
  bucket = aws_s3_bucket.b.id
  policy = data.aws_iam_policy_document.read.json
}
"""
TLS_ONLY = one(
    "aws_s3_bucket_policy",
    'bucket = "files"\npolicy = jsonencode({ Statement = [{ Effect = "Deny", Principal = "*", '
    'Action = "s3:*", '
    'Resource = "*", Condition = { Bool = { "aws:SecureTransport" = "false" } } }] })',
)
LB = one("aws_lb", "internal = false", "l")
HTTP = (
    'load_balancer_arn = aws_lb.l.arn\nport = 80\nprotocol = "HTTP"\ndefault_action {\n  type = '
    '"%s"\n}'
)
DISTRIBUTION = (
    'default_cache_behavior {\n  viewer_protocol_policy = "%s"\n}\nviewer_certificate {\n  %s\n}\n'
)
ORIGIN = 'origin {\n  custom_origin_config {\n    origin_protocol_policy = "%s"\n  }\n}'
REST = one("aws_api_gateway_rest_api", 'endpoint_configuration {\n  types = ["%s"]\n}', "a")
METHOD = one(
    "aws_api_gateway_method",
    'rest_api_id = aws_api_gateway_rest_api.a.id\nhttp_method = "%s"\nauthorization = "%s"',
)
GITHUB = (
    "Principal = { Federated = "
    '"arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com" }'
)
CONTAINERS = 'container_definitions = jsonencode([{ name = "a", %s }])'
SEARCH_POLICY = (
    'access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = '
    '"es:*"%s }] })'
)

CASES: dict[str, tuple[str, str]] = {
    "NET-01": (group(22, 22), group(22, 22, cidr="10.0.0.0/8")),
    "NET-02": (
        one("aws_security_group", "", "g")
        + one(
            "aws_vpc_security_group_ingress_rule",
            "security_group_id = aws_security_group.g.id\nfrom_port = 5432\nto_port = "
            '5432\nip_protocol = "tcp"\n'
            'cidr_ipv4 = "0.0.0.0/0"',
        ),
        one("aws_security_group", "", "g")
        + one(
            "aws_security_group_rule",
            'type = "ingress"\nsecurity_group_id = aws_security_group.g.id\nfrom_port = '
            "5432\nto_port = 5432\n"
            'protocol = "tcp"\nsource_security_group_id = aws_security_group.g.id',
        ),
    ),
    "NET-03": (group(0, 0, "-1"), group(443, 443)),
    "NET-04": (group(8080, 8080), group(443, 443)),
    "NET-05": (one("aws_vpc"), one("aws_vpc") + one("aws_flow_log", "vpc_id = aws_vpc.x.id")),
    "EDGE-01": (
        LB + one("aws_lb_listener", HTTP % "forward"),
        LB + one("aws_lb_listener", HTTP % "redirect"),
    ),
    "EDGE-02": (
        one("aws_lb_listener", 'protocol = "HTTPS"\nssl_policy = "ELBSecurityPolicy-2016-08"'),
        one(
            "aws_lb_listener",
            'protocol = "HTTPS"\nssl_policy = "ELBSecurityPolicy-TLS13-1-2-2021-06"',
        ),
    ),
    "EDGE-03": (
        one("aws_cloudfront_distribution", DISTRIBUTION % ("allow-all", "")),
        one("aws_cloudfront_distribution", DISTRIBUTION % ("redirect-to-https", "")),
    ),
    "EDGE-04": (
        one(
            "aws_cloudfront_distribution",
            DISTRIBUTION % ("https-only", 'acm_certificate_arn = "arn:aws:acm:c"'),
        ),
        one(
            "aws_cloudfront_distribution",
            DISTRIBUTION % ("https-only", "cloudfront_default_certificate = true"),
        ),
    ),
    "EDGE-05": (
        one("aws_cloudfront_distribution", ORIGIN % "http-only"),
        one("aws_cloudfront_distribution", ORIGIN % "https-only"),
    ),
    "EDGE-06": (
        LB,
        LB + one("aws_wafv2_web_acl_association", "resource_arn = aws_lb.l.arn"),
    ),
    "API-01": (
        REST % "REGIONAL" + METHOD % ("GET", "NONE"),
        REST % "REGIONAL" + METHOD % ("GET", "AWS_IAM"),
    ),
    "API-02": (
        one("aws_apigatewayv2_stage", 'name = "$default"'),
        one("aws_apigatewayv2_stage", "default_route_settings {\n  throttling_rate_limit = 100\n}"),
    ),
    "API-03": (
        one("aws_apigatewayv2_stage"),
        one("aws_apigatewayv2_stage", 'access_log_settings {\n  destination_arn = "arn"\n}'),
    ),
    "API-04": (
        one("aws_apigatewayv2_api", 'cors_configuration {\n  allow_origins = ["*"]\n}'),
        one(
            "aws_apigatewayv2_api",
            'cors_configuration {\n  allow_origins = ["https://example.org"]\n}',
        ),
    ),
    "S3-01": (BUCKET + PUBLIC_POLICY, BLOCKED + PUBLIC_POLICY),
    "S3-02": (BUCKET, BLOCKED),
    "S3-03": (
        BUCKET,
        BUCKET
        + one(
            "aws_s3_bucket_server_side_encryption_configuration", "bucket = aws_s3_bucket.b.bucket"
        ),
    ),
    "S3-04": (
        BUCKET,
        BUCKET
        + one(
            "aws_s3_bucket_versioning",
            'bucket = aws_s3_bucket.b.id\nversioning_configuration {\n  status = "Enabled"\n}',
        ),
    ),
    "S3-05": (BUCKET, BUCKET + TLS_ONLY),
    "DISK-01": (one("aws_ebs_volume", "size = 1"), one("aws_ebs_volume", "encrypted = true")),
    "DISK-02": (one("aws_efs_file_system"), one("aws_efs_file_system", "encrypted = true")),
    "DB-01": (
        one("aws_db_instance", 'engine = "mysql"'),
        'variable "on" {\n  default = true\n}\n'
        + one("aws_db_instance", "storage_encrypted = var.on"),
    ),
    "DB-02": (
        one("aws_db_instance", "publicly_accessible = true"),
        one("aws_db_instance", "publicly_accessible = false"),
    ),
    "DB-03": (one("aws_db_instance"), one("aws_db_instance", "backup_retention_period = 7")),
    "DB-04": (one("aws_rds_cluster"), one("aws_rds_cluster", "deletion_protection = true")),
    "DDB-01": (
        one("aws_dynamodb_table", "point_in_time_recovery {\n  enabled = false\n}"),
        one("aws_dynamodb_table", "point_in_time_recovery {\n  enabled = true\n}"),
    ),
    "CACHE-01": (
        one("aws_elasticache_replication_group", "at_rest_encryption_enabled = true"),
        one(
            "aws_elasticache_replication_group",
            "at_rest_encryption_enabled = true\ntransit_encryption_enabled = true",
        ),
    ),
    "SEARCH-01": (
        one("aws_opensearch_domain"),
        one(
            "aws_opensearch_domain",
            "encrypt_at_rest {\n enabled = true\n}\nnode_to_node_encryption {\n enabled = true\n}\n"
            "domain_endpoint_options {\n enforce_https = true\n}",
        ),
    ),
    "SEARCH-02": (
        one("aws_opensearch_domain", SEARCH_POLICY % ""),
        one(
            "aws_opensearch_domain",
            SEARCH_POLICY % ', Condition = { IpAddress = { "aws:SourceIp" = ["192.0.2.0/24"] } }',
        ),
    ),
    "MSG-01": (
        one("aws_sns_topic"),
        one("aws_sns_topic", 'kms_master_key_id = "alias/aws/sns"') + one("aws_sqs_queue"),
    ),
    "PATH-01": (
        one("aws_lambda_function", "role = aws_iam_role.r.arn", "f")
        + one(
            "aws_lambda_function_url",
            'function_name = aws_lambda_function.f.arn\nauthorization_type = "NONE"',
        )
        + one("aws_iam_role", "", "r")
        + one("aws_dynamodb_table", "", "t")
        + one(
            "aws_iam_role_policy",
            'role = aws_iam_role.r.id\npolicy = jsonencode({ Statement = [{ Effect = "Allow", '
            'Action = "dynamodb:GetItem", Resource = aws_dynamodb_table.t.arn }] })',
        ),
        one("aws_lambda_function", "role = aws_iam_role.r.arn", "f")
        + one(
            "aws_lambda_function_url",
            'function_name = aws_lambda_function.f.arn\nauthorization_type = "NONE"',
        )
        + one("aws_iam_role", "", "r")
        + one("aws_dynamodb_table", "", "t"),
    ),
    "IAM-01": (
        policy('Action = "*", Resource = "*"'),
        policy('Action = "s3:GetObject", Resource = "arn:aws:s3:::a/*"'),
    ),
    "IAM-02": (
        policy('Action = ["s3:*"], Resource = "arn:aws:s3:::a/*"'),
        policy('Action = ["s3:Get*"], Resource = "arn:aws:s3:::a/*"'),
    ),
    "IAM-03": (
        policy('Action = ["dynamodb:PutItem"], Resource = "*"'),
        policy(
            'Action = ["logs:CreateLogGroup", "ec2:DescribeInstances", "xray:PutTraceSegments"], '
            'Resource = "*"'
        ),
    ),
    "IAM-04": (
        policy('Action = ["iam:PassRole"], Resource = "*"'),
        policy('Action = ["iam:PassRole"], Resource = "arn:aws:iam::123456789012:role/task"'),
    ),
    "IAM-05": (
        policy('NotAction = ["iam:*"], Resource = "*"'),
        policy('Action = ["s3:GetObject"], Resource = "arn:aws:s3:::a"'),
    ),
    "IAM-06": (
        one(
            "aws_iam_role_policy_attachment",
            'role = "a"\npolicy_arn = "arn:aws:iam::aws:policy/AdministratorAccess"',
        ),
        one(
            "aws_iam_role_policy_attachment",
            'role = "a"\npolicy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"',
        ),
    ),
    "IAM-07": (
        trust('Principal = { AWS = "*" }'),
        trust(
            'Principal = { AWS = "*" }, Condition = { StringEquals = { "aws:PrincipalOrgID" = '
            '"o-1" } }'
        ),
    ),
    "IAM-08": (
        trust('Principal = { AWS = "arn:aws:iam::123456789012:root" }'),
        trust('Principal = { Service = "lambda.amazonaws.com" }'),
    ),
    "IAM-09": (
        trust(
            GITHUB
            + ', Condition = { StringEquals = { "token.actions.githubusercontent.com:aud" = "sts" } }'
        ),
        trust(
            GITHUB
            + ', Condition = { StringLike = { "token.actions.githubusercontent.com:sub" = "repo:a/b:*" } }'
        ),
    ),
    "IAM-10": (
        policy(
            'Principal = "*", Action = "sqs:SendMessage", Resource = "*"', "aws_sqs_queue_policy"
        ),
        policy(
            'Principal = "*", Action = "sqs:SendMessage", Resource = "*", '
            'Condition = { ArnEquals = { "aws:SourceArn" = "arn:aws:sns:x" } }',
            "aws_sqs_queue_policy",
        ),
    ),
    "IAM-11": (
        one("aws_lambda_permission", 'principal = "s3.amazonaws.com"'),
        BUCKET
        + one(
            "aws_lambda_permission",
            'principal = "s3.amazonaws.com"\nsource_arn = aws_s3_bucket.b.arn',
        ),
    ),
    "IAM-12": (one("aws_iam_access_key", 'user = "a"'), one("aws_iam_user", 'name = "a"')),
    "EC2-01": (
        one("aws_instance"),
        one("aws_instance", 'metadata_options {\n  http_tokens = "required"\n}'),
    ),
    "SEC-01": (
        one("aws_lambda_function", 'environment {\n  variables = { DB_PASSWORD = "hunter22" }\n}'),
        'variable "password" {\n  type = string\n}\n'
        + one("aws_db_instance", "password = var.password")
        + one(
            "aws_lambda_function",
            'environment {\n  variables = { DB_SECRET_ARN = "arn:aws:s", TOKEN_TTL = "60" }\n}',
        ),
    ),
    "SEC-02": (
        one("aws_ssm_parameter", 'name = "/app/db_password"\ntype = "String"'),
        one("aws_ssm_parameter", 'name = "/app/db_password"\ntype = "SecureString"'),
    ),
    "ECS-01": (
        one("aws_ecs_task_definition", CONTAINERS % "privileged = true"),
        one("aws_ecs_task_definition", CONTAINERS % "privileged = false"),
    ),
    "ECR-02": (
        one("aws_ecs_task_definition", CONTAINERS % 'image = "nginx:latest"'),
        one(
            "aws_ecs_task_definition",
            CONTAINERS % 'image = "registry.example.com:5000/nginx:1.27.3"',
        )
        + one("aws_lambda_function", 'image_uri = "nginx@sha256:6c3c"')
        + one(
            "aws_apprunner_service", "source_configuration {\n  auto_deployments_enabled = false\n}"
        ),
    ),
    "EDGE-09": (
        one(
            "aws_cloudfront_distribution",
            DISTRIBUTION % ("https-only", "cloudfront_default_certificate = true"),
        ),
        one(
            "aws_cloudfront_distribution",
            DISTRIBUTION % ("https-only", 'acm_certificate_arn = "arn:aws:acm:c"'),
        ),
    ),
    "EKS-01": (
        one("aws_eks_cluster", "vpc_config {\n  subnet_ids = []\n}"),
        one("aws_eks_cluster", 'vpc_config {\n  public_access_cidrs = ["192.0.2.0/24"]\n}'),
    ),
    "EKS-02": (
        one("aws_eks_cluster"),
        one("aws_eks_cluster", 'enabled_cluster_log_types = ["api", "audit"]'),
    ),
    "EKS-03": (
        one("aws_eks_cluster"),
        one("aws_eks_cluster", 'encryption_config {\n  resources = ["secrets"]\n}'),
    ),
    "ECR-01": (
        one("aws_ecr_repository"),
        one(
            "aws_ecr_repository",
            'image_tag_mutability = "IMMUTABLE"\nimage_scanning_configuration {\n  scan_on_push = '
            "true\n}",
        ),
    ),
    "FN-01": (
        one("aws_lambda_function", 'runtime = "python3.7"'),
        one("aws_lambda_function", 'runtime = "python3.12"')
        + one("aws_lambda_function", 'runtime = "nodejs20.x"', "y"),
    ),
    "ECS-02": (
        one("aws_ecs_service", "network_configuration {\n  assign_public_ip = true\n}"),
        one("aws_ecs_service", "network_configuration {\n  assign_public_ip = false\n}"),
    ),
    "COG-01": (
        one("aws_cognito_user_pool"),
        one("aws_cognito_user_pool", 'mfa_configuration = "OPTIONAL"'),
    ),
    "MSK-01": (
        one(
            "aws_msk_cluster",
            'encryption_info {\n  encryption_in_transit {\n    client_broker = "TLS_PLAINTEXT"\n  '
            "}\n}",
        ),
        one("aws_msk_cluster"),
    ),
    "S3-06": (BUCKET, BUCKET + one("aws_s3_bucket_logging", "bucket = aws_s3_bucket.b.id")),
    "IAM-13": (
        one("aws_iam_user_policy_attachment", 'user = "a"\npolicy_arn = "p"'),
        one("aws_iam_group_policy_attachment", 'group = "a"\npolicy_arn = "p"'),
    ),
    "KMS-01": (one("aws_kms_key"), one("aws_kms_key", "enable_key_rotation = true")),
    "LOG-01": (
        one("aws_cloudtrail"),
        one("aws_cloudtrail", "is_multi_region_trail = true\nenable_log_file_validation = true"),
    ),
    "EDGE-07": (
        one("aws_transfer_server", 'protocols = ["FTP"]'),
        one("aws_transfer_server", 'protocols = ["SFTP"]'),
    ),
    "LOG-02": (
        one("aws_guardduty_detector", "enable = false"),
        one("aws_guardduty_detector", "enable = true"),
    ),
    "COG-02": (
        one("aws_cognito_identity_pool", "allow_unauthenticated_identities = true"),
        one("aws_cognito_identity_pool", "allow_unauthenticated_identities = false"),
    ),
    "IAM-14": (
        one("aws_iam_account_password_policy", "minimum_password_length = 6"),
        one("aws_iam_account_password_policy", "minimum_password_length = 14"),
    ),
    "DB-05": (
        one("aws_db_parameter_group", 'parameter {\n  name = "rds.force_ssl"\n  value = "0"\n}'),
        one("aws_db_parameter_group", 'parameter {\n  name = "rds.force_ssl"\n  value = "1"\n}'),
    ),
    "SHARE-01": (
        one("aws_ami_launch_permission", 'group = "all"'),
        one("aws_ami_launch_permission", 'account_id = "123456789012"'),
    ),
    "EDGE-08": (LB, one("aws_lb", 'access_logs {\n  bucket = "logs"\n  enabled = true\n}')),
}
