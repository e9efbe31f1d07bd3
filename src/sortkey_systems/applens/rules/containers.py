"""Rules on containers: their privileges, their network, and their images."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sortkey_systems.applens.resources import Resource, as_list, is_set, is_true, json_of
from sortkey_systems.applens.rules.definition import Hit, Subject, rule

_IMAGES = {
    "aws_lambda_function": "image_uri",
    "aws_apprunner_service": "source_configuration.image_repository.image_identifier",
    "aws_sagemaker_model": "primary_container.image",
}
"""Attributes that name an image, besides container definitions."""
_REPOSITORY = re.compile(r"\$\{[^}]*\brepository_url\}$")


def containers_of(resource: Resource) -> list[dict[str, Any]]:
    """The containers that a resource defines in JSON."""
    definitions = as_list(json_of(resource.get("container_definitions"))) + as_list(
        json_of(resource.get("container_properties"))
    )
    return [container for container in definitions if isinstance(container, dict)]


@rule(
    "ECS-01",
    "Privileged container",
    "E",
    "high",
    why="Whoever breaks out of the software has the host and every container on it.",
    evidence="the task definition",
    fix="Take privileged away; add the single Linux capability that is needed.",
)
def privileged_container(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_ecs_task_definition"):
        if any(is_true(container.get("privileged")) for container in containers_of(resource)):
            yield Hit((resource.address,))


@rule(
    "ECS-02",
    "Containers with public addresses",
    "I",
    "low",
    why="They stand on the internet, guarded only by their security groups.",
    evidence="the service, and its security groups",
    fix="Use private subnets with a NAT gateway or VPC endpoints, and assign_public_ip = false.",
)
def public_containers(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_ecs_service"):
        if is_true(resource.get("network_configuration.assign_public_ip")):
            severity = "high" if resource.address in subject.exposed else None
            yield Hit((resource.address, *subject.estate.groups_of(resource)), severity=severity)


@rule(
    "ECR-01",
    "Image tags can be overwritten, or images are not scanned",
    "T",
    "low",
    why="What was tested may not be what runs, and known flaws are not seen.",
    evidence="the repository",
    fix="Set image_tag_mutability = IMMUTABLE and scan_on_push = true.",
)
def image_repository(subject: Subject) -> Iterator[Hit]:
    registry = any(subject.of("aws_ecr_registry_scanning_configuration"))
    for resource in subject.of("aws_ecr_repository"):
        missing = (
            []
            if str(resource.get("image_tag_mutability", "MUTABLE")).startswith("IMMUTABLE")
            else ["mutable tags"]
        )
        if not registry and not is_set(resource.get("image_scanning_configuration.scan_on_push")):
            missing.append("no scan on push")
        if missing:
            yield Hit((resource.address,), ", ".join(missing))


@rule(
    "ECR-02",
    "Image without a fixed version",
    "T",
    "low",
    why="`latest`, which an image without a tag means too, is another one tomorrow: what was tested is not what runs.",
    evidence="the task definition, job, function, service or model",
    fix="Name a version, or better the digest: name@sha256:….",
)
def moving_image(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_ecs_task_definition", "aws_batch_job_definition", *_IMAGES):
        images = [container.get("image") for container in containers_of(resource)]
        images.append(resource.get(_IMAGES[resource.type]) if resource.type in _IMAGES else None)
        if moving := sorted(
            {image for image in images if isinstance(image, str) and _is_moving(image)}
        ):
            yield Hit((resource.address,), ", ".join(moving))


def _is_moving(image: str) -> bool:
    """Whether an image has the tag `latest` or no tag. A value known only to a plan may have one,
    but a repository address has none.
    """
    last = image.rpartition("/")[2]
    if image.endswith("}"):
        return _REPOSITORY.search(image) is not None
    return bool(last) and "@" not in last and (":" not in last or last.endswith(":latest"))
