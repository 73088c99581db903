"""test_comparison.py: methods that exist for comparison: the constraint at the stage point (staged) and symmetric
projection: one step against numpy, what they keep and lose, and what is refused with its words."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, ok, path, run, table, write

H = 0.1
Q0 = np.array([0.6, -0.8, 0.6 + 2**0.5 * 0.28, -0.8 - 2**0.5 * 0.96])
STAGED = "staged(theta=0.4)"
GAUSS = np.array([[0.25, 0.25 - 3**0.5 / 6], [0.25 + 3**0.5 / 6, 0.25]]), np.array([0.5, 0.5])
RK4 = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]]), np.array([1, 2, 2, 1]) / 6


# the double pendulum: masses, gravity and the upper rod 1, the lower one sqrt(2)
DV = np.array([0, 1.0, 0, 1])


def g(q):
    return np.array([q[0] ** 2 + q[1] ** 2 - 1, (q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - 2])


def G(q):
    x, y = q[2] - q[0], q[3] - q[1]
    return 2 * np.array([[q[0], q[1], 0, 0], [-x, -y, x, y]])


def bend(v):
    """D2g[v, v]"""
    return 2 * np.array([v[0] ** 2 + v[1] ** 2, (v[2] - v[0]) ** 2 + (v[3] - v[1]) ** 2])


def acceleration(q, v):
    J = G(q)
    return -DV - J.T @ np.linalg.solve(J @ J.T, bend(v) - J @ DV)


def tangent(q, v):
    J = G(q)
    return v - J.T @ np.linalg.solve(J @ J.T, J @ v)


V0 = tangent(Q0, np.array([0.5, 0.3, -0.4, 0.7]))


def newton(residual, x):
    """The root of a small system by Newton's method with complex steps."""
    for _ in range(12):
        J = np.array([residual(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))]).T
        x = x - np.linalg.solve(J, residual(x))
    return x


def staged(theta):
    def parts(x):
        P, L = x[:4], x[4:]
        qm = Q0 + theta * H * P
        return P, qm, H * DV + G(qm).T @ L

    def residual(x):
        P, qm, kick = parts(x)
        return np.concatenate([P - V0 + (1 - theta) * kick, g(qm)])

    P, _, kick = parts(newton(residual, np.concatenate([V0, [0, 0]])))
    return Q0 + H * P, P - theta * kick


def symmetric(a, b):
    def end(x):
        q1, m, n, A = x[:4], x[4:6], x[6:8], x[8:].reshape(len(b), 4)
        q, v = Q0 + G(Q0).T @ m, V0 + G(Q0).T @ n
        V = v + H * a @ A
        off = [A[i] - acceleration(q + H * a[i] @ V, V[i]) for i in range(len(b))]
        return q + H * b @ V + G(q1).T @ m, v + H * b @ A + G(q1).T @ n, np.concatenate(off)

    def residual(x):
        q1, v1, off = end(x)
        return np.concatenate([q1 - x[:4], g(x[:4]), G(x[:4]) @ v1, off])

    x = newton(residual, np.concatenate([Q0 + H * V0, np.zeros(4 + 4 * len(b))]))
    return x[:4], end(x)[1]


def numbers(v):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]"


def steps():
    """One step of each, by the program and by numpy."""
    told = {
        STAGED: staged(0.4),
        "staged": staged(0.5),
        "symmetric-project(gauss(2))": symmetric(*GAUSS),
        "symmetric-project(rk4)": symmetric(*RK4),
    }
    text = f"study: order\nsystem: double-pendulum\ninitial: {{q: {numbers(Q0)}, v: {numbers(V0)}}}\nend: {H}\n"
    text += f"steps: [{H}]\nreference: {{method: rattle, step: {H}}}\nmethods: [{', '.join(f'{chr(34)}{m}{chr(34)}' for m in told)}]\n"
    process, result = run("one-step", text)
    if not ok(process.returncode == 0, "one step of each runs", process.stderr):
        return
    with h5py.File(result) as f:
        q, p = f["final/q"][:, 0], f["final/p"][:, 0]
    for k, (method, (q1, v1)) in enumerate(told.items()):
        apart = max(abs(q[k] - q1).max(), abs(p[k] - v1).max())
        ok(apart < 1e-12, f"{method}: one step is that of numpy", apart)


def what_is_lost():
    """The arguments that these methods are there for."""
    text = """study: order
system: spherical-pendulum
end: 1.0
steps: [0.05, 0.025]
methods: [staged, "staged(theta=0.4)", symmetric-project(gauss(2))]
reference: {method: "gauss(6)", step: 0.01}
"""
    process, result = run("lost", text)
    if not ok(process.returncode in (0, 1), "the constraint at the stage runs", process.stderr):
        return
    rows = table(result)
    ok(3.5 < rows[0]["constraint_max"] / rows[1]["constraint_max"] < 4.5, "staged leaves the constraint by O(h^2)")
    ok(0.9 < rows[0]["error_p"] / rows[1]["error_p"] < 1.1, "its p does not converge")
    ok(0.4 < rows[0]["error_lambda"] / rows[1]["error_lambda"] < 0.6, "its multipliers grow as 1/h")
    ok(rows[3]["failed"] == 1, "with the stage off the middle it fails", rows[3])
    ok(rows[5]["constraint_scaled_max"] < 1e-14, "symmetric projection keeps the constraint")
    ok(12 < rows[4]["error_q"] / rows[5]["error_q"] < 20, "and the order of its layer")


MISTAKES = [
    ("double-pendulum", "staged(theta=1)", "a number above 0 and below 1"),
    ("double-pendulum", "staged(angle=1)", "takes no 'angle='"),
    ("henon-heiles", "staged", "needs constraints"),
    ("charged-pendulum", "staged", "constant diagonal mass"),
    ("double-pendulum", "symmetric-project(rattle)", "is not a layer"),
    ("double-pendulum", "symmetric-project(taylor(3))", "a layer with a tableau"),
    ("double-pendulum", "symmetric-project", "takes one argument"),
    ("henon-heiles", "symmetric-project(rk4)", "needs constraints"),
    ("rolling-disk", "symmetric-project(rk4)", "constraints on velocities"),
]


def mistakes():
    for k, (system, method, words) in enumerate(MISTAKES):
        text = f'study: conservation\nsystem: {system}\nend: 10\nsteps: [0.1]\nmethods: ["{method}"]\n'
        told = constella("check", write(f"wrong{k}.yaml", text))
        good = told.returncode == 2 and f"wrong{k}.yaml:5:" in told.stderr and words in told.stderr
        ok(good, f"{method} on {system} is refused: {words}", told.stderr)


steps()
what_is_lost()
mistakes()
done()
