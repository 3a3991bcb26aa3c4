"""The package as its users have it: the program on the PATH, and what the module makes of its documents."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from git_llmpatch import Document, Stopped, apply, check

RESPONSE = """\
*** Begin Patch
*** Update File: a.py
-print(1)
+print(2)
*** Add File: b.py
+pass
*** End Patch
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.py").write_text("print(1)\n")
    return tmp_path


def test_what_was_looked_at_is_applied(repository: Path) -> None:
    look = check(RESPONSE, cwd=repository)
    assert look.status == "checked" and look.state == "nothing-changed"
    assert [(file.path, file.operation, file.added) for file in look.files] == [("a.py", "modified", 1), ("b.py", "added", 1)]
    assert look.files[0].hunks[0].match == "exact" and look.files[0].from_ is None
    assert (repository / "a.py").read_text() == "print(1)\n"
    done: Document = apply(RESPONSE.encode(), f"--expect={look.plan}", cwd=repository)
    assert done.status == "applied" and done.feedback is None
    assert (repository / "a.py").read_text() == "print(2)\n"


def test_a_refusal_has_a_message_for_the_model(repository: Path) -> None:
    look = check(RESPONSE.replace("print(1)", "print(7)"), cwd=repository)
    assert look.status == "failed"
    [error] = look.errors
    assert error.kind == "lines-not-found" and error.response is not None and error.response.line == 3
    assert error.nearest is not None and error.nearest.text == "print(1)"
    assert look.feedback is not None and "print(1)" in look.feedback


def test_wrong_options_are_an_exception(repository: Path) -> None:
    with pytest.raises(Stopped) as stopped:
        check(RESPONSE, "--no-such-option", cwd=repository)
    assert stopped.value.status == 2 and "--no-such-option" in str(stopped.value)


@pytest.mark.parametrize(("response", "kind"), [(None, TypeError), (1, TypeError), ([], TypeError), ("\ud800", ValueError)])
def test_what_is_no_response_is_an_exception(repository: Path, response: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        check(response, cwd=repository)


def test_bytes_may_be_in_any_buffer(repository: Path) -> None:
    for response in (bytearray(RESPONSE.encode()), memoryview(RESPONSE.encode()[::-1])[::-1]):
        assert check(response, cwd=repository).status == "checked"
