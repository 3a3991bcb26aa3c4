"""The package as its users have it."""

import ctypes
import hashlib
import io
import mmap
import os
import pickle
from array import array
from pathlib import Path
from typing import Any, cast

import pytest

from llmpatch import Content, Document, Result, Source, apply

RESPONSE = """\
*** Begin Patch
*** Update File: src/a.py
-print(1)
+print(2)
*** Add File: src/b.py
+pass
*** End Patch
"""


def test_files_become_what_a_response_asks_for() -> None:
    result: Result = apply(RESPONSE, {"src/a.py": "print(1)\n", "c.py": b"\xff"}, diff=True)
    assert result.status == "checked"
    assert [(file.path, file.text) for file in result.changed] == [("src/a.py", "print(2)\n"), ("src/b.py", "pass\n")]
    assert [(file.operation, file.added, file.removed) for file in result.files] == [("modified", 1, 1), ("added", 1, 0)]
    diff = result.files[0].diff
    assert diff is not None and diff.endswith("-print(1)\n+print(2)\n")


def test_a_refusal_has_a_message_for_the_model() -> None:
    result: Document = apply(RESPONSE.encode(), {"src/a.py": "print(3)\n"})
    assert result.status == "failed"
    [error] = result.errors
    assert error.kind == "lines-not-found" and error.nearest is not None and error.nearest.text == "print(3)"
    assert result.feedback is not None and "print(3)" in result.feedback


def test_a_function_is_asked_for_each_file_once() -> None:
    asked = []

    def read(path: str) -> str | None:
        asked.append(path)
        return "print(1)\n" if path == "src/a.py" else None

    assert apply(RESPONSE, read).status == "checked"
    assert sorted(asked) == ["src/a.py", "src/b.py"]
    response = "*** Begin Patch\n*** Add File: src/b.py\n+pass\n*** End Patch\n"
    assert apply(response, lambda path: "a file" if path == "src" else None).status == "failed"


def test_bytes_modes_and_deleted_files_are_kept() -> None:
    response = "*** Begin Patch\n*** Update File: a\n-old\n+new\n*** Delete File: b\n*** End Patch\n"
    a, b = apply(response, {"a": Source(b"caf\xe9\nold\n", executable=True), "b": ""}).changed
    assert (a.content, a.text, a.executable) == (b"caf\xe9\nnew\n", None, True)
    assert (b.content, b.text) == (None, None)


TEXT = "café\nold\n"
BYTES = TEXT.encode()
WORDS = b"old\nold\nold\nold\n"
DELETE = "*** Begin Patch\n*** Delete File: d/a.txt\n*** End Patch\n"


def mapped(content: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(content))
    memory.write(content)
    return memory


CONTENTS: list[tuple[Content, bytes]] = [
    (TEXT, BYTES),
    ("", b""),
    ("\U0001f600\ufeff\n", "\U0001f600\ufeff\n".encode()),
    (BYTES, BYTES),
    (b"", b""),
    (b"\xff\r\n", b"\xff\r\n"),
    (bytearray(BYTES), BYTES),
    (memoryview(BYTES), BYTES),
    (memoryview(b"12" + BYTES + b"34")[2:-2], BYTES),
    # These aren't in one piece.
    (memoryview(BYTES)[::-1], BYTES[::-1]),
    (memoryview(bytes(2 * len(BYTES)))[::2], bytes(len(BYTES))),
    (memoryview(WORDS).cast("B", (4, 4)), WORDS),
    (memoryview(WORDS).cast("B", (4, 4))[::2], (WORDS[:4] + WORDS[8:12])),
    (memoryview(WORDS).cast("I"), WORDS),
    (array("H", WORDS), WORDS),
    (array("d", WORDS), WORDS),
    (mapped(WORDS), WORDS),
    (pickle.PickleBuffer(BYTES), BYTES),
    (io.BytesIO(BYTES).getbuffer(), BYTES),
    ((ctypes.c_char * 4).from_buffer_copy(b"old\n"), b"old\n"),
]


@pytest.mark.parametrize(("content", "want"), CONTENTS, ids=str)
def test_every_kind_of_text_and_bytes_is_read(content: Content, want: bytes) -> None:
    edit = f"{DELETE}*** Begin Patch\n*** Add File: d/b.txt\n+\n*** End Patch\n"
    blob = hashlib.sha1(b"blob %d\0" % len(want) + want).hexdigest()
    for files in ({"d/a.txt": content}, {"d/a.txt": Source(content)}, {"d/a.txt": content}.get, {"d/a.txt": Source(content)}.get):
        assert [file.old_oid for file in apply(edit, files).files] == [blob, None]
    assert apply(content, {}) == apply(want, {})


