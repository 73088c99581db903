#!/usr/bin/env python3
# works.py: part of `make bench`: `constella run` on typical studies by RATTLE with h = 0.01, as
# ensembles and as single trajectories: nanoseconds per trajectory-step from the CPU time of whole processes
# at two lengths. slope: the cost of further steps, including accumulators; whole: including start-up,
# verdicts and file, at the longer length. Single trajectories also by a scalar loop of RATTLE in numba and by
# ARKODE, order 8, in the time of a step, if these are installed (Debian: python3-numba, libsundials-dev); the
# positions of numba's loop are compared with ours. Water, compared with other packages: water.py.
# SPDX-License-Identifier: BSD-2-Clause
import importlib.util
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py

HERE = pathlib.Path(__file__).parent
PROGRAM = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "constella"))
FOLDER = tempfile.mkdtemp(prefix="constella-bench-")
ROUNDS = 3
COMPARED = 1000  # steps
HAS_NUMBA = importlib.util.find_spec("numba") is not None
STEP = 0.01
CHAIN = "{name: pendulum-chain, parameters: {n: %d}}"


def hanging(n):
    """The start of pendulum-chain."""
    return [x for i in range(1, n + 1) for x in (i, -2 * i)] + 2 * n * [0]


# Name, system, spread, members and steps of the ensemble, steps of one trajectory; for the peers points,
# dimensions and the default start.
WORKS = [
    ("W1 planar pendulum", "planar-pendulum", 0.3, 1024, 40000, 4000000, (1, 2, [0, -1, 1, 0])),
    ("W2 double pendulum", "double-pendulum", 0.3, 1024, 20000, 2000000, (2, 2, [0, -1, 1, -2, 0, 0, 0, 0])),
    (
        "W3 spherical pendula",
        "spherical-pendulum",
        0.5,
        1024,
        40000,
        4000000,
        (1, 3, [2 / 7, 3 / 7, -6 / 7, -3 / 5, 4 / 5, 1 / 5]),
    ),
    ("W4 heavy top", "heavy-top", 0.05, 1024, 8000, 800000, None),
    ("W6 chain of 10", CHAIN % 10, 0.02, 256, 8000, 400000, (10, 2, hanging(10))),
    ("W6 chain of 100", CHAIN % 100, 0.02, 64, 2000, 40000, (100, 2, hanging(100))),
]
TOLERANCE = 1e-10  # of ARKODE; its constraints drift by about this times the number of its steps


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
        f"end: {STEP * steps!r}\n"
        f"steps: [{STEP}]\n"
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


# ---- peers -----------------------------------------------------------------------------------


def numbers_of(command, start):
    """The numbers that a peer prints."""
    done = subprocess.run(command, input=" ".join(map(repr, start)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return [float(word) for word in done.stdout.split()]


def numba(points, dimensions, start, steps):
    command = [sys.executable, str(HERE / "peer_numba.py"), str(points), str(dimensions), repr(STEP)]
    return numbers_of([*command, str(steps)], start)


def arkode(program, points, dimensions, start, steps):
    return numbers_of([program, str(points), str(dimensions), repr(TOLERANCE), repr(STEP * steps)], start)


def compare_positions(system, rods):
    """Ends the program unless numba's loop ends where ours does."""
    cpu(study(system, 0, 1, COMPARED))
    with h5py.File(os.path.join(FOLDER, "study.h5")) as file:
        ours = file["final/q"][0, 0]
    difference = max(abs(x - y) for x, y in zip(ours, numba(*rods, COMPARED)[1:]))
    if not difference < 1e-10:
        sys.exit(f"{system}: the positions of numba's loop differ by {difference:g}")


def build_arkode():
    """The program of peer-arkode.c, or None where SUNDIALS is not installed."""
    program = os.path.join(FOLDER, "peer-arkode")
    libraries = ["-lsundials_arkode", "-lsundials_nvecserial", "-lsundials_generic", "-lm"]
    command = ["cc", "-O3", "-march=native", str(HERE / "peer-arkode.c"), "-o", program, *libraries]
    return program if subprocess.run(command, capture_output=True).returncode == 0 else None


def peers(system, rods, steps, program):
    """The cells of the table that belong to the peers: ns in the time of a step."""
    if not rods:
        return "", ""
    by_numba = by_arkode = ""
    if HAS_NUMBA and rods[0] <= 2:
        compare_positions(system, rods)
        by_numba = f"{1e9 * min(numba(*rods, steps)[0] for _ in range(ROUNDS)) / steps:.3g}"
    if program:
        seconds, constraints, energy = min(arkode(program, *rods, steps // 4) for _ in range(ROUNDS))
        by_arkode = f"{4e9 * seconds / steps:.3g} ({constraints:.0e}, {energy:.0e})"
    return by_numba, by_arkode


def main():
    program = build_arkode()
    print(
        f"\nns of processor time per trajectory-step of `constella run`, slope (whole), least of {ROUNDS};\n"
        f"numba, and, in the time of a step, ARKODE (its errors of constraints and energy, at {TOLERANCE:g})\n"
        f"{'':22} {'ensemble':>18} {'one trajectory':>18} {'numba':>8} {'ARKODE':>24}"
    )
    for name, system, spread, members, steps, alone, rods in WORKS:
        ensemble = "{:.3g} ({:.3g})".format(*measure(system, spread, members, steps))
        single = "{:.3g} ({:.3g})".format(*measure(system, spread, 1, alone))
        by_numba, by_arkode = peers(system, rods, alone, program)
        print(f"{name:22} {ensemble:>18} {single:>18} {by_numba:>8} {by_arkode:>24}", flush=True)


try:
    main()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
