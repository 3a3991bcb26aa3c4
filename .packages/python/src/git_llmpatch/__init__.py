"""Checks and applies a language model's response with the program `git llmpatch`, which comes with this package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from typing import TYPE_CHECKING

from ._types import Diagnostic, Document, Earlier, EarlierFile, Edit, File, Hunk, Kind, Nearest, Path, Place, read

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Diagnostic", "Document", "Earlier", "EarlierFile", "Edit", "File", "Hunk", "Kind", "Nearest", "Path", "Place", "Stopped", "apply", "check", "program",
]


class Stopped(Exception):
    """The program printed no document: its options were wrong (`status` is 2), or it was ended by a signal (`status` is below 0)."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said.strip() or f"git-llmpatch ended with status {status}")
        self.status = status


def program() -> str:
    """Returns where the program is: beside this Python, else on the PATH."""
    own = os.path.join(sysconfig.get_path("scripts"), "git-llmpatch.exe" if os.name == "nt" else "git-llmpatch")
    found = own if os.access(own, os.X_OK) else shutil.which("git-llmpatch")
    if found is None:
        raise FileNotFoundError("git-llmpatch is neither beside Python nor on the PATH")
    return found


def check(response: str | Buffer, *options: str, cwd: str | os.PathLike[str] | None = None) -> Document:
    """Works out what a response would change in the work tree at `cwd`, and writes nothing.

    `options` are those of `git llmpatch check`. Raises `Stopped` where there is no document.
    """
    return _run("check", response, options, cwd)


def apply(response: str | Buffer, *options: str, cwd: str | os.PathLike[str] | None = None) -> Document:
    """Makes the change that a response asks for in the work tree at `cwd`: all of it, or nothing.

    `options` are those of `git llmpatch apply`. Raises `Stopped` where there is no document.
    """
    return _run("apply", response, options, cwd)


def _run(
    command: str, response: str | Buffer, options: tuple[str, ...], cwd: str | os.PathLike[str] | None
) -> Document:
    # Without an input, the program would read that of this process.
    text = response.encode() if isinstance(response, str) else memoryview(response).tobytes()
    done = subprocess.run([program(), command, "--json", "--feedback", *options], input=text, capture_output=True, cwd=cwd)
    if not done.stdout:
        raise Stopped(done.returncode, done.stderr.decode(errors="replace"))
    document: Document = read(Document, json.loads(done.stdout))
    return document
