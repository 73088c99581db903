"""steppers.py: three steppers as somebody may have written them, for systems without constraints."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np


def verlet(system, q, v, h):
    v = v + h / 2 * system.acceleration(q)
    q = q + h * v
    return q, v + h / 2 * system.acceleration(q)


def wrong_verlet(system, q, v, h):
    """The second half of the kick is 2 % short."""
    v = v + h / 2 * system.acceleration(q)
    q = q + h * v
    return q, v + 0.49 * h * system.acceleration(q)


def dop853(system, q, v, h):
    """One step of the method of order 8, without its error control."""
    from scipy.integrate import DOP853

    n = len(q)

    def field(t, y):
        return np.concatenate([y[n:], system.acceleration(y[:n], y[n:])])

    c, a, b = DOP853.C, DOP853.A, DOP853.B
    y, k = np.concatenate([q, v]), []
    for i in range(DOP853.n_stages):
        k.append(field(0, y + h * sum((a[i, j] * k[j] for j in range(i)), np.zeros(2 * n))))
    y = y + h * sum(w * x for w, x in zip(b, k))
    return y[:n], y[n:]
