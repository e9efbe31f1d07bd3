"""What clients send: the body of a create, checked. Fields that are not known are ignored, as every
client expects.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from sortkey_systems.wallcrawler.settings import Region

METADATA_CHARACTERS_MAX = 512
DOMAINS_MAX = 100
PROXIES_MAX = 20
VIEWPORT_MAX = 10_000

Text = Annotated[str, Field(max_length=2048)]


class Wanted(BaseModel):
    """A part of a request."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")


class ViewportWanted(Wanted):
    """The size of pages in CSS pixels."""

    width: int = Field(ge=1, le=VIEWPORT_MAX)
    height: int = Field(ge=1, le=VIEWPORT_MAX)


class ContextWanted(Wanted):
    """The context whose profile the browser begins with, and whether its profile is stored at the
    end.
    """

    id: Text
    persist: bool = False


class ProxyWanted(Wanted):
    """One rule of how requests leave."""

    type: Literal["browserbase", "external", "none"]
    domain_pattern: Text | None = None
    server: Text | None = None
    username: Text | None = Field(default=None, repr=False)
    password: Text | None = Field(default=None, repr=False)
    geolocation: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _can_be_done(self) -> ProxyWanted:
        if self.type == "browserbase" or self.geolocation:
            raise ValueError(
                "proxies of the service, with a geolocation, are not offered: name an external one"
            )
        if self.type == "external" and not self.server:
            raise ValueError("an external proxy needs a server, as http://proxy.example.com:3128")
        return self


class BrowserWanted(Wanted):
    """The settings of the browser. What cannot be done is accepted and has no effect; the log says
    so.
    """

    context: ContextWanted | None = None
    extension_id: Text | None = None
    viewport: ViewportWanted | None = None
    record_session: bool = True
    log_session: bool = True
    ignore_certificate_errors: bool = False
    allowed_domains: Annotated[list[Text], Field(max_length=DOMAINS_MAX)] = []
    block_ads: bool = False
    solve_captchas: bool = False
    verified: bool = False
    advanced_stealth: bool = False

    @property
    def without_effect(self) -> list[str]:
        """What was asked for and is not done."""
        wishes = ("block_ads", "solve_captchas", "verified", "advanced_stealth")
        return [to_camel(name) for name in wishes if getattr(self, name)]


class CreateRequest(Wanted):
    """The body of POST /v1/sessions."""

    project_id: Text | None = None
    timeout: int | None = Field(
        default=None, description="Seconds; the project's default without it"
    )
    keep_alive: bool = False
    region: Region | None = None
    user_metadata: dict[str, Any] | None = None
    extension_id: Text | None = None
    proxies: bool | Annotated[list[ProxyWanted], Field(max_length=PROXIES_MAX)] | None = None
    browser_settings: BrowserWanted | None = None

    @field_validator("user_metadata")
    @classmethod
    def _is_short(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if (
            value is not None
            and len(json.dumps(value, ensure_ascii=False)) > METADATA_CHARACTERS_MAX
        ):
            raise ValueError(
                f"user metadata has at most {METADATA_CHARACTERS_MAX} characters as JSON"
            )
        return value

    @field_validator("proxies")
    @classmethod
    def _are_named(cls, value: Any) -> Any:
        if value is True:
            raise ValueError("the service has no proxies: name external ones, with their servers")
        return value

    @property
    def browser(self) -> BrowserWanted:
        return self.browser_settings or BrowserWanted()

    @property
    def extension(self) -> str | None:
        return self.extension_id or self.browser.extension_id

    @property
    def proxy_rules(self) -> list[ProxyWanted]:
        return self.proxies if isinstance(self.proxies, list) else []


class ReleaseRequest(Wanted):
    """The body of POST /v1/sessions/{id}."""

    status: Literal["REQUEST_RELEASE"]
    project_id: Text | None = None


class ContextRequest(Wanted):
    """The body of POST /v1/contexts."""

    project_id: Text | None = None
    name: Annotated[str, Field(max_length=256)] | None = None

    @field_validator("name")
    @classmethod
    def _trimmed(cls, value: str | None) -> str | None:
        return (value.strip() or None) if value is not None else None
