"""The documents' code runs, in order, in a fresh folder and a fresh program, and prints what they
show.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks_of

ROOT = Path(__file__).parent.parent.parent
SESSION = Path(__file__).parent / "session.py"
CONSOLE = "docs/how-to/console.md"
STRICT = '{"typeCheckingMode": "strict", "pythonVersion": "3.11"}'


def run(document: Path, folder: Path) -> list[tuple[Block, str]]:
    """Every block of a document with what it printed."""
    blocks = blocks_of(document)
    asked = {"document": document.name, "blocks": [asdict(block) for block in blocks]}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(
        [sys.executable, str(SESSION)],
        input=json.dumps(asked),
        cwd=folder,
        env=environment | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return list(zip(blocks, json.loads(done.stdout), strict=True))


def differences(document: Path, folder: Path) -> list[str]:
    """The places where a document shows something else than its code prints."""
    wrong: list[str] = []
    for block, printed in run(document, folder):
        shown = (
            block.shown if block.shown is not None else (printed if block.language == "sh" else "")
        )
        if printed != shown:
            wrong.append(
                f"{document.name}:{block.line} shows\n{shown}\nand its code prints\n{printed}"
            )
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["README.md", "docs/tutorial.md", "docs/model.md", "docs/how-to/data.md", CONSOLE]
)
def test_the_code_of_a_document_does_what_it_shows(name: str, tmp_path: Path) -> None:
    # A document that lies costs every reader an hour. Outputs are compared as they stand.
    assert differences(ROOT / name, tmp_path) == []


@pytest.mark.slow
def test_the_shop_of_the_tutorial_is_typed(tmp_path: Path) -> None:
    # The tutorial promises that the editor knows every argument; its own code must not be
    # underlined.
    parts = [
        block.text
        for block in blocks_of(ROOT / "docs" / "tutorial.md")
        if "file=shop.py" in block.words
    ]
    assert len(parts) == 3
    (tmp_path / "shop.py").write_text("\n\n".join(parts))
    (tmp_path / "pyrightconfig.json").write_text(STRICT)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("0 errors"), done.stdout


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```python\nprint(1)\n```\n```text\n1\n```\n", ""),
        (
            "```python\nprint(1)\n```\n```text\n2\n```\n",
            "it.md:1 shows\n2\n\nand its code prints\n1\n",
        ),
        ("```python\nprint(1)\n```\n", "it.md:1 shows\n\nand its code prints\n1\n"),
        ("```python\n1 + 1  # -> 2\n```\n", ""),
        ("```python aws\nraise OSError\n```\n", ""),
    ],
)
def test_a_wrong_output_is_noticed(text: str, wrong: str, tmp_path: Path) -> None:
    # The tests of the documents can fail.
    (tmp_path / "it.md").write_text(text)
    assert "".join(differences(tmp_path / "it.md", tmp_path)) == wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one\n\n```python\n\n1 + 1  # -> 3\n```\n", "it.md:5 shows 3, and it is 2"),
        ("```python\n\nraise OSError('gone')\n```\n", 'File "it.md", line 3'),
        (
            "```python file=a.py\nx = 1\n```\n```python\nfrom a import y\n```\n",
            "cannot import name 'y'",
        ),
        ("```sh\nsortkey models nothing\n```\n", "unknown model 'nothing'"),
    ],
)
def test_code_that_fails_is_noticed_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "it.md").write_text(text)
    with pytest.raises(AssertionError, match=message.replace("(", r"\(")):
        run(tmp_path / "it.md", tmp_path)
