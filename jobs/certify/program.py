"""program.py: a stepper in another process: the implicit midpoint rule for henon-heiles, which it knows by itself."""
# SPDX-License-Identifier: BSD-2-Clause
import sys


def force(x, y):
    return -x - 2 * x * y, -y - x * x + y * y


def step(h, x, y, u, v):
    fx, fy = force(x, y)
    for _ in range(50):
        mx, my = x + h / 2 * (u + h / 2 * fx), y + h / 2 * (v + h / 2 * fy)
        fx, fy = force(mx, my)
    return x + h * (u + h / 2 * fx), y + h * (v + h / 2 * fy), u + h * fx, v + h * fy


for line in sys.stdin:
    words = line.split()
    if words[0] == "begin":
        print("ok" if words[1] == "henon-heiles" else f"refuse it does not know {words[1]}", flush=True)
    else:
        print("ok", *map(repr, step(*map(float, words[1:]))), flush=True)
