"""peer_numba.py: RATTLE for one point on a rod and for two, as scalar loops compiled by numba, for works.py.

Unit masses, gravity 1 along the last coordinate; the lengths of the rods are those of the start. Newton's
method begins at the last impulses and ends when no squared length is in error by more than 4 units of
round-off.

    python3 peer_numba.py POINTS DIMENSIONS STEP STEPS < start

start: positions, then velocities. Prints seconds of processor time, then the positions at the end.
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys
import time

import numba

ENOUGH = 4 * 2.0**-52


@numba.njit
def one(q, v, h, steps):
    """A point of two or three coordinates; (x, y, z) with y = 0 in the plane."""
    x, y, z = q
    u, w, s = v
    length = x * x + y * y + z * z
    impulse = 0.0
    for _ in range(steps):
        s -= h / 2
        free_x, free_y, free_z = x + h * u, y + h * w, z + h * s
        while True:
            x1, y1, z1 = free_x - impulse * x, free_y - impulse * y, free_z - impulse * z
            g = x1 * x1 + y1 * y1 + z1 * z1 - length
            if abs(g) <= ENOUGH * length:
                break
            impulse += g / (2 * (x1 * x + y1 * y + z1 * z))
        u, w, s = (x1 - x) / h, (y1 - y) / h, (z1 - z) / h - h / 2
        x, y, z = x1, y1, z1
        along = (x * u + y * w + z * s) / (x * x + y * y + z * z)
        u, w, s = u - along * x, w - along * y, s - along * z
    return x, y, z


@numba.njit
def two(q, v, h, steps):
    """Two points in the plane: (x, z) of the upper one and of the rod below it, a = q2 - q1."""
    x, z, x2, z2 = q
    u, s, u2, s2 = v
    a, c = x2 - x, z2 - z
    upper, lower = x * x + z * z, a * a + c * c
    i, j = 0.0, 0.0  # impulses along the rods
    for _ in range(steps):
        s, s2 = s - h / 2, s2 - h / 2
        fx, fz, fx2, fz2 = x + h * u, z + h * s, x2 + h * u2, z2 + h * s2
        while True:
            x1, z1 = fx - i * x + j * a, fz - i * z + j * c
            a1, c1 = fx2 - j * a - x1, fz2 - j * c - z1
            g, k = x1 * x1 + z1 * z1 - upper, a1 * a1 + c1 * c1 - lower
            if abs(g) <= ENOUGH * upper and abs(k) <= ENOUGH * lower:
                break
            A, B = -2 * (x1 * x + z1 * z), 2 * (x1 * a + z1 * c)
            C, D = 2 * (a1 * x + c1 * z), -4 * (a1 * a + c1 * c)
            determinant = A * D - B * C
            i -= (D * g - B * k) / determinant
            j -= (A * k - C * g) / determinant
        px, pz = fx2 - j * a, fz2 - j * c
        u, s = (x1 - x) / h, (z1 - z) / h - h / 2
        u2, s2 = (px - x2) / h, (pz - z2) / h - h / 2
        x, z, x2, z2, a, c = x1, z1, px, pz, a1, c1
        g, k = x * u + z * s, a * (u2 - u) + c * (s2 - s)
        A, B, D = x * x + z * z, -(x * a + z * c), 2 * (a * a + c * c)
        determinant = A * D - B * B
        m, n = (D * g - B * k) / determinant, (A * k - B * g) / determinant
        u, s = u - m * x + n * a, s - m * z + n * c
        u2, s2 = u2 - n * a, s2 - n * c
    return x, z, x2, z2


def main():
    points, dimensions, steps = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[4])
    numbers = [float(word) for word in sys.stdin.read().split()]
    state = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    plane = points == 1 and dimensions == 2
    state = [(x[0], 0.0, x[1]) if plane else tuple(x) for x in state]
    step = one if points == 1 else two
    step(*state, float(sys.argv[3]), 1)  # compiled from then on
    before = time.process_time()
    end = step(*state, float(sys.argv[3]), steps)
    print(time.process_time() - before, *(end[::2] if plane else end))


if __name__ == "__main__":
    main()