def released() -> memoryview:
    view = memoryview(b"old\n")
    view.release()
    return view


async def promised() -> str:
    return "old\n"


HALVES = ["\ud800", "one\ntwo \udc00\n", "\udc00\ud800", os.fsdecode(b"caf\xe9")]
NO_CONTENTS: list[tuple[Any, type[Exception], str]] = [
    *((value, TypeError, type(value).__name__) for value in (None, 0, 1.5, True, [], [104, 105], (), {}, {"text": "old\n"}, {1}, object(), Path("a"))),
    *((value, TypeError, type(value).__name__) for value in (io.BytesIO(b"old\n"), io.StringIO("old\n"), iter(b"old\n"), Source)),
    (released(), ValueError, "released"),
    *((half, ValueError, r"line \d has half of a character") for half in HALVES),
]


@pytest.mark.parametrize(("content", "kind", "said"), NO_CONTENTS, ids=ascii)
def test_what_is_neither_text_nor_bytes_is_named(content: Any, kind: type[Exception], said: str) -> None:
    for files in ({"d/a.txt": content}, {"d/a.txt": Source(content)}, lambda path: Source(content)):
        with pytest.raises(kind, match=f"^'d/a.txt'.*{said}"):
            apply(DELETE, files)
    with pytest.raises(kind, match=f"^the response.*{said}"):
        apply(content, {})
    if content is not None:
        with pytest.raises(kind, match=f"^'d/a.txt'.*{said}"):
            apply(DELETE, lambda path: content)
    assert apply(DELETE, {"d/a.txt": ""}).status == "checked"


def test_a_coroutine_is_no_file() -> None:
    coroutine = promised()
    with pytest.raises(TypeError, match="^'d/a.txt'.*coroutine"):
        apply(DELETE, lambda path: coroutine)  # type: ignore[arg-type, return-value]
    coroutine.close()


NO_FILES: list[tuple[Any, type[Exception], str]] = [
    *((value, TypeError, type(value).__name__) for value in (None, 1, "a", b"a", [], [("a", "")], {"a"}, object())),
    *(({path: ""}, TypeError, type(path).__name__) for path in (1, None, b"a", Path("a"))),
    *(({path: ""}, ValueError, "half of a character") for path in HALVES),
    ({"../a": ""}, ValueError, r"`\.\./a`"),
    ({"a": Source("", executable=cast(bool, 64))}, ValueError, "`a`.*64"),
]


@pytest.mark.parametrize(("files", "kind", "said"), NO_FILES, ids=ascii)
def test_what_holds_no_files_is_named(files: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        apply(RESPONSE, files)


NO_OPTIONS: list[tuple[Any, type[Exception], str]] = [
    ({"unknown": True}, ValueError, "unknown"),
    ({"fuzz": "much"}, ValueError, "much"),
    ({"limit": ["../x"]}, ValueError, r"\.\./x"),
    ({"limit": "src"}, ValueError, "`limit` takes an array of strings, and a string is there"),
    ({"limit": {"src"}}, TypeError, "set"),
    ({"strip": float("nan")}, ValueError, "float"),
    ({"strict": 1}, ValueError, "`strict` takes a boolean, and 1 is there"),
    ({"file": "\ud800"}, ValueError, "half of a character"),
]


@pytest.mark.parametrize(("options", "kind", "said"), NO_OPTIONS, ids=ascii)
def test_what_is_no_option_is_named(options: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        apply(RESPONSE, {}, **options)


def test_a_file_whose_name_is_no_text_is_refused() -> None:
    added = '--- /dev/null\n+++ "b/caf\\377"\n@@ -0,0 +1 @@\n+x\n'
    nothing: dict[str, str] = {}
    for files in (nothing, nothing.get):
        result = apply(added, files)
        assert ([error.kind for error in result.errors], result.changed) == (["repository"], [])
    drive = "*** Begin Patch\n*** Add File: ./c:/x\n+x\n*** End Patch\n"
    assert [apply(drive, nothing, windows=windows).status for windows in (True, False)] == ["failed", "checked"]


def test_options_are_those_of_the_program() -> None:
    files = {"src/a.py": "print(1)\n"}
    assert apply(RESPONSE, files, limit=["src"]).status == "checked"
    assert apply(RESPONSE, files, limit=["docs"]).errors[0].kind == "protected"
    assert apply(RESPONSE, files, protect=["src/b.py"]).errors[0].kind == "protected"
    assert apply(RESPONSE, {"src/a.py": "  print(1)\n"}, fuzz="indent").warnings[0].kind == "fuzzy"
