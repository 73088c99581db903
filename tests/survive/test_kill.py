"""test_kill.py: runs that are killed at random instants and resumed on other numbers of ranks give the file
of an undisturbed run, also if their files are moved, linked, copied or replaced meanwhile (moves.py).

test_kill.py [--instants N] [--seed S]: N instants for all studies together (12), drawn from S (1); from 30
on with further families, on instruction sets that change, and with changes of the files. --only NAME: of this study. --keep FOLDER:
where files go that differ.
"""
# SPDX-License-Identifier: BSD-2-Clause
import collections
import os
import random
import resource
import shutil
import sys
import time

import moves
from survive import MORE, STRIKES, STUDIES, cpu, described, finish, same, start, undisturbed

from cli import constella, done, lingering, note, ok, path

RANKS = (1, 2, 3, 5)
INTERVAL = 0.1  # seconds between checkpoints
ISAS = ("v4", "v3", "v2")
compared = struck = 0
IN_FLIGHT = {f"file {x} in flight": x for x in ("renamed", "removed", "replaced")}
counts = collections.Counter()


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def timed(run_it):
    """The result of a call, and the CPU seconds of the processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run_it()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def equal(name, first, result):
    global compared
    if same(name, first, result):
        compared += 1
    elif "--keep" in sys.argv:
        shutil.copy(
            result,
            os.path.join(
                sys.argv[sys.argv.index("--keep") + 1], f"{name}-{os.getpid()}-{time.time():.0f}.h5"
            ),
        )


def strike(name, study, of, place, seconds, ranks, isa, how, draw):
    """One attempt, killed after some seconds: whether it was running then, and the CPU seconds of its ranks
    until then.
    """
    process = start(
        study,
        place.asked,
        ranks,
        "--batch",
        draw.choice((8, 16, 64, 1024)),
        checkpoint=INTERVAL,
        of=of,
        env={**({"CONSTELLA_ISA": isa} if isa else {}), **({} if "--instants" in sys.argv else lingering())},
    )
    time.sleep(seconds)
    early, spent = process.poll() is not None, cpu(process.pid)
    if not early and how in STRIKES:
        STRIKES[how](process, draw)
    began = time.monotonic()
    changed = how in IN_FLIGHT and not early
    status, out, err = moves.in_flight(place, IN_FLIGHT[how], process) if changed else finish(process)
    note(
        f"{name}: {how} after {seconds:.2f} s on {ranks} ranks{isa and ' with '}{isa}: exit {status} "
        f"{time.monotonic() - began:.1f} s later"
    )
    ok(status is not None, f"{name}: {how}: the run comes down", err)
    ok(status != 2 or changed, f"{name}: {how}: it is not refused", out, err)
    if how == "SIGKILL of all" and not early:
        ok(status != 0, f"{name}: {how} is no success", status)
    if (
        "SIGUSR1" in how and not early and "complete" not in out
    ):  # before the program listens, the signal ends it
        ok(status == 75 or "signal 10" in err, f"{name}: {how}: exit status 75", status, out, err)
    place.settle()
    if changed:
        return not (os.path.exists(place.result) and moves.is_complete(place)), spent
    return not early and "complete" not in out, spent


def ended(name, study, of, first, result, ranks):
    """Check that the file, resumed to its end, equals the undisturbed one and that nothing is left to do;
    return the CPU seconds.
    """
    (status, out, err), cost = timed(lambda: finish(start(study, result, ranks, of=of)))
    expected = described(name)[0]
    ok(status == expected, f"{name}: resumed, it ends with {expected}", status, out, err)
    equal(name, first, result)
    again, out, err = finish(start(study, result, 0, of=of))
    ok(
        again == status and "complete already" in out,
        f"{name}: resumed once more, there is nothing to do",
        again,
        out,
        err,
    )
    return cost


def of_a_rank(study, name, of, measured=[]):
    """CPU seconds that a rank may need to start and to end, on a busy machine; measured with the first study, whose
    file it finds complete."""
    if not measured:
        measured.append(timed(lambda: finish(start(study, path(name + ".h5"), max(RANKS), of=of)))[1])
    return 0.5 + 2 * measured[0] / max(RANKS)


def survive(name, instants, isas, draw, instants_of_all):
    """Repeat until this many kills have hit a running program; a study that was complete before starts
    again.
    """
    global struck
    (study, of, first, seconds), whole = timed(lambda: undisturbed(name))
    changing = instants_of_all >= 30
    place = moves.Place(name, draw)
    a_rank = of_a_rank(study, name, of)
    hit, rounds, spent, allowed = 0, 1, 0, 0
    for i in range(8 * instants):
        ranks = RANKS[(i + draw.randrange(4)) % 4]
        after = 0.25 + draw.random() * (0.4 * seconds if "--instants" in sys.argv else 0.6)
        (at_work, until_then), waited_for = timed(
            lambda: strike(
                name,
                study,
                of,
                place,
                after,
                ranks,
                draw.choice(isas),
                draw.choice([*STRIKES, *(IN_FLIGHT if changing else ())]),
                draw,
            )
        )
        hit += at_work
        spent += max(until_then, waited_for)
        allowed += ranks * (INTERVAL + a_rank)
        if hit == instants:
            break
        if not at_work:
            equal(name, first, place.result)
            place.begin()
            rounds += 1
        elif changing:
            moves.change(place, study, of)
    spent += ended(name, study, of, first, place.asked, draw.choice(RANKS))
    ok(place.untouched(), f"{name}: files of others are as they were", place.mine)
    counts.update(place.counts)
    allowed += max(RANKS) * a_rank
    ok(hit == instants, f"{name}: {instants} strikes hit a run that was at work", hit)
    note(f"{name}: {spent:.2f} s of CPU in all attempts at {rounds} runs, {whole:.2f} undisturbed")
    struck += hit
    slower = 1.25 if len(isas) == 1 else 5  # of few lanes
    ok(
        spent < slower * rounds * whole + allowed,
        f"{name}: no more than an interval a strike was computed twice",
        spent,
        whole,
        allowed,
    )


if __name__ == "__main__":
    draw = random.Random(option("--seed", 1))
    instants = option("--instants", 12)
    names = (
        [sys.argv[sys.argv.index("--only") + 1]]
        if "--only" in sys.argv
        else [*STUDIES, *(MORE if instants >= 30 else ())]
    )
    isas = [""]  # the best one
    if instants >= 30:
        isas += [x for x in ISAS if constella("list", "systems", env={"CONSTELLA_ISA": x}).returncode == 0]
    for i, name in enumerate(names):
        survive(name, instants // len(names) + (i < instants % len(names)), isas, draw, instants)
    note(
        f"{struck} runs at work were struck, {compared} files were those of undisturbed runs, "
        f"in {len(names)} families"
    )
    note(f"changes of files: {dict(counts)}")
    done()
