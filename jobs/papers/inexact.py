#!/usr/bin/python3
"""inexact.py: how symplectic implicit methods are whose equations are solved to a tolerance only: Remark 2.15 of
Tao, Owhadi, on the double pendulum on springs.

Read by statements.py. Prints TOML: for each method and tolerance the defect of dq ^ dp in single steps from states
along a run, the largest entry of J'w J - w of the step's Jacobian J by central differences of sixth order, in
units in which both halves of the state are of the size of one. newmark keeps the two-form of another variable,
and is not among the methods. zhang-skeel solves a linear system.
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import constella  # noqa: E402
import numpy as np  # noqa: E402

STEP, DELTA, STATES = 0.1, 5e-4, 12
METHODS = ("zhang-skeel(beta=0.4)", "pushforward-newmark(beta=0.4)", "midpoint")
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-6, 1e-14)
STENCIL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
# the double pendulum on springs of omega = 20, V with its springs
SPRINGS = """system: pendulum-on-springs
coordinates: [x1, y1, x2, y2]
mass: [1, 1, 1, 1]
potential: y1 + y2 + 200*(x1^2 + y1^2 - 1)^2 + 200*((x2 - x1)^2 + (y2 - y1)^2 - 2)^2
states: {default: {q: [0, -1, 1, -2], v: [0, 0, 0, 0]}}
"""


def stepped(integrator, states):
    """One step from each of the states [.., 8]."""
    integrator.start(states[:, :4], p=states[:, 4:])
    integrator.step(1)
    return np.concatenate([integrator.q, integrator.p], axis=1)


def defect(integrator, state):
    near = [state + sign * k * DELTA * e for k, _ in STENCIL for sign in (1, -1) for e in np.eye(8)]
    after = stepped(integrator, np.array(near)).reshape(len(STENCIL), 2, 8, 8)
    jacobian = sum(c * (after[k, 0] - after[k, 1]) for k, (_, c) in enumerate(STENCIL)).T / DELTA
    form = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.eye(4), np.zeros((4, 4))]])
    return abs(jacobian.T @ form @ jacobian - form).max()


def main():
    walk = constella.Integrator(SPRINGS, METHODS[0], STEP)
    states = []
    for _ in range(STATES):
        walk.step(7)
        states.append(np.concatenate([walk.q, walk.p]))
    start = np.tile(states[0][:4], (48, 1))
    for method in METHODS:
        for tolerance in TOLERANCES:
            batch = constella.Integrator(SPRINGS, method, STEP, q=start, v=0 * start, tolerance=tolerance)
            worst = max(defect(batch, state) for state in states)
            print(f'["{method}, {tolerance:g}"]\ntwo_form = {worst:.6g}\n')


if __name__ == "__main__":
    main()
