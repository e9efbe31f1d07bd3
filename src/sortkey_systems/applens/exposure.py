"""What the internet can reach directly, by a resource's own settings and its security groups.

This defines `internetExposedCount`. docs/applens.md is generated from the docstrings of the table.
"""

from __future__ import annotations

from collections.abc import Callable

from sortkey_systems.applens import policies
from sortkey_systems.applens.estate import Estate, is_world
from sortkey_systems.applens.resources import Resource, as_list, is_false, is_true

Test = Callable[[Estate, Resource], bool]


def is_exposed(estate: Estate, resource: Resource) -> bool:
    """Whether a resource accepts requests from the internet."""
    test = EXPOSED.get(resource.type)
    return resource.mode == "managed" and test is not None and test(estate, resource)


def is_public_bucket(estate: Estate, bucket: Resource) -> bool:
    """Anyone may read or write, and no public access block prevents it."""
    return bool(public_bucket_evidence(estate, bucket))


def public_bucket_evidence(estate: Estate, bucket: Resource) -> list[str]:
    """Addresses that open a bucket to anyone; none where it is blocked."""
    blocks = [
        *estate.parts(bucket, "aws_s3_bucket_public_access_block"),
        *estate.of("aws_s3_account_public_access_block"),
    ]
    evidence: list[str] = []
    if not any(is_true(block.get("ignore_public_acls")) for block in blocks):
        acls = [bucket, *estate.parts(bucket, "aws_s3_bucket_acl")]
        evidence += [acl.address for acl in acls if _is_public_acl(acl)]
    if not any(is_true(block.get("restrict_public_buckets")) for block in blocks):
        holders = [bucket, *estate.parts(bucket, "aws_s3_bucket_policy")]
        evidence += [
            holder.address
            for holder in holders
            if any(map(is_for_anyone, policies.resource_statements(holder)))
        ]
    objects = [part for kind in OBJECTS for part in estate.parts(bucket, kind)]
    if not any(is_true(block.get("ignore_public_acls")) for block in blocks):
        evidence += [stored.address for stored in objects if _is_public_acl(stored)]
    return sorted(set(evidence))


OBJECTS = ("aws_s3_object", "aws_s3_bucket_object", "aws_s3_object_copy")
_EVERYONE = ("/groups/global/AllUsers", "/groups/global/AuthenticatedUsers")


def _is_public_acl(holder: Resource) -> bool:
    """By a canned ACL or by its grants. "authenticated" means every AWS account in the world."""
    grants = [*holder.blocks("access_control_policy.grant.grantee"), *holder.blocks("grant")]
    is_canned = str(holder.get("acl")).startswith(("public-", "authenticated-read"))
    return is_canned or any(str(grant.get("uri")).endswith(_EVERYONE) for grant in grants)


LIMITING = (
    *(
        "aws:sourceip",
        "aws:sourcevpc",
        "aws:sourcevpce",
        "aws:sourcearn",
        "aws:sourceaccount",
        "aws:principal",
    ),
    *("aws:sourceowner", "aws:sourceorgid", "kms:calleraccount", "kms:viaservice", "aws:userid"),
    *("elasticfilesystem:accessedviamounttarget", "sns:endpoint"),
)
"""Condition keys that restrict the caller or the source address."""


def is_for_anyone(statement: policies.Statement) -> bool:
    """Allowed to anyone, without a condition on the caller or the source address."""
    return (
        statement.allows
        and statement.anyone
        and not any(_limits(*condition) for condition in statement.conditions)
    )


def _limits(test: str, key: str, values: tuple[str, ...]) -> bool:
    """Whether a condition excludes anyone. One that names all addresses, or negates a few, does
    not.
    """
    if "Not" in test or not key.lower().startswith(LIMITING):
        return False
    return not any(value == "*" or is_world(value) for value in values)


def _load_balancer(estate: Estate, lb: Resource) -> bool:
    """A load balancer that is not internal, unless its security groups let nobody in from the
    internet
    """
    if is_true(lb.get("internal")) or lb.get("load_balancer_type") == "gateway":
        return False
    return estate.open_to_world(lb, when_unknown=True)


