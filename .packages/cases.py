#!/usr/bin/env python3
"""Prints requests to the library, as llmpatch-json takes them, with what must come of them: JSON, one on each line.

    cases.py all                        those of tests/cases that need no git: `after`, or the kinds of `errors`; of `warnings`
    cases.py random COUNT [PROGRAM]     as many of them, spoilt at random, with the `document` that the program prints

`cases.py names DIRECTORY` makes DIRECTORY/before, with files of all names and `response.md`, a change of them as git tells it, and
DIRECTORY/after, as git has them after it; and DIRECTORY/bytes, whose response names a file by bytes that aren't UTF-8.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOP = Path(__file__).parent.parent
READER = ["cargo", "run", "--quiet", "--locked", "--package", "llmpatch-cases", "--example", "cases"]
HEADLINE = re.compile(r"^(?:error\[([a-z0-9-]+)\]: |warning: (.*) \[([a-z0-9-]+)\]$)", re.MULTILINE)
NAMES = ["a\tb", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "e\u200df", "\u202egpj", "ends in a space ", "it's \"quoted\""]
ATTRIBUTES = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}

Case = dict[str, Any]


def content(of: bytes) -> dict[str, Any]:
    try:
        return {"text": of.decode()}
    except UnicodeDecodeError:
        return {"bytes": b64encode(of).decode()}


def files(of: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the files of a case as a request has them."""
    return {
        path: {"link": True} if file["link"] else {**content(b64decode(file["bytes"])), "executable": file["executable"]}
        for path, file in of.items()
    }


