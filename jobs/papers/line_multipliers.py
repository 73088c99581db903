#!/usr/bin/python3
"""line_multipliers.py: line integral methods whose multiplier is a polynomial in the step (docs/line-integral.md).

The program has no such method. Read by statements.py. Prints TOML: for s, the degree of u, and r, the number of
coefficients of the multiplier, the orders in q, p, and the tangential part of p at the end, the largest errors of
the energy and of the constraint, the order of the hidden constraint, and that of the multiplier
in the last steps. With masses 1 and shifted Legendre polynomials P_j, orthonormal on [0, 1],

    u(ch) = q0 + h sum_(j<s) int_0^c P_j gamma_j,   lambda(c) = sum_(i<r) P_i(c) lambda_i
    gamma = e_1 p0 - h X (psi + chi),   psi_j = int P_j grad V(u),   chi_j = int P_j G(u)'lambda
    0 = int P_i G(u) u' dc,  i < r;   q1 = u(h),   p1 = p0 - h (psi_0 + chi_0)

r = 1 is the source's method. The system is modified-pendulum of the catalogue, and the reference that of
end_multipliers.py.
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True

import numpy as np
from end_multipliers import END, FLOOR, G, g, grad_v, hess_g, hess_v, reference, tangent

STEPS = (15, 30, 60, 120)
# not one that time reversal maps to itself
START = tangent(np.array([0.7, 0.5, (0.625 - 0.7**6 - 0.5**4) ** 0.5]), np.array([0.3, -0.8, 0.5]))
# where the multiplier is compared: in so many last steps, at these positions
LAST, PLACES = 4, (0, 0.5, 1)
PAIRS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3))


def tables(s):
    """Nodes that are enough for a constraint of degree 6: P_j and their integrals at them, and weights."""
    k = 4 * s
    c, b = np.polynomial.legendre.leggauss(k)
    c, b = (c + 1) / 2, b / 2
    P, integral = np.zeros((k, s)), np.zeros((k, s))
    for j in range(s):
        p = np.sqrt(2 * j + 1) * np.polynomial.Legendre.basis(j, domain=[0, 1])
        P[:, j], integral[:, j] = p(c), p.integ(lbnd=0)(c)
    return P, integral, b, P.T @ (b[:, None] * integral)


def residual(x, q, p, h, s, r, table):
    P, integral, b, X = table
    gamma, lam = x[: 3 * s].reshape(s, 3), x[3 * s :]
    u, rate = q + h * integral @ gamma, P @ gamma
    grad, Gu, mult = np.array([grad_v(y) for y in u]), np.array([G(y) for y in u]), P[:, :r] @ lam
    force = P.T @ (b[:, None] * (grad + Gu * mult[:, None]))
    first = np.outer(np.eye(s)[0], p)
    moments = P[:, :r].T @ (b * (Gu * rate).sum(1))
    return np.concatenate([(gamma - first + h * X @ force).ravel(), moments / h]), force, Gu, mult, u


def jacobian(x, q, p, h, s, r, table):
    """Of the residual, exactly: second derivatives of V and g are diagonal."""
    P, integral, b, X = table
    _, _, Gu, mult, u = residual(x, q, p, h, s, r, table)
    J = np.zeros((3 * s + r, 3 * s + r))
    bent = np.array([hess_v(y) for y in u]) + mult[:, None] * np.array([hess_g(y) for y in u])
    turned, rate = np.array([hess_g(y) for y in u]), P @ x[: 3 * s].reshape(s, 3)
    for j in range(s):
        for a in range(3):
            force = h * P.T @ (b * bent[:, a] * integral[:, j])
            J[: 3 * s, 3 * j + a].reshape(s, 3)[:, a] += h * X @ force
            change = b * (Gu[:, a] * P[:, j] + h * turned[:, a] * integral[:, j] * rate[:, a])
            J[3 * s :, 3 * j + a] = P[:, :r].T @ change / h
    J[: 3 * s, : 3 * s] += np.eye(3 * s)
    for i in range(r):
        J[: 3 * s, 3 * s + i] = (h * X @ (P.T @ (b[:, None] * Gu * P[:, i, None]))).ravel()
    return J


def solve(q, p, h, s, r, table):
    x = np.concatenate([p, np.zeros(3 * (s - 1) + r)])
    for _ in range(12):
        f = residual(x, q, p, h, s, r, table)[0]
        x = x - np.linalg.solve(jacobian(x, q, p, h, s, r, table), f)
    return x


def step(q, p, h, s, r, table):
    x = solve(q, p, h, s, r, table)
    force = residual(x, q, p, h, s, r, table)[1]
    return q + h * x[:3], p - h * force[0]


def multiplier_error(s, r, h, states, exact):
    """The largest error of the multiplier in the last steps, at three places in each, against the exact motion's."""
    worst, table = 0, tables(s)
    for back, (q, p) in enumerate(reversed(states)):
        lam = solve(q, p, h, s, r, table)[3 * s :]
        for c in PLACES:
            P = [np.sqrt(2 * j + 1) * np.polynomial.Legendre.basis(j, domain=[0, 1])(c) for j in range(r)]
            worst = max(worst, abs(lam @ P - multiplier(flow(exact, (c - 1 - back) * h))))
    return worst


def multiplier(y):
    n = G(y[:3])
    return (y[3:] @ (hess_g(y[:3]) * y[3:]) - n @ grad_v(y[:3])) / (n @ n)


def flow(y, t, count=40):
    """The exact motion over t."""

    def rate(y):
        return np.concatenate([y[3:], -grad_v(y[:3]) - G(y[:3]) * multiplier(y)])

    h = t / count
    for _ in range(count):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y


def energy(q, p):
    return p @ p / 2 + q[2] ** 4


def run(s, r, count):
    """The end, the largest errors of what is kept, and the states before the last steps."""
    (q, p), table = START, tables(s)
    worst, states = np.zeros(3), []
    for _ in range(count):
        states = [*states, (q, p)][-LAST:]
        q, p = step(q, p, END / count, s, r, table)
        worst = np.maximum(worst, np.abs([energy(q, p) - energy(*START), g(q), G(q) @ p]))
    return q, p, worst, states


def order(errors):
    pairs = [(END / n, e) for n, e in zip(STEPS, errors, strict=True) if e > FLOOR]
    return np.polyfit(*np.log(pairs).T, 1)[0] if len(pairs) > 1 else np.nan


def main():
    exact = reference(6000, START)
    for s, r in PAIRS:
        runs = [run(s, r, n) for n in STEPS]
        ends = [(q, p, tangent(q, p)[1]) for q, p, _, _ in runs]
        errors = [
            (abs(q - exact[:3]).max(), abs(p - exact[3:]).max(), abs(t - exact[3:]).max()) for q, p, t in ends
        ]
        kept = np.max([w for _, _, w, _ in runs], axis=0)
        print(f'["s = {s}, r = {r}"]\norder_q = {order([e[0] for e in errors]):.6g}')
        print(f"order_p = {order([e[1] for e in errors]):.6g}\ntangent = {order([e[2] for e in errors]):.6g}")
        print(f"energy = {kept[0]:.6g}\nconstraint = {kept[1]:.6g}")
        print(f"hidden = {order([w[2] for _, _, w, _ in runs]):.6g}")
        wrong = [multiplier_error(s, r, END / n, last, exact) for n, (_, _, _, last) in zip(STEPS, runs, strict=True)]
        print(f"order_lambda = {order(wrong):.6g}\n")


if __name__ == "__main__":
    main()
