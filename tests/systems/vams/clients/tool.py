"""A command line tool of a stranger, walking as the published one does: it asks for the version and
the configuration, signs in through Amazon's SDK, and sends the bodies that tool sends.

It imports nothing of the product.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import boto3
import httpx
from botocore import UNSIGNED
from botocore.config import Config

Json = dict[str, Any]
TRIES_MAX = 3
THROTTLES_MAX = 5
PART_BYTES = 150 * 1024 * 1024
ENDPOINT_VARIABLE = "AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER"


class Failed(Exception):
    """The tool ends with 1 and prints the message of the server."""

    def __init__(self, status: int, message: str, body: Any = None) -> None:
        super().__init__(f"{status} {message}")
        self.status, self.message, self.body = status, message, body


class Tool:
    """One profile of the tool, stored in a folder."""

    def __init__(self, folder: Path, timeout: float = 30) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.http = httpx.Client(timeout=timeout)
        self.config: Json = {}
        self.tokens: Json = {}
        self.user_id = ""
        self.is_password_login = False

    # -- the beginning

    def setup(self, url: str) -> str:
        """`setup URL`: gives the version of the server."""
        base = url.rstrip("/")
        version = self.http.get(f"{base}/api/version").raise_for_status().json()["version"]
        major, minor = (int(part) for part in version.split(".")[:2])
        if (major, minor) < (2, 2):
            raise Failed(0, f"the server is too old: {version}")
        self.config = self.http.get(f"{base}/api/amplify-config").raise_for_status().json()
        assert self.config["api"].startswith(("http://", "https://"))
        (self.folder / "config.json").write_text(json.dumps({**self.config, "version": version}))
        return version

    def _cognito(self) -> Any:
        """Its address is in the environment, as the only thing that a user sets."""
        settings = Config(signature_version=UNSIGNED, retries={"max_attempts": 1})
        region = self.config["region"]
        return boto3.client("cognito-idp", region_name=region, config=settings)

    def login(self, user_id: str, password: str, new_password: str | None = None) -> None:
        """`auth login`: by password. A temporary one is replaced."""
        cognito = self._cognito()
        answer = cognito.initiate_auth(
            ClientId=self.config["cognitoAppClientId"],
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": user_id, "PASSWORD": password},
        )
        if answer.get("ChallengeName") == "NEW_PASSWORD_REQUIRED":
            assert new_password is not None
            answer = cognito.respond_to_auth_challenge(
                ClientId=self.config["cognitoAppClientId"],
                ChallengeName=answer["ChallengeName"],
                ChallengeResponses={"NEW_PASSWORD": new_password},
                Session=answer["Session"],
            )
        self.is_password_login = True
        self._signed_in(user_id, answer["AuthenticationResult"])

    def login_with_token(self, user_id: str, token: str) -> None:
        """`auth login --token-override`: a token or an API key is stored as it is."""
        self.is_password_login = False
        self._signed_in(user_id, {"AccessToken": token})

    def _signed_in(self, user_id: str, result: Json) -> None:
        self.user_id = user_id
        self.tokens = {**self.tokens, **result}
        (self.folder / "auth_profile.json").write_text(json.dumps(self.tokens))
        profile = self.get(f"/auth/loginProfile/{user_id}")["message"]["Items"][0]
        assert profile["userId"] == user_id
        self.features = self.get("/secure-config")["featuresEnabled"].split(",")

    def refresh(self) -> None:
        """After 401 and 403 of a password login."""
        answer = self._cognito().initiate_auth(
            ClientId=self.config["cognitoAppClientId"],
            AuthFlow="REFRESH_TOKEN_AUTH",
            AuthParameters={"REFRESH_TOKEN": self.tokens["RefreshToken"]},
        )
        assert "RefreshToken" not in answer["AuthenticationResult"]
        self.tokens |= answer["AuthenticationResult"]

    # -- calls

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """A call with the JSON content type, with or without a body."""
        refreshes = throttles = 0
        while True:
            response = self.http.request(
                method,
                self.config["api"].rstrip("/") + path,
                params={name: value for name, value in query.items() if value is not None},
                content=None if body is None else json.dumps(body),
                headers={
                    "Authorization": f"Bearer {self.tokens['AccessToken']}",
                    "Content-Type": "application/json",
                },
            )
            if response.status_code == 429 and throttles < THROTTLES_MAX:
                throttles += 1
                time.sleep(float(response.headers["Retry-After"]))
            elif (
                response.status_code in (401, 403)
                and self.is_password_login
                and refreshes < TRIES_MAX
            ):
                refreshes += 1
                self.refresh()
            else:
                return _answer(response)

    def get(self, path: str, **query: Any) -> Any:
        return self.call("GET", path, **query)

    def post(self, path: str, body: Any = None) -> Any:
        return self.call("POST", path, body)

    def put(self, path: str, body: Any = None) -> Any:
        return self.call("PUT", path, body)

    def delete(self, path: str, body: Any = None) -> Any:
        return self.call("DELETE", path, body)

    def pages(self, path: str, field: str = "Items", **query: Any) -> Iterator[Json]:
        """`--auto-paginate`."""
        token: str | None = None
        while True:
            page = self.get(path, **query, startingToken=token)
            page = page["message"] if isinstance(page.get("message"), dict) else page
            yield from page[field]
            token = page.get("NextToken")
            if not token:
                return

    # -- files

    def upload(
        self,
        database: str,
        asset: str,
        files: dict[str, bytes],
        *,
        upload_type: str = "assetFile",
        part_bytes: int = PART_BYTES,
    ) -> Json:
        """`file upload`: start, parts, end."""
        wanted = [
            {
                "relativeKey": key,
                "file_size": len(data),
                "num_parts": math.ceil(len(data) / part_bytes),
            }
            for key, data in files.items()
        ]
        about = {"assetId": asset, "databaseId": database, "uploadType": upload_type}
        started = self.post("/uploads", {**about, "files": wanted})
        assert [file["relativeKey"] for file in started["files"]] == list(files)
        done = [
            self._parts(file, files[file["relativeKey"]], part_bytes) for file in started["files"]
        ]
        return self.post(f"/uploads/{started['uploadId']}/complete", {**about, "files": done})

    def _parts(self, file: Json, data: bytes, part_bytes: int) -> Json:
        parts: list[Json] = []
        for link in file["partUploadUrls"]:
            begin = (link["PartNumber"] - 1) * part_bytes
            response = self.http.put(
                link["UploadUrl"],
                content=data[begin : begin + part_bytes],
                headers={"Content-Type": "application/octet-stream"},
            )
            response.raise_for_status()
            etag = response.headers["ETag"].strip('"')
            parts.append({"PartNumber": link["PartNumber"], "ETag": etag})
        return {
            "relativeKey": file["relativeKey"],
            "uploadIdS3": file["uploadIdS3"],
            "parts": parts,
        }

    def download(self, database: str, asset: str, key: str, **version: str) -> bytes:
        """`assets download`: a link, which needs no token."""
        body = {"downloadType": "assetFile", "key": key, **version}
        answer = self.post(f"{place(database, asset)}/download", body)
        return self.http.get(answer["downloadUrl"]).raise_for_status().content

    def stream(self, database: str, asset: str, key: str, range_: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens['AccessToken']}"}
        if range_:
            headers["Range"] = range_
        path = f"{place(database, asset)}/download/stream/{quote(key.lstrip('/'))}"
        return self.http.get(self.config["api"].rstrip("/") + path, headers=headers)


def place(database: str, asset: str) -> str:
    """The path of an asset."""
    return f"/database/{database}/assets/{asset}"


def wait_until(check: Callable[[], Any], seconds: float = 20) -> Any:
    """Poll until something is true: searches and workflows follow a moment later."""
    end = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.1)
    return found


def _answer(response: httpx.Response) -> Any:
    try:
        body = response.json()
    except ValueError:
        body = {"message": response.text}
    if response.status_code >= 400:
        raise Failed(response.status_code, body.get("message", ""), body)
    return body
