"""linearly_implicit.py: Newmark's family on a double pendulum whose rods are springs, written down from the formulas alone, in numpy.

V = g.y + omega^2/2 sum g_i^2 with g_i = q'A_i q - c_i: every derivative is a product of the A_i. Nothing here knows of the program.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

A = [np.diag([1.0, 1, 0, 0]), np.array([[1.0, 0, -1, 0], [0, 1, 0, -1], [-1, 0, 1, 0], [0, -1, 0, 1]])]


class Springs:
    """The penalised double pendulum, masses m1 and m2, gravity 1."""

    def __init__(self, omega, m1=1.0, m2=1.0, c=(1.0, 2.0)):
        self.omega, self.c = omega, c
        self.M = np.diag([m1, m1, m2, m2])
        self.weight = np.array([0, m1, 0, m2])

    def g(self, q):
        return np.array([q @ A[i] @ q - self.c[i] for i in range(2)])

    def G(self, q):
        return np.array([2 * A[i] @ q for i in range(2)])

    def gradient(self, q):
        return self.weight + self.omega**2 * self.G(q).T @ self.g(q)

    def hessian(self, q):
        return self.omega**2 * sum(np.outer(d, d) + 2 * x * a for d, x, a in zip(self.G(q), self.g(q), A))

    def springs_hessian(self, q):
        return self.hessian(q)   # gravity is linear

    def third(self, q, a):
        """V'''[a, a]."""
        return self.omega**2 * sum(4 * (d @ a) * (B @ a) + 2 * (a @ B @ a) * d for d, B in zip(self.G(q), A))


def newton(s, x, b, a, iterations):
    """M a = -grad V(x + b a): so many iterations from a, or to the end (0)."""
    for _ in range(iterations or 100):
        d = np.linalg.solve(s.M + b * s.hessian(x + b * a), -(s.M @ a + s.gradient(x + b * a)))
        a = a + d
        if not iterations and abs(d).max() <= 1e-15 * max(1, abs(a).max()):
            break
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


def zhang_skeel(s, q, v, h, n, beta, form="full"):
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


def composed(step, gammas):
    """A method of steps gamma h from a function (q, v, h) -> (q, v)."""
    def whole(q, v, h):
        for x in gammas:
            q, v = step(q, v, x * h)
        return q, v
    return whole
