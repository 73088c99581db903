#!/usr/bin/python3
"""energies.py: do Lagrange-d'Alembert integrators keep the energy of systems with constraints on velocities near its
value? Cuell's thesis sees it on two systems (6.2.4, 6.3.5), and has a theorem for holonomic ones only.

    energies.py [-o FOLDER]

Runs every system of the catalogue with linear constraints on velocities and an energy that its motion keeps, from 8
starts near the default one, to t = 2000 at h = 0.1 (0.02 to 400 for the fast ones). Prints a table: the verdict of
energies, and their largest error. The program is that of the variable CONSTELLA (build/constella).
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

from constella import Result  # noqa: E402

FAST = ("chaplygin-sphere", "knife-edge")
SYSTEMS = (
    "nonholonomic-oscillator", "chaotic-oscillator", "rolling-disk", "disk-on-circle", "chaplygin-sleigh",
    *FAST,
)  # fmt: skip
ALSO_HOLONOMIC = ("disk-on-circle", "chaplygin-sphere")  # no discrete-lagrange-dalembert
METHODS = (
    "lagrange-dalembert(euler)",
    "lagrange-dalembert(rk4)",
    "lagrange-dalembert(euler, bias=-0.5)",
    "lagrange-dalembert(rk4, bias=-0.5)",
    "discrete-lagrange-dalembert(midpoint)",
    "project(rk4)",
)
STUDY = """study: conservation
system: {system}
initial: {{members: 8, seed: 5, around: default, spread: {{q: 0.05, v: 0.05}}, project: true}}
end: {end}
steps: [{step}]
methods: [{methods}]
observables: [energy]
"""


def cells(folder, program, system):
    step, end = (0.02, 400) if system in FAST else (0.1, 2000)
    study, result = folder / f"{system}.yaml", folder / f"{system}.h5"
    methods = [m for m in METHODS if not (system in ALSO_HOLONOMIC and m.startswith("discrete"))]
    quoted = ", ".join(f'"{m}"' for m in methods)
    study.write_text(STUDY.format(system=system, end=end, step=step, methods=quoted))
    done = subprocess.run(
        [program, "run", study, "-o", result, "--overwrite", "--progress", "none"], capture_output=True, text=True
    )
    if done.returncode > 1:
        sys.exit(done.stderr)
    r = Result(str(result))
    verdicts, largest = r.texts("energy_verdict"), r.numbers("energy_max")
    told = {m: f"{verdicts[k]}, {largest[k]:.2g}" for k, m in enumerate(methods)}
    return [told.get(m, "-") for m in METHODS]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip(), description=__doc__.split("\n\n")[0])
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default=pathlib.Path("energies"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("CONSTELLA", "build/constella")
    print("| system | " + " | ".join(METHODS) + " |\n|" + "---|" * (len(METHODS) + 1))
    for system in SYSTEMS:
        print(f"| {system} | " + " | ".join(cells(folder, program, system)) + " |", flush=True)


if __name__ == "__main__":
    main()
