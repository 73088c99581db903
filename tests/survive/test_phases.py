"""test_phases.py: run, extend, merge and a part, each stopped or killed in every phase of its work (what it takes over, reference,
batches, trajectories that are stepped once more, timing, statistics): resumed, all data are those of an undisturbed run, and the
sums over members are complete. It is struck at the 1st, 2nd, 4th, 8th ... slice of its work, up to its end."""
# SPDX-License-Identifier: BSD-2-Clause
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
end: 4.0
steps: {from: 0.1, halvings: 2}
methods: [rattle, euler-a]
reference: {method: "gauss(4)", step: 0.002}
samples: {count: 40}
extremes: [{name: low, expression: y2}]
trajectories: {members: {worst: 2, by: energy}, every: 10}
timing: {repeats: 1}
"""
WIDER = STUDY.replace("rattle, euler-a", "rattle, euler-a, heun").replace("members: 12", "members: 20")
HOW = (signal.SIGUSR1, signal.SIGKILL, signal.SIGTERM)
WORDS = ("--progress", "none", "--checkpoint-seconds", "0.02", "--batch", "8")


def struck(form, line, result, first):
    """Strike a fresh run at each of these points, with the signals in turn, and let it end."""
    hows = itertools.cycle(HOW)
    for slice_ in (2**k for k in range(30)):
        how = next(hows)
        name = f"{form}: {how.name} in slice {slice_}"
        for x in os.listdir(os.path.dirname(result)):
            if x.startswith(os.path.basename(result)):
                os.remove(os.path.join(os.path.dirname(result), x))
        gate = Gate(f"clock:{slice_}", result)
        process = subprocess.Popen(
            [PROGRAM, *line, "-o", result, *WORDS],
            env={**ENVIRONMENT, **hurried(), **gate.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        there = gate.reached(process)
        if there:
            process.send_signal(how)
            ok(how == signal.SIGKILL or gate.heard(process), f"{name}: it is told")
        gate.open()
        status, out, err = finish(process)
        for _ in range(2 * there):
            status, out, err = finish(subprocess.Popen([PROGRAM, *line, "-o", result, *WORDS, "--resume"], env=ENVIRONMENT,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))  # fmt: skip
            if "complete" in out:
                break
        ok(status == 0 and "complete" in out, f"{name}: it ends", status, out, err)
        same(name, first, result)
        if not there:
            process = constella("verify", result, "--sample", "1")
            ok(process.returncode == 0 and ("statistics the same" in process.stdout) == (form != "part"), f"{name}: verified", process.stdout)
            return ok(slice_ > 32, f"{form}: struck at {slice_.bit_length() - 1} points", slice_)


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
