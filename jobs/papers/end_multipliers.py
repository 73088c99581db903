#!/usr/bin/python3
"""end_multipliers.py: measures compositions whose constraint acts only at their two ends.

An own program, besides ends(SCHEME). Read by statements.py. Prints TOML: for each method its order and the defect
of its 2-form. Source: Barbero-Linan, Martin de Diego, Sato Martin de Almagro, (5.7). It requires the
constraint at the ends of a composition; in Example 5.1, RATTLE as B after A, the multipliers at the inner
point cancel, (5.16)-(5.18). With q' = p (masses 1), g(q) = 0, G = Dg and the leapfrog step L_h of the
potential alone, this is for weights c_1 .. c_s the method `ends`

    (q1, r) = L_{c_s h} ... L_{c_1 h} (q0, p0 + G(q0)'l),  g(q1) = 0,    p1 = r - G(q1)'m,  G(q1) p1 = 0

One such step for each weight is a composition of RATTLE: `substeps`, the control of the order. The control of
the 2-form is `projected`: l = 0, and q1 is projected along G' at the end of the free steps. The system is
modified-pendulum of the catalogue. The reference solves its ordinary differential equation, q'' = -grad V -
G'lambda with lambda from the second derivative of g(q), by the classical Runge-Kutta method.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

END, STEPS = 1.5, (15, 30, 60, 120)
FLOOR = 1e-11  # errors below it are round-off, and have no part in the fit of the order
TINY = 1e-30  # the complex step
START = np.array([0.5**0.5, 0, -(0.5**0.5)]), np.array([0, 0.5**0.25, 0])


def triple(parts):
    """Weights of the symmetric composition that raises order 2 to 4: equal parts, a negative one, equal
    parts.
    """
    w = 1 / (2 * parts - (2 * parts) ** (1 / 3))
    return [w] * parts + [1 - 2 * parts * w] + [w] * parts


HALF = [0.784513610477560, 0.235573213359357, -1.17767998417887]  # Yoshida 1990, order 6, solution A
WEIGHTS = {
    "one": [1],
    "yoshida4": triple(1),
    "suzuki4": triple(2),
    "yoshida6": HALF + [1 - 2 * sum(HALF)] + HALF[::-1],
}


# The system. Second derivatives are diagonal.
def grad_v(q):
    return np.array([0, 0, 4 * q[2] ** 3])


def hess_v(q):
    return np.array([0, 0, 12 * q[2] ** 2])


def g(q):
    return q[0] ** 6 + q[1] ** 4 + q[2] ** 2 - 0.625


def G(q):
    return np.array([6 * q[0] ** 5, 4 * q[1] ** 3, 2 * q[2]])


def hess_g(q):
    return np.array([30 * q[0] ** 4, 12 * q[1] ** 2, 2])


def free(q, p, dp, steps):
    """Leapfrog without constraint: q and p at the end, and the derivative of q there by p at the start."""
    dq = 0 * dp
    for h in steps:
        p, dp = p - h / 2 * grad_v(q), dp - h / 2 * hess_v(q) * dq
        q, dq = q + h * p, dq + h * dp
        p, dp = p - h / 2 * grad_v(q), dp - h / 2 * hess_v(q) * dq
    return q, p, dq


def tangent(q, p):
    n = G(q)
    return q, p - n * (n @ p) / (n @ n)


def checked(q):
    if not abs(g(q)) < 1e-14:
        raise ArithmeticError(f"Newton's method leaves g = {g(q)}")
    return q


def ends(q, p, steps):
    n, l = G(q), 0
    for _ in range(8):  # Newton's method: twice what the value needs, for the complex step's derivative
        q1, r, dq = free(q, p + l * n, n, steps)
        l = l - g(q1) / (G(q1) @ dq)
    return tangent(checked(q1), r)


def substeps(q, p, steps):
    for h in steps:
        q, p = ends(q, p, [h])
    return q, p


def projected(q, p, steps):
    q, p, _ = free(q, p, 0 * p, steps)
    n = G(q)
    for _ in range(8):
        q = q - n * g(q) / (G(q) @ n)
    return tangent(checked(q), p)


def run(method, weights, count, q, p):
    for _ in range(count):
        q, p = method(q, p, [w * END / count for w in weights])
    return np.concatenate([q, p])


def reference(count=3000, start=START):
    def rate(y):
        q, p = y[:3], y[3:]
        n, f = G(q), -grad_v(q)
        return np.concatenate([p, f - n * (n @ f + p @ (hess_g(q) * p)) / (n @ n)])

    y, h = np.concatenate(start), END / count
    for _ in range(count):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y


def order(method, weights, exact):
    """The slope of the error's logarithm, least squares over the steps whose errors are not round-off."""
    errors = [(END / n, abs(run(method, weights, n, *START) - exact).max()) for n in STEPS]
    return np.polyfit(*np.log([pair for pair in errors if pair[1] > FLOOR]).T, 1)[0]


def defect(method, weights, count=STEPS[0]):
    """The largest change of the 2-form dq ^ dp on a basis of the tangent vectors of {g = 0, G p = 0}, over
    the whole run of the largest step.
    """
    q, p = START
    basis = np.linalg.svd(np.array([[*G(q), 0, 0, 0], [*(hess_g(q) * p), *G(q)]]))[2][2:]
    after = [
        run(method, weights, count, q + 1j * TINY * t[:3], p + 1j * TINY * t[3:]).imag / TINY for t in basis
    ]
    forms = [np.array(x)[:, :3] @ np.array(x)[:, 3:].T for x in (basis, after)]
    return abs((forms[1] - forms[1].T) - (forms[0] - forms[0].T)).max()


def main():
    exact = reference()
    for method in (ends, substeps, projected):
        for name, weights in WEIGHTS.items():
            print(f'["{method.__name__}({name})"]')
            print(f"order = {order(method, weights, exact):.6g}\ntwo_form = {defect(method, weights):.6g}\n")


if __name__ == "__main__":
    main()
