#!/usr/bin/python3
"""tao-owhadi-costs.py: processor time of the methods of sections 4.1, 4.2 and 4.5 of Tao, Owhadi, beside the source's.

    tao-owhadi-costs.py [-o FOLDER]

The source's seconds are those of Matlab, where a call of its solver of equations costs more than the arithmetic of a
step; compiled lanes of eight trajectories have other ratios. Prints a table: the time of one trajectory over a unit
of time, its ratio to the first method of the section, and the source's ratio. The program is that of the variable
CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

from constella import Result  # noqa: E402

SPRINGS = "penalty(%s, omega=20)"
FULL = SPRINGS % "zhang-skeel(beta=0.4)"
# section, system, end, methods: (method, step, the source's seconds)
SECTIONS = [
    (
        "4.1, double pendulum",
        "{name: double-pendulum}",
        500,
        [
            ("shake", 0.1, 3.8),
            (FULL, 0.1, 0.4),
            (SPRINGS % "newmark(beta=0.4)", 0.1, 5.3),
            (SPRINGS % "newmark(beta=0.4, iterations=1, start=q)", 0.1, 0.2),
            (SPRINGS % "euler-a", 0.005, 1.0),
        ],
    ),
    (
        "4.2, chain of ten",
        "{name: pendulum-chain, parameters: {n: 10}}",
        100,
        [("shake", 0.05, 8.1), ("shake", 0.025, 16.5), (FULL, 0.05, 1.1)],
    ),
    (
        "4.5, magnetised body",
        "{name: magnetised-body}",
        500,
        [("penalty(zhang-skeel(beta=0.2, quadrature=left), omega=10)", 0.1, 0.03)],
    ),
    ("4.5, on the group", "{file: %s}", 500, [("lie-euler-a", 0.1, 1.45)]),
]
STUDY = """study: conservation
system: {system}
initial: {{members: 64, seed: 1, around: default, spread: {{v: 0.01}}}}
end: {end}
steps: [{step}]
methods: ["{method}"]
observables: [energy]
timing: {{repeats: 9}}
"""


def time_of(folder, program, system, end, method, step):
    """Microseconds of one trajectory in a unit of time."""
    study, result = folder / "costs.yaml", folder / "costs.h5"
    study.write_text(STUDY.format(system=system, end=end, step=step, method=method))
    done = subprocess.run(
        [program, "run", study, "-o", result, "--overwrite", "--progress", "none"], capture_output=True, text=True
    )
    if done.returncode > 1:
        sys.exit(done.stderr)
    r = Result(str(result))
    return 1e6 * float(r.numbers("cpu_seconds")[0]) / end


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip(), description=__doc__.split("\n\n")[0])
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default=pathlib.Path("costs"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("CONSTELLA", "build/constella")
    top = pathlib.Path(__file__).resolve().parents[1] / "bodies" / "magnetised-top.yaml"
    print("| section | method | step | microseconds in a unit of time | ratio | the source's |\n|---|---|---|---|---|---|")
    first = None
    for section, system, end, methods in SECTIONS:
        for method, step, seconds in methods:
            cost = time_of(folder, program, system % top if "%" in system else system, end, method, step)
            if first is None or (method, step) == (methods[0][0], methods[0][1]) and "group" not in section:
                first = cost, seconds
            ratios = f"{cost / first[0]:.2f} | {seconds / first[1]:.2f}"
            print(f"| {section} | {method} | {step} | {cost:.3g} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
