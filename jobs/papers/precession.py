#!/usr/bin/python3
"""precession.py: how the perihelion moves under Euler's method, and under its modified system: Figures 6.20 and 6.21
of Cuell's thesis.

Read by statements.py. Prints TOML, by the step: the angle per unit of time by which the eccentricity vector turns
under the thesis' method of order 1 (`method`), under an accurate solution of what `constella modified euler-b kepler`
writes (`modified`), and their ratio. Both are slopes of a straight line through the angles at the steps of forty turns.
Also, at h = 0.1, the time between the first two perihelia (`first`), and that between two after 20 000 oscillations of the
method itself (`last`): Figures 6.14 to 6.17.
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
LONG = 20000
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


def period(walk):
    """The time between the next two perihelia, each by the parabola through the distances at three steps."""
    r, found = [], []
    while len(found) < 2:
        walk.step(1)
        r.append(np.linalg.norm(walk.q))
        if len(r) > 2 and r[-2] < min(r[-1], r[-3]):
            found.append(walk.t - 0.1 + 0.05 * (r[-3] - r[-1]) / (r[-3] - 2 * r[-2] + r[-1]))
    return found[1] - found[0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "modified.yaml"
        subprocess.run([PROGRAM, "modified", "euler-b", "kepler", "-o", file], check=True, capture_output=True)
        text = file.read_text()
    for h in (0.1, 0.05, 0.025):
        method = rate(constella.Integrator("kepler", "lagrange-dalembert(euler, state=w)", h), 1)
        modified = rate(constella.Integrator(text, "gauss(4)", h / 4, parameters={"h": h}), 4)
        print(f'["{h}"]\nmethod = {method:.6g}\nmodified = {modified:.6g}\nratio = {method / modified:.6g}\n')
    walk = constella.Integrator("kepler", "lagrange-dalembert(euler, state=w)", 0.1, q=[0.4, 0], v=[0, 2])
    first = period(walk)
    walk.step(round(LONG * first / 0.1))
    print(f'["period"]\nfirst = {first:.6g}\nlast = {period(walk):.6g}')


if __name__ == "__main__":
    main()