def found(directory: Path) -> dict[str, dict[str, Any]]:
    """Returns the files of a work tree as a request has them."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(directory.rglob("*")):
        path = file.relative_to(directory).as_posix()
        if path.startswith(".git/"):
            continue
        if file.is_symlink():
            found[path] = {"link": True}
        elif file.is_file():
            found[path] = {**content(file.read_bytes()), "executable": os.access(file, os.X_OK)}
    return found


def options(case: Case) -> dict[str, Any]:
    """Returns the options of a case. An option counts for more than the setting of the other of `strict` and `fuzz`."""
    arguments = [(one.split("=", 1) + ["true"])[:2] for one in case["arguments"]]
    given = dict(case["settings"] + arguments)
    read: dict[str, Any] = {"name": "patch.txt", "top": "/work"}
    for name, value in given.items():
        name = name.removeprefix("llmpatch.").removeprefix("--").replace("rootIs", "root-is").replace("-", "_")
        if name.startswith("no_"):
            read.pop(name.removeprefix("no_"), None)
        elif name in ("format", "file", "directory", "fuzz"):
            read[name] = value
            if name == "fuzz" and "--fuzz" in given:
                read["strict"] = False
        elif name in ("strict", "unique", "recount", "overwrite", "allow_empty"):
            read[name] = value != "false"
        elif name in ("limit", "protect", "root_is"):
            read.setdefault(name, []).append(value)
        elif name.startswith("_p"):
            read["strip"] = int(name[2:])
        elif name.startswith("root."):
            read.setdefault("roots", {})[name[5:]] = value
        elif name.startswith("lint."):
            read.setdefault("lints", {})[name[5:].replace("_", "-")] = value.replace("ignore", "allow")
        elif name == "core.ignoreCase":
            read["ignore_case"] = value == "true"
        else:
            raise ValueError(f"{case['name']}: {name}")
    return read


def cases() -> list[Case]:
    done = subprocess.run(READER, cwd=TOP, stdout=subprocess.PIPE, check=True)
    read = [json.loads(line) for line in done.stdout.splitlines()]
    return [case for case in read if not case["git_only"]]


def every() -> Iterator[dict[str, Any]]:
    for case in cases():
        kinds = HEADLINE.findall(case["said"])
        yield {
            "name": case["name"],
            "request": {"response": content(b64decode(case["response"])), "files": files(case["before"]), "options": options(case)},
            "after": None if case["status"] else files(case["after"]),
            "is_blamed": case["status"] == 1,
            "errors": sorted({error for error, _, _ in kinds if error}),
            "warnings": sorted({warning for _, _, warning in kinds if warning}),
            # Several corrections may be one line for people.
            "is_counted": any(headline.startswith("corrected ") for _, headline, _ in kinds),
        }


def spoilt(lines: list[bytes], others: list[bytes], chance: random.Random) -> list[bytes]:
    """Returns lines with a few of them gone, doubled, exchanged, altered, or with some of others among them."""
    lines = list(lines)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        at = chance.randrange(len(lines) + 1)
        what = chance.randrange(7)
        if what == 0 and others:
            lines[at:at] = [chance.choice(others)]
        elif what == 1 and others:
            start = chance.randrange(len(others))
            lines[at:at] = others[start : start + chance.randrange(12)]
        elif at == len(lines):
            continue
        elif what == 2:
            del lines[at]
        elif what == 3:
            lines[at:at] = [lines[at]]
        elif what == 4:
            other = chance.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif what == 5:
            del lines[at : at + chance.randrange(1, 6)]
        else:
            column = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:column] + chance.choice([b" ", b"x", b"-", b"+", b"\t", b"\r", b"\xe9", "é".encode()]) + lines[at][column:]
    return lines


def randomly(count: int, program: str) -> Iterator[dict[str, Any]]:
    chance = random.Random(54)
    plain = [case for case in cases() if not case["arguments"] and not case["settings"]]
    with tempfile.TemporaryDirectory() as directory:
        # The program names it as the system does.
        top = Path(directory).resolve()
        subprocess.run(["git", "init", "-q", top], check=True, env={**os.environ, **ATTRIBUTES})
        made = 0
        while made < count:
            case, other = chance.choice(plain), chance.choice(plain)
            response, others = (b64decode(one["response"]).splitlines(keepends=True) for one in (case, other))
            response = spoilt(response, others, chance)
            laid(case["before"], top, chance)
            one = asked(program, top, b"".join(response))
            # Which encoding a file is in, attributes say; the library's files are named by text.
            if all(error["kind"] != "encoding" for error in one["document"]["errors"]) and "path_bytes" not in json.dumps(one["document"]):
                made += 1
                yield {"name": f"{made} of {case['name']}", **one}


def laid(before: dict[str, Any], top: Path, chance: random.Random) -> None:
    """Puts files into a repository, some of them spoilt, and has git know them."""
    for old in top.iterdir():
        if old.name != ".git":
            shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    for path, file in before.items():
        content = b64decode(file["bytes"])
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        if file["link"]:
            (top / path).symlink_to(os.fsdecode(content))
            continue
        if chance.randrange(4) == 0:
            lines = content.splitlines(keepends=True)
            content = b"".join(spoilt(lines, lines, chance))
        (top / path).write_bytes(content)
        (top / path).chmod(0o755 if file["executable"] else 0o644)
    subprocess.run(["git", "-c", "core.autocrlf=false", "add", "--all"], cwd=top, check=True, env={**os.environ, **ATTRIBUTES})


def asked(program: str, top: Path, response: bytes) -> dict[str, Any]:
    """Returns the request that has what the program is asked, and what that says."""
    command = [program, "check", "--json", "--feedback", "-"]
    done = subprocess.run(command, input=response, cwd=top, stdout=subprocess.PIPE, env={**os.environ, **ATTRIBUTES})
    document = json.loads(done.stdout)
    options = {"name": document["responses"][0], "top": str(top)}
    return {"request": {"response": content(response), "files": found(top), "options": options}, "document": document}


def names(top: Path) -> None:
    """Makes files of all names, and responses about them."""

    def git(*arguments: str) -> bytes:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, cwd=after, check=True, stdout=subprocess.PIPE, env={**os.environ, **ATTRIBUTES}).stdout

    after, unnamed = top / "after", top / "bytes"
    after.mkdir(parents=True)
    git("init", "-q", ".")
    for directory in ("edited", "removed", "moved"):
        (after / directory).mkdir()
        for name in NAMES:
            (after / directory / name).write_text(f"one\n{name}\nthree\n")
    git("add", "--all")
    git("commit", "-q", "-m", "base")
    shutil.copytree(after, top / "before", ignore=shutil.ignore_patterns(".git"))
    for name in NAMES:
        (after / "edited" / name).write_text(f"one\n{name}\n3\n")
    git("rm", "-rq", "removed")
    git("mv", "moved", "to")
    git("add", "--all")
    response = git("diff", "--cached", "-M")
    shutil.rmtree(after / ".git")
    (top / "before" / "response.md").write_bytes(response)
    (after / "response.md").write_bytes(response)
    unnamed.mkdir()
    added = b"--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n+new\n"
    # The second would be below a file.
    (unnamed / "response.md").write_bytes(added % b'"b/caf\\377"' + added % b"b/response.md/a")
    (unnamed / os.fsdecode(b"caf\xff")).write_text("old\n")


def main() -> None:
    if sys.argv[1] == "names":
        names(Path(sys.argv[2]))
        return
    made = every() if sys.argv[1] == "all" else randomly(int(sys.argv[2]), (sys.argv + ["git-llmpatch"])[3])
    for one in made:
        print(json.dumps(one))


main()
