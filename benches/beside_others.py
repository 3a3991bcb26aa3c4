#!/usr/bin/env python3
"""Puts the same troubles before several appliers, and prints what each makes of them, as a table in Markdown.

    cargo build && PATH=target/debug:$PATH benches/beside_others.py

Whatever of `git apply`, GNU `patch` and `apply_patch` (a link of this name to the `codex` program) isn't on PATH is left
out. The last row kills each at every system call that changes something, with strace; `git llmpatch recover` follows ours.
"""

import os
import shutil
import subprocess
import sys
import tempfile

OURS, GIT, PATCH, CODEX = "git llmpatch", "git apply", "patch", "apply_patch"
CALLS = "?open,openat,?openat2,?creat,write,pwrite64,?rename,?renameat,renameat2,?unlink,unlinkat,?mkdir,mkdirat,?link,linkat," \
        "?chmod,fchmod,?fchmodat,ftruncate,fsync,?symlink,symlinkat,copy_file_range,?rmdir"


def envelope(*sections):
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def update(path, lines):
    return f"*** Update File: {path}\n@@\n{lines}"


def unified(path, at, old, new, lines):
    return f"--- a/{path}\n+++ b/{path}\n@@ -{at},{old} +{at},{new} @@\n{lines}"


FUN = "def f():\n    x = 1\n    return x\n\n\ndef g():\n    x = 1\n    return x\n"
# A name, the files before, the same change in two formats, and the files afterwards if it is made as it was meant; None if
# what was meant can't be known, so that refusing is right.
TROUBLES = [
    ("two files, the second doesn't fit",
     {"a.txt": "one\ntwo\n", "b.txt": "three\nfour\n"},
     envelope(update("a.txt", " one\n-two\n+2\n"), update("b.txt", " three\n-five\n+5\n")),
     unified("a.txt", 1, 2, 2, " one\n-two\n+2\n") + unified("b.txt", 1, 2, 2, " three\n-five\n+5\n"), None),
    ("the lines stand twice, a diff's numbers are off",
     {"a.py": FUN},
     envelope(update("a.py", "-    x = 1\n+    x = 2\n     return x\n")),
     unified("a.py", 90, 2, 2, "-    x = 1\n+    x = 2\n     return x\n"), None),
    ("a context line that the file doesn't have",
     {"a.txt": "one\ntwo\nthree\nfour\n"},
     envelope(update("a.txt", " wun\n two\n-three\n+3\n four\n")),
     unified("a.txt", 1, 4, 4, " wun\n two\n-three\n+3\n four\n"), None),
    ("indented by a tab, the patch has spaces",
     {"a.mk": "all:\n\tcc a.c\n\tcc b.c\n"},
     envelope(update("a.mk", " all:\n-    cc a.c\n+    cc -O2 a.c\n")),
     unified("a.mk", 1, 3, 3, " all:\n-    cc a.c\n+    cc -O2 a.c\n \tcc b.c\n"), None),
    ("CRLF in the file, LF in the patch",
     {"a.txt": "one\r\ntwo\r\nthree\r\n"},
     envelope(update("a.txt", " one\n-two\n+2\n three\n")),
     unified("a.txt", 1, 3, 3, " one\n-two\n+2\n three\n"), {"a.txt": "one\r\n2\r\nthree\r\n"}),
    ("a new file that exists",
     {"a.txt": "precious\n"},
     envelope("*** Add File: a.txt\n+new\n"),
     "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+new\n", None),
    ("wrong counts in the hunk's header",
     {"a.txt": "one\ntwo\nthree\n"}, None,
     unified("a.txt", 1, 7, 9, " one\n-two\n+2\n three\n"), {"a.txt": "one\n2\nthree\n"}),
    ("a path through a link, out of the tree",
     {"link": ("..",)},
     envelope("*** Add File: link/escaped.txt\n+out\n"),
     "--- /dev/null\n+++ b/link/escaped.txt\n@@ -0,0 +1 @@\n+out\n", None),
    ("a path with `..`, out of the tree",
     {"a.txt": "one\n"},
     envelope("*** Add File: ../escaped.txt\n+out\n"),
     "--- /dev/null\n+++ b/../escaped.txt\n@@ -0,0 +1 @@\n+out\n", None),
]