def _instance(estate: Estate, instance: Resource) -> bool:
    """An instance with a public address and a security group that lets the internet in"""
    public = is_true(instance.get("associate_public_ip_address")) or any(
        is_true(block.get("associate_public_ip_address"))
        for block in instance.blocks("network_interface")
    )
    public = public or any(
        estate.parts(instance, kind) for kind in ("aws_eip", "aws_eip_association")
    )
    if not public and not is_false(instance.get("associate_public_ip_address")):
        subnets = estate.targets(instance, "subnet_id", "aws_subnet")
        public = any(is_true(subnet.get("map_public_ip_on_launch")) for subnet in subnets)
    return public and estate.open_to_world(instance, when_unknown=False)


def _ecs_service(estate: Estate, service: Resource) -> bool:
    """A service whose tasks have public addresses and a security group that lets the internet in"""
    public = is_true(service.get("network_configuration.assign_public_ip"))
    return public and estate.open_to_world(service, when_unknown=False)


def _publicly_accessible(estate: Estate, resource: Resource) -> bool:
    """`publicly_accessible` is true, and a security group lets the internet in or none is known"""
    return is_true(resource.get("publicly_accessible")) and estate.open_to_world(
        resource, when_unknown=True
    )


def _rest_api(estate: Estate, api: Resource) -> bool:
    """A REST API that is not PRIVATE"""
    return "PRIVATE" not in as_list(api.get("endpoint_configuration.types"))


def _always(estate: Estate, resource: Resource) -> bool:
    """Always: it is an address on the internet, whoever may call it"""
    return True


def _graphql(estate: Estate, api: Resource) -> bool:
    """A GraphQL API that is not PRIVATE"""
    return api.get("visibility") != "PRIVATE"


def _search_domain(estate: Estate, domain: Resource) -> bool:
    """A domain outside of a VPC"""
    return not domain.blocks("vpc_options")


def _eks(estate: Estate, cluster: Resource) -> bool:
    """A cluster whose API endpoint is public (the default) and open to all addresses"""
    if is_false(cluster.get("vpc_config.endpoint_public_access")):
        return False
    cidrs = as_list(cluster.get("vpc_config.public_access_cidrs"))
    return not cidrs or any(is_world(cidr) for cidr in cidrs)


def _transfer(estate: Estate, server: Resource) -> bool:
    """A server with a public endpoint, which is the default"""
    return server.get("endpoint_type", "PUBLIC") == "PUBLIC"


def _apprunner(estate: Estate, service: Resource) -> bool:
    """A service that is publicly accessible, which is the default"""
    return not is_false(
        service.get("network_configuration.ingress_configuration.is_publicly_accessible")
    )


def _bucket(estate: Estate, bucket: Resource) -> bool:
    """A bucket that an ACL or a policy opens to anyone, and that no public access block closes"""
    return is_public_bucket(estate, bucket)


EXPOSED: dict[str, Test] = {
    "aws_lb": _load_balancer,
    "aws_alb": _load_balancer,
    "aws_elb": _load_balancer,
    "aws_instance": _instance,
    "aws_ecs_service": _ecs_service,
    "aws_api_gateway_rest_api": _rest_api,
    "aws_apigatewayv2_api": _always,
    "aws_lambda_function_url": _always,
    "aws_cloudfront_distribution": _always,
    "aws_globalaccelerator_accelerator": _always,
    "aws_amplify_app": _always,
    "aws_appsync_graphql_api": _graphql,
    "aws_apprunner_service": _apprunner,
    "aws_s3_bucket": _bucket,
    "aws_db_instance": _publicly_accessible,
    "aws_rds_cluster_instance": _publicly_accessible,
    "aws_neptune_cluster_instance": _publicly_accessible,
    "aws_redshift_cluster": _publicly_accessible,
    "aws_redshiftserverless_workgroup": _publicly_accessible,
    "aws_mq_broker": _publicly_accessible,
    "aws_dms_replication_instance": _publicly_accessible,
    "aws_opensearch_domain": _search_domain,
    "aws_elasticsearch_domain": _search_domain,
    "aws_eks_cluster": _eks,
    "aws_transfer_server": _transfer,
}
