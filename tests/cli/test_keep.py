"""test_keep.py: projections of starts that hold coordinates and velocities, against numpy and SciPy; named states that
are projected; what check, status and the result say about a move; mistakes at their place."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py
import numpy as np
from cli import constella, done, made, ok, path, run, together, write

SPHERE = """system: off
coordinates: [x, y, z]
mass:
  - [2, 0.5, 0.1]
  - [0.5, 1, 0]
  - [0.1, 0, 1]
potential: z
constraints: {ball: x^2 + y^2 + z^2 - 1 - t/10, plane: x - y}
states:
  default: {q: [0.6, 0.5, 0.5], v: [1, 0.2, 0.1]}
  pole: {q: [0, 0, -0.9], v: [1, 0.5, 0.3]}
"""
STONE = """system: stone
bodies:
  stone: {rotation: R, centre: [X, Y, Z], mass: 1, inertia: [0.3, 0.2, 0.4]}
potential: 9.81*Z
constraints: {support: Z - 0.5 - R33/10, slide: X - R13/10 - Y}
states:
  default:
    bodies: {stone: {axis: [1, 0, 0], angle: 0.1, omega: [0.2, 0, -5], centre: [0, 0, 0.6], velocity: [0.1, 0, 0]}}
"""
MASS = np.array([[2, 0.5, 0.1], [0.5, 1, 0], [0.1, 0, 1]])


def study(system, initial):
    return f"""study: conservation
system: {{file: {system}.system.yaml}}
end: 0.001
steps: [0.001]
methods: [rattle]
initial: {initial}
trajectories: {{members: [0], every: 1}}
"""


def first(f, mass=MASS):
    q, p = f["trajectories/0/q"][...], f["trajectories/0/p"][...]
    return q.reshape(-1, q.shape[-1])[0], np.linalg.solve(mass, p.reshape(-1, p.shape[-1])[0])


def held():
    f = made("held", study("off", """{around: default, project: {keep: [z, "z'"]}}"""))
    if f is None:
        return
    q, v = first(f)
    across = np.sqrt((1 - 0.25) / 2)
    ok(abs(q - [across, across, 0.5]).max() < 1e-15 * 4, "z is held, x and y go to the nearest point", q)
    G = np.array([2 * q, [1, -1, 0]])
    free = [0, 1]  # G dv = -(G v + g_t), dv in ker e_z: here the constraints determine it
    dv = np.linalg.solve(G[:, free], -(G @ [1, 0.2, 0.1] + [-0.1, 0]))
    ok(abs(v - np.append([1, 0.2] + dv, 0.1)).max() < 1e-14, "and so is its velocity, at G v + g_t = 0", v)
    f = made("some", study("off", """{q: [0.6, 0.5, 0.5], v: [1, 0.2, 0.1], project: {keep: ["x'"]}}"""))
    if f is None:
        return
    q, v = first(f)
    s = 1 / np.linalg.norm([0.55, 0.55, 0.5])
    ok(abs(q - np.array([0.55, 0.55, 0.5]) * s).max() < 1e-14, "without held coordinates it is the nearest point", q)
    G = np.array([2 * q, [1, -1, 0]])
    K = np.block([[MASS[1:, 1:], G[:, 1:].T], [G[:, 1:], np.zeros((2, 2))]])
    dv = np.linalg.solve(K, np.append([0, 0], -(G @ [1, 0.2, 0.1] + [-0.1, 0])))[:2]
    ok(abs(v - [1, 0.2 + dv[0], 0.1 + dv[1]]).max() < 1e-14, "x' is held, the others move M-orthogonally", v)


def bodies():
    """A body whose rotation and spin stay: its centre moves."""
    entries = [f"R{a}{b}" for a in "123" for b in "123"]
    names = ", ".join(entries + [f"\"{e}'\"" for e in entries])
    f = made("stone", study("stone", f"{{around: default, project: {{keep: [{names}]}}}}"))
    if f is None:
        return
    J = np.array([0.15, 0.25, 0.05])  # (I1 + I2 + I3)/2 - I_j
    q, v = first(f, np.diag(np.append(np.tile(J, 3), [1, 1, 1])))
    R, dR = q[:9].reshape(3, 3), v[:9].reshape(3, 3)
    omega = R.T @ dR
    ok(abs(np.array([omega[2, 1], omega[0, 2], omega[1, 0]]) - [0.2, 0, -5]).max() < 1e-14, "the spin is held", omega)
    c, s = np.cos(0.1), np.sin(0.1)
    ok(abs(R - [[1, 0, 0], [0, c, -s], [0, s, c]]).max() < 1e-15, "and the rotation", R)
    ok(abs(q[11] - 0.5 - c / 10) < 1e-15 and abs(v[11] - dR[2, 2] / 10) < 1e-15, "the centre meets the support")
    x = constella("check", write("whole.yaml", study("stone", "{around: default, project: {keep: [stone]}}")))
    ok(x.returncode == 2 and ":6:19: error: the start: with what 'keep' holds no point" in x.stderr, "nothing free", x.stderr)


def told():
    f, result = run("pole", study("off", "{around: pole, project: true}"))
    said = "z' of the start from 0.3 to"
    ok(f.returncode == 0 and said in constella("check", path("pole.yaml")).stdout, "check tells the largest move")
    ok(said in constella("status", result).stdout, "and status")
    with h5py.File(result) as h:
        ok(said in str(h["run"].attrs["projected"]), "and the result")
    f, result = run("none", study("off", "{q: [0.5, 0.5, 0.7071], v: [0, 0, 0.0707], project: true}"))
    ok(f.returncode == 0 and "projected" not in constella("check", path("none.yaml")).stdout, "small moves are not told")
    f, _ = run("members", study("off", "{members: 4, spread: {q: 0.1}, around: default, project: {keep: [z]}}"))
    ok(f.returncode == 0, "an ensemble around a projected start", f.stderr)


def mistakes():
    for k, (initial, said) in enumerate(
        {
            "{around: default, project: {keep: [u]}}": ":6:45: error: 'u' of 'keep' is not a coordinate, array",
            "{around: default, project: {keep: []}}": ":6:44: error: 'keep' must be a list of coordinates",
            "{around: default, project: {kep: [x]}}": ":6:38: error: unknown key 'kep'; did you mean 'keep'?",
            "{around: default, project: maybe}": ":6:37: error: unknown project 'maybe'; allowed: false, true",
            "{around: default, project: {keep: [x, y, z]}}": "with what 'keep' holds no point on the constraints",
            "{around: defaut, project: true}": ":6:19: error: unknown state 'defaut'; allowed: default, pole",
            "{around: default, project: false}": "is inconsistent",
        }.items()
    ):
        x = constella("check", write(f"wrong-{k}.yaml", study("off", initial)))
        ok(x.returncode == 2 and said in x.stderr, f"refused: {initial}", x.stderr)


def main():
    write("off.system.yaml", SPHERE)
    write("stone.system.yaml", STONE)
    together([held, bodies, told, mistakes])
    done()


main()
