"""Comments on versions of assets. Only who wrote one may change or delete it.

A comment names its asset without the database. Where two databases have an asset of that id, the
comment stores which one is meant, and a request says it by `databaseId`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from sortkey import Check, ItemKey, Put, attr
from sortkey.errors import KeyValueError, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.objects import Verb
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.failures import Denied, Invalid, NotThere
from sortkey_systems.vams.model import Asset, Comment, User

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

BODY_CHARACTERS_MAX = 20_000


class CommentValues(BaseModel):
    """What a comment says."""

    commentBody: Annotated[str, Field(min_length=1, max_length=BODY_CHARACTERS_MAX)]
    databaseId: Annotated[str, Field(max_length=256)] | None = None


class Comments:
    """The comments of an installation."""

    def __init__(self, service: Vams) -> None:
        self._now, self._names = service.now, service.asset_names
        self._store, self._access = service.store, service.access

    # -- reads

    def of_asset(
        self,
        caller: Caller,
        asset_id: str,
        version_id: str | None = None,
        database_id: str | None = None,
    ) -> list[Comment]:
        """The comments on an asset, or on one of its versions, oldest first."""
        assets = self._names.visible(caller, asset_id, database_id)
        try:
            query = Comment.of_asset(asset_id=asset_id, asset_version_id=version_id)
        except KeyValueError:
            return []
        rows = [row for row in self._store.query(query) if self._is_about(row, assets)]
        return sorted(rows, key=lambda row: (row.date_created or "", row.comment_id))

    def get(
        self, caller: Caller, asset_id: str, name: str, database_id: str | None = None
    ) -> Comment:
        """A comment by its asset and `version:comment`. Raises NotThere and Denied."""
        assets = self._names.visible(caller, asset_id, database_id)
        found = self._find(asset_id, name)
        if found is None or not self._is_about(found, assets):
            raise NotThere("Comment not found")
        return found

    # -- writes

    def create(self, caller: Caller, asset_id: str, name: str, wanted: CommentValues) -> Comment:
        """A comment under the id that the client made for it."""
        asset = self._names.one(caller, "POST", asset_id, wanted.databaseId)
        version_id, comment_id = _parts(name)
        now = now_text(self._now())
        user = self._store.find(User.key(user_id=caller.user_id))
        comment = Comment(
            asset_id=asset_id,
            asset_version_id=version_id,
            comment_id=comment_id,
            comment_body=wanted.commentBody,
            database_id=asset.database_id,
            comment_owner_id=caller.user_id,
            comment_owner_username=(user and user.email) or caller.user_id,
            date_created=now,
            date_edited=now,
        )
        if self._find(asset_id, name) is not None:
            raise Invalid("a comment of this id already exists")
        self._transact(asset, Put(comment, "create"))
        self._record(caller, "comment.create", comment)
        return comment

    def change(self, caller: Caller, asset_id: str, name: str, wanted: CommentValues) -> Comment:
        """Change what one's comment says."""
        found, asset = self._own(caller, asset_id, name, wanted.databaseId, "PUT")
        edited = now_text(self._now())
        changed = found.changed(comment_body=wanted.commentBody, date_edited=edited)
        self._transact(asset, Put(changed, when=attr(Comment.comment_body).exists()))
        self._record(caller, "comment.update", changed)
        return changed

    def delete(
        self, caller: Caller, asset_id: str, name: str, database_id: str | None = None
    ) -> None:
        """Delete one's comment."""
        found, _ = self._own(caller, asset_id, name, database_id, "DELETE")
        self._store.delete(found)
        self._record(caller, "comment.delete", found)

    def remove_all(self, asset: Asset) -> None:
        """Delete the comments on an asset that is deleted for good. It asks for no permission."""
        rows = self._store.query(Comment.of_asset(asset_id=asset.asset_id))
        gone = [row for row in rows if row.database_id == asset.database_id]
        if not self._names.is_shared(asset):
            gone = rows
        self._store.batch_write(deletes=[ItemKey.of_entity(row) for row in gone])

    # --

    def _own(
        self, caller: Caller, asset_id: str, name: str, database_id: str | None, verb: Verb
    ) -> tuple[Comment, Asset]:
        """A comment of the caller, with its asset."""
        found = self._find(asset_id, name)
        known = found.database_id if found is not None else None
        asset = self._names.one(caller, verb, asset_id, database_id or known)
        if found is None or not self._is_about(found, [asset]):
            raise NotThere("Comment not found")
        if found.comment_owner_id != caller.user_id:
            subject = f"comment/{asset_id}/{name}"
            audit = self._access.audit
            audit.record("AUTHORIZATION", caller, "denied", subject, is_denied=True, verb=verb)
            raise Denied
        return found, asset

    def _find(self, asset_id: str, name: str) -> Comment | None:
        version_id, comment_id = _parts(name)
        key = Comment.key(asset_id=asset_id, asset_version_id=version_id, comment_id=comment_id)
        return self._store.find(key, consistent=True)

    def _is_about(self, comment: Comment, assets: Sequence[Asset]) -> bool:
        """Whether a comment is on one of the assets. One without a database is on every asset of
        its id.
        """
        databases = {asset.database_id for asset in assets}
        return comment.database_id is None or comment.database_id in databases

    def _transact(self, asset: Asset, write: Put[Comment]) -> None:
        """Write a comment unless its asset is gone."""
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        try:
            self._store.transact(write, Check(key, attr(Asset.asset_name).exists()))
        except TransactionFailed:
            raise NotThere("the asset or the comment was changed meanwhile: try again") from None

    def _record(self, caller: Caller, action: str, comment: Comment) -> None:
        name = f"{comment.asset_version_id}:{comment.comment_id}"
        subject = f"comment/{comment.asset_id}/{name}"
        self._access.audit.record("ACTIONS", caller, action, subject)


def comment_answer(comment: Comment) -> dict[str, Any]:
    """A comment as clients read it."""
    return {
        "assetId": comment.asset_id,
        "assetVersionId:commentId": f"{comment.asset_version_id}:{comment.comment_id}",
        "commentBody": comment.comment_body,
        "commentOwnerID": comment.comment_owner_id or "",
        "commentOwnerUsername": comment.comment_owner_username or "",
        "dateCreated": comment.date_created or "",
        "dateEdited": comment.date_edited or "",
    }


def _parts(name: str) -> tuple[str, str]:
    """The version and the comment of `3:comment-02`. Raises Invalid."""
    version_id, colon, comment_id = name.partition(":")
    parts = (version_id, comment_id)
    if not colon or any(not part or len(part) > 256 or {":", "#"} & {*part} for part in parts):
        raise Invalid("name a comment by its version and its id, as 3:comment-02")
    return parts
