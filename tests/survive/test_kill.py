"""test_kill.py: runs that are struck at random points and resumed on other numbers of ranks give the file
of an undisturbed run, also if their files are moved, linked, copied or replaced meanwhile (moves.py). A point is a
call that a rank makes, for a checkpoint or between slices of work: the rank waits there until the strike has come.

test_kill.py [--instants N] [--seed S]: N points for all studies together (12), drawn from S (1); from 30
on with further families, on instruction sets that change, and with changes of the files. --only NAME: of this study. --keep FOLDER:
where files go that differ.
"""
# SPDX-License-Identifier: BSD-2-Clause
import collections
import os
import random
import shutil
import sys
import time

import h5py
import moves
from survive import MORE, STRIKES, STUDIES, described, finish, same, start, undisturbed

from cli import constella, done, note, ok, path
from held import Gate

RANKS = (1, 2, 3, 5)
INTERVAL = 0.05  # seconds between checkpoints, of a clock that goes ten times as fast
QUESTIONS = 2000 if "--instants" in sys.argv else 250  # of the clock, at most, before a strike
ISAS = ("v4", "v3", "v2")
compared = struck = 0
IN_FLIGHT = {f"file {x} in flight": x for x in ("renamed", "removed", "replaced")}
counts = collections.Counter()


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


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


def point(how, place, ranks, most, draw):
    """Where a rank waits for a strike: for a signal where it works, for a kill in calls for a checkpoint too."""
    if "SIGKILL" in how and most == QUESTIONS and draw.random() < 0.5:
        return Gate(f"{draw.choice(('pwrite', 'fsync', 'rename'))}:{draw.randrange(1, 5)}", ".checkpoint.")
    return Gate(f"clock:{1 + int(most * draw.random() ** 2)}", place.asked, draw.randrange(ranks))


def strike(name, study, of, place, ranks, isa, how, gate, draw):
    """One attempt; whether it was struck at its work."""
    process = start(
        study,
        place.asked,
        ranks,
        "--batch",
        draw.choice((8, 16, 64, 1024)),
        checkpoint=INTERVAL,
        of=of,
        env={**({"CONSTELLA_ISA": isa} if isa else {}), **gate.env},
    )
    there = gate.reached(process)
    if there and how in STRIKES:
        STRIKES[how](process, draw.choice(list(gate.held().values())))
        if "SIGKILL" not in how:
            ok(gate.heard(process) or process.poll() is not None, f"{name}: {how}: the rank that waits is told")
    if "SIGKILL" not in how and how not in IN_FLIGHT:
        gate.open()
    changed = how in IN_FLIGHT and there
    status, out, err = moves.in_flight(place, IN_FLIGHT[how], process, gate.open) if changed else finish(process)
    note(f"{name}: {how} at {gate.at} on {ranks} ranks{isa and ' with '}{isa}: exit {status}")
    ok(status is not None, f"{name}: {how}: the run comes down", err)
    ok(status != 2 or changed, f"{name}: {how}: it is not refused", out, err)
    if "SIGKILL" in how and there:
        ok(status != 0, f"{name}: {how} is no success", status)
    if "SIGUSR1" in how and there:
        ok(status == 75, f"{name}: {how}: exit status 75", status, out, err)
    place.settle()
    if changed:
        return not (os.path.exists(place.result) and moves.is_complete(place))
    return there and "complete" not in out


def ended(name, study, of, first, result, ranks):
    """Check that the file, resumed to its end, equals the undisturbed one and that nothing is left to do."""
    status, out, err = finish(start(study, result, ranks, of=of))
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


def begins_at(result):
    """The part of the work that the last attempt found done."""
    if not os.path.exists(result):
        return 0
    with h5py.File(result, "r") as f:
        return float(f["run"].attrs.get("work_before", 0))


def survive(name, instants, isas, draw, instants_of_all):
    """Repeat until this many strikes have hit a running program; a study that was complete before starts
    again, and is struck sooner.
    """
    global struck
    study, of, first = undisturbed(name)
    changing = instants_of_all >= 30
    place = moves.Place(name, draw)
    hit, rounds, most, begun, again = 0, 1, QUESTIONS, 0, 0
    for i in range(8 * instants):
        ranks = RANKS[(i + draw.randrange(4)) % 4]
        how = draw.choice([*STRIKES, *(IN_FLIGHT if changing else ())])
        at_work = strike(
            name, study, of, place, ranks, draw.choice(isas), how, point(how, place, ranks, most, draw), draw
        )
        hit += at_work
        again += begins_at(place.result) < begun
        begun = begins_at(place.result)
        if hit == instants:
            break
        if not at_work:
            equal(name, first, place.result)
            place.begin()
            rounds += 1
            begun, most = 0, max(1, most // 4)
        elif changing:
            moves.change(place, study, of)
    ended(name, study, of, first, place.asked, draw.choice(RANKS))
    ok(place.untouched(), f"{name}: files of others are as they were", place.mine)
    counts.update(place.counts)
    ok(hit == instants, f"{name}: {instants} strikes hit a run that was at work", hit)
    note(f"{name}: {rounds} runs")
    struck += hit
    ok(not again, f"{name}: no attempt has less of the work behind it than the one before", again)


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
