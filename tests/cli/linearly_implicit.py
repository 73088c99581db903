"""linearly_implicit.py: Newmark's family on systems whose rods are springs, in numpy, from the formulas
alone.

V = w.q + omega^2/2 sum g_i^2 with g_i = q'A_i q - c_i: every derivative is a product of the A_i. A double
pendulum, a chain, and a magnetised body on the nine entries of its matrix, which has the paper's own
equations for matrices beside it. Nothing here knows of the program.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np


class Springs:
    """Masses [n], weights [n] of a linear potential, A [m][n][n] and c [m] of the springs."""

    def __init__(self, omega, masses, weight, A, c):
        self.omega, self.M, self.weight, self.A, self.c = (
            omega,
            np.diag(masses),
            np.array(weight),
            np.array(A),
            np.array(c),
        )

    def g(self, q):
        return self.A @ q @ q - self.c

    def G(self, q):
        return 2 * self.A @ q

    def gradient(self, q):
        return self.weight + self.omega**2 * self.G(q).T @ self.g(q)

    def hessian(self, q):
        G = self.G(q)
        return self.omega**2 * (G.T @ G + 2 * np.tensordot(self.g(q), self.A, 1))

    def third(self, q, a):
        """V'''[a, a]."""
        G, Aa = self.G(q), self.A @ a
        return self.omega**2 * (4 * Aa.T @ (G @ a) + 2 * G.T @ (Aa @ a))


def squared_distance(n, i, j, axes):
    """A of |x_i - x_j|^2, of |x_i|^2 where j is None; axes: the first component of each axis."""
    A = np.zeros((n, n))
    for first in axes:
        u = np.zeros(n)
        u[first[i]] = 1
        if j is not None:
            u[first[j]] = -1
        A += np.outer(u, u)
    return A


def double_pendulum(omega, m1=1.0, m2=1.0):
    """x1 y1 x2 y2, lengths 1 and sqrt(2), gravity 1."""
    axes = ((0, 2), (1, 3))
    return Springs(
        omega,
        [m1, m1, m2, m2],
        [0, m1, 0, m2],
        [squared_distance(4, 0, None, axes), squared_distance(4, 1, 0, axes)],
        [1.0, 2.0],
    )


def chain(omega, n):
    """x1 .. xn y1 .. yn, unit masses, links of length sqrt(5), gravity 1."""
    axes = (range(n), range(n, 2 * n))
    A = [squared_distance(2 * n, i, i - 1 if i else None, axes) for i in range(n)]
    return Springs(omega, np.ones(2 * n), np.repeat([0.0, 1.0], n), A, np.full(n, 5.0))


def magnetised_body(omega):
    """R by rows; sum of g^2 is tr((R'R - 1)^2); B mu = 1."""
    A, c = [], []
    for a in range(3):
        for b in range(a, 3):
            B = np.zeros((9, 9))
            for i in range(3):
                B[3 * i + a, 3 * i + b] = B[3 * i + b, 3 * i + a] = 1 if a == b else np.sqrt(0.5)
            A.append(B)
            c.append(float(a == b))
    return Springs(omega, np.full(9, 0.5), [0.0] * 8 + [1.0], A, c)


def matrix_acceleration(R, omega, b):
    """a of (4.15) and f, b = beta h^2 with the paper's beta; f with the sign and the places of the transposes
    that the Lagrangian gives."""

    def filtered(a):
        return a + 2 * omega**2 * b * (a @ R.T @ R + R @ a.T @ R + R @ R.T @ a - a)

    matrix = np.array([filtered(e.reshape(3, 3)).ravel() for e in np.eye(9)]).T
    force = -2 * omega**2 * (R @ R.T @ R - R)
    force[2, 2] -= 1
    a = np.linalg.solve(matrix, force.ravel()).reshape(3, 3)
    return a - 2 * omega**2 * b**2 * (R @ a.T @ a + a @ R.T @ a + a @ a.T @ R)


def matrices(R, p, h, n, omega, beta, order):
    """The variational schemes of section 4.5, of order 1 and 2: states 0 .. n as (q, v) with v = 2p."""
    out = [(R.ravel(), 2 * p.ravel())]
    for _ in range(n):
        w = 1 if order == 1 else 0.5
        p = p + w * h * matrix_acceleration(R, omega, beta * h * h)
        R = R + 2 * h * p
        p = p + (1 - w) * h * matrix_acceleration(R, omega, beta * h * h)
        out.append((R.ravel(), 2 * p.ravel()))
    return out


def newton(s, x, b, a, iterations):
    """M a = -grad V(x + b a): the given number of iterations from a, or to convergence (0)."""
    last = np.inf
    for _ in range(iterations or 100):
        d = np.linalg.solve(s.M + b * s.hessian(x + b * a), -(s.M @ a + s.gradient(x + b * a)))
        a = a + d
        size = abs(d).max() / max(1, abs(a).max())
        if not iterations and (size <= 1e-15 or last <= size < 1e-11):  # at round-off corrections shrink no more
            break
        last = size
    return a


def filtered(s, q, b, form):
    a = np.linalg.solve(s.M + b * s.hessian(q), -s.gradient(q))
    return a - b * b / 2 * np.linalg.solve(s.M, s.third(q, a)) if form == "full" else a


def kicked(s, q, v, h, n, force):
    """Verlet's step by an acceleration that is a function of q. States 0 .. n."""
    out, f = [(q, v)], force(q)
    for _ in range(n):
        q = q + h * v + h * h / 2 * f
        f, old = force(q), f
        v = v + h / 2 * (old + f)
        out.append((q, v))
    return out


def euler(q, v, h, n, force, rule):
    """Symplectic Euler: the kick before the drift (left) or after it (right)."""
    out = [(q, v)]
    for _ in range(n):
        v = v + h * force(q) if rule == "left" else v
        q = q + h * v
        v = v + h * force(q) if rule == "right" else v
        out.append((q, v))
    return out


def zhang_skeel(s, q, v, h, n, beta, form="full", rule="trapezoid"):
    """rule: where the force of a step is taken; left and right by symplectic Euler."""
    if rule != "trapezoid":
        return euler(q, v, h, n, lambda x: filtered(s, x, beta * h * h, form), rule)
    return kicked(s, q, v, h, n, lambda x: filtered(s, x, beta * h * h, form))


def pushforward(s, q, v, h, n, beta):
    return kicked(s, q, v, h, n, lambda x: newton(s, x, beta * h * h, np.zeros_like(x), 0))


def newmark(s, q, v, h, n, beta, gamma=0.5, iterations=0, start="a", a=None):
    """States 0 .. n; a: the acceleration at the start, where it is not -M^-1 grad V."""
    b, out = beta * h * h, [(q, v)]
    a = np.linalg.solve(s.M, -s.gradient(q)) if a is None else a
    for _ in range(n):
        ahead = q + h * v + h * h / 2 * (1 - 2 * beta) * a
        new = newton(s, ahead, b, (q - ahead) / b if start == "q" else np.zeros_like(q), iterations)
        q, v, a = ahead + b * new, v + h * ((1 - gamma) * a + gamma * new), new
        out.append((q, v))
    return out


def gauss2(s, q, v, h, n):
    """Collocation at two Gauss points, the accelerations of the stages by Newton's method."""
    r, out = np.sqrt(3) / 6, [(q, v)]
    a = np.array([[0.25, 0.25 - r], [0.25 + r, 0.25]])
    inverse, k = np.linalg.inv(s.M), np.zeros((2, len(q)))
    for _ in range(n):
        for _ in range(20):
            Q = q + h * a @ (v + h * a @ k)
            slope = np.block(
                [[-h * h * (a @ a)[i, j] * inverse @ s.hessian(Q[i]) for j in range(2)] for i in range(2)]
            )
            d = np.linalg.solve(
                np.eye(2 * len(q)) - slope, (-np.array([inverse @ s.gradient(x) for x in Q]) - k).ravel()
            )
            k = k + d.reshape(k.shape)
            if abs(d).max() < 1e-10 * abs(k).max():
                break
        q, v = q + h * v + h * h * 0.5 * (a @ k).sum(0), v + h * 0.5 * k.sum(0)
        out.append((q, v))
    return out
