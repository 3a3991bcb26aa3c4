"""Makes a repository, and prints so many responses to its last commit: `python sample.py DIRECTORY COUNT`."""

import json
import random
import subprocess
import sys
from pathlib import Path

FILES, LINES, CHANGED = 5000, 120, 3


def path(file: int) -> str:
    return f"src/d{file // 100}/f{file % 100}.txt"


def line(file: int, at: int) -> str:
    return f"line {at} of {file}: {(at * 7919 + file * 31) % 10007}"


def main() -> None:
    top, count = Path(sys.argv[1]), int(sys.argv[2])
    for file in range(FILES):
        place = top / path(file)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(line(file, at) + "\n" for at in range(LINES)))
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "."], ["add", "."], [*author, "commit", "-q", "-m", "base"], ["gc", "-q"]):
        subprocess.run(["git", *command], cwd=top, check=True)
    choose = random.Random(1)
    for number in range(count):
        patch = "*** Begin Patch\n"
        for file in choose.sample(range(FILES), CHANGED):
            at = choose.randrange(5, LINES - 5)
            before, old, after = (line(file, near) for near in (at - 1, at, at + 1))
            patch += f"*** Update File: {path(file)}\n@@\n {before}\n-{old}\n+changed by {number}\n {after}\n"
        print(json.dumps({"id": number, "response": patch + "*** End Patch\n"}))


if __name__ == "__main__":
    main()
