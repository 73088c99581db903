#!/usr/bin/env python3
# works.py: part of `make bench`: `constella run` on five typical studies by RATTLE with h = 0.01, as
# ensembles and as single trajectories: nanoseconds per trajectory-step from the CPU time of whole processes
# at two lengths. slope: the cost of further steps, including accumulators; whole: including start-up,
# verdicts and file, at the longer length. Water, compared with other packages: water.py.
# SPDX-License-Identifier: BSD-2-Clause
import os
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "constella"))
FOLDER = tempfile.mkdtemp(prefix="constella-bench-")
ROUNDS = 3
WORKS = [  # name, system, spread, members and steps of the ensemble, steps of one trajectory
    ("W1 planar pendulum", "planar-pendulum", 0.3, 1024, 40000, 4000000),
    ("W2 double pendulum", "double-pendulum", 0.3, 1024, 20000, 2000000),
    ("W3 spherical pendula", "spherical-pendulum", 0.5, 1024, 40000, 4000000),
    ("W4 heavy top", "heavy-top", 0.05, 1024, 8000, 800000),
    ("W6 chain of 100", "{name: pendulum-chain, parameters: {n: 100}}", 0.02, 64, 2000, 40000),
]


def cpu(study):
    """CPU seconds of a run."""
    with open(os.path.join(FOLDER, "study.yaml"), "w") as f:
        f.write(study)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [PROGRAM, "run", "study.yaml", "-o", "study.h5", "--overwrite", "--progress", "none"],
        cwd=FOLDER,
        capture_output=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{study}{done.stdout[-500:]}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def study(system, spread, members, steps):
    initial = (
        "default"
        if members == 1
        else f"{{members: {members}, seed: 1, around: default, spread: {{q: {spread}, v: {spread}}}}}"
    )
    return (
        f"study: conservation\n"
        f"system: {system}\n"
        f"initial: {initial}\n"
        f"end: {0.01 * steps!r}\n"
        f"steps: [0.01]\n"
        f"methods: [rattle]\n"
        "roundoff: {dyadic-steps: false}\n"
    )


def measure(system, spread, members, steps):
    """Nanoseconds per step: slope and whole. The shorter length is a quarter of the longer one; runs
    alternate.
    """
    short = long = float("inf")
    for _ in range(ROUNDS):
        short = min(short, cpu(study(system, spread, members, steps // 4)))
        long = min(long, cpu(study(system, spread, members, steps)))
    return 1e9 * (long - short) / (members * (steps - steps // 4)), 1e9 * long / (members * steps)


def main():
    print(
        f"\n"
        f"ns a trajectory-step of `constella run`, slope (whole), least of {ROUNDS}\n"
        f"{'':22} {'ensemble':>20} {'one trajectory':>20}"
    )
    for name, system, spread, members, steps, alone in WORKS:
        cells = [
            f"{slope:.3g} ({whole:.3g})"
            for slope, whole in (measure(system, spread, members, steps), measure(system, spread, 1, alone))
        ]
        print(f"{name:22} {cells[0]:>20} {cells[1]:>20}", flush=True)


try:
    main()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
