"""test_kill.py: runs that are struck at random instants and resumed on other numbers of ranks end in the file of an undisturbed run.

test_kill.py [--instants N] [--seed S]: N instants for all studies together (12), drawn from S (1).
"""
# SPDX-License-Identifier: BSD-2-Clause
import random
import resource
import sys
import time

from survive import STRIKES, STUDIES, cpu, finish, same, start, undisturbed

from cli import done, note, ok, path

RANKS = (1, 2, 3, 5)
INTERVAL = 0.1   # seconds between checkpoints


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def strike(name, study, result, seconds, ranks, how, draw):
    """One attempt, struck after some seconds: whether it was at work then, and the CPU seconds that it took."""
    process = start(study, result, ranks, "--batch", draw.choice((8, 16, 64, 1024)), checkpoint=INTERVAL)
    time.sleep(seconds)
    early, spent = process.poll() is not None, cpu(process.pid)
    if not early:
        STRIKES[how](process, draw)
    began = time.monotonic()
    status, out, err = finish(process)
    note(f"{name}: {how} after {seconds:.2f} s on {ranks} ranks: exit {status} {time.monotonic() - began:.1f} s later")
    ok(status is not None, f"{name}: {how}: the run comes down", err)
    if how == "SIGKILL of all" and not early:
        ok(status != 0, f"{name}: {how} is no success", status)
    if "SIGUSR1" in how and not early and "complete" not in out:   # before the program listens, the signal ends it
        ok(status == 75 or "signal 10" in err, f"{name}: {how}: exit status 75", status, out, err)
    return not early and "complete" not in out, spent


def timed(run_it):
    """What it returns, and the CPU seconds of the processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run_it()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def survive(name, instants, draw):
    (study, first, seconds), whole = timed(lambda: undisturbed(name))
    result = path(name + "-struck.h5")
    _, start_up = timed(lambda: finish(start(study, path(name + ".h5"), max(RANKS))))   # it finds the file complete
    a_rank = 0.5 + 2 * start_up / max(RANKS)   # of CPU that a rank may take to start and to end, on a busy machine
    hit, spent, allowed = 0, 0, 0
    for i in range(instants):
        ranks = RANKS[(i + draw.randrange(4)) % 4]
        at_work, cost = strike(name, study, result, 0.3 + draw.random() * 0.7 * seconds, ranks, draw.choice(list(STRIKES)), draw)
        hit += at_work
        spent += cost
        allowed += ranks * (INTERVAL + a_rank)
    (status, out, err), cost = timed(lambda: finish(start(study, result, draw.choice(RANKS))))
    ok(status == STUDIES[name][0], f"{name}: resumed, it ends with {STUDIES[name][0]}", status, out, err)
    same(name, first, result)
    note(f"{name}: {spent + cost:.2f} s of CPU in all attempts, {whole:.2f} undisturbed")
    ok(spent + cost < 1.25 * whole + allowed + max(RANKS) * a_rank, f"{name}: no more than an interval a strike was computed twice", spent + cost, whole, allowed)
    again, out, err = finish(start(study, result, 2))
    ok(again == status and "complete already" in out, f"{name}: resumed once more, there is nothing to do", again, out, err)
    return hit


if __name__ == "__main__":
    draw = random.Random(option("--seed", 1))
    instants = option("--instants", 12)
    hits = sum(survive(name, instants // len(STUDIES) + (i < instants % len(STUDIES)), draw) for i, name in enumerate(STUDIES))
    ok(hits >= instants // 2, "half of the strikes at least hit a run that was at work", f"{hits} of {instants}")
    done()
