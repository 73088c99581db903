#!/usr/bin/python3
"""groups.py: Euler's method A on SE(3) by its own exponential, as section 6 of the source has it in the group, against
the program's method in the group, and against its retraction from text in the coordinates of a body
(barbero-linan-se3.yaml).

Read by statements.py. With left-trivialised momenta alpha = I xi, I of the body and its mass,

    alpha0 = (dR exp^-1_x)* I xi + h dV(g0),   g1 = g0 exp(x),   alpha1 = (dL exp^-1_x)* I xi,   x = h xi

is solved by Newton's method, dR exp_x = (e^ad - 1)/ad with the 6 by 6 matrix ad of x, and dL exp_x = that of -x.
Prints TOML: the difference in q and p after a unit of time at h = 0.1, also from the program's method of SO(3) x R^3.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

HOME = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("CONSTELLA", str(HOME.parents[1] / "build" / "constella"))
H, STEPS = 0.1, 10
# sprung-body.yaml
INERTIA, MASS = np.array([1, 0.8, 0.5]), 2.0
AXIS, ANGLE, OMEGA = np.array([1, 2, 3]) / 14**0.5, 0.7, np.array([0.3, 0.2, 1.5])
CENTRE, VELOCITY = np.array([0.4, -0.3, 0.2]), np.array([0.1, 0.5, -0.2])


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def series(A, first):
    """sum of A^n / (n + first)!"""
    term, total = np.eye(len(A)), 0
    for n in range(first):
        term = term / (n + 1)
    for n in range(30):
        total = total + term
        term = term @ A / (n + 1 + first)
    return total


def algebra(x):
    X = np.zeros((4, 4), dtype=x.dtype)
    X[:3, :3], X[:3, 3] = hat(x[:3]), x[3:]
    return X


def ad(x):
    A = np.zeros((6, 6))
    A[:3, :3] = A[3:, 3:] = hat(x[:3])
    A[3:, :3] = hat(x[3:])
    return A


def potential(g):
    point = g[:3, 3] + g[:3, :3] @ np.array([0.2, 0, 0.5])
    return 0.7 * g[2, 3] + point @ point


def slope(g):
    e = 1e-30
    return np.array([potential(g @ (np.eye(4) + 1j * e * algebra(u))).imag / e for u in np.eye(6)])


def lifted(x):
    """(dR exp^-1_x)* I x"""
    momentum = np.concatenate([INERTIA * x[:3], MASS * x[3:]])
    return np.linalg.solve(series(ad(x), 1).T, momentum)


def step(g, alpha):
    x = H * np.concatenate([alpha[:3] / INERTIA, alpha[3:] / MASS])
    for _ in range(20):
        f = lifted(x) / H + H * slope(g) - alpha
        J = np.array([(lifted(x + d) - lifted(x - d)) / (2e-6 * H) for d in 1e-6 * np.eye(6)]).T
        x = x - np.linalg.solve(J, f)
    momentum = np.concatenate([INERTIA * x[:3], MASS * x[3:]])
    return g @ series(algebra(x), 0), np.linalg.solve(series(ad(-x), 1).T, momentum) / H


def by_hand():
    """q and p of the program after the steps."""
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = series(hat(ANGLE * AXIS), 0), CENTRE
    alpha = np.concatenate([INERTIA * OMEGA, MASS * g[:3, :3].T @ VELOCITY])
    for _ in range(STEPS):
        g, alpha = step(g, alpha)
    R, J = g[:3, :3], INERTIA.sum() / 2 - INERTIA
    turning = R @ hat(alpha[:3] / INERTIA) * J
    return np.concatenate([R.ravel(), g[:3, 3]]), np.concatenate([turning.ravel(), R @ alpha[3:]])


METHODS = {
    "group": "lie-euler-a(group=se3)",
    "se3": "discretization(retraction=se3)",
    "so3": "discretization(retraction=so3)",
}


def program():
    """The same of its methods."""
    text = (HOME / "barbero-linan-se3.yaml").read_text()
    head = text[: text.index("methods:")].replace("../systems", str(HOME.parent / "systems"))
    head = head.replace("study: order", "study: conservation").replace("{from: 0.1, halvings: 3}", f"[{H}]")
    listed = ", ".join(METHODS.values())
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "se3.yaml"
        file.write_text(f"{head}methods: [{listed}]\nroundoff: {{dyadic-steps: false}}\n")
        command = [PROGRAM, "run", file, "-o", f"{folder}/se3.h5", "--progress", "none"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with h5py.File(f"{folder}/se3.h5") as f:
            return f["final/q"][:, 0], f["final/p"][:, 0]


def main():
    end, momentum = by_hand()
    for name, q, p in zip(METHODS, *program(), strict=True):
        print(f"[{name}]\napart = {max(abs(q - end).max(), abs(p - momentum).max()):.6g}\n")


if __name__ == "__main__":
    main()
