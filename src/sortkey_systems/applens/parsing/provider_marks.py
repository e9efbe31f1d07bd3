"""Attributes that providers declare as sensitive. Plans of old versions and many states do not mark
them.
"""

from __future__ import annotations

SENSITIVE_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "aws_acm_certificate": ("private_key",),
    "aws_api_gateway_api_key": ("value",),
    "aws_cognito_user_pool_client": ("client_secret",),
    "aws_db_instance": ("password",),
    "aws_docdb_cluster": ("master_password",),
    "aws_ecr_authorization_token": ("authorization_token", "password"),
    "aws_eks_cluster_auth": ("token",),
    "aws_elasticache_replication_group": ("auth_token",),
    "aws_iam_access_key": ("secret", "ses_smtp_password_v4"),
    "aws_iam_user_login_profile": ("password",),
    "aws_key_pair": ("private_key",),
    "aws_lightsail_key_pair": ("private_key",),
    "aws_rds_cluster": ("master_password",),
    "aws_redshift_cluster": ("master_password",),
    "aws_secretsmanager_random_password": ("random_password",),
    "aws_secretsmanager_secret_version": ("secret_string", "secret_binary", "secret_string_wo"),
    "aws_ssm_parameter": ("value", "value_wo"),
    "azuread_application_password": ("value",),
    "azurerm_key_vault_secret": ("value",),
    "azurerm_storage_account": (
        "primary_access_key",
        "secondary_access_key",
        "primary_connection_string",
    ),
    "cloudflare_api_token": ("value",),
    "google_secret_manager_secret_version": ("secret_data",),
    "google_service_account_key": ("private_key",),
    "google_sql_user": ("password",),
    "kubernetes_secret": ("data", "binary_data"),
    "kubernetes_secret_v1": ("data", "binary_data"),
    "random_bytes": ("base64", "hex"),
    "random_password": ("result", "bcrypt_hash"),
    "tls_private_key": ("private_key_pem", "private_key_openssh", "private_key_pem_pkcs8"),
    "vault_generic_secret": ("data", "data_json"),
    "vault_kv_secret_v2": ("data", "data_json"),
}
"""By type, of resources and data sources alike."""
