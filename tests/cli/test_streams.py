"""test_streams.py: standard output that cannot be written is an error of every command; with closed standard
streams no message is written into a file of the program.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import signal
import subprocess

from cli import ENVIRONMENT, PROGRAM, differences, digests, done, ok, path, run

TEXT = """study: conservation
system: planar-pendulum
initial: {members: 3, seed: 1, spread: {v: 0.1}}
end: 10.0
steps: [0.1]
methods: [rattle]
"""
run("pendulum", TEXT)
STUDY, RESULT = path("pendulum.yaml"), path("pendulum.h5")
EXPECTED = digests(RESULT)
run("work", "study: work-precision\nsystem: kepler\nend: 0.5\nsteps: [0.1, 0.05]\nmethods: [rattle]\nreference: {method: gauss(6), step: 0.0125}\naccuracies: [0.1]\n")
WORK = path("work.h5")
COMMANDS = [
    "--version",
    "help",
    "help run",
    "list methods",
    "show rattle",
    "show study",
    "system planar-pendulum",
    "system planar-pendulum --html",
    f"check {STUDY}",
    f"run {STUDY} -o {path('full.h5')} --progress none",
    f"table {RESULT}",
    f"table {RESULT} --format csv",
    f"table {RESULT} --format latex",
    f"table {WORK} --cheapest",
    f"status {RESULT}",
    f"cite {RESULT}",
    f"verify {RESULT}",
]


def shell(line):
    return subprocess.run(["sh", "-c", line], env=ENVIRONMENT, capture_output=True, text=True, timeout=600)


for command in COMMANDS:
    process = shell(f"{PROGRAM} {command} >/dev/full")
    ok(
        process.returncode == 1
        and process.stderr.startswith("constella: error: standard output cannot be written"),
        f"a full disk: {command.split('/')[0]}",
        process.returncode,
        process.stderr,
    )
ok(not differences(EXPECTED, digests(path("full.h5"))), "a full disk: the result is written")

for streams in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
    result = path("closed.h5")
    process = shell(f"{PROGRAM} run {STUDY} -o {result} --overwrite --progress log {streams}")
    ok(process.returncode == 0, f"{streams}: exit status", process.returncode, process.stderr)
    ok(not differences(EXPECTED, digests(result)), f"{streams}: the result is that of open streams")


def unread(words, both=False):
    """A command whose standard output, or both streams, are a pipe that nobody reads."""
    ours, theirs = os.pipe()
    os.close(ours)
    error = theirs if both else subprocess.PIPE
    process = subprocess.run(
        [PROGRAM, *words.split()], env=ENVIRONMENT, stdout=theirs, stderr=error, text=True, timeout=600
    )
    os.close(theirs)
    return process


result = path("unread.h5")
for words, both in (
    (f"run {STUDY} -o {result} --overwrite --progress log", True),
    (f"run {STUDY} -o {result} --overwrite --progress none", False),
    (f"verify {RESULT}", False),
    (f"table {RESULT}", False),
    (f"table {RESULT} --format latex", False),
    (f"table {WORK} --cheapest", False),
    ("system planar-pendulum --html", False),
):
    process = unread(words, both)
    ok(
        process.returncode in (128 + signal.SIGPIPE, -signal.SIGPIPE) and not process.stderr,
        f"{words.split()[0]}: a pipe that nobody reads is no error in words",
        process.returncode,
        process.stderr,
    )
ok(not differences(EXPECTED, digests(result)), "a run goes on where nobody reads what it says")
done()
