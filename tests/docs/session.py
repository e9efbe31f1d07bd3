"""Runs the blocks of a document as a reader would: one after the other, in one program and one
folder.

A program of its own: blocks come in as JSON on the standard input, and what each of them printed
goes out as JSON.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ADDRESS = re.compile(r"http://(localhost|127\.0\.0\.1):8000")
"""Where documents say that a server is; ours gets a free port."""

RUN = (
    "models",
    "explain",
    "plan",
    "apply",
    "backfill",
    "query",
    "put",
    "export",
    "import",
    "backup",
    "restore",
)
"""Commands that end by themselves, and print the same each time or nothing that a document shows.
"""

RESULT = re.compile(r"# -> (.+)$")
"""A line that ends with this is an expression, and the representation of its value."""


class Session:
    """One namespace, one folder, and at most one server."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.server: subprocess.Popen[str] | None = None
        self.address = ""

    def run(self, block: dict[str, Any]) -> str:
        """What a block prints."""
        words = dict(word.partition("=")[::2] for word in block["words"])
        if block["language"] == "sh":
            return "".join(self._command(line) for line in block["text"].splitlines())
        if "file" in words:
            with Path(words["file"]).open("a") as file:
                file.write(block["text"] + "\n\n")
            return ""
        code = self._compiled(block)
        if "aws" in words:
            return ""
        with redirect_stdout(io.StringIO()) as printed:
            exec(code, self.namespace)
        return printed.getvalue()

    def _compiled(self, block: dict[str, Any]) -> Any:
        """The code, with the lines of the document, and with a check for each result that
        it shows.
        """
        text = ADDRESS.sub(self.address, block["text"]) if self.address else block["text"]
        tree = ast.parse("\n" * block["line"] + text, self.document)
        lines = text.splitlines()
        for number, statement in enumerate(tree.body):
            last = lines[(statement.end_lineno or 0) - block["line"] - 1]
            if (shown := RESULT.search(last)) and isinstance(statement, ast.Expr):
                check = ast.parse(
                    f"__check__(None, {shown[1]!r}, {statement.lineno})", mode="exec"
                ).body[0]
                assert isinstance(check, ast.Expr)
                assert isinstance(check.value, ast.Call)
                check.value.args[0] = statement.value
                tree.body[number] = ast.copy_location(check, statement)
        self.namespace["__check__"] = self._check
        return compile(ast.fix_missing_locations(tree), self.document, "exec", dont_inherit=True)

    def _check(self, value: object, shown: str, line: int) -> None:
        if repr(value) != shown:
            raise AssertionError(f"{self.document}:{line} shows {shown}, and it is {value!r}")

    def _command(self, line: str) -> str:
        """Commands of ours are run; the rest is for the reader's shell."""
        words = shlex.split(line)
        if words[:2] in (["sortkey", "serve"], ["make", "up"]):
            self._serve(words[2:])
        if words[:1] != ["sortkey"] or words[1] not in RUN:
            return ""
        done = subprocess.run(
            [sys.executable, "-m", *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise AssertionError(f"{self.document}: {line}: {done.stderr}")
        return done.stdout

    def _serve(self, arguments: list[str]) -> None:
        command = [sys.executable, "-m", "sortkey", "serve", "--port", "0", *arguments]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        found = re.search(r"http://\S+", self.server.stdout.readline())
        assert found, "the server did not start"
        self.address = found[0]

    def close(self) -> None:
        if self.server is not None:
            self.server.terminate()
            self.server.communicate()


def main() -> None:
    asked = json.load(sys.stdin)
    sys.path.insert(0, os.getcwd())
    session = Session(asked["document"])
    try:
        printed = [session.run(block) for block in asked["blocks"]]
    finally:
        session.close()
    json.dump(printed, sys.stdout)


if __name__ == "__main__":
    main()
