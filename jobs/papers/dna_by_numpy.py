#!/usr/bin/python3
"""dna_by_numpy.py [SEEDS]: first crossings and transitions of a DNA chain of 200 bases in numpy, for the
tables `crossings` and `transitions` of tao-owhadi.toml.

Shares no code with the program. It applies the methods of Tao and Owhadi, (1.3), (2.1), (2.3), (2.7), to
their (4.9), for all starts together; linear systems of the ring are solved by elimination without pivots
and a correction of rank one. Starts are those of the source, theta_k = 0.8 + 0.1 xi_k with normal deviates
xi_k, theta_k' = cos(4 pi k/N)/sqrt(N); the deviates differ from the program's. Takes a quarter of an hour
on one core for 64 starts.
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys

import numpy as np

N, A, X0, EPSILON, BETA = 200, 7, 0.3, 1 / 1400, 0.3


def morse(x):
    """U', U'' and U''' of every base."""
    y = np.exp(-A * (1 - np.cos(x) - X0))
    d, dd, ddd = -A * np.sin(x), -A * np.cos(x), A * np.sin(x)  # of the exponent
    y1, y2, y3 = y * d, y * (d * d + dd), y * (d**3 + 3 * d * dd + ddd)
    return 2 * (y - 1) * y1, 2 * y1 * y1 + 2 * (y - 1) * y2, 6 * y1 * y2 + 2 * (y - 1) * y3


def gradient(x):
    return 2 * x - np.roll(x, 1, 0) - np.roll(x, -1, 0) + EPSILON * morse(x)[0]


def tridiagonal(diagonal, off, right):
    """The solution for the columns of right, [N][seeds] each, of the system with `off` next to the
    diagonal.
    """
    d, r = diagonal.copy(), [b.copy() for b in right]
    for i in range(1, N):
        f = off / d[i - 1]
        d[i] -= f * off
        for b in r:
            b[i] -= f * b[i - 1]
    for b in r:
        b[N - 1] /= d[N - 1]
        for i in range(N - 2, -1, -1):
            b[i] = (b[i] - off * b[i + 1]) / d[i]
    return r


def ring(x, b, right):
    """(1 + b Hess V(x))^-1 right: a ring is a chain and, with u = (1, 0 .. 0, 1), off u u'."""
    diagonal, off = 1 + b * (2 + EPSILON * morse(x)[1]), -b
    u = np.zeros_like(x)
    u[0] = u[-1] = 1
    diagonal = diagonal - off * u
    y, z = tridiagonal(diagonal, off, [right, u])
    return y - z * (off * (y[0] + y[-1]) / (1 + off * (z[0] + z[-1])))


def verlet(x, b):
    return -gradient(x)


def simplified(x, b):
    return ring(x, b, -gradient(x))


def full(x, b):
    a = simplified(x, b)
    return a - 0.5 * b * b * EPSILON * morse(x)[2] * a * a


def implicit(x, b):
    """a = -grad V(x + b a) by Newton's method."""
    a = np.zeros_like(x)
    for _ in range(30):
        d = ring(x + b * a, b, -(a + gradient(x + b * a)))
        a += d
        if abs(d).max() <= 1e-13 * abs(a).max():
            return a
    return a * np.nan


def newmark(x, v, h, n):
    b, a = BETA * h * h, -gradient(x)
    for _ in range(n):
        y = x + h * v + (0.5 - BETA) * h * h * a
        new = implicit(y, b)
        x, v, a = y + b * new, v + 0.5 * h * (a + new), new
        yield x


def kicked(force):
    def steps(x, v, h, n):
        f = force(x, BETA * h * h)
        for _ in range(n):
            x = x + h * v + 0.5 * h * h * f
            new = force(x, BETA * h * h)
            v, f = v + 0.5 * h * (f + new), new
            yield x

    return steps


METHODS = {
    "rattle": kicked(verlet),
    "newmark(beta=0.3)": newmark,
    "pushforward-newmark(beta=0.3)": kicked(implicit),
    "zhang-skeel(beta=0.3)": kicked(full),
    "zhang-skeel(beta=0.3, form=simplified)": kicked(simplified),
}


def means(method, h, end, every, seeds, seed):
    """Times, and mean angles [time][start]."""
    k = np.arange(1, N + 1)[:, None]
    x = 0.8 + 0.1 * np.random.default_rng(seed).standard_normal((N, seeds))
    v = np.cos(4 * np.pi * k / N) / np.sqrt(N) + 0 * x
    n = round(end / h)
    found = [x.mean(0)] + [y.mean(0) for i, y in enumerate(METHODS[method](x, v, h, n), 1) if i % every == 0]
    return h * every * np.arange(len(found)), np.array(found)


def first_crossings(t, m):
    """When each mean angle first passes pi, between samples along a straight line."""
    k = (m > np.pi).argmax(0)
    i = np.arange(m.shape[1])
    return t[k - 1] + (np.pi - m[k - 1, i]) / (m[k, i] - m[k - 1, i]) * (t[k] - t[k - 1])


def transitions(m):
    """How often each mean angle goes from below pi/2 to above 3 pi/2 or back."""
    side, count = np.zeros(m.shape[1]), np.zeros(m.shape[1])
    for x in m:
        new = np.where(x < np.pi / 2, -1, np.where(x > 3 * np.pi / 2, 1, side))
        count += (side != 0) & (new != side)
        side = new
    return count


def told(x):
    return f"{x.mean():.4g}  {x.std(ddof=1):.3g}"


def main():
    np.seterr(all="ignore")  # the full form may fail
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    print("# mean and standard deviation over", seeds, "starts")
    for h in (2, 1, 0.5, 0.2):
        for method in METHODS:
            if h < 1 or method != "rattle":
                times = first_crossings(*means(method, h, 160, max(1, round(0.2 / h)), seeds, 1))
                print(f"crossings  {h:g}  {told(times)}  {method}", flush=True)
    for h, method in ((0.2, "rattle"), *((2, m) for m in METHODS if m != "rattle")):
        m = means(method, h, 4000, round(4 / h), seeds, 2)[1]
        alive = m[:, np.isfinite(m).all(0)]
        print(
            f"transitions  {h:g}  {told(transitions(alive))}  {method}, {alive.shape[1]} starts", flush=True
        )


if __name__ == "__main__":
    main()
