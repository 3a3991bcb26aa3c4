"""The cases, and random responses that the program was asked about: what `.packages/cases.py` prints, in the files that LISTED_CASES and
RANDOM_CASES name."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from llmpatch import Document, Result, Source, apply
from llmpatch._types import read

Case = dict[str, Any]


def lines(name: str) -> list[Case]:
    file = os.environ.get(name)
    return [json.loads(line) for line in Path(file).read_text().splitlines()] if file else []


def content(file: dict[str, Any]) -> bytes:
    return file["text"].encode() if "text" in file else b64decode(file.get("bytes", ""))


def source(file: dict[str, Any]) -> Source:
    return Source(content(file), file.get("executable", False), file.get("link", False))


def asked(case: Case) -> Result:
    request = case["request"]
    files = {path: source(file) for path, file in request["files"].items()}
    result = apply(content(request["response"]), files, **request["options"])
    # What is read when it is needed comes to the same, unless something is said of files that aren't.
    if result.status != "failed":
        assert apply(content(request["response"]), files.get, **request["options"]).changed == result.changed
    return result


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in lines("LISTED_CASES")])
def test_case(case: Case) -> None:
    result = asked(case)
    if case["after"] is None:
        assert result.status == "failed"
        assert (result.feedback is not None) == case["is_blamed"]
    else:
        files = {path: source(file) for path, file in case["request"]["files"].items()}
        for change in result.changed:
            if change.content is None:
                del files[change.path]
            else:
                files[change.path] = Source(change.content, change.executable)
        assert files == {path: source(file) for path, file in case["after"].items()}
    if not case["is_counted"]:
        assert sorted({one.kind for one in result.errors}) == case["errors"]
        assert sorted({one.kind for one in result.warnings}) == case["warnings"]


def test_what_the_program_says_of_random_responses() -> None:
    for case in lines("RANDOM_CASES"):
        result = vars(asked(case))
        del result["changed"]
        assert Document(**result) == read(Document, case["document"]), case["name"]
