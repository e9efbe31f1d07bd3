"""Gets what the tests need besides Python, before they start, where a person sees it: `python -m
tools.prepare`.

Downloads and builds go side by side, each into the cache and once. What cannot be had is said, and
fails nothing: the tests that need it skip with the same reason.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from tools import dynamodb_local, opensearch, s3_server
from tools.downloads import (
    AWS_SDK_JS,
    PUPPETEER,
    STAGEHAND_JS,
    Missing,
    forget_failures,
    npm_package,
    say,
)

PARTS: dict[str, Callable[[], object]] = {
    "MinIO": s3_server.binary,
    "OpenSearch": lambda: (dynamodb_local.java(), opensearch.jars()),
    "DynamoDB Local": lambda: (dynamodb_local.java(), dynamodb_local.jar()),
    "the AWS SDK for JavaScript": lambda: npm_package(AWS_SDK_JS),
    "Puppeteer": lambda: npm_package(PUPPETEER),
    "Stagehand": lambda: npm_package(STAGEHAND_JS),
}
SAY_SECONDS = 15


def main() -> None:
    forget_failures()
    began = time.monotonic()
    with ThreadPoolExecutor(len(PARTS)) as pool:
        parts = {pool.submit(_get, name, part): name for name, part in PARTS.items()}
        while waiting := _unfinished(parts):
            say(f"still at it after {time.monotonic() - began:.0f} s: {', '.join(waiting)}")


def _unfinished(parts: dict[Future[None], str]) -> list[str]:
    return [parts[future] for future in wait(parts, SAY_SECONDS).not_done]


def _get(name: str, part: Callable[[], object]) -> None:
    began = time.monotonic()
    try:
        part()
    except (Missing, OSError) as problem:
        say(f"{name}: not here, its tests will skip: {problem}")
        return
    seconds = time.monotonic() - began
    say(f"{name}: ready" + (f" after {seconds:.0f} s" if seconds > 1 else ""))


if __name__ == "__main__":
    main()
