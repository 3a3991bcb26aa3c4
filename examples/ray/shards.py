"""Answers many responses on several machines: `git llmpatch batch` as the map step of Ray.

    python shards.py URL REVISION INPUT OUTPUT [--lines=N] [--workers=N]

Each shard of the input is answered by itself, in a clone that each machine makes once, and comes back as its lines and a bundle. The clone
that this runs in fetches the bundles, and OUTPUT has the lines in the order of INPUT. A task whose worker dies is begun again by Ray, and
goes on behind the last line that it had written, if that is on the same machine, and from the start of its shard elsewhere.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import ray


def clone(url: str) -> Path:
    """Clones a repository to this machine, once, whoever else wants it."""
    name = hashlib.sha256(url.encode()).hexdigest()[:16]
    place = Path(tempfile.gettempdir()) / f"llmpatch-{os.getuid()}-{name}"
    place.mkdir(mode=0o700, exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            subprocess.run(["rm", "-rf", str(place / "git")], check=True)
            subprocess.run(["git", "clone", "-q", "--bare", url, str(place / "git")], check=True)
            (place / "done").touch()
    return place


@ray.remote(num_cpus=1, max_retries=5)
def answer(url: str, revision: str, shard: bytes) -> tuple[bytes, bytes]:
    """Answers some lines, and returns the answers and a bundle of what was made."""
    place = clone(url)
    # The same lines are the same work, whoever begins it again.
    name = hashlib.sha256(revision.encode() + shard).hexdigest()
    own = place / name
    own.mkdir(exist_ok=True)
    (own / "in").write_bytes(shard)
    with open(own / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["git", "llmpatch", "batch", "--onto", revision, "--jobs=1"]
        files = ["-o", str(own / "out"), "--resume", "--bundle", str(own / "bundle"), str(own / "in")]
        subprocess.run(command + files, cwd=place / "git", check=True)
    return (own / "out").read_bytes(), (own / "bundle").read_bytes()


def shards(path: Path, lines: int) -> Iterator[bytes]:
    """Yields the lines of a file, so many at once."""
    with open(path, "rb") as file:
        while part := b"".join(islice(file, lines)):
            yield part


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("revision")
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--lines", type=int, default=1000, help="how many lines a shard has")
    parser.add_argument("--workers", type=int, help="how many work at once, where Ray is only started for this")
    arguments = parser.parse_args()
    if "RAY_ADDRESS" in os.environ:
        ray.init(log_to_driver=False)
    else:
        ray.init(address="local", num_cpus=arguments.workers, include_dashboard=False, log_to_driver=False)
    # What a name stands for may change while this runs.
    named = ["git", "rev-parse", "--verify", arguments.revision + "^{commit}"]
    revision = subprocess.run(named, check=True, capture_output=True, text=True).stdout.strip()
    tasks = [answer.remote(arguments.url, revision, shard) for shard in shards(arguments.input, arguments.lines)]
    with open(arguments.output, "wb") as output, tempfile.TemporaryDirectory() as place:
        for task in tasks:
            answers, bundle = ray.get(task)
            file = Path(place) / "bundle"
            file.write_bytes(bundle)
            subprocess.run(["git", "fetch", "-q", str(file), "refs/llmpatch/*:refs/llmpatch/*"], check=True)
            output.write(answers)


if __name__ == "__main__":
    main()
