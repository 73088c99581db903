"""test_suite.py: tests/run.pl stops programs by CPU time or idleness, names them and their last check, and
does not count the time that a program waits."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, ok, path, scratch, write

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run.pl")
PROGRAMS = {
    "waits": "echo 1..2; echo ok 1 - a; for i in 1 2 3 4 5 6; do sleep 0.4; for ((j = 0; j < 20000; j++)); do :; done; done; echo ok 2 - b",
    "computes": "echo 1..2; echo ok 1 - the first; while :; do :; done",
    "hangs": "echo 1..2; echo ok 1 - before; trap '' TERM; (setsid sleep 1001 &); sleep 1000; echo ok 2 - after",
    "signals": "echo 1..1; echo ok 1 - all; kill -SEGV $$",
    "skips": "echo '1..0 # SKIP no such thing'",
}


def stops():
    folder = scratch()
    names = {name: f"bash {folder}/{name}.sh" for name in PROGRAMS}
    for name, text in PROGRAMS.items():
        write(f"{folder}/{name}.sh", text + "\n")
    suite = write("suite.list", "".join(f"1 {command}\n" for command in names.values()))
    environment = {**os.environ, "IDLE_ALLOWED": "2", "JOBS": "5"}
    r = subprocess.run(["perl", RUN, suite], env=environment, capture_output=True, text=True)
    said = r.stdout
    ok(r.returncode == 1, "a suite with stopped programs fails", said, r.stderr)
    ok(
        f"stopped: {names['computes']}: its processes used more than 1 s of CPU time; last check: ok 1 - the first"
        in said,
        "a program that computes too long is named, with its last check",
        said,
    )
    ok(
        f"stopped: {names['hangs']}: its processes used no CPU time for 2 s; last check: ok 1 - before" in said,
        "so is a program that hangs",
        said,
    )
    ok(
        f"stopped: {names['waits']}" not in said,
        "a program that waits longer than its CPU time goes on",
        said,
    )
    ok(
        "5 passed, 3 failed, 1 skipped" in said,
        "the stopped programs and the signal are counted",
        *said.splitlines()[-1:],
    )
    ok(said.count(" s of ") >= len(names), "CPU times are listed", said)
    left = subprocess.run(["pgrep", "-fx", "sleep 1001"], capture_output=True, text=True)
    ok(left.returncode == 1, "a process of another session is ended with its program", left.stdout)


stops()
done()
