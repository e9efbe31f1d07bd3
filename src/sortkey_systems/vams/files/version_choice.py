"""Which version of a file a request means: an object version, or a version of the asset by id or
alias.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.vams.failures import Invalid


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """At most one of them; none means the file as it is today."""

    version_id: str | None = None
    asset_version_id: str | None = None
    asset_version_alias: str | None = None

    def check(self) -> None:
        """Raises Invalid if more than one is given."""
        given = (self.version_id, self.asset_version_id, self.asset_version_alias)
        if sum(bool(each) for each in given) > 1:
            raise Invalid("give only one of versionId, assetVersionId and assetVersionIdAlias")

    @property
    def names_asset_version(self) -> bool:
        """Whether a version of the asset is meant."""
        return bool(self.asset_version_id or self.asset_version_alias)
