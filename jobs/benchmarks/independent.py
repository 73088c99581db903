#!/usr/bin/python3
"""independent.py: reference values of benchmarks, by equations and methods of their own.

  jobs/benchmarks/independent.py [NAME ...]

The equations are written anew, in long double (64 bits of mantissa), here and in independent.c, which is compiled for
it. Those here are stepped by the method of order 8 of Dormand and Prince with SciPy's coefficients, those in C by
extrapolation, with equal steps of two lengths; the number of digits in which both agree is printed beside the
coordinates at the end. references.toml has these values.
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from scipy.integrate._ivp import dop853_coefficients as dop853

HERE = pathlib.Path(__file__).resolve().parent
REAL = np.longdouble
A, B, N = dop853.A.astype(REAL), dop853.B.astype(REAL), dop853.N_STAGES


def integrate(f, y, end, steps):
    """y at the end."""
    h, y = REAL(end) / steps, np.array(y, REAL)
    k = np.empty((N, len(y)), REAL)
    for _ in range(steps):
        for i in range(N):
            k[i] = f(y + h * (A[i, :i] @ k[:i])) if i else f(y)
        y = y + h * (B @ k)
    return y


def outer_solar_system():
    G = REAL("2.95912208286e-4")
    m = np.array(
        ["1.00000597682", "0.000954786104043", "0.000285583733151", "0.0000437273164546", "0.0000517759138449", "0"]
    ).astype(REAL)
    m[5] = 1 / REAL("1.3e8")
    x = """0 0 0 -3.5023653 -3.8169847 -1.5507963 9.0755314 -3.0458353 -1.6483708 8.3101420 -16.2901086 -7.2521278
        11.4707666 -25.7294829 -10.8169456 -15.5387357 -25.2225594 -3.1902382"""
    v = """0 0 0 0.00565429 -0.00412490 -0.00190589 0.00168318 0.00483525 0.00192462 0.00354178 0.00137102 0.00055029
        0.00288930 0.00114527 0.00039677 0.00276725 -0.00170702 -0.00136504"""
    start = np.concatenate([np.array(x.split()).astype(REAL), np.array(v.split()).astype(REAL)])

    def f(y):
        x = y[:18].reshape(6, 3)
        apart = x[None] - x[:, None]
        cubed = np.sum(apart**2, axis=2) ** REAL(1.5) + np.eye(6, dtype=REAL)
        return np.concatenate([y[18:], (G * np.sum((m[None, :] / cubed)[:, :, None] * apart, axis=1)).reshape(18)])

    return f, start, 200000, (2000, 4000), lambda y: y[:18].reshape(6, 3).T.reshape(18)


def fermi_pasta_ulam():
    w = REAL(50)
    start = np.array([1, 0, 0, 1 / w, 0, 0, 1, 0, 0, 1, 0, 0], REAL)

    def f(y):
        x, e = y[:3], y[3:6]
        left, right = (x - e), (x + e)
        gap = np.array([left[0], left[1] - right[0], left[2] - right[1], right[2]]) ** 3
        ax = np.array([-gap[0] + gap[1], -gap[1] + gap[2], -gap[2] - gap[3]])
        ae = np.array([gap[0] + gap[1], gap[1] + gap[2], gap[2] - gap[3]])
        return np.concatenate([y[6:], ax, ae - w * w * e])

    return f, start, 10, (8000, 16000), lambda y: y[:6]


def contact_oscillator():
    eps = REAL("0.1")
    start = np.array(["1", "1", "0.5", "-0.3", "0", "0.3"]).astype(REAL)

    def f(y):
        (x, q, z), (u, v, w) = y[:3], y[3:]
        fx, fz = -x - eps * x * z * z, -z - eps * x * x * z
        pull = (fx + q * fz + v * w) / (1 + q * q)  # keeps u + q w = 0
        return np.array([u, v, w, fx - pull, -q, fz - q * pull])

    return f, start, 20, (2000, 4000), lambda y: y[:3]


def four_bars():
    """One degree of freedom: the angle of the upright rods."""
    g, n = REAL("9.81"), 2
    rate = g * (REAL(n + 1) / 2 + n) / (REAL(n + 1) / 3 + n)
    start = np.array([2 * np.arctan(REAL(1)), -1], REAL)

    def ends(y):
        return np.concatenate([np.cos(y[0]) + np.arange(3), np.sin(y[0]) * np.ones(3)])

    return lambda y: np.array([y[1], -rate * np.cos(y[0])]), start, 10, (8000, 16000), ends


def coin():
    """Angles of yaw, lean and roll, w in axes that turn with yaw and lean, and the centre; Newton and Euler."""
    r, g, W, tilt = REAL("0.01"), REAL("9.81"), 40 * np.arctan(REAL(1)), np.arctan(REAL(1)) / 45
    A, C = r * r / 4, r * r / 2
    start = np.array([0, tilt, 0, -W * np.sin(tilt), 0, W * np.cos(tilt), r * np.sin(tilt), 0], REAL)

    def f(y):
        yaw, lean, _, u, v, w = y[:6]
        turned = w * np.tan(lean)
        du = r * r * v * w / (C + r * r)
        dv = (-(C + r * r) * u * w - A * w * turned + g * r * np.sin(lean)) / (A + r * r)
        dw = v * turned + C * u * v / A
        dx = r * (v * np.cos(yaw) * np.cos(lean) + u * np.sin(yaw))
        dy = r * (v * np.sin(yaw) * np.cos(lean) - u * np.cos(yaw))
        return np.array([w / np.cos(lean), v, u + turned, du, dv, dw, dx, dy])

    def entries(y):
        (c, s), (d, e), (a, b) = ((np.cos(x), np.sin(x)) for x in y[:3])
        rows = [
            *(c * d, -s * a + c * e * b, s * b + c * e * a),
            *(s * d, c * a + s * e * b, -c * b + s * e * a),
            *(-e, d * b, d * a),
        ]
        return np.array([*rows, y[6], y[7], r * d])

    return f, start, REAL(1) / 2, (4000, 8000), entries


PROBLEMS = {
    "coin": coin,
    "outer-solar-system": outer_solar_system,
    "fermi-pasta-ulam": fermi_pasta_ulam,
    "contact-oscillator": contact_oscillator,
    "four-bars": four_bars,
}


def solve(name):
    """The coordinates at the end, and the number of digits in which steps of two lengths agree."""
    f, start, end, steps, coordinates = PROBLEMS[name]()
    rough, fine = (coordinates(integrate(f, start, end, n)) for n in steps)
    apart = float(np.max(np.abs(fine - rough) / np.where(fine == 0, 1, np.abs(fine))))
    return fine, -np.log10(max(apart, 1e-19))


def run_compiled(names):
    """Prints those of independent.c."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/independent"
        subprocess.run(["gcc", "-O2", "-o", program, HERE / "independent.c", "-lm"], check=True)
        subprocess.run([program, *names], check=True)


def main():
    compiled = re.findall(r'^    {"([a-z-]+)", ', (HERE / "independent-problems.h").read_text(), re.M)
    names = sys.argv[1:] or [*PROBLEMS, *compiled]
    for name in names:
        if name not in PROBLEMS and name not in compiled:
            sys.exit(f"independent.py: no problem {name}; there are {', '.join([*PROBLEMS, *compiled])}")
    if any(name in compiled for name in names):
        run_compiled([name for name in names if name in compiled])
    for name in [name for name in names if name in PROBLEMS]:
        q, digits = solve(name)
        print(f"[{name}]  # two steps agree to {digits:.1f} digits")
        print("q = [" + ", ".join(np.format_float_scientific(x, precision=15, unique=False) for x in q) + "]")


if __name__ == "__main__":
    main()