class Place:
    """A folder with a repository in it."""

    def __init__(self, files):
        self.folder = tempfile.mkdtemp()
        self.top = os.path.join(self.folder, "work")
        os.mkdir(self.top)
        for name, content in files.items():
            if isinstance(content, tuple):
                os.symlink(content[0], os.path.join(self.top, name))
            else:
                self.write(os.path.join("work", name), content)
        self.run(["git", "init", "-q"])
        self.run(["git", "add", "-A"])
        self.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "begin"])

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w", newline="") as file:
            file.write(content)

    def run(self, command):
        settings = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", LC_ALL="C")
        return subprocess.run(command, cwd=self.top, env=settings, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def held(self, with_index=False):
        found = {}
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != ".git"]
            for name in names:
                path = os.path.join(folder, name)
                # What `patch` leaves beside a file that it refuses is its way to say so.
                if not os.path.islink(path) and not name.startswith("patch.") and not name.endswith((".rej", ".orig")):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.folder)] = file.read().decode("latin-1")
        if with_index:
            found["index"] = self.run(["git", "ls-files", "-s"]).stdout.decode()
        return found

    def gone(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def command(tool, kind, place, in_envelope, in_unified):
    """Returns how a tool is told to apply."""
    place.write("patch.envelope", in_envelope or "")
    place.write("patch.diff", in_unified)
    diff = os.path.join(place.folder, "patch.diff")
    return {
        OURS: ["git-llmpatch", "apply", os.path.join(place.folder, f"patch.{kind}")],
        GIT: ["git", "apply", diff],
        PATCH: ["patch", "-p1", "--batch", "-i", diff],
        CODEX: ["apply_patch", in_envelope],
    }[tool]


def outcome(tool, kind, files, in_envelope, in_unified, after):
    place = Place(files)
    try:
        before = place.held()
        done = place.run(command(tool, kind, place, in_envelope, in_unified))
        now = place.held()
        escaped = [name for name in now if not name.startswith("work/")]
        wanted = after and {f"work/{name}": content for name, content in after.items()}
        said = done.stderr + (done.stdout if tool == PATCH else b"")
        warned = ", with a warning" if b"warning" in said or b"fuzz" in said or b"offset" in said else ", silently"
        if escaped:
            return "**written outside**"
        if done.returncode != 0:
            return "refused" if now == before else "**refused, and files changed**"
        if now == before:
            return "**success, nothing done**"
        return ("made" if now == wanted else "**made, wrongly**" if wanted else "**made**") + warned
    finally:
        place.gone()


SIX = {f"f{n}.txt": "".join(f"line {i} of {n}\n" for i in range(20)) for n in range(6)}


def six():
    """Returns a change of six files in both formats: four changed, one removed, one added."""
    sections, diffs = [], []
    for n in range(4):
        lines = f" line 9 of {n}\n-line 10 of {n}\n+changed\n line 11 of {n}\n"
        sections.append(update(f"f{n}.txt", lines))
        diffs.append(f"diff --git a/f{n}.txt b/f{n}.txt\n" + unified(f"f{n}.txt", 10, 3, 3, lines))
    removed = "".join(f"-{line}\n" for line in SIX["f4.txt"].splitlines())
    sections += ["*** Delete File: f4.txt\n", "*** Add File: new.txt\n+new\n"]
    diffs.append(f"diff --git a/f4.txt b/f4.txt\ndeleted file mode 100644\n--- a/f4.txt\n+++ /dev/null\n@@ -1,20 +0,0 @@\n{removed}")
    diffs.append("diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n")
    return envelope(*sections), "".join(diffs)


def killed(tool, kind):
    """Kills a tool at each system call in turn; returns in how many of how many runs files were neither old nor new."""
    in_envelope, in_unified = six()
    torn = runs = 0
    place = Place(SIX)
    before = place.held()
    place.run(command(tool, kind, place, in_envelope, in_unified))
    after = place.held()
    place.gone()
    while True:
        place = Place(SIX)
        inject = f"inject={CALLS}:signal=SIGKILL:when={runs + 1}"
        done = place.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", inject, *command(tool, kind, place, in_envelope, in_unified)])
        if tool == OURS:
            place.run(["git", "llmpatch", "recover"])
        now = place.held()
        place.gone()
        if done.returncode == 0:
            return f"{torn} of {runs} runs torn"
        runs += 1
        torn += now not in (before, after)


def main():
    tools = [(OURS, "envelope"), (CODEX, "envelope"), (OURS, "diff"), (GIT, "diff"), (PATCH, "diff")]
    tools = [(tool, kind) for tool, kind in tools if shutil.which(tool.replace("git ll", "git-ll").split()[0])]
    print("| |", " | ".join(f"`{tool}`, {kind}" for tool, kind in tools), "|")
    print("| --- |", " | ".join("---" for _ in tools), "|")
    for name, files, in_envelope, in_unified, after in TROUBLES:
        told = ["–" if kind == "envelope" and not in_envelope else outcome(tool, kind, files, in_envelope, in_unified, after)
                for tool, kind in tools]
        print(f"| {name} |", " | ".join(told), "|", flush=True)
    if "--short" not in sys.argv:
        print("| killed at each system call in turn |", " | ".join(killed(tool, kind) for tool, kind in tools), "|")


main()
