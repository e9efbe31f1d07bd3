"""Writes the async classes and functions from the blocking ones, so that each pair is written once.

Of a source in SOURCES the classes and functions in RENAMED are copied, with these changes:

- names change as RENAMED says, expressions as REPLACED says;
- a call in AWAITED is awaited, except in a lambda, which passes the awaitable on;
- a function with such a call is `async def`, and so is a stub (`...`) of an awaited method, and
  `__enter__`.

Whatever else the copy uses is imported: from where the source imports it, or from the source. A
forgotten name shows up in pyright, which checks the copies as strictly as their sources. `--check`
compares and writes nothing.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tools.generated import keep

INDENT = "    "
WIDTH = 100
SRC = Path(__file__).parents[1] / "src"
SOURCES = {
    "sortkey.connect.shared_folder_backend": "sortkey.connect.async_shared_folder_backend",
    "sortkey.runtime.backend": "sortkey.runtime.async_backend",
    "sortkey.runtime.store": "sortkey.runtime.async_store",
    "sortkey.runtime.upkeep": "sortkey.runtime.async_upkeep",
    "sortkey.runtime.audit": "sortkey.runtime.async_audit",
    "sortkey.runtime.streams.once": "sortkey.runtime.streams.async_once",
    "sortkey.testing.faulty_backend": "sortkey.testing.async_faulty_backend",
}
RENAMED = {
    "Backend": "AsyncBackend",
    "Client": "AsyncClient",
    "FaultyBackend": "AsyncFaultyBackend",
    "Iterator": "AsyncIterator",
    "Pause": "AsyncPause",
    "SharedFolderBackend": "AsyncSharedFolderBackend",
    "Store": "AsyncStore",
    "Upkeep": "AsyncUpkeep",
    "__enter__": "__aenter__",
    "__exit__": "__aexit__",
    "apply_once": "apply_once_async",
    "audit": "audit_async",
    "client_of": "async_client_of",
    "in_threads": "in_tasks",
}
REPLACED = {
    "fault.rival()": "await settled(fault.rival())",
    "self._shared.close()": "await asyncio.to_thread(self._shared.close)",
    "self._shared.next_owner(owner)": "await asyncio.to_thread(self._shared.next_owner, owner)",
    "step.function()": "await asyncio.to_thread(step.function)",
    "time.sleep": "asyncio.sleep",
}
AWAITED = {
    "before[1].close",
    "client.call",
    "parallel_segments.in_threads",
    "self._backend.call",
    "self._backend.close",
    "self._call",
    "self._client",
    "self._connected[1].close",
    "self._sleep",
    "self.backend.call",
    "self.backend.close",
    "self.close",
    "self.run",
    "store.create",
    "store.transact",
}

Definition = ast.FunctionDef | ast.ClassDef
Edit = tuple[int, int, str]
"""From one byte of the source to another, and what takes their place."""


def main(arguments: list[str]) -> int:
    return max(_keep(source, target, arguments) for source, target in SOURCES.items())


def generate(source: str) -> str:
    """The async module of a source, formatted."""
    text = _path(source).read_text(encoding="utf-8")
    body = ast.parse(text).body
    definitions = twins(text)
    used = {
        node.id
        for text in definitions
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name)
    }
    imports = [line for node in body if isinstance(node, ast.stmt) for line in _imports(node, used)]
    own = sorted(_defined(body) & used)
    head = [
        f'"""Generated from {_path(source).name} by tools/generate_async.py: edit that, then `make '
        'format`."""',
        "from __future__ import annotations",
        *(["import asyncio"] if "asyncio" in used else []),
        *([f"from {source} import {', '.join(own)}"] if own else []),
    ]
    return _formatted("\n".join([*head, *imports, *definitions]), _path(SOURCES[source]))


def twins(text: str) -> list[str]:
    """The async twins of the classes and functions in a source."""
    definitions = [
        node
        for node in ast.parse(text).body
        if isinstance(node, Definition) and node.name in RENAMED
    ]
    return [_Copy(text, node).text() for node in definitions]


class _Copy:
    """A class or function as its async twin."""

    def __init__(self, text: str, node: Definition) -> None:
        self._bytes, self._node = text.encode(), node
        self._lines = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def text(self) -> str:
        start, end = self._span(self._node)
        copy = self._bytes
        for edit_start, edit_end, new in sorted(
            [*self._edits(self._node), self._docstring()], reverse=True
        ):
            copy = copy[:edit_start] + new.encode() + copy[edit_end:]
        return copy[start : len(copy) - (len(self._bytes) - end)].decode()

    def _edits(
        self, node: ast.AST, parent: ast.AST | None = None, *, lazy: bool = False
    ) -> Iterator[Edit]:
        if isinstance(node, ast.JoinedStr):
            return  # Python 3.11 does not know where the parts of an f-string are
        if isinstance(node, ast.expr) and (new := REPLACED.get(ast.unparse(node))) is not None:
            yield (*self._span(node), new)
            return
        if isinstance(node, ast.Call) and not lazy and ast.unparse(node.func) in AWAITED:
            if isinstance(parent, ast.Attribute | ast.Subscript):
                raise SystemExit(
                    f"{ast.unparse(parent)}: give the result a name, so that it can be awaited"
                )
            yield self._insert(node, "await ")
        if isinstance(node, ast.FunctionDef) and _waits(node):
            yield self._insert(node, "async ")
        yield from self._renaming(node)
        for child in ast.iter_child_nodes(node):
            yield from self._edits(child, node, lazy=lazy or isinstance(node, ast.Lambda))

    def _renaming(self, node: ast.AST) -> Iterator[Edit]:
        start, end = self._span(node) if isinstance(node, ast.expr | ast.stmt) else (0, 0)
        match node:
            case ast.Name(id=name) if name in RENAMED:
                yield start, end, RENAMED[name]
            case ast.Attribute(attr=name) if name in RENAMED:
                yield end - len(name), end, RENAMED[name]
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name in RENAMED:
                at = start + len("def " if isinstance(node, ast.FunctionDef) else "class ")
                yield at, at + len(name), RENAMED[name]
            case _:
                pass

    def _docstring(self) -> Edit:
        """The docstring, beginning with the name of the blocking twin."""
        start, end = self._span(self._node.body[0])
        first, gap, rest = self._bytes[start + 3 : end - 3].decode().partition("\n\n")
        sentences = f"`{self._node.name}`, awaited. {' '.join(first.split())}"
        wrapped = textwrap.fill(
            sentences, WIDTH, initial_indent=f'{INDENT}"""', subsequent_indent=INDENT
        ).strip()
        is_line = not gap and "\n" not in wrapped and len(INDENT + wrapped) + 3 <= WIDTH
        tail = gap + rest if gap or is_line else f"\n{INDENT}"
        return start, end, f'{wrapped}{tail}"""'

    def _insert(self, node: ast.expr | ast.stmt, new: str) -> Edit:
        start, _ = self._span(node)
        return start, start, new

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
        return self._lines[node.lineno - 1] + node.col_offset, self._lines[
            end_line - 1
        ] + end_column


