"""Says what a known base saves: `python table.py REPOSITORY [COUNT]`, where the repository is any clone with a long history.

The change of a commit is written as a response, as a model would have that had seen the commit's parent, and is applied to the main line as it
was so many commits after that parent had left it: with its base, merged with it (`-3`), and as it is. What should come of it is what
`git merge-tree` makes of the commit there, with its rename detection switched off, since a response names its paths.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

DISTANCES = (1, 10, 100, 300)


def run(*command: str, text: str = "") -> tuple[int, str]:
    done = subprocess.run(command, cwd=sys.argv[1], input=text.encode(), capture_output=True)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def git(*arguments: str) -> str:
    status, said = run("git", *arguments)
    if status != 0:
        raise RuntimeError(f"git {arguments} ends with {status}")
    return said


def applied(onto: str, response: str, *options: str) -> str | None:
    """Returns the tree that comes of a response, `None` if it is refused."""
    status, tree = run("git", "llmpatch", "apply", "-q", f"--onto={onto}", *options, text=response)
    return tree if status == 0 else None


def candidates(count: int) -> list[tuple[str, str]]:
    """Lists commits of side branches, and where each branch left the main line."""
    found = []
    for merge in git("rev-list", "--merges", "--first-parent", "-n", str(20 * count), "HEAD").split():
        left = git("merge-base", f"{merge}^1", f"{merge}^2")
        commits = git("rev-list", "--no-merges", "--reverse", f"{left}..{merge}^2").split()
        # The first one alone: the others stand on what the main line never saw.
        if commits and git("rev-parse", f"{commits[0]}^") == left:
            found.append((commits[0], merge))
        if len(found) == count:
            break
    return found


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    main_line = git("rev-list", "--first-parent", "HEAD").split()
    place = {commit: number for number, commit in enumerate(main_line)}
    told = {distance: Counter[str]() for distance in DISTANCES}
    for commit, merge in candidates(count):
        parent = git("rev-parse", f"{commit}^")
        status, response = run("git", "llmpatch", "show", "-q", commit)
        # What no envelope can say, and branches that left from elsewhere, are no part of this.
        if status != 0 or parent not in place:
            continue
        for distance in DISTANCES:
            at = place[parent] - distance
            # It must not be merged there yet.
            if at < 0 or at <= place[merge]:
                continue
            onto = main_line[at]
            status, said = run("git", "merge-tree", "--write-tree", "-X", "no-renames", f"--merge-base={parent}", onto, commit)
            want = said.split("\n")[0] if status == 0 else None
            tally = told[distance]
            tally["all"] += 1
            tally["git merges"] += want is not None
            for name, options in (("merged", [f"--base={parent}", "-3"]), ("based", [f"--base={parent}"]), ("bare", [])):
                got = applied(onto, response, *options)
                right = "refused" if got is None else "right" if got == want else "wrong"
                tally[f"{name} {right}"] += 1
                tally[f"{name} as git"] += got == want
    print("| commits since | changes | git merges | `-3`: as git | `--base`: right, refused, wrong | neither: right, refused, wrong |")
    print("| --- | --- | --- | --- | --- | --- |")
    for distance, tally in told.items():
        three = [", ".join(str(tally[f"{name} {right}"]) for right in ("right", "refused", "wrong")) for name in ("based", "bare")]
        print(f"| {distance} | {tally['all']} | {tally['git merges']} | {tally['merged as git']} | {three[0]} | {three[1]} |")


if __name__ == "__main__":
    main()
