"""The package as its users have it."""

import pytest

from llmpatch import Document, Options, Result, Source, apply

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


@pytest.mark.parametrize(
    ("files", "options"),
    [({"../a": ""}, Options()), ({}, {"fuzz": "much"}), ({}, Options(limit=["../x"])), ({}, {"unknown": True})],
)
def test_what_no_request_can_be_is_an_error(files: dict[str, str], options: Options) -> None:
    with pytest.raises(ValueError):
        apply(RESPONSE, files, **options)
    assert apply("\ud800 Nothing to do.", {}).status == "failed"


def test_options_are_those_of_the_program() -> None:
    files = {"src/a.py": "print(1)\n"}
    assert apply(RESPONSE, files, limit=["src"]).status == "checked"
    assert apply(RESPONSE, files, limit=["docs"]).errors[0].kind == "protected"
    assert apply(RESPONSE, files, protect=["src/b.py"]).errors[0].kind == "protected"
    assert apply(RESPONSE, {"src/a.py": "  print(1)\n"}, fuzz="indent").warnings[0].kind == "fuzzy"
