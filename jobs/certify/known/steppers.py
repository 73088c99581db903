"""steppers.py: steppers whose properties are known by construction, for jobs/certify/truths."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np


def kicked(system, q, v, h, kick):
    """Half a kick, a drift, half a kick."""
    v = v + h / 2 * kick(q)
    q = q + h * v
    return q, v + h / 2 * kick(q)


def verlet(system, q, v, h):
    return kicked(system, q, v, h, system.acceleration)


def damped(system, q, v, h):
    q, v = verlet(system, q, v, h)
    return q, v * (1 - 1e-4 * h)


def heated(system, q, v, h):
    q, v = verlet(system, q, v, h)
    return q, v * (1 + 1e-4 * h)


def turned(system, q, v, h):
    """A force beside that of the system which is no gradient, h^2 times 0.1: it turns the plane's velocities by places."""
    return kicked(system, q, v, h, lambda x: system.acceleration(x) + 0.1 * h**2 * np.array([-x[1], x[0]]))


def pulled(system, q, v, h):
    """A constant force of 1e-6 along the first coordinate beside that of the system."""
    return kicked(system, q, v, h, lambda x: system.acceleration(x) + 1e-6 * np.eye(len(x))[0])


def half_old(system, q, v, h):
    """Symplectic Euler, but the last coordinate drifts with its old velocity."""
    w = v + h * system.acceleration(q)
    return q + h * np.append(w[:-1], v[-1]), w


def classical(system, q, v, h):
    def field(y, u):
        return np.array([u, system.acceleration(y, u)])

    x = np.array([q, v])
    a = field(*x)
    b = field(*(x + h / 2 * a))
    c = field(*(x + h / 2 * b))
    d = field(*(x + h * c))
    return tuple(x + h / 6 * (a + 2 * b + 2 * c + d))


def third(system, q, v, h, size=1.0):
    """rk4, but the last velocity is of order 3."""
    before = system.acceleration(q, v)[0]
    q, v = classical(system, q, v, h)
    v[-1] += size * h**4 * before
    return q, v


def third_little(system, q, v, h):
    return third(system, q, v, h, 1e-2)


def kept(system, q, v, h):
    """rk4, and velocities scaled so that the energy is that before the step. Unit masses, henon-heiles alone."""

    def potential(x):
        return (x[0] ** 2 + x[1] ** 2) / 2 + x[0] ** 2 * x[1] - x[1] ** 3 / 3

    energy = v @ v / 2 + potential(q)
    q, w = classical(system, q, v, h)
    return q, w * np.sqrt(2 * (energy - potential(q)) / (w @ w))


def implicit(system, q, v, h):
    """The implicit midpoint rule to round-off."""
    x = q + h / 2 * v
    for _ in range(60):
        x, last = q + h / 2 * (v + h / 2 * system.acceleration(x)), x
        if np.abs(x - last).max() < 1e-16:
            break
    return 2 * x - q, v + h * system.acceleration(x)


def down(system, q, v, h):
    """Verlet, whose velocities are always rounded towards zero."""
    q, v = verlet(system, q, v, h)
    return q, v * (1 - 2.0**-52)


def explicit(system, q, v, h):
    a = system.acceleration(q)
    return q + h * v, v + h * a


NOISE = np.random.default_rng(7)


def bath(system, q, v, h, temperature=1.0):
    """spherical-pendulum with unit mass and rod: Verlet, onto the sphere, and velocities of a bath with much friction."""
    q, v = verlet(system, q, v, h)
    q = q / np.linalg.norm(q)
    c = np.exp(-5 * h)
    v = c * v + np.sqrt((1 - c * c) * temperature) * NOISE.normal(size=len(v))
    return q, v - (q @ v) * q


def cold(system, q, v, h):
    return bath(system, q, v, h, 0.8)


def by_one(system, q, v, h, order):
    """Kick and drift of one coordinate after another."""
    q, v = q.copy(), v.copy()
    for i in order:
        v[i] += h * system.acceleration(q)[i]
        q[i] += h * v[i]
    return q, v


def forth(system, q, v, h):
    return by_one(system, q, v, h, range(len(q)))


def strang(system, q, v, h):
    """Leapfrog that begins with the drift."""
    q = q + h / 2 * v
    v = v + h * system.acceleration(q)
    return q + h / 2 * v, v


def spun(system, q, v, h):
    """Leapfrog in the plane, whose velocities turn by 1e-6 a unit of time."""
    q, v = strang(system, q, v, h)
    c, s = np.cos(1e-6 * h), np.sin(1e-6 * h)
    return q, np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def heun(system, q, v, h):
    a = system.acceleration(q, v)
    w = v + h * a
    return q + h / 2 * (v + w), v + h / 2 * (a + system.acceleration(q + h * v, w))


def richardson(system, q, v, h):
    """Two half steps of Heun's method, extrapolated by one: order 3."""
    one, two = heun(system, q, v, h), heun(system, *heun(system, q, v, h / 2), h / 2)
    return tuple((4 * b - a) / 3 for a, b in zip(one, two))
