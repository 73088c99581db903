"""test_many.py: 64 ranks, more than there are cores: one is stopped while the others work for half a minute, one is killed, and the bytes
stay the same. Needs CONSTELLA_TEST_ALL."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import signal
import sys
import time

from survive import checkpoints, cpu, finish, kill_all, ranks_of, same, start

from cli import digests, done, note, ok, path, skip, write
from held import until

RANKS, STOPPED = 64, 30
STUDY = """study: conservation
system: double-pendulum
initial: {members: 4096, seed: 7, spread: {q: 0.05, v: 0.05}}
end: 400.0
steps: [0.01]
methods: [rattle]
"""


def begun(study, result, left=()):
    """A run, when it has written a checkpoint that is not in `left`; and its ranks."""
    process = start(study, result, RANKS, "--batch", 8, checkpoint=2)
    newer = lambda: [x for x in checkpoints(result) if not x.endswith(".new") and x not in left]  # noqa: E731
    until(newer, "a checkpoint", process)
    return process, ranks_of(process.pid)


def stopped(study, first):
    result = path("stopped.h5")
    since = time.monotonic()
    process, ranks = begun(study, result)
    if not ok(len(ranks) == RANKS, f"{RANKS} ranks run", len(ranks)):
        return kill_all(process)
    os.kill(ranks[RANKS // 2], signal.SIGSTOP)
    then = cpu(process.pid)
    until(lambda: cpu(process.pid) > then + STOPPED, f"{STOPPED} s of work of the others", process)
    ok(process.poll() is None, "while a rank is stopped, the run goes on")
    os.kill(ranks[RANKS // 2], signal.SIGCONT)
    status, out, err = finish(process)
    ok(status == 0, f"a rank stopped for {STOPPED} s: the run is complete", status, out, err)
    same(f"a rank stopped for {STOPPED} s", first, result)
    note(f"a rank stopped: {time.monotonic() - since:.0f} s in all")


def killed(study, first):
    result = path("killed.h5")
    since = time.monotonic()
    process, ranks = begun(study, result)
    if not ok(len(ranks) == RANKS, f"{RANKS} ranks run", len(ranks)):
        return kill_all(process)
    at = time.monotonic()
    os.kill(ranks[RANKS // 2], signal.SIGKILL)
    status, out, err = finish(process)
    ok(status not in (None, 0, 75), "a rank killed: the run ends", status, out, err)
    note(f"a rank killed: all have ended after {time.monotonic() - at:.1f} s")
    status, out, err = finish(start(study, result, RANKS))
    ok(status == 0, "a rank killed: resumed, it is complete", status, out, err)
    same("a rank killed", first, result)
    note(f"a rank killed: {time.monotonic() - since:.0f} s in all")


if not os.environ.get("CONSTELLA_TEST_ALL"):
    skip(f"{RANKS} ranks", "CONSTELLA_TEST_ALL is not set")
    done()
study = write("many.yaml", STUDY)
whole = path("whole.h5")
since = time.monotonic()
status, out, err = finish(start(study, whole, 2))
if not ok(status == 0, "the undisturbed run, on 2 ranks", status, out, err):
    sys.exit(1)
note(f"undisturbed, on 2 ranks: {time.monotonic() - since:.0f} s")
first = digests(whole)
stopped(study, first)
killed(study, first)
done()
