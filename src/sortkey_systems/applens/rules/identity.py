"""Rules on IAM: what policies allow, whom roles trust, what is open to other accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sortkey_systems.applens.exposure import is_for_anyone
from sortkey_systems.applens.policies import (
    IDENTITY,
    RESOURCE,
    Statement,
    identity_statements,
    resource_statements,
    trust_statements,
)
from sortkey_systems.applens.resources import Resource, as_list
from sortkey_systems.applens.rules.definition import Hit, Subject, rule

_READS = re.compile(
    r"^[\w-]+:(Get|List|Describe|BatchGet|Head|Lookup|Search|Select|View|Check)[\w*]*$"
)
_ACCOUNT_WIDE = re.compile(
    r"^(logs:(Create|Put|Update|Delete)Log\w*|logs:\w*LogDelivery|logs:PutResourcePolicy|xray:Put\w+|cloudwatch:PutMetricData"
    r"|ecr:GetAuthorizationToken|ec2:(Create|Delete|Attach|Detach|Modify|Assign|Unassign)\w*(NetworkInterface|PrivateIp)\w*"
    r"|ssmmessages:\w+|ec2messages:\w+|ssm:UpdateInstanceInformation|sts:(GetCallerIdentity|DecodeAuthorizationMessage)"
    r"|kms:(CreateKey|ListKeys|GenerateRandom)|s3:ListAllMyBuckets|route53:ChangeResourceRecordSets|elasticloadbalancing:\w+)"
)
_ADMIN = re.compile(r":policy/(AdministratorAccess|IAMFullAccess|PowerUserAccess)$")
_ATTACHMENTS = (
    *(f"aws_iam_{whom}policy_attachment" for whom in ("role_", "user_", "group_", "")),
    *(f"aws_iam_{whom}_policy_attachments_exclusive" for whom in ("role", "user", "group")),
    "aws_ssoadmin_managed_policy_attachment",
)
_POLICIES = ("policy_arn", "policy_arns", "managed_policy_arn")
_ALL = ("*", "*:*")
_WIDE = re.compile(
    r"^(\*|arn:aws[\w-]*:s3:::\*(/\*)?|arn:aws[\w-]*:(?!s3:|logs:)[\w*-]+:[^:]*:[^:]*:(\*|[a-z-]+[/:]\*))$"
)
_PASSED = {"iam:PassRole", "iam:*", "iam:Pass*"}
_ESCALATING = {
    *(
        "iam:AttachRolePolicy",
        "iam:PutRolePolicy",
        "iam:CreatePolicyVersion",
        "iam:CreateAccessKey",
    ),
    *("iam:AttachUserPolicy", "iam:PutUserPolicy", "iam:UpdateAssumeRolePolicy", "sts:AssumeRole"),
}

_CANONICAL = {name.lower(): name for name in _PASSED | _ESCALATING}
"""IAM does not look at the case of actions."""


def _allowed(subject: Subject) -> Iterator[tuple[Resource, Statement]]:
    for holder in subject.of(*IDENTITY):
        for statement in identity_statements(holder):
            if statement.allows:
                yield holder, statement


def _is_admin(statement: Statement) -> bool:
    return "*" in statement.resources and any(action in _ALL for action in statement.actions)


def _is_wide(statement: Statement) -> bool:
    """Whether a resource pattern covers everything of a kind: `*`, `arn:aws:s3:::*`,
    `arn:aws:iam::123456789012:role/*`.
    """
    return any(_WIDE.match(resource) for resource in statement.resources)


@rule(
    "IAM-01",
    "Policy allows everything",
    "E",
    "critical",
    why="Whoever gets hold of these rights has the account.",
    evidence="the policy or role",
    fix="Name the actions and the resources that are needed.",
)
def allows_everything(subject: Subject) -> Iterator[Hit]:
    yield from _once(
        (holder, "") for holder, statement in _allowed(subject) if _is_admin(statement)
    )


@rule(
    "IAM-02",
    "Policy allows all actions of a service",
    "E",
    "medium",
    why="With the actions that are needed come those that delete, share and open.",
    evidence="the policy or role",
    fix="Name the actions that the application calls.",
)
def wildcard_actions(subject: Subject) -> Iterator[Hit]:
    for holder, statement in _allowed(subject):
        wide = sorted(
            action
            for action in statement.actions
            if action in _ALL or re.fullmatch(r"[\w-]+:\*", action)
        )
        if wide and not _is_admin(statement):
            yield Hit((holder.address,), ", ".join(wide), "high" if _is_wide(statement) else None)


@rule(
    "IAM-03",
    "Policy allows changes to all resources",
    "E",
    "medium",
    why="The role can touch what belongs to others. Actions that AWS has only for the whole account do not count.",
    evidence="the policy or role",
    fix="Name the resources by their ARNs.",
)
def wildcard_resources(subject: Subject) -> Iterator[Hit]:
    for holder, statement in _allowed(subject):
        if not _is_wide(statement) or statement.conditions:
            continue
        named_actions = [
            action
            for action in statement.actions
            if not re.fullmatch(r"\*|\*:\*|[\w-]+:\*", action)
        ]
        changing = sorted(
            a
            for a in named_actions
            if not (_READS.match(a) or _ACCOUNT_WIDE.match(a) or a.lower() in _CANONICAL)
        )
        sensitive = [
            a
            for a in named_actions
            if a.startswith(("secretsmanager:Get", "s3:Get", "dynamodb:", "ssm:GetParam"))
        ]
        if changing or sensitive:
            yield Hit((holder.address,), ", ".join(changing or sensitive))


@rule(
    "IAM-04",
    "Policy allows a way to higher rights",
    "E",
    "high",
    why="Passing any role to a service, or changing policies, gives every right in the account.",
    evidence="the policy or role",
    fix="Restrict to the ARNs of the roles that are meant, and add iam:PassedToService.",
)
def escalation(subject: Subject) -> Iterator[Hit]:
    for holder, statement in _allowed(subject):
        actions = sorted(
            _CANONICAL[name.lower()]
            for name in set(statement.actions)
            if name.lower() in _CANONICAL
        )
        limited = "iam:passedtoservice" in statement.condition_keys() and set(actions) <= _PASSED
        if actions and _is_wide(statement) and not limited:
            yield Hit((holder.address,), ", ".join(actions))


@rule(
    "IAM-05",
    "Everything but what is named is allowed",
    "E",
    "high",
    why="NotAction and NotResource with Allow also allow whatever AWS adds tomorrow.",
    evidence="the policy or role",
    fix="Name what is allowed.",
)
def everything_but(subject: Subject) -> Iterator[Hit]:
    yield from _once(
        (holder, "")
        for holder, statement in _allowed(subject)
        if statement.everything_but and not statement.conditions
    )


@rule(
    "IAM-06",
    "Administrator policy attached",
    "E",
    "high",
    why="A managed policy of AWS that gives the whole account, to a role, user, group or permission set.",
    evidence="the attachment, and whom it is attached to",
    fix="Attach a policy with what is needed.",
)
def managed_admin(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of(*_ATTACHMENTS):
        if admin := [arn for arn in _attached(subject, resource) if _ADMIN.search(arn)]:
            whom = [link.address for link in resource.links if link.path not in _POLICIES]
            yield Hit((resource.address, *whom), ", ".join(admin))
    for role in subject.of("aws_iam_role"):
        if any(_ADMIN.search(str(arn)) for arn in as_list(role.get("managed_policy_arns"))):
            yield Hit((role.address,))


def _attached(subject: Subject, attachment: Resource) -> Iterator[str]:
    """The ARNs of the policies. A policy that is looked up by name counts by that name."""
    for path in _POLICIES:
        looked_up = [
            target
            for target in subject.estate.targets(attachment, path, "aws_iam_policy")
            if target.mode == "data"
        ]
        yield from (
            str(policy.get("arn") or f"arn:aws:iam::aws:policy/{policy.get('name')}")
            for policy in looked_up
        )
        yield from (str(arn) for arn in as_list(attachment.get(path)))


@rule(
    "IAM-07",
    "Role trusts anyone",
    "S",
    "critical",
    why="Any AWS account in the world can take on the role.",
    evidence="the role",
    fix="Name the principal, or a condition on the organisation.",
)
def trusts_anyone(subject: Subject) -> Iterator[Hit]:
    roles = subject.of("aws_iam_role")
    yield from _once(
        (role, "")
        for role in roles
        if any(is_for_anyone(statement) for statement in trust_statements(role))
    )


@rule(
    "IAM-08",
    "Role trusts another account without a condition",
    "S",
    "low",
    why="A third party that serves many customers can be tricked into using the role for another (confused deputy).",
    evidence="the role",
    fix="Ask for sts:ExternalId, or for the organisation with aws:PrincipalOrgID.",
    confidence="medium",
)
def trusts_account(subject: Subject) -> Iterator[Hit]:
    for role in subject.of("aws_iam_role"):
        for statement in trust_statements(role):
            whole = [
                who
                for kind, who in statement.principals
                if kind == "AWS" and re.search(r"\d{12}(:root)?$", who)
            ]
            if statement.allows and whole and not statement.conditions:
                yield Hit((role.address,), ", ".join(whole))
                break


@rule(
    "IAM-09",
    "Role trusts every repository of an identity provider",
    "S",
    "high",
    why="Without a condition on the subject, any pipeline of GitHub or GitLab can take on the role.",
    evidence="the role",
    fix="Add a condition on the provider's `sub`, as repo:organisation/repository:ref:refs/heads/main.",
)
def trusts_any_pipeline(subject: Subject) -> Iterator[Hit]:
    for role in subject.of("aws_iam_role"):
        for statement in trust_statements(role):
            federated = [who for kind, who in statement.principals if kind == "Federated"]
            pipeline = any(re.search(r"github|gitlab|bitbucket|circleci", who) for who in federated)
            subjects = [
                v
                for _, key, values in statement.conditions
                if key.lower().endswith(":sub")
                for v in values
            ]
            if (
                statement.allows
                and pipeline
                and (not subjects or "*" in subjects or "repo:*" in subjects)
            ):
                yield Hit((role.address,))
                break


@rule(
    "IAM-10",
    "Resource policy allows anyone",
    "I",
    "high",
    why="A queue, topic, key, repository or secret that any AWS account can use.",
    evidence="the policy, and what it is on",
    fix=(
        "Name the principals.",
        "For services, add a condition on aws:SourceArn or aws:SourceAccount.",
    ),
)
def open_resource_policy(subject: Subject) -> Iterator[Hit]:
    elsewhere = {"aws_s3_bucket", "aws_s3_bucket_policy"}  # S3-01, which knows of access blocks
    elsewhere |= {
        f"aws_{name}_domain{part}"
        for name in ("opensearch", "elasticsearch")
        for part in ("", "_policy")
    }
    for resource in subject.of(*sorted(set(RESOURCE) - elsewhere)):
        if any(is_for_anyone(statement) for statement in resource_statements(resource)):
            on = (
                [link.address for link in resource.links if link.path != "policy"]
                if resource.type.endswith("_policy")
                else []
            )
            yield Hit((resource.address, *on))


@rule(
    "IAM-11",
    "Function may be invoked from other accounts",
    "S",
    "medium",
    why="Without source_arn, a service invokes the function for a bucket or API of any other account. "
    "The principal * is not a service: it is anyone with an AWS account.",
    evidence="the permission and the function",
    fix=(
        "Set source_arn, or source_account.",
        "Instead of the principal *, name an account or a service.",
    ),
)
def permission_without_source(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_lambda_permission"):
        principal = str(resource.get("principal", ""))
        anyone = principal == "*"
        limits = ("source_arn", "source_account", "principal_org_id", "function_url_auth_type")
        if (anyone or principal.endswith("amazonaws.com")) and not any(
            resource.get(name) for name in limits
        ):
            who = "anyone with an AWS account" if anyone else principal
            yield Hit(
                (resource.address, *resource.targets("function_name")),
                who,
                "high" if anyone else None,
            )


@rule(
    "IAM-12",
    "Long-lived access key",
    "S",
    "medium",
    why="The key lies in Terraform's state and never expires.",
    evidence="the key and the user",
    fix="Use a role: IAM Identity Center for people, OIDC for pipelines.",
)
def access_key(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_iam_access_key"):
        yield Hit((resource.address, *resource.targets("user")))


@rule(
    "IAM-13",
    "Rights given to a user directly",
    "E",
    "low",
    why="Rights of single users are forgotten when people move on.",
    evidence="the policy or attachment, and the user",
    fix="Give rights to groups or, better, to roles of IAM Identity Center.",
)
def user_policy(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_iam_user_policy", "aws_iam_user_policy_attachment"):
        yield Hit((resource.address, *resource.targets("user")))


@rule(
    "IAM-14",
    "Weak rules for passwords of users",
    "S",
    "medium",
    why="Short passwords are guessed.",
    evidence="the password policy",
    fix="Set minimum_password_length to 14 or more; better, let people log in through IAM Identity Center.",
)
def weak_passwords(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_iam_account_password_policy"):
        length = resource.get("minimum_password_length", 6)
        if str(length).isdigit() and int(length) < 8:
            yield Hit((resource.address,), f"{length} characters")


def _once(hits: Iterator[tuple[Resource, str]]) -> Iterator[Hit]:
    for address in dict.fromkeys(holder.address for holder, _ in hits):
        yield Hit((address,))
