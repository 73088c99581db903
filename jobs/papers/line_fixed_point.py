#!/usr/bin/python3
"""line_fixed_point.py: HBVM(k, s) by the straightforward fixed-point iteration of (50), (51), against the program,
which solves the same equations by Newton's method (docs/line-integral.md).

Read by statements.py. In turn, with the multiplier and gamma of the last sweep,

    gamma = M^-1 (e_1 p0 - h X (psi + rho lambda)),   lambda from (51),   psi = int P_j grad U(u), rho = int P_j grad g(u)

on modified-pendulum (masses 1). Prints TOML: for each method and step the number of sweeps of the first step to
stagnation (`sweeps`), by how much a sweep reduces the change (`contraction`), and the difference in q and p from the
program after a unit of time (`apart`).
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import h5py
import numpy as np
from end_multipliers import G, grad_v

HOME = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("CONSTELLA", str(HOME.parents[1] / "build" / "constella"))
METHODS, STEPS, END = ((3, 1), (6, 2), (9, 3)), (0.1, 0.05, 0.025), 1.0


def tables(k, s):
    c, b = np.polynomial.legendre.leggauss(k)
    c, b = (c + 1) / 2, b / 2
    P, integral = np.zeros((k, s)), np.zeros((k, s))
    for j in range(s):
        p = np.sqrt(2 * j + 1) * np.polynomial.Legendre.basis(j, domain=[0, 1])
        P[:, j], integral[:, j] = p(c), p.integ(lbnd=0)(c)
    xi = np.array([0.5] + [1 / (2 * np.sqrt(4 * j * j - 1)) for j in range(1, s)])
    X = np.zeros((s, s))
    X[0, 0] = xi[0]
    for j in range(1, s):
        X[j, j - 1], X[j - 1, j] = xi[j], -xi[j]
    return P, integral, b, X, xi


def multiplier(p, h, psi, rho, xi):
    """(51)"""
    left = xi[0] * rho[0] @ rho[0]
    right = rho[0] @ (p - h * xi[0] * psi[0])
    for j in range(1, len(xi)):
        left += xi[j] * (rho[j] @ rho[j - 1] - rho[j - 1] @ rho[j])
        right -= h * xi[j] * (rho[j] @ psi[j - 1] - rho[j - 1] @ psi[j])
    return right / (h * left)


def step(q, p, h, table):
    """q1, p1 and the sizes of the changes of gamma."""
    P, integral, b, X, xi = table
    first = np.zeros_like(X[:, :1]) + 0.0
    first[0] = 1
    gamma, sizes = first * p, []
    for _ in range(200):
        u = q + h * integral @ gamma
        psi, rho = (P.T @ (b[:, None] * np.array([f(y) for y in u])) for f in (grad_v, G))
        force = psi + rho * multiplier(p, h, psi, rho, xi)
        last, gamma = gamma, first * p - h * X @ force
        sizes.append(abs(gamma - last).max())
        if sizes[-1] < 1e-16 or (len(sizes) > 5 and sizes[-1] >= sizes[-2] and sizes[-1] < 1e-13):
            break
    return q + h * gamma[0], p - h * force[0], sizes


def program():
    """Start and ends, [method, step]."""
    listed = ", ".join(f'"hbvm(k={k}, s={s})"' for k, s in METHODS)
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "fixed.yaml"
        study.write_text(
            f"study: conservation\nsystem: modified-pendulum\nend: {END}\nsteps: {list(STEPS)}\nmethods: [{listed}]\n"
            "roundoff: {dyadic-steps: false}\ntrajectories: {members: [0]}\n"
        )
        command = [PROGRAM, "run", study, "-o", f"{folder}/fixed.h5", "--progress", "none"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with h5py.File(f"{folder}/fixed.h5") as f:
            return f["final/q"][:, 0], f["final/p"][:, 0]


def main():
    q1, p1 = program()
    start = np.array([0.5**0.5, 0, -(0.5**0.5)]), np.array([0, 0.5**0.25, 0])
    for case in range(len(METHODS) * len(STEPS)):
        (k, s), h = METHODS[case // len(STEPS)], STEPS[case % len(STEPS)]
        (q, p), table = start, tables(k, s)
        sizes = step(q, p, h, table)[2]
        for _ in range(round(END / h)):
            q, p, _ = step(q, p, h, table)
        apart = max(abs(q - q1[case]).max(), abs(p - p1[case]).max())
        seen = [x for x in sizes if x > 1e-12]
        rate = (seen[-1] / seen[1]) ** (1 / (len(seen) - 2))
        print(f'["hbvm(k={k}, s={s}), {h}"]\nsweeps = {len(sizes)}\ncontraction = {rate:.6g}\napart = {apart:.6g}\n')


if __name__ == "__main__":
    main()
