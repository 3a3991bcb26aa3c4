"""Works out what a language model's response makes of files: all of it, or a refusal with a message for the model."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from . import _native
from ._types import Diagnostic, Document, Edit, File, Hunk, Kind, Nearest, Place, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Change", "Diagnostic", "Document", "Edit", "File", "Files", "Given", "Hunk", "Kind", "Nearest", "Options", "Place", "Read", "Result",
    "Source", "apply",
]


@dataclass(frozen=True)
class Source:
    """A file that isn't plain."""

    content: str | bytes = b""
    executable: bool = False
    link: bool = False
    """It is a symbolic link, which no response may touch."""


Given = str | bytes | Source
"""What a file holds. Line ends are kept as they are: read files with `read_bytes`, or `open(…, newline="")`."""

Files = Mapping[str, Given]
"""Files by their paths, relative and with `/`."""

Read = Callable[[str], Given | None]
"""Returns the file at a path, and `None` where there is none, or a directory."""


class Options(TypedDict, total=False):
    """How a response is read, and what it may do; each as in git-llmpatch-apply(1)."""

    name: str
    """What messages call the response."""
    format: Literal["envelope", "opx", "unified", "blocks", "tool", "files"]
    file: str
    """The file of search/replace blocks that name none."""
    strip: int
    """How many directories are taken off the names in a diff (`-p`)."""
    recount: bool
    directory: str
    top: str
    """The absolute path of the files' top: absolute paths below it are paths of files."""
    root_is: list[str]
    roots: dict[str, str]
    """Directories for OPX `root=`, by name (`llmpatch.root.<name>`)."""
    strict: bool
    unique: bool
    fuzz: Literal["exact", "trailing", "indent", "unicode"]
    overwrite: bool
    allow_empty: bool
    limit: list[str]
    """Pathspecs: a response that touches anything else is refused."""
    protect: list[str]
    """Pathspecs: a response that touches any of it is refused (`llmpatch.protect`)."""
    lints: dict[str, Literal["allow", "warn", "error"]]
    ignore_case: bool
    """Names that differ only in case are one file."""
    diff: bool
    """Every file of the document has its `diff`."""


@dataclass(frozen=True)
class Change:
    """What becomes of a file."""

    path: str
    content: bytes | None
    """All that it holds; `None` if it is deleted."""
    executable: bool
    path_bytes: str | None = None
    """The path in Base64, where it isn't UTF-8."""

    @property
    def text(self) -> str | None:
        """All that it holds, as text; `None` if it is deleted, or isn't UTF-8."""
        try:
            return None if self.content is None else self.content.decode()
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True, kw_only=True)
class Result(Document):
    """What `git llmpatch check --json --feedback` prints, and the files as they become."""

    changed: list[Change]
    """Every file that changes; none if the response is refused."""


def apply(response: str | bytes, files: Files | Read, **options: Unpack[Options]) -> Result:
    """Works out what a response makes of files, and writes nothing.

    `files` are all that there are, or a function that reads one; it is asked for each path once. `options` are those of `Options`.
    Of a refusal, `status` is "failed", and `feedback` is what to send back to the model.

    Raises `ValueError` if a path, an option or its value is wrong.
    """
    is_open = callable(files)
    known = {} if is_open else {path: _given(file) for path, file in cast(Files, files).items()}
    while True:
        request = {"response": _given(response), "files": known, "asks": is_open, "options": options}
        reply = json.loads(_native.apply(json.dumps(request).encode()))
        if "misused" in reply:
            raise ValueError(reply["misused"])
        if "wanted" not in reply:
            return Result(**vars(read(Document, reply["document"])), changed=[_change(one) for one in reply["changed"]])
        known.update((path, _given(cast(Read, files)(path))) for path in reply["wanted"])


def _given(file: Given | None) -> dict[str, Any] | None:
    if file is None:
        return None
    if isinstance(file, Source):
        return {**_content(file.content), "executable": file.executable, "link": file.link}
    return _content(file)


def _content(content: str | bytes) -> dict[str, str]:
    if isinstance(content, str):
        # A lone surrogate is no character.
        return {"text": content.encode(errors="replace").decode()}
    return {"bytes": b64encode(content).decode()}


def _change(of: dict[str, Any]) -> Change:
    content = of["text"].encode() if "text" in of else b64decode(of["bytes"]) if "bytes" in of else None
    return Change(of["path"], content, of["executable"], of.get("path_bytes"))
