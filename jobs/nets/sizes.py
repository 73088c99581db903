#!/usr/bin/python3
"""sizes.py: what runs on large nets and cubes take, of time and of memory, by solver, and how that grows.

    sizes.py [-o FOLDER] [--nets 50,100,200] [--cubes 8,14,20] [--steps 3] [--solvers NAME,...]

Runs rattle under `engine: petsc` on nets of n x n beads (jobs/benchmarks/net.system.yaml) and on cubes of n x n x n
(jobs/nets/cube.system.yaml) into FOLDER (default: sizes), and asks `constella check` what they will take. Prints a table
of CPU seconds and of the largest memory of each whole run, with what check foretold of memory and of the file as a multiple
of what they were. The exponents are slopes over the number of coordinates. Draws sizes.svg. The program is that of
the variable CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import os
import pathlib
import re
import subprocess
import sys

import matplotlib
import numpy

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

CONSTELLA = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
CUBE = pathlib.Path(__file__).resolve().parent / "cube.system.yaml"
STEP = 1 / 128
SOLVERS = {
    "default": "",
    "qmd": "-pc_type cholesky -pc_factor_mat_ordering_type qmd",
    "cholmod": "-pc_type cholesky -pc_factor_mat_solver_type cholmod",
    "gmres, ilu": "-ksp_type gmres -pc_type ilu",
}
SHAPES = {
    "net": ("{name: net, parameters: {n: %d, m: %d}}", lambda n: 3 * n * n),
    "cube": ("{file: %s, parameters: {n: %%d}}" % CUBE, lambda n: 3 * n**3),
}
STUDY = """study: conservation
system: {system}
end: {end!r}
steps: {{counts: [{steps}]}}
methods: [rattle]
solver: {{engine: petsc}}
"""
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def took(words, folder):
    """What it printed, CPU seconds, and bytes; None where it fails."""
    with open(folder / "stdout", "w+") as out, open(folder / "stderr", "w+") as errors:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=errors)
        _, status, use = os.wait4(process.pid, 0)
        process.returncode = status  # it has been waited for
        out.seek(0)
        errors.seek(0)
        text = out.read()
        if status:
            print(" ".join(words), errors.read()[-300:], file=sys.stderr)
            return None
    return text, use.ru_utime + use.ru_stime, use.ru_maxrss * 1024


def foretold(text, name):
    number, unit = re.search(rf"^{name} +([\d.]+) (\w+)$", text, re.M).groups()
    return float(number) * UNITS[unit]


def measure(folder, shape, n, solver, steps):
    """Seconds and bytes of a run, and what check foretold of memory and file as a multiple."""
    system, _ = SHAPES[shape]
    system = system % ((n,) * system.count("%d"))
    (folder / "study.yaml").write_text(STUDY.format(system=system, end=steps * STEP, steps=steps))
    plan = took([CONSTELLA, "check", "study.yaml"], folder)
    words = [CONSTELLA, "run", "study.yaml", "-o", "result.h5", "--overwrite", "--progress", "none"]
    run = plan and took([*words, *SOLVERS[solver].split()], folder)
    if not run:
        return None
    file = (folder / "result.h5").stat().st_size
    return run[1], run[2], foretold(plan[0], "memory per rank") / run[2], foretold(plan[0], "result file") / file


def exponent(x, y):
    return numpy.polyfit(numpy.log(x), numpy.log(y), 1)[0] if len(x) > 1 else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", default="sizes")
    parser.add_argument("--nets", default="50,100,200")
    parser.add_argument("--cubes", default="8,14,20")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--solvers", help="separated by ;", default=";".join(SOLVERS))
    a = parser.parse_args()
    folder = pathlib.Path(a.o)
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    failed = False
    print("| shape, solver | n | coordinates | CPU s | GiB | memory foretold | file foretold |")
    print("|---" * 7 + "|")
    exponents = []
    for shape, sizes in (("net", a.nets), ("cube", a.cubes)):
        for solver in a.solvers.split(";"):
            found = []
            for n in [int(x) for x in sizes.split(",") if x]:
                m = measure(folder, shape, n, solver, a.steps)
                failed |= m is None
                if m is None:
                    continue
                q = SHAPES[shape][1](n)
                found.append((q, m[0], m[1]))
                print(
                    f"| {shape}, {solver} | {n} | {q} | {m[0]:.3g} | {m[1] / 2**30:.3g} | {m[2]:.2f} | {m[3]:.2f} |",
                    flush=True,
                )
            if found:
                q, seconds, memory = numpy.array(found).T
                exponents.append(f"{shape}, {solver}: time {exponent(q, seconds):.2f}, memory {exponent(q, memory):.2f}")
                axes[0].loglog(q, seconds, "o-", label=f"{shape}, {solver}")
                axes[1].loglog(q, memory / 2**30, "o-")
    print("\nExponents: " + "; ".join(exponents))
    axes[0].set_ylabel(f"CPU seconds of a run of {a.steps} steps")
    axes[1].set_ylabel("GiB")
    for x in axes:
        x.set_xlabel("coordinates")
    axes[0].legend(frameon=False)
    figure.savefig(folder / "sizes.svg")
    return int(failed)


sys.exit(main())
