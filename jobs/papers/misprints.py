#!/usr/bin/python3
"""misprints.py: equations (6.146) to (6.149) of Cuell's thesis as printed and as they must be, in numpy.

Read by statements.py. Prints TOML, with the printed sign of the force, and with the other: the largest distance over
1000 steps of 0.1 from (0.4, 0, 0, 2), and the largest difference over 100 of them from the program's
lagrange-dalembert(euler, state=w).
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import constella  # noqa: E402
import numpy as np  # noqa: E402

STEP, STEPS = 0.1, 1000


def kepler(sign):
    q, v, path = np.array([0.4, 0.0]), np.array([0.0, 2.0]), []
    for _ in range(STEPS):
        q = q + STEP * v
        v = v + sign * STEP * q / np.linalg.norm(q) ** 3
        path.append(q)
    return np.array(path)


def program():
    walk, path = constella.Integrator("kepler", "lagrange-dalembert(euler, state=w)", STEP, q=[0.4, 0], v=[0, 2]), []
    for _ in range(STEPS):
        walk.step(1)
        path.append(np.array(walk.q))
    return np.array(path)


def main():
    right = program()
    for name, sign in (("printed", 1), ("corrected", -1)):
        path = kepler(sign)
        print(f'["kepler, {name}"]\ndistance = {np.linalg.norm(path, axis=1).max():.6g}')
        print(f"program = {abs(path - right)[:100].max():.6g}\n")


if __name__ == "__main__":
    main()
