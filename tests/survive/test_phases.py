"""test_phases.py: run, extend, merge and a part, each stopped, killed, out of time or out of disk space in every phase of its work
(what it takes over, reference, batches, trajectories that are stepped once more, timing, statistics): resumed, all data are those of
an undisturbed run, and the sums over members are complete. It is struck at the 1st, 2nd, 4th, 8th ... slice of its work, up to its end."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import itertools
import os
import shutil
import signal
import subprocess

import h5py
from survive import finish, same

from cli import ENVIRONMENT, PROGRAM, constella, digests, done, hurried, ok, path, together, write
from held import Gate

STUDY = """study: order
system: double-pendulum
initial: {members: 12, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 2.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, euler-a]
reference: {method: "gauss(4)", step: 0.002}
samples: {count: 40}
extremes: [{name: low, expression: y2}]
trajectories: {members: {worst: 2, by: energy}, every: 10}
timing: {repeats: 1}
"""
WIDER = STUDY.replace("rattle, euler-a", "rattle, euler-a, heun").replace("members: 12", "members: 20")
WORDS = ("--progress", "none", "--checkpoint-seconds", "0.02", "--batch", "8", "--max-hours", "100")
SIGNALS = (signal.SIGUSR1, signal.SIGKILL, signal.SIGTERM)
LIMITS = {"LATE": (75, "interrupted by --max-hours"), "ENOSPC": (1, "No space left on device")}  # how a run ends that meets one


def fresh(result):
    for x in glob.glob(glob.escape(result) + "*"):
        os.remove(x)


def begin(line, result, env):
    return subprocess.Popen(
        [PROGRAM, *line, "-o", result, *WORDS],
        env={**ENVIRONMENT, **hurried(), **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told_at(name, how, slice_, line, result):
    """Send a run this signal in this slice of its work; whether it came to it, and how it ended."""
    gate = Gate(f"clock:{slice_}", result)
    process = begin(line, result, gate.env)
    there = gate.reached(process)
    if there:
        process.send_signal(how)
        ok(how == signal.SIGKILL or gate.heard(process), f"{name}: it is told")
    gate.open()
    return there, *finish(process)


def limited_at(name, how, slice_, line, result):
    """Let the time of a run be over, or its disk be full, from this slice on; whether it met that, and how it ended."""
    process = begin(line, result, {"STRIKE": f"clock:{slice_}:{how}", "STRIKE_PATH": result})
    status, out, err = finish(process)
    expected, words = LIMITS[how]
    there = status != 0
    ok(not there or (status == expected and words in out + err), f"{name}: it says so", status, out, err)
    return there, status, out, err


def struck(form, line, result, first):
    """Strike a fresh run at each of these points, with the signals in turn, and let it end; at each second of them also
    by a limit, in turn, and not by the same ones of each form."""
    hows, limits = itertools.cycle(SIGNALS), itertools.cycle(sorted(LIMITS, reverse=len(form) % 2))
    met = 0
    for k in range(30):
        for how in [next(hows), *([next(limits)] if k % 2 else [])]:
            name = f"{form}: {getattr(how, 'name', how)} in slice {2**k}"
            fresh(result)
            there, status, out, err = (limited_at if how in LIMITS else told_at)(name, how, 2**k, line, result)
            met += there and how in LIMITS
            for _ in range(2 * there):
                again = constella(*line, "-o", result, *WORDS, "--resume")
                status, out, err = again.returncode, again.stdout, again.stderr
                if "complete" in out:
                    break
            ok(status == 0 and "complete" in out, f"{name}: it ends", status, out, err)
            same(name, first, result)
            if how in SIGNALS and not there:
                process = constella("verify", result, "--sample", "1")
                ok(process.returncode == 0 and ("statistics the same" in process.stdout) == (form != "part"), f"{form}: verified", process.stdout)
                return ok(k > 5 and met > 2, f"{form}: struck at {k} points, by limits at {met}")


def whole(name, text):
    study = write(f"{name}.yaml", text)
    result = path(f"{name}.h5")
    process = constella("run", study, "-o", result)
    ok(process.returncode == 0, f"{name}: undisturbed", process.stderr)
    return study, result


STUDIED, NARROW = whole("narrow", STUDY)
WIDE_STUDY, WIDE = whole("wide", WIDER)
PARTS = []
for k in (1, 2):
    PARTS.append(path(f"part-{k}.h5"))
    constella("run", STUDIED, "--part", f"{k}/2", "-o", PARTS[-1])


def run():
    struck("run", ["run", STUDIED], path("struck-run.h5"), digests(NARROW))


def extend():
    struck("extend", ["extend", NARROW, WIDE_STUDY], path("struck-extend.h5"), digests(WIDE))


def merge():
    struck("merge", ["merge", *PARTS], path("struck-merge.h5"), digests(NARROW))


def part():
    struck("part", ["run", STUDIED, "--part", "1/2"], path("struck-part.h5"), digests(PARTS[0]))


def told():
    """A result whose sums have lost members: verify and compare say so."""
    lost = path("lost.h5")
    shutil.copy(NARROW, lost)
    with h5py.File(lost, "r+") as f:
        for name in set(f["series"]) - {"t"}:
            f[f"series/{name}/count"][1] -= 3
    process = constella("verify", lost, "--sample", "1")
    ok(process.returncode == 1 and "sums over members DIFFER" in process.stdout, "verify: lost members", process.stdout)
    ok("series: sums over the members of case 1 have 9 terms at step 0, where 12 members were" in process.stdout, "verify: where", process.stdout)
    process = constella("verify", NARROW, "--sample", "1")
    ok(process.returncode == 0 and "sums over members complete" in process.stdout, "verify: complete sums", process.stdout)
    process = constella("compare", NARROW, lost)
    ok(process.returncode == 1 and f"Sums over members in {lost} have fewer" in process.stdout, "compare: lost members", process.stdout)
    process = constella("compare", NARROW, WIDE)
    ok("fewer" not in process.stdout, "compare: complete sums", process.stdout)
    with h5py.File(lost, "r+") as f:
        for name in set(f["series"]) - {"t"}:
            f[f"series/{name}/count"][1] += 3
        f["series/energy/rms"][0, 3] *= 2
    process = constella("verify", lost, "--sample", "1")
    ok(process.returncode == 1 and "/series/energy/rms[0, 3]" in process.stdout, "verify: a mean that is not that of the sums", process.stdout)


together([run, extend, merge, part, told])
done()
