#!/usr/bin/python3
"""precession.py: how the perihelion moves under Euler's method, and under its modified system: Figures 6.20 and 6.21
of Cuell's thesis.

Read by statements.py. Prints TOML, by the step: the angle per unit of time by which the eccentricity vector turns
under the thesis' method of order 1 (`method`), under an accurate solution of what `constella modified euler-b kepler`
writes (`modified`), and their ratio. Both are slopes of a straight line through the angles at the steps of forty turns.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import constella  # noqa: E402
import numpy as np  # noqa: E402

PROGRAM = os.environ.get("CONSTELLA", "build/constella")
TURNS = 40 * 2 * np.pi
# x and y of the eccentricity vector
PARTS = "y'*(x*y' - y*x') - x/sqrt(x^2 + y^2)", "-(x'*(x*y' - y*x') + y/sqrt(x^2 + y^2))"


def rate(walk, step):
    times, angles = [], []
    while walk.t < TURNS:
        x, y = (float(np.ravel(walk.observe(p))[0]) for p in PARTS)
        times.append(walk.t)
        angles.append(np.arctan2(y, x))
        walk.step(step)
    return np.polyfit(times, np.unwrap(angles), 1)[0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "modified.yaml"
        subprocess.run([PROGRAM, "modified", "euler-b", "kepler", "-o", file], check=True, capture_output=True)
        text = file.read_text()
    for h in (0.1, 0.05, 0.025):
        method = rate(constella.Integrator("kepler", "lagrange-dalembert(euler, state=w)", h), 1)
        modified = rate(constella.Integrator(text, "gauss(4)", h / 4, parameters={"h": h}), 4)
        print(f'["{h}"]\nmethod = {method:.6g}\nmodified = {modified:.6g}\nratio = {method / modified:.6g}\n')


if __name__ == "__main__":
    main()
