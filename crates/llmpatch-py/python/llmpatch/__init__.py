"""Works out what a language model's response makes of files: all of it, or a refusal with a message for the model."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from . import _native
from ._types import Diagnostic, Document, Edit, File, Hunk, Kind, Nearest, Place, read

if TYPE_CHECKING:
    from typing_extensions import Buffer, Unpack
else:
    # From 3.12 on, Python has a name for whatever has bytes.
    Buffer = bytes | bytearray | memoryview

__all__ = [
    "Change", "Content", "Diagnostic", "Document", "Edit", "File", "Files", "Given", "Hunk", "Kind", "Nearest", "Options", "Place", "Read", "Result",
    "Source", "apply",
]


Content = str | Buffer
"""Text, or bytes in whatever has the buffer protocol: `bytes`, `bytearray`, a `memoryview` of any shape, an `array`, an `mmap`."""


@dataclass(frozen=True)
class Source:
    """A file that isn't plain."""

    content: Content | None = None
    """All that it holds; only a link may have none."""
    executable: bool = False
    link: bool = False
    """It is a symbolic link, which no response may touch."""


Given = Content | Source
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
    windows: bool
    """The files are on Windows: names that no file has there are refused, such as `nul` and `c:x`, and `a\\b` is `a/b`."""
    diff: bool
    """Every file of the document has its `diff`."""


@dataclass(frozen=True)
class Change:
    """What becomes of a file."""

    path: str
    content: bytes | None
    """All that it holds; `None` if it is deleted."""
    executable: bool

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


def apply(response: Content, files: Files | Read, **options: Unpack[Options]) -> Result:
    """Works out what a response makes of files, and writes nothing.

    `files` are all that there are, or a function that reads one; it is asked for each path once. `options` are those of `Options`.
    Of a refusal, `status` is "failed", and `feedback` is what to send back to the model. A response that names a file by bytes that
    aren't UTF-8 is refused.

    Raises `TypeError` if the response, the files, one of them or a path is of another type, and `ValueError` if a path, a text, an option or
    its value is wrong.
    """
    known: dict[str, dict[str, Any] | None] = {}
    if isinstance(files, Mapping):
        known.update((_path(path), _given(file, repr(path))) for path, file in files.items())
    elif not callable(files):
        raise TypeError(f"the files are neither a mapping nor a function, but {_type(files)}")
    asks = not isinstance(files, Mapping)
    request = {"response": _content(response, "the response"), "files": known, "asks": asks, "options": options}
    while True:
        reply = json.loads(_native.apply(json.dumps(request, allow_nan=False).encode()))
        if "misused" in reply:
            raise ValueError(reply["misused"])
        if "wanted" not in reply:
            return Result(**vars(read(Document, reply["document"])), changed=[_change(one) for one in reply["changed"]])
        for path in reply["wanted"]:
            file = cast(Read, files)(path)
            known[path] = None if file is None else _given(file, repr(path))


_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, a lone surrogate: no UTF-8 has it."""


def _path(path: str) -> str:
    # JSON would take a number for a name.
    if not isinstance(path, str):
        raise TypeError(f"a path is no str, but {_type(path)}")
    if _HALF.search(path):
        raise ValueError(f"{path!r} has half of a character (a lone surrogate), as names have that aren't UTF-8")
    return path


def _given(file: Given, name: str) -> dict[str, Any]:
    """Returns a file as a request has it. `name` is what messages call it."""
    if not isinstance(file, Source):
        return _content(file, name)
    content = {} if file.link and file.content is None else _content(file.content, name)
    return {**content, "executable": file.executable, "link": file.link}


def _content(content: Content | None, name: str) -> dict[str, str]:
    """Returns text or bytes as a request has them."""
    if isinstance(content, str):
        if half := _HALF.search(content):
            line = content.count("\n", 0, half.start()) + 1
            raise ValueError(f"{name}: line {line} has half of a character (a lone surrogate)")
        return {"text": content}
    try:
        view = memoryview(cast(Buffer, content))
    except TypeError:
        raise TypeError(f"{name} is neither text nor bytes, but {_type(content)}") from None
    except (ValueError, BufferError) as error:
        raise ValueError(f"{name}: {error}") from error
    return {"bytes": b64encode(view.tobytes()).decode()}


def _type(value: object) -> str:
    return type(value).__qualname__


def _change(of: dict[str, Any]) -> Change:
    content = of["text"].encode() if "text" in of else b64decode(of["bytes"]) if "bytes" in of else None
    return Change(of["path"], content, of["executable"])
