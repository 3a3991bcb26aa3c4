#!/usr/bin/env python3
"""Reads what a test program said, and counts what ran, what can't be tried in wine (by the reason) and what failed.

A test that fails is one that can't be tried if what it said has one of the words below, or if it is in `known.txt` beside this file.
"""

import collections
import pathlib
import re
import sys

REASONS = [
    (r"the `git` program can't be started", "git of Linux can't be started from wine"),
    (r"can't commit what it changes", "`--commit` isn't for Windows"),
]

known = []
for line in pathlib.Path(__file__).with_name("known.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        pattern, reason = line.split("  ", 1)
        known.append((re.compile(pattern), reason.strip()))

name, text = sys.argv[1], sys.stdin.read()
ends = dict(re.findall(r"^test (.+?) +\.\.\. (ok|FAILED|ignored)", text, re.M))
said = dict(re.findall(r"^---- (.+?)(?: stdout)? ----\n(.*?)(?=^---- |^failures:$|\Z)", text, re.M | re.S))
skipped, failed = collections.Counter(), []
for test in [test for test, end in ends.items() if end == "FAILED"]:
    words = said.get(test, "")
    reasons = [reason for pattern, reason in REASONS if re.search(pattern, words)]
    reasons += [reason for pattern, reason in known if pattern.search(test)]
    if reasons:
        skipped[reasons[0]] += 1
    else:
        failed.append(test)
passed = sum(end == "ok" for end in ends.values())
print(f"{name}: {passed} passed, {sum(skipped.values())} can't be tried, {len(failed)} failed")
for reason, count in skipped.most_common():
    print(f"  {count:5} {reason}")
for test in failed:
    print(f"\n  failed: {test}\n{said.get(test, '')}")
if failed or not passed:
    sys.exit(1)
