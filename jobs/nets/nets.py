#!/usr/bin/python3
"""nets.py: what a step of a net costs against its size: by lanes, by PETSc's direct and iterative solvers, and by a loop
of one's own.

    nets.py [-o FOLDER] [--sizes 10,20,40,70,100] [--steps 80] [--repeat 3] [--hand PROGRAM]

Runs rattle on nets of n x n beads (jobs/benchmarks/net.system.yaml) into FOLDER (default: nets). The CPU seconds of a
step are the difference of two runs, of which one makes twice as many steps, at least --steps, and each is the least of --repeat; the
slope is that of the three largest sizes. Prints a table, and draws nets.svg. PROGRAM is that of tests/bench/hand-net.c: its seconds are beside, and its last
state is compared. The program is that of the variable CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import os
import pathlib
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
import h5py  # noqa: E402
import matplotlib  # noqa: E402
import numpy  # noqa: E402

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

CONSTELLA = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
STEP = 1 / 128  # as exact as that of the program
# name: engine, options
WAYS = {
    "lanes": ("lanes", ""),
    "petsc": ("petsc", ""),
    "cholmod": ("petsc", "-pc_type cholesky -pc_factor_mat_solver_type cholmod"),
    "gmres, ilu": ("petsc", "-ksp_type gmres -pc_type ilu"),
    "gmres, gamg": ("petsc", "-ksp_type gmres -pc_type gamg"),
}
STUDY = """study: conservation
system: {{name: net, parameters: {{n: {n}, m: {n}}}}}
end: {end!r}
steps: {{counts: [{steps}]}}
methods: [rattle]
solver: {{engine: {engine}}}
"""


def seconds(words, folder):
    """CPU seconds of a command; None where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        print(" ".join(words), process.stderr.strip()[-300:], file=sys.stderr)
        return None
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def step_seconds(folder, name, n, steps, repeat):
    engine, options = WAYS[name]
    times = []
    steps *= max(1, 2500 // (n * n))
    for count in (steps, 2 * steps):
        file = f"{engine}-{n}-{count}.yaml"
        (folder / file).write_text(STUDY.format(n=n, end=count * STEP, steps=count, engine=engine))
        words = [CONSTELLA, "run", file, "-o", "net.h5", "--overwrite", "--progress", "none", *options.split()]
        tries = [seconds(words, folder) for _ in range(repeat)]
        times.append(None if None in tries else min(tries))
    return None if None in times else (times[1] - times[0]) / steps


def hand(folder, program, n, steps):
    """Seconds of a step of the loop, and how far its state is from that of net.h5, which has as many."""
    words = [program, str(n), str(n), repr(STEP), str(2 * steps * max(1, 2500 // (n * n)))]
    process = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    own = numpy.fromfile(folder / "hand-net.bin").reshape(2, n * n, 3)
    with h5py.File(folder / "net.h5") as f:
        theirs = [f[f"/final/{name}"][()].reshape(3, n * n).T for name in ("q", "p")]
    return float(process.stdout.split()[0]), abs(own - numpy.array(theirs)).max()


def draw(folder, sizes, times):
    figure, axes = plot.subplots(figsize=(6, 4.5), layout="constrained")
    for name, at in times.items():
        known = [k for k in range(len(sizes)) if at[k] and at[k] > 0]
        axes.loglog([3 * sizes[k] ** 2 for k in known], [at[k] for k in known], "o-", label=name)
    axes.set_xlabel("coordinates")
    axes.set_ylabel("CPU seconds of a step of rattle")
    axes.legend(frameon=False)
    figure.savefig(folder / "nets.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", default="nets")
    parser.add_argument("--sizes", default="10,20,40,70,100")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--hand")
    a = parser.parse_args()
    folder, sizes = pathlib.Path(a.o), [int(n) for n in a.sizes.split(",")]
    folder.mkdir(parents=True, exist_ok=True)
    program = a.hand and os.path.abspath(a.hand)
    times = {name: [] for name in WAYS}
    if program:
        times["by hand"] = []
    for n in sizes:
        for name in WAYS:
            times[name].append(step_seconds(folder, name, n, a.steps, a.repeat))
        if program:
            took, apart = hand(folder, program, n, a.steps)
            times["by hand"].append(took)
            print(f"{n} x {n}: the loop by hand ends {apart:.1e} from the last of them", file=sys.stderr)
    print("| solver | " + " | ".join(f"{n} x {n}" for n in sizes) + " | slope |")
    print("|---" * (len(sizes) + 2) + "|")
    for name, at in times.items():
        known = [(3 * n * n, x) for n, x in zip(sizes, at) if x and x > 0][-3:]
        slope = numpy.polyfit(*numpy.log(known).T, 1)[0] if len(known) > 1 else float("nan")
        print(f"| {name} | " + " | ".join(f"{x:.2g}" if x is not None else "-" for x in at) + f" | {slope:.2f} |")
    draw(folder, sizes, times)
    return int(any(None in at for at in times.values()))


sys.exit(main())
