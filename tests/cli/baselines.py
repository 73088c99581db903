"""baselines.py: the methods of multibody codes and physics engines in numpy, from their equations alone.

A system is M(q), f(q, v), g(q), G(q) and D2g[v, v]. The unknowns of a step are all quantities that its equations
name, and Newton's method takes differences of their residuals. Nothing here knows of the program.
"""
# SPDX-License-Identifier: BSD-2-Clause
import itertools
from types import SimpleNamespace

import numpy as np


def pendulum():
    """A point of mass 1 on a circle of radius 1, gravity 1 along -y."""
    return SimpleNamespace(
        n=2,
        m=1,
        M=lambda q: np.eye(2),
        f=lambda q, v: np.array([0.0, -1.0]),
        g=lambda q: np.array([q @ q - 1]),
        G=lambda q: 2 * q[None, :],
        bend=lambda q, v: np.array([2 * v @ v]),
        fv=lambda q, v: np.zeros((2, 2)),
    )


def body():
    """A heavy top in the nine entries of R, by rows, with six orthogonality constraints."""
    I = np.array([1.0, 1.1, 0.5])
    weights = np.tile(I.sum() / 2 - I, 3)
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]

    # A[:, a].B[:, b] = A'F B
    forms = np.array([[[i // 3 == j // 3 and i % 3 == a and j % 3 == b for j in range(9)] for i in range(9)] for a, b in pairs], float)
    both = forms + forms.transpose(0, 2, 1)

    def product(A, B):
        return forms @ B @ A

    def G(q):
        return both @ q

    mass, none, force = np.diag(weights), np.zeros((9, 9)), np.zeros(9)
    force[8] = -0.5
    return SimpleNamespace(
        n=9,
        m=6,
        M=lambda q: mass,
        f=lambda q, v: force,
        g=lambda q: product(q, q) - np.array([1.0, 0, 0, 1, 0, 1]),
        G=G,
        bend=lambda q, v: 2 * product(v, v),
        fv=lambda q, v: none,
    )


def governor():
    """Polar coordinates (th, r) on a curve, with a mass that depends on r, gravity, and drag."""

    def f(q, v):
        th, r = q
        return np.array(
            [-2 * r * v[0] * v[1] - r * np.sin(th) - 0.3 * v[0], r * v[0] ** 2 + np.cos(th) - 0.2 * v[1] ** 3]
        )

    return SimpleNamespace(
        n=2,
        m=1,
        M=lambda q: np.diag([q[1] ** 2, 1.0]),
        f=f,
        g=lambda q: np.array([q[1] - 1 - 0.2 * np.sin(q[0])]),
        G=lambda q: np.array([[-0.2 * np.cos(q[0]), 1.0]]),
        bend=lambda q, v: np.array([0.2 * np.sin(q[0]) * v[0] ** 2]),
        fv=lambda q, v: np.array(
            [[-2 * q[1] * v[1] - 0.3, -2 * q[1] * v[0]], [2 * q[1] * v[0], -0.6 * v[1] ** 2]]
        ),
    )


def newton(F, x):
    """A zero of F near x, to round-off. The matrix is renewed where it no longer contracts."""
    r, d, J, failed = F(x), 1e-6, None, 0
    best = (np.abs(r).max(), x)
    for _ in range(60):
        if J is None:
            J = np.linalg.inv(np.array([(F(x + e) - r) / d for e in d * np.eye(len(x))]).T)
        x = x - J @ r
        before, r = np.abs(r).max(), F(x)
        now = np.abs(r).max()
        best = min(best, (now, x), key=lambda b: b[0])
        if now > 0.3 * before:
            J, failed = J if now < 1e-9 else None, failed + 1
            if failed == 3:
                break
    return best[1]


def accelerations(s, q, v, y=0.0):
    """A and lambda of M A = f - G'lambda, G A = -D2g[v, v] - y."""
    K = np.block([[s.M(q), s.G(q).T], [s.G(q), np.zeros((s.m, s.m))]])
    x = np.linalg.solve(K, np.concatenate([s.f(q, v), -s.bend(q, v) - y]))
    return x[: s.n], x[s.n :]


def radau_tableau(n):
    """a and c: collocation at the zeros of the derivative of order n - 1 of x^(n-1) (x - 1)^n."""
    P = np.poly1d([1.0, 0]) ** (n - 1) * np.poly1d([1.0, -1]) ** n
    c = np.sort(np.roots(np.polyder(P, n - 1)).real) if n > 1 else np.array([1.0])
    D = np.polyder(P, n - 1)
    for _ in range(4):
        c = c - np.polyval(D, c) / np.polyval(np.polyder(D), c)
    c[-1] = 1
    k = np.arange(1, n + 1)
    return (c[:, None] ** k / k) @ np.linalg.inv(c[:, None] ** (k - 1)), c


def split(x, *sizes):
    ends = list(itertools.accumulate(sizes))
    return [x[end - size : end] for end, size in zip(ends, sizes)]


def radau(s, q, v, h, n=3, form="ggl"):
    """(q, v, lambda) at the end of a step; the unknowns are Q, V, A, lambda, mu of all stages."""
    a, _ = radau_tableau(n)

    def F(x):
        Q, V, A, lam, mu = (y.reshape(n, -1) for y in split(x, *(n * k for k in (s.n, s.n, s.n, s.m, s.m))))
        push = np.array([s.G(Q[i]).T @ mu[i] for i in range(n)])
        out = [Q - q - h * a @ (V - push), V - v - h * a @ A]
        out.append(np.array([s.M(Q[i]) @ A[i] - s.f(Q[i], V[i]) + s.G(Q[i]).T @ lam[i] for i in range(n)]))
        on = np.array([s.g(Q[i]) for i in range(n)])
        hidden = np.array([s.G(Q[i]) @ V[i] for i in range(n)])
        bent = np.array([s.G(Q[i]) @ A[i] + s.bend(Q[i], V[i]) for i in range(n)])
        on, hidden = on / h**2, hidden / h
        out += {"ggl": [on, hidden], "index-3": [on, mu], "index-2": [hidden, mu], "index-1": [bent, mu]}[form]
        return np.concatenate([y.ravel() for y in out])

    A, lam = accelerations(s, q, v)
    start = [np.tile(q, n), np.tile(v, n), np.tile(A, n), np.tile(lam, n), np.zeros(n * s.m)]
    Q, V, _, lam, _ = split(newton(F, np.concatenate(start)), *(n * k for k in (s.n, s.n, s.n, s.m, s.m)))
    return Q[-s.n :], V[-s.n :], lam[-s.m :]


def alpha(s, q, v, h, steps, am, af, gamma, beta, ggl=False):
    """The states of generalised-alpha."""
    A = accelerations(s, q, v)[0]
    later = (am - af) * h  # with G v = 0 the run starts with the acceleration at this time, to second order
    a = accelerations(s, q + later * v, v + later * A)[0] if ggl else A
    out = []
    for _ in range(steps):

        def F(x, q=q, v=v, a=a, A=A):
            q1, v1, A1, a1, lam, mu = split(x, s.n, s.n, s.n, s.n, s.m, s.m)
            return np.concatenate(
                [
                    q1 - q - h * v - h**2 * ((0.5 - beta) * a + beta * a1) + h * s.G(q1).T @ mu,
                    v1 - v - h * ((1 - gamma) * a + gamma * a1),
                    (1 - am) * a1 + am * a - (1 - af) * A1 - af * A,
                    s.M(q1) @ A1 - s.f(q1, v1) + s.G(q1).T @ lam,
                    s.g(q1) / h**2,
                    s.G(q1) @ v1 / h if ggl else mu,
                ]
            )

        x = newton(F, np.concatenate([q, v, A, a, accelerations(s, q, v)[1], np.zeros(s.m)]))
        q, v, A, a, lam, _ = split(x, s.n, s.n, s.n, s.n, s.m, s.m)
        out.append((q, v, lam))
    return out


def chung_hulbert(s, q, v, h, steps, rho, ggl=False):
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    return alpha(s, q, v, h, steps, am, af, gamma, (gamma + 0.5) ** 2 / 4, ggl)


BDF = {  # alpha_0 .. alpha_k of sum_j alpha_j y_(1-j) = h y'
    1: [1, -1],
    2: [3 / 2, -2, 1 / 2],
    3: [11 / 6, -3, 3 / 2, -1 / 3],
    4: [25 / 12, -4, 3, -4 / 3, 1 / 4],
    5: [137 / 60, -5, 5, -10 / 3, 5 / 4, -1 / 5],
}


def bdf(s, q, v, h, steps, k):
    """The states of BDF, begun by Radau IIA."""
    past, out = [(q, v)], []
    for n in range(steps):
        if n < k - 1:
            q, v, lam = radau(s, q, v, h)
        else:

            def F(x):
                q1, v1, A, lam, mu = split(x, s.n, s.n, s.n, s.m, s.m)
                dq = BDF[k][0] * q1 + sum(w * y[0] for w, y in zip(BDF[k][1:], past[::-1]))
                dv = BDF[k][0] * v1 + sum(w * y[1] for w, y in zip(BDF[k][1:], past[::-1]))
                return np.concatenate(
                    [
                        dq - h * (v1 - s.G(q1).T @ mu),
                        dv - h * A,
                        s.M(q1) @ A - s.f(q1, v1) + s.G(q1).T @ lam,
                        s.g(q1) / h**2,
                        s.G(q1) @ v1 / h,
                    ]
                )

            A, lam = accelerations(s, q, v)
            x = newton(F, np.concatenate([q, v, A, lam, np.zeros(s.m)]))
            q, v, _, lam, _ = split(x, s.n, s.n, s.n, s.m, s.m)
        past.append((q, v))
        out.append((q, v, lam))
    return out


def engine(s, q, v, h, steps, erp, post=False, linear=False):
    """Euler steps with constraints on the level of velocities."""
    out = []
    zero = np.zeros((s.m, s.m))
    for _ in range(steps):
        N = s.M(q) - (h * s.fv(q, v) if linear else 0)
        K = np.block([[N / h, s.G(q).T], [s.G(q), zero]])
        x = np.linalg.solve(K, np.concatenate([N @ v / h + s.f(q, v), -erp / h * s.g(q)]))
        v, lam = split(x, s.n, s.m)
        q = q + h * v
        if post:
            K = np.block([[s.M(q), s.G(q).T], [s.G(q), zero]])
            q = q - np.linalg.solve(K, np.concatenate([np.zeros(s.n), s.g(q)]))[: s.n]
        out.append((q, v, lam))
    return out


def baumgarte_rk4(s, q, v, h, steps, a, b):
    def rate(y):
        q, v = split(y, s.n, s.n)
        return np.concatenate([v, accelerations(s, q, v, 2 * a * s.G(q) @ v + b**2 * s.g(q))[0]])

    y, out = np.concatenate([q, v]), []
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
        out.append((*split(y, s.n, s.n), None))
    return out


INERTIA = np.array([1.0, 1.1, 0.5])


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def exponential(w):
    """Rodrigues' formula."""
    t = np.linalg.norm(w)
    return np.eye(3) + np.sin(t) / t * hat(w) + (1 - np.cos(t)) / t**2 * hat(w) @ hat(w)


def lie_alpha(R, w, h, steps, rho):
    """A top about the origin under V = R33/2 with R33 = 0.6: the states (R, omega) of generalised-alpha on SO(3).
    The derivative of R33 along R hat(eta) is D.eta."""

    def D(R):
        return np.array([-R[2, 1], R[2, 0], 0])

    def balance(R, w, A, lam):
        return INERTIA * A + np.cross(w, INERTIA * w) + (0.5 + lam) * D(R)

    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = (gamma + 0.5) ** 2 / 4
    A = newton(lambda x: np.append(balance(R, w, x[:3], x[3]), D(R) @ x[:3] + D(R @ hat(w)) @ w), np.zeros(4))[:3]
    a, out = A, []
    for _ in range(steps):

        def move(A1, w=w, a=a, A=A, R=R):
            a1 = ((1 - af) * A1 + af * A - am * a) / (1 - am)
            w1 = w + h * ((1 - gamma) * a + gamma * a1)
            return R @ exponential(h * w + h**2 * ((0.5 - beta) * a + beta * a1)), w1, a1

        def F(x):
            R1, w1, _ = move(x[:3])
            return np.append(balance(R1, w1, x[:3], x[3]), (R1[2, 2] - 0.6) / h**2)

        x = newton(F, np.append(A, 0))
        R, w, a = move(x[:3])
        A = x[:3]
        out.append((R, w))
    return out
