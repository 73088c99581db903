"""lagrange_dalembert.py: one step of lagrange-dalembert(LAYER, bias=b) in numpy, written from the principle,
independent of the program.

For systems without constraints on positions. Theta(w) = D L_h(w) + sum h alpha b_i N_i . D Q_i is made by
complex steps, the covectors p+ and p- from the 2n linear equations Theta = p+ D d+ - p- D d-, and w from
d-(w) = qb, phi v + phi0 = 0, B'(p- - pb) = 0 by Newton's method with differences. Derivatives of the systems
stand here by hand.
"""
import numpy as np

LAYERS = {  # a, b
    "euler": ([[0]], [1]),
    "heun": ([[0, 0], [1, 0]], [1 / 2, 1 / 2]),
    "rk3": ([[0, 0, 0], [1 / 2, 0, 0], [-1, 2, 0]], [1 / 6, 2 / 3, 1 / 6]),
    "rk4": ([[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 1 / 2, 0, 0], [0, 0, 1, 0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
}
LEFT_CURVE = "taylor-curve(1, quadrature=left)"


class Oscillator:
    """nonholonomic-oscillator"""

    mass = np.ones(3)

    def potential(self, q, t):
        return (q[0] ** 2 + q[1] ** 2) / 2

    def gradient(self, q, t):
        return np.array([q[0], q[1], 0 * q[2]])

    def force(self, q, v, t):
        return 0 * q

    def phi(self, q):
        return np.array([[-q[1], 0 * q[0], 1 + 0 * q[0]]])

    def phi0(self, q):
        return np.array([0 * q[0]])

    def bend(self, q, v):
        return np.array([-v[1] * v[0]])  # D(phi v + phi0)[v]


class Forced(Oscillator):
    """The same on a table that turns in z, with a drag and a drive: affine, dissipative, time-dependent."""

    def __init__(self, c=0.2, w=1.7, a=0.3):
        self.c, self.w, self.a = c, w, a

    def potential(self, q, t):
        return (q[0] ** 2 + q[1] ** 2) / 2 + self.a * q[2] * np.cos(self.w * t)

    def gradient(self, q, t):
        return np.array([q[0], q[1], self.a * np.cos(self.w * t) + 0 * q[2]])

    def force(self, q, v, t):
        return np.array([-self.c * v[0], -self.c * v[1] + np.sin(t) * q[0], 0 * v[2]])

    def phi0(self, q):
        return np.array([0.1 * q[0]])

    def bend(self, q, v):
        return np.array([-v[1] * v[0] + 0.1 * v[0]])


def acceleration(s, q, v, t):
    """A and lambda of M A = f - phi'lambda, phi A = -bend."""
    f, phi = s.force(q, v, t) - s.gradient(q, t), s.phi(q)
    free = f / s.mass
    S = phi @ (phi / s.mass).T
    lam = np.linalg.solve(S, phi @ free + s.bend(q, v))
    return free - (phi.T @ lam) / s.mass, lam


def layer(s, name, q, v, t, h):
    """The end (q1, v1), S and the stages (Q_i, weight, N_i)."""
    if name == LEFT_CURVE:
        return left_curve(s, q, v, t, h)
    a, b = LAYERS[name]
    Vs, As, S, stages = [], [], 0, []
    for row, weight in zip(a, b):
        V = v + h * sum((x * A for x, A in zip(row, As)), 0 * v)
        Q = q + h * sum((x * W for x, W in zip(row, Vs)), 0 * q)
        time = t + h * sum(row)
        A, lam = acceleration(s, Q, V, time)
        Vs.append(V), As.append(A)
        S = S + h * weight * ((s.mass * V * V).sum() / 2 - s.potential(Q, time))
        stages.append((Q, h * weight, s.force(Q, V, time) - s.phi(Q).T @ lam))
    return q + h * sum(x * V for x, V in zip(b, Vs)), v + h * sum(x * A for x, A in zip(b, As)), S, stages


def left_curve(s, q, v, t, h):
    """The same of taylor-curve(1, quadrature=left) on the oscillator: z' = r + y x' along the straight line of x
    and y; L and the work at its beginning."""
    A, lam = acceleration(s, q, v, t)
    r = v[2] - q[1] * v[0]
    x, y = q[:2] + h * v[:2]
    end = v[:2] + h * A[:2]
    q1 = np.array([x, y, q[2] + h * r + v[0] * (h * q[1] + h * h * v[1] / 2)])
    S = h * ((s.mass * v * v).sum() / 2 - s.potential(q, t))
    return q1, np.array([*end, r + y * end[0]]), S, [(q, h, s.force(q, v, t) - s.phi(q).T @ lam)]


def covectors(s, name, w, t, h, bias):
    """d-, d+, p-, p+ at w = (q, v), which lives at t - h bias."""
    n, small = len(w) // 2, 1e-30
    at = t - h * bias

    def both(x):
        return [layer(s, name, x[:n], x[n:], at, h * part) for part in (bias, 1 + bias)]

    minus, plus = both(w.astype(complex))
    D, theta = np.zeros((2, n, 2 * n)), np.zeros(2 * n)
    for j in range(2 * n):
        x = w.astype(complex)
        x[j] += 1j * small
        ends = both(x)
        for k in range(2):
            D[k, :, j] = ends[k][0].imag / small
        theta[j] = (ends[1][2] - ends[0][2]).imag / small
        for sign, end, base in ((-1, ends[0], minus), (1, ends[1], plus)):
            for (Q, weight, _), (_, _, N) in zip(end[3], base[3]):
                theta[j] += sign * weight * (N.real @ Q.imag) / small
    A = np.hstack([D[1].T, -D[0].T])
    A[n:] /= h
    theta[n:] /= h
    p = np.linalg.solve(A, theta)
    return minus[0].real, plus[0].real, p[n:], p[:n]


def basis(phi):
    """Orthonormal columns that span ker phi."""
    return np.linalg.svd(phi)[2][phi.shape[0] :].T


def kinetic(s, q, p):
    """v with phi v = -phi0 and B'(M v - p) = 0."""
    B = basis(s.phi(q))
    return np.linalg.solve(np.vstack([s.phi(q), B.T * s.mass]), np.concatenate([-s.phi0(q), B.T @ p]))


def step(s, name, q, v, t, h, bias):
    """(q, v) after one step of h from the time t."""
    n, p = len(q), s.mass * v
    B = basis(s.phi(q))

    def residual(w):
        dm, _, pm, _ = covectors(s, name, w, t, h, bias)
        return np.concatenate([dm - q, s.phi(w[:n]) @ w[n:] + s.phi0(w[:n]), B.T @ (pm - p)])

    w = np.concatenate(layer(s, name, q, v, t, -h * bias)[:2])
    for _ in range(12):
        r = residual(w)
        J = np.empty((2 * n, 2 * n))
        for j in range(2 * n):
            e = np.zeros(2 * n)
            e[j] = 1e-6
            J[:, j] = (residual(w + e) - residual(w - e)) / 2e-6
        d = np.linalg.solve(J, r)
        w = w - d
        if np.abs(d).max() < 1e-14:
            break
    _, q1, _, p1 = covectors(s, name, w, t, h, bias)
    return q1, kinetic(s, q1, p1)


if __name__ == "__main__":
    for s in (Oscillator(), Forced()):
        for name, order in (("euler", 1), ("heun", 2), ("rk3", 3), ("rk4", 4)):
            for bias in (0, -0.3, -0.5, -1):
                ends = []
                for n in (20, 40, 80):
                    q, v = np.array([1, 1, 0.0]), kinetic(s, np.array([1, 1, 0.0]), np.array([0.3, 0.2, 0.3]))
                    for k in range(n):
                        q, v = step(s, name, q, v, k / n, 1 / n, bias)
                    ends.append(np.concatenate([q, v]))
                e = [np.abs(ends[i] - ends[i + 1]).max() for i in range(2)]
                print(type(s).__name__, name, bias, "order %.2f" % np.log2(e[0] / e[1]))
# SPDX-License-Identifier: BSD-2-Clause