def _waits(function: ast.FunctionDef) -> bool:
    is_awaited_stub = _is_stub(function) and any(
        call.endswith(f".{function.name}") for call in AWAITED
    )
    if function.name == "__enter__" or is_awaited_stub:
        return True
    lazy = {
        id(inner)
        for node in ast.walk(function)
        if isinstance(node, ast.Lambda)
        for inner in ast.walk(node)
    }
    calls = [
        node for node in ast.walk(function) if isinstance(node, ast.Call) and id(node) not in lazy
    ]
    return any(ast.unparse(call.func) in AWAITED for call in calls)


def _is_stub(function: ast.FunctionDef) -> bool:
    last = function.body[-1]
    return (
        isinstance(last, ast.Expr)
        and isinstance(last.value, ast.Constant)
        and last.value.value is ...
    )


def _imports(node: ast.stmt, used: set[str]) -> Iterator[str]:
    """The imports of a statement of the source that the copy needs."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        if lines := [line for inner in node.body for line in _imports(inner, used)]:
            yield "\n    ".join(["if TYPE_CHECKING:", *lines])
    elif isinstance(node, ast.Import):
        yield from (ast.unparse(ast.Import([alias])) for alias in node.names if alias.name in used)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            name = RENAMED.get(alias.name, alias.name)
            is_ours = node.module in SOURCES and name != alias.name
            module = SOURCES[node.module or ""] if is_ours else node.module
            if name in used or name == "TYPE_CHECKING":
                yield f"from {module} import {name}"


def _defined(body: list[ast.stmt]) -> set[str]:
    """The names that a module defines."""
    names = {node.name for node in body if isinstance(node, Definition | ast.AsyncFunctionDef)}
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def _path(module: str) -> Path:
    return SRC / f"{module.replace('.', '/')}.py"


def _formatted(text: str, path: Path) -> str:
    for command in (["check", "--quiet", "--fix", "--select", "I,F401"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def _keep(source: str, target: str, arguments: list[str]) -> int:
    return keep(
        _path(target),
        generate(source),
        arguments,
        f"tools.generate_async with {_path(source).name}",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
