#!/usr/bin/python3
"""stability.py: which steps of Lagrange-d'Alembert integrators are stable on an oscillator of frequency 1 (the outlook
of Cuell's thesis on numerical analysis).

Read by statements.py. A step is linear there; its matrix, of determinant 1, is that of the motions from (1, 0) and
(0, 1), and is stable while its trace is less than 2 in absolute value. Prints TOML: the first step on a grid of 0.01
that is not (`limit`; 6 if none is up to there), and the first that is stable again behind it (`again`; 0 if none).
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))
sys.dont_write_bytecode = True

import constella  # noqa: E402
import numpy as np  # noqa: E402

SYSTEM = """system: spring
coordinates: [x]
mass: [1]
potential: x^2/2
states: {default: {q: [1], v: [0]}}
"""
METHODS = [f"lagrange-dalembert({layer}{bias})" for layer in ("euler", "heun", "rk3", "rk4") for bias in ("", ", bias=-0.5")]
GRID, TOP = 0.01, 6.0


def trace(method, h):
    walk = constella.Integrator(SYSTEM, method, h, q=np.array([[1.0], [0.0]]), v=np.array([[0.0], [1.0]]))
    walk.step(1)
    return np.ravel(walk.q)[0] + np.ravel(walk.v)[1]


def is_stable(method, h):
    try:
        return abs(trace(method, h)) < 2
    except constella.ConstellaError:
        return False


def main():
    for method in METHODS:
        steps = GRID * np.arange(1, round(TOP / GRID) + 1)
        stable = [is_stable(method, h) for h in steps]
        limit = next((h for h, s in zip(steps, stable, strict=True) if not s), TOP)
        again = next((h for h, s in zip(steps, stable, strict=True) if s and h > limit), 0.0)
        print(f'["{method}"]\nlimit = {limit:.6g}\nagain = {again:.6g}\n')


if __name__ == "__main__":
    main()
