#!/usr/bin/python3
"""two_points.py: what Barbero-Linan, Martin de Diego, Sato Martin de Almagro say of two successive points of three of
the program's methods, as residuals of their equations.

Read by statements.py. Prints TOML, the largest `residual` over 40 steps of 0.05:

    euler-b      section 5.1.2: three points satisfy SHAKE, M (q2 - 2 q1 + q0) + h^2 dV(q1) = G(q1)'m; `shifted`, the
                 control, has q2 in the place of q1 in dV and G
    midpoint     Example 4.2, on the sphere: with q and v of the middle of two points, |q|^2 + h^2/4 |v|^2 = 1, q.v = 0
    rattle       Example 5.3, the heavy top: R0'(P0 - (R1 - R0) J/h - h/2 dV) and R1'(P1 - (R1 - R0) J/h + h/2 dV)
                 are symmetric
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import constella  # noqa: E402
import numpy as np  # noqa: E402
from end_multipliers import G, grad_v  # noqa: E402

STEP, STEPS = 0.05, 40


def walked(system, method):
    """(q, p) of every step."""
    walk, path = constella.Integrator(system, method, STEP), []
    for _ in range(STEPS):
        path.append((np.array(walk.q), np.array(walk.p)))
        walk.step(1)
    return path


def shake(at):
    """The part of M (q2 - 2 q1 + q0) + h^2 dV that is tangent to the constraint; both at the point `at`."""
    q = [q for q, _ in walked("modified-pendulum", "euler-b")]
    worst = 0.0
    for three in zip(q, q[1:], q[2:]):
        n = G(three[at]) / np.linalg.norm(G(three[at]))
        r = three[2] - 2 * three[1] + three[0] + STEP**2 * grad_v(three[at])
        worst = max(worst, abs(r - n * (n @ r)).max())
    return worst


def middle():
    q = [q for q, _ in walked("spherical-pendulum", "midpoint")]
    pairs = [((b + a) / 2, (b - a) / STEP) for a, b in zip(q, q[1:])]
    return max(max(abs(x @ x + STEP**2 / 4 * v @ v - 1), abs(x @ v)) for x, v in pairs)


def top():
    inertia = np.array([1, 1, 0.5])
    J = np.diag(inertia.sum() / 2 - inertia)
    pull = np.zeros((3, 3))
    pull[2, 2] = 0.5
    path = [(q.reshape(3, 3), p.reshape(3, 3)) for q, p in walked("heavy-top", "rattle")]
    worst = 0.0
    for (R0, P0), (R1, P1) in zip(path, path[1:]):
        u = (R1 - R0) @ J / STEP
        for s in (R0.T @ (P0 - u - STEP / 2 * pull), R1.T @ (P1 - u + STEP / 2 * pull)):
            worst = max(worst, abs(s - s.T).max())
    return worst


def main():
    print(f'["euler-b"]\nresidual = {shake(1):.6g}\nshifted = {shake(2):.6g}\n')
    print(f'["midpoint"]\nresidual = {middle():.6g}\n\n["rattle"]\nresidual = {top():.6g}')


if __name__ == "__main__":
    main()
