#!/usr/bin/env python3
"""Runs a test program, and counts what passed, what was skipped, by its reason, and what failed.

    .ci/tally.py NAME SECONDS COMMAND...

A test that ends with the line `skipped: needs WHAT` was skipped; tests/support says what that is. A test that fails otherwise is run
again by itself, up to twice, since wine fails now and then. A program that isn't done within SECONDS has failed.
"""

import collections
import os
import re
import signal
import subprocess
import sys
import threading

ENDS = re.compile(r"^test (.+?) +\.\.\. (ok|FAILED|ignored)", re.M)
SUMS = re.compile(r"^test result: \w+\. \d+ passed; (\d+) failed", re.M)
SAID = re.compile(r"^---- (.+?)(?: stdout)? ----\n(.*?)(?=^---- |^failures:$|\Z)", re.M | re.S)
SKIPPED = re.compile(r"^(?:Error: \")?skipped: needs (.+?)\"?$", re.M)


def run(command, seconds):
    """Returns what a command said, on both streams, and whether it ended in time."""
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    late = threading.Event()

    def kill():
        late.set()
        if os.name == "nt":
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], check=False)
        else:
            os.killpg(child.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, kill)
    timer.start()
    text = child.communicate()[0].decode(errors="replace").replace("\r\n", "\n")
    timer.cancel()
    return text, not late.is_set()


def outcome(text):
    """Returns how many tests passed, the reasons of those that were skipped, and what the others said, by their names."""
    ends = dict(ENDS.findall(text))
    said = dict(SAID.findall(text))
    skipped, failed = collections.Counter(), {}
    for test in [test for test, end in ends.items() if end == "FAILED"]:
        reason = SKIPPED.search(said.get(test, ""))
        if reason:
            skipped[reason[1]] += 1
        else:
            failed[test] = said.get(test, "")
    return sum(end == "ok" for end in ends.values()), skipped, failed


def again(command, test, seconds):
    """Returns whether a test passes, or is skipped, when it is run by itself."""
    text, is_done = run([*command, *([] if "--" in command else ["--"]), "--exact", test], seconds)
    passed, skipped, failed = outcome(text)
    return is_done and not failed and bool(passed or skipped)


def unended(command, text, seconds):
    """Returns the tests that hadn't ended when a test program was stopped."""
    listed, _ = run([*command, *([] if "--" in command else ["--"]), "--list"], seconds)
    ended = dict(ENDS.findall(text))
    return [test for test in re.findall(r"^(.+): test$", listed, re.M) if test not in ended]


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    name, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    text, is_done = run(command, seconds)
    if not is_done:
        print(f"{name}: not done within {seconds:g} seconds; what hadn't ended:", *unended(command, text, seconds), sep="\n  ")
        return 1
    passed, skipped, failed = outcome(text)
    # What a test prints may break the line that says how it ended.
    lost = sum(map(int, SUMS.findall(text))) - skipped.total() - len(failed)
    lucky = [test for test in failed if len(failed) <= 10 and any(again(command, test, seconds) for _ in range(2))]
    for test in lucky:
        del failed[test]
    passed += len(lucky)
    print(f"{name}: {passed} passed, {skipped.total()} skipped, {len(failed)} failed")
    for reason, count in skipped.most_common():
        print(f"  {count:5} need {reason}")
    for test in lucky:
        print(f"  passed when it was run again: {test}")
    for test, said in failed.items():
        print(f"\n  failed: {test}\n{said}")
    is_whole = SUMS.search(text) and not lost
    if lost:
        print(f"\n  {lost} more failed, whose names were lost")
    if not is_whole or not passed:
        print(text[-4000:])
    return 1 if failed or not passed or not is_whole else 0


sys.exit(main())
