"""test_suite.py: tests/run.pl stops programs by CPU time or idleness, names them and their last check, and
does not count the time that a program waits; what fails is run once more, and named as unsteady where it passes then."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, ok, path, scratch, write

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run.pl")
PROGRAMS = {
    "waits": "echo 1..2; echo ok 1 - a; for i in 1 2 3 4 5 6; do sleep 0.4; for ((j = 0; j < 2000; j++)); do :; done; done; echo ok 2 - b",
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
    environment = {**os.environ, "IDLE_ALLOWED": "4", "JOBS": "5"}
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
        f"stopped: {names['hangs']}: its processes used no CPU time for 4 s; last check: ok 1 - before" in said,
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


UNSTEADY = {
    "second": "[ -e {0}/was ] && { echo ok 1 - a; echo ok 2 - b; echo 1..2; exit; }; touch {0}/was; sleep 1002 >/dev/null 2>&1 & echo ok 1 - a; echo not ok 2 - b; echo 1..2; exit 1",
    "crashes": "echo 1..1; echo ok 1 - c; [ -e {0}/had ] || { touch {0}/had; kill -SEGV $$; }",
    "never": "echo ok 1 - d; echo not ok 2 - e; echo '# why'; echo 1..2; exit 1",
    "always": "echo ok 1 - f; echo 1..1",
}


def closing(names, folder):
    """What a suite of these programs ends with: its exit status, and its lines."""
    lines = {x: f"bash {folder}/{x}.sh" for x in names}
    for name in names:
        write(f"{folder}/{name}.sh", UNSTEADY[name].replace("{0}", folder) + "\n")
    suite = write(f"{folder}/suite.list", "".join(f"9 {x}\n" for x in lines.values()))
    r = subprocess.run(["perl", RUN, suite], env={**os.environ, "JOBS": "4"}, capture_output=True, text=True)
    with open(suite + ".closing") as f:
        ok(r.stdout.endswith(f.read()), "the closing lines stay in a file, and are the last", r.stdout)
    return r.returncode, r.stdout.splitlines()


def once_more():
    folder = scratch()
    status, said = closing(["second", "crashes", "always"], folder)
    ok(status == 0, "what passes when it runs once more does not fail the suite", status, *said)
    ok(
        said[-3:]
        == [
            f"unsteady: bash {folder}/second.sh: not ok 2 - b",
            f"unsteady: bash {folder}/crashes.sh: it ended by signal 11",
            "4 passed, 0 failed, 0 skipped",
        ],
        "it is named, with the first check that failed, and counted once",
        *said,
    )
    left = subprocess.run(["pgrep", "-fx", "sleep 1002"], capture_output=True, text=True)
    ok(left.returncode == 1, "a process that the first attempt left is ended", left.stdout)
    folder = scratch()
    status, said = closing(["second", "never"], folder)
    ok(status == 1, "what fails twice fails the suite", status, *said)
    ok(
        said[-3:]
        == [
            f"failed: bash {folder}/never.sh: not ok 2 - e",
            f"unsteady: bash {folder}/second.sh: not ok 2 - b",
            "3 passed, 1 failed, 0 skipped",
        ],
        "it is named before what is unsteady",
        *said,
    )
    ok("  # why" in said, "with its remarks", *said)


stops()
once_more()
done()
