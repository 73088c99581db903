#!/usr/bin/python3
"""evolution.py: the two-form of a discrete nonholonomic system, (3.28) and Proposition 11 of Cuell's thesis, and its
equations in null-space form (the outlook of Barbero-Linan, Martin de Diego, Sato, section 7).

Read by statements.py. For L_d = h L((q0 + q1)/2, (q1 - q0)/h) and the constraint phi(q) = (-y, 0, 1) at the middle,
`discrete-lagrange-dalembert(midpoint)` of the program,

    D1 L_d(q1, q2) + D2 L_d(q0, q1) = phi(q1)'L,   phi((q1 + q2)/2) (q2 - q1) = 0

is a map F of pairs. With Theta = D2 L_d dq1, omega = -d Theta and alpha = L phi(q1) dq1, F*omega = omega + d alpha.
Where V does not depend on y, motions with y' = 0 stay so, and variations with dy = 0, dz = y dx among them are admissible
and closed: there F is symplectic. Derivatives of F, by complex steps through its equations, are exact.

Prints TOML: for the equations with multipliers and for N'(D1 L_d + D2 L_d) = 0, N a basis of ker phi(q1), the
difference in q from the program after a unit of time (`apart`); and on all pairs of unit vectors of pairs of points, and on
those of the subsystem, the largest change of omega in a step (`change`) and what (3.28) leaves of it (`rest`).
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
H, STEPS, TINY = 0.1, 10, 1e-30
Q, V = np.array([0.7, 0.4, -0.2]), np.array([0.3, 0.5, 0.12])  # phi v = 0
SYSTEM = """system: sheared
coordinates: [x, y, z]
mass: [1, 1, 1]
potential: {potential}
nonholonomic: {{shear: "z' - y*x'"}}
states: {{default: {{q: [0.7, 0.4, -0.2], v: [0.3, 0.5, 0.12]}}}}
"""
POTENTIAL = "x^2/2 + y^4/4 + z^4/4 + 0.3*x*z"


def grad_v(q, whole):
    return np.array([q[0] + 0.3 * q[2], whole * q[1] ** 3, q[2] ** 3 + 0.3 * q[0]])


def phi(q):
    return np.array([-q[1], 0 * q[1], 1 + 0 * q[1]])


def slopes(a, b, whole):
    """D1 and D2 of L_d"""
    u, pull = (b - a) / H, H / 2 * grad_v((a + b) / 2, whole)
    return -u - pull, u - pull


def with_multiplier(q1, p1, whole):
    def residual(x):
        return np.append(slopes(q1, x[:3], whole)[0] + p1 - x[3] * phi(q1), phi((q1 + x[:3]) / 2) @ (x[:3] - q1))

    x = newton(residual, np.append(q1 + H * p1, 0))
    return x[:3], x[3]


def in_null_space(q1, p1, whole):
    N = np.array([[1, 0, q1[1]], [0, 1, 0]])

    def residual(x):
        return np.append(N @ (slopes(q1, x, whole)[0] + p1), phi((q1 + x) / 2) @ (x - q1))

    return newton(residual, q1 + H * p1), 0


def newton(f, x):
    """Also of complex arguments, whose small imaginary parts need more steps than the real ones."""
    n = len(x)
    for _ in range(12):
        still = f(x.real + 0j).imag
        J = np.array([(f(x.real + 1j * TINY * e).imag - still) / TINY for e in np.eye(n)]).T
        x = x - np.linalg.solve(J, f(x))
    return x


def run(step):
    q, p = Q, V
    for _ in range(STEPS):
        new, _ = step(q, p, 1)
        p, q = slopes(q, new, 1)[1], new
    return q


def program():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder)
        (file / "sheared.yaml").write_text(SYSTEM.format(potential=POTENTIAL))
        (file / "study.yaml").write_text(
            f"study: conservation\nsystem: {{file: sheared.yaml}}\nend: {H * STEPS}\nsteps: [{H}]\n"
            "methods: [discrete-lagrange-dalembert(midpoint)]\nroundoff: {dyadic-steps: false}\n"
        )
        command = [PROGRAM, "run", file / "study.yaml", "-o", file / "study.h5", "--progress", "none"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with h5py.File(file / "study.h5") as f:
            return f["final/q"][0, 0]


def mapped(pair, whole):
    """q1, p1, q2, p2 and L phi(q1) of a pair (q0, q1)."""
    q0, q1 = pair[:3], pair[3:]
    p1 = slopes(q0, q1, whole)[1]
    q2, L = with_multiplier(q1, p1, whole)
    return np.array([q1, p1, q2, slopes(q1, q2, whole)[1], L * phi(q1)])


def forms(pair, vectors, whole):
    """The change of omega, and what d alpha leaves of it, on all pairs of the vectors."""
    d = [mapped(pair + 1j * TINY * X, whole).imag / TINY for X in vectors]
    wedge = lambda X, Y, p, q: X[p] @ Y[q] - Y[p] @ X[q]  # noqa: E731
    change = [wedge(X, Y, 3, 2) - wedge(X, Y, 1, 0) for X in d for Y in d]
    alpha = [wedge(X, Y, 4, 0) for X in d for Y in d]
    return abs(np.array(change)).max(), abs(np.array(change) + alpha).max()


def main():
    there = program()
    for name, step in (("multipliers", with_multiplier), ("null space", in_null_space)):
        print(f'["{name}"]\napart = {abs(run(step) - there).max():.6g}\n')
    still = V * [1, 0, 0] + [0, 0, Q[1] * V[0]]
    for name, velocity, whole, vectors in (
        ("all vectors", V, 1, np.eye(6)),
        ("a subsystem", still, 0, np.array([[1, 0, Q[1], 0, 0, 0], [0, 0, 0, 1, 0, Q[1]]])),
    ):
        q1, _ = with_multiplier(Q, velocity, whole)
        change, rest = forms(np.concatenate([Q, q1]), vectors, whole)
        print(f'["{name}"]\nchange = {change:.6g}\nrest = {rest:.6g}\n')


if __name__ == "__main__":
    main()
