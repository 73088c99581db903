# test_lie.py: the methods on the rotation group against those of lie_oracle.py, which are written as in the
# paper and solved by brute force: q and p after two steps and four, with both retractions and
# with compositions, on four systems. More steps would show nothing else, and the brute force is slow. Multipliers are those of M A = f - G'lambda.
import os
import subprocess
import sys
import tempfile
import h5py
import numpy as np
from lie_oracle import (
    METHODS,
    MAPS,
    Problem,
    compose,
    coordinates,
    exponential,
    in_sequence,
    inside,
    rattlie,
    run,
)

count = failed = 0


def ok(good, text):
    global count, failed
    count += 1
    failed += not good
    print(f'{"ok" if good else "not ok"} {count} - {text}', flush=True)


def turn(*w):
    return exponential(np.array(w, dtype=float))


def about_z(t):
    return np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]])


def rows(A):
    return "[" + ", ".join("[" + ", ".join(repr(float(x)) for x in row) + "]" for row in np.asarray(A)) + "]"


def listed(x):
    return "[" + ", ".join(repr(float(y)) for y in x) + "]"


# Each returns a name, the system file, the oracle's problem and start, and the order of the coordinates: x,
# then each body's R and c.
def top():
    I, R, w = np.diag([1, 0.8, 0.5]), turn(1, 0.2, 0.1), np.array([0.3, 0.2, 4])
    text = f"""system: top
bodies: {{top: {{rotation: R, inertia: [1, 0.8, 0.5]}}}}
potential: 0.7*R33 + 0.2*R31^2
states: {{default: {{bodies: {{top: {{matrix: {rows(R)}, omega: {listed(w)}}}}}}}}}
"""
    P = Problem([I], [], lambda R, x: 0.7 * R[0][2, 2] + 0.2 * R[0][2, 0] ** 2)
    return text, P, (np.array([R]), np.array([I @ w]), np.zeros(0), np.zeros(0)), lambda x: (x[:0], [])


def pivot():  # full inertia; the centre on a pivot at the origin by x = R chi, which a plain coordinate moves along
    I = np.array([[1, 0.1, -0.05], [0.1, 0.8, 0.07], [-0.05, 0.07, 0.6]])
    chi, R, w = np.array([0.1, 0.2, 0.6]), turn(1, 0.2, 0.1), np.array([0.3, 0.2, 4])
    text = f"""system: pivot
coordinates: [s]
mass: [1.5]
bodies: {{top: {{rotation: R, centre: [x, y, z], mass: 2, inertia: {rows(I)}}}}}
potential: 2*3*z + s^4/4 + s^2
constraints:
  px: x - s - (0.1*R11 + 0.2*R12 + 0.6*R13)
  py: y - (0.1*R21 + 0.2*R22 + 0.6*R23)
  pz: z - (0.1*R31 + 0.2*R32 + 0.6*R33)
states:
  default:
    q: [0.2]
    v: [0.1]
    bodies: {{top: {{matrix: {rows(R)}, omega: {listed(w)}, centre: {listed(R @ chi + [.2, 0, 0])}, velocity: {listed(R @ np.cross(w, chi) + [.1, 0, 0])}}}}}
"""

    def g(R, x):
        return x[1:] - R[0] @ chi - np.array([1, 0, 0]) * x[0]

    P = Problem([I], [1.5, 2, 2, 2], lambda R, x: 6 * x[3] + x[0] ** 4 / 4 + x[0] ** 2, g)
    x0, v0 = np.concatenate([[0.2], R @ chi + [0.2, 0, 0]]), np.concatenate(
        [[0.1], R @ np.cross(w, chi) + [0.1, 0, 0]]
    )
    return text, P, (np.array([R]), np.array([I @ w]), x0, P.m * v0), lambda x: (x[:1], [x[1:]])


def two():  # a common pivot and a revolute joint along the third axes
    I, R, w1 = (
        [np.diag([1, 0.8, 0.5]), np.diag([0.9, 0.7, 0.4])],
        turn(1, 0.2, 0.1),
        np.array([0.3, 0.2, 1.0]),
    )
    S, w2 = R @ about_z(0.4), about_z(0.4).T @ (w1 + [0, 0, 0.7])
    text = f"""system: two
bodies:
  one: {{rotation: A, inertia: [1, 0.8, 0.5]}}
  other: {{rotation: B, inertia: [0.9, 0.7, 0.4]}}
potential: 0.7*A33 + 0.3*B33 + 0.2*B31
constraints:
  first: A11*B13 + A21*B23 + A31*B33
  second: A12*B13 + A22*B23 + A32*B33
states: {{default: {{bodies: {{one: {{matrix: {rows(R)}, omega: {listed(w1)}}}, other: {{matrix: {rows(S)}, omega: {listed(w2)}}}}}}}}}
"""
    P = Problem(
        I,
        [],
        lambda R, x: 0.7 * R[0][2, 2] + 0.3 * R[1][2, 2] + 0.2 * R[1][2, 0],
        lambda R, x: np.array([R[0][:, 0] @ R[1][:, 2], R[0][:, 1] @ R[1][:, 2]]),
    )
    return (
        text,
        P,
        (np.array([R, S]), np.array([I[0] @ w1, I[1] @ w2]), np.zeros(0), np.zeros(0)),
        lambda x: (x[:0], []),
    )


def plate():  # flat and free, bound to the origin by a spring
    I, R, w = np.diag([0.3, 0.5, 0.8]), turn(0.2, 0.4, -0.3), np.array([1, 0.4, 2])
    text = f"""system: plate
bodies: {{plate: {{rotation: R, centre: [x, y, z], mass: 1.2, inertia: [0.3, 0.5, 0.8]}}}}
potential: (x^2 + 2*y^2 + z^2)/2 + 0.3*R11*x + 0.1*R23^2
states: {{default: {{bodies: {{plate: {{matrix: {rows(R)}, omega: {listed(w)}, centre: [0.5, 0, 0.3], velocity: [0, 1, 0]}}}}}}}}
"""
    P = Problem(
        [I],
        [1.2] * 3,
        lambda R, x: (x[0] ** 2 + 2 * x[1] ** 2 + x[2] ** 2) / 2
        + 0.3 * R[0][0, 0] * x[0]
        + 0.1 * R[0][1, 2] ** 2,
    )
    return (
        text,
        P,
        (np.array([R]), np.array([I @ w]), np.array([0.5, 0, 0.3]), 1.2 * np.array([0, 1.0, 0])),
        lambda x: (x[:0], [x]),
    )


# Turns about the axes one after the other.
SEQUENCE = """retractions:
  sequence:
    define: {a: "tan(x[1]/2)", b: "tan(x[2]/2)", c: "tan(x[3]/2)", d: 1 - a*b*c}
    tangent: [(a + b*c)/d, (b - a*c)/d, (c + a*b)/d]
"""
SYSTEMS = {"top": top, "pivot": pivot, "two": two, "plate": plate}
END, COUNTS = 0.25, [2, 4, 20] if os.environ.get("CONSTELLA_TEST_ALL") else [2, 4]
G4 = 1 / (2 - 2 ** (1 / 3))
YOSHIDA4 = [G4, 1 - 2 * G4, G4]


def ordered(P, x, split):  # plain coordinates, then each body's rotation and its centre, of q and of p
    q, p, _, _ = coordinates(P, x)
    sides = []
    for rotations, vector in ((q, x[2]), (p, x[3])):
        plain, centres = split(vector)
        parts = [plain]
        for b in range(P.k):
            parts.append(rotations[b])
            if centres:
                parts.append(centres[b])
        sides.append(np.concatenate(parts))
    return sides


# The final q and p of each method and count.
def measured(folder, name, text, methods):
    with open(f"{folder}/{name}.yaml", "w") as f:
        f.write(text)
    with open(f"{folder}/study.yaml", "w") as f:
        f.write(
            f"""study: conservation
system: {{file: {name}.yaml, compile: never}}
end: {END}
steps: {{counts: {COUNTS}}}
methods: [{', '.join(f'"{m}"' for m in methods)}]
roundoff: {{dyadic-steps: false}}
{SEQUENCE}"""
        )
    done = subprocess.run(
        [
            os.environ["CONSTELLA"],
            "run",
            f"{folder}/study.yaml",
            "-o",
            f"{folder}/{name}.h5",
            "--overwrite",
            "--progress",
            "none",
        ],
        capture_output=True,
        text=True,
    )
    ok(done.returncode == 0, f"{name}: runs {done.stderr.strip()}")
    if done.returncode:
        return None
    with h5py.File(f"{folder}/{name}.h5") as f:
        q, p = f["final/q"][:, 0], f["final/p"][:, 0]
    return {
        (m, n): (q[i * len(COUNTS) + k], p[i * len(COUNTS) + k])
        for i, m in enumerate(methods)
        for k, n in enumerate(COUNTS)
    }


def columns(folder, names):
    """Columns of the table of the last study, as CSV."""
    words = ["table", f"{folder}/any.h5", "--format", "csv", "--columns", names]
    return subprocess.run([os.environ["CONSTELLA"], *words], capture_output=True, text=True).stdout


def labelled(method, tau, scheme=None):
    base = method if tau == "cayley" else f"{method}(retraction={tau})"
    return f"compose({base}, {scheme})" if scheme else base


# What the methods are with turns one after the other, and on which systems they are compared: the own program is
# slow.
FIRST, LAST = in_sequence([("A", 1)]), in_sequence([("B", 1)])
SEQUENCED = {
    "lie-euler-a": FIRST,
    "lie-euler-b": LAST,
    "adjoint(lie-euler-b(retraction=sequence))": FIRST,
    "lie-lobatto": lambda P, s, h, tau: LAST(P, FIRST(P, s, h / 2, tau), h / 2, tau),
    "lie-rattle": in_sequence([("A", 0.5), ("B", 0.5)]),
}
SEQUENCES = {"top": list(SEQUENCED), "pivot": ["lie-rattle"], "two": ["lie-euler-a", "lie-euler-b"], "plate": []}


# Base maps, and with the scheme: of lie-euler-a pairs with lie-euler-b over halves of each part.
def maps(system):
    for tau in MAPS:
        for m in METHODS:
            yield labelled(m, tau), tau, METHODS[m], COUNTS
        yield labelled("lie-rattle", tau, "yoshida4"), tau, compose(METHODS["lie-rattle"], YOSHIDA4), COUNTS[
            1:2
        ]
    yield "rattlie", "exp", rattlie, COUNTS
    yield "lie-midpoint", "exp", inside(0.5), COUNTS[:1]
    yield "lie-discretization(theta=0.3)", "exp", inside(0.3), COUNTS[:1]
    for name in SEQUENCES[system]:
        label = labelled(name, "sequence") if name in METHODS else name
        yield label, "sequence", SEQUENCED[name], COUNTS[:1]
    yield labelled("lie-euler-a", "cayley", "yoshida4"), "cayley", compose(
        METHODS["lie-lobatto"], YOSHIDA4
    ), COUNTS[1:2]


def check(folder, name):
    text, P, start, split = SYSTEMS[name]()
    found = measured(folder, name, text, [label for label, _, _, _ in maps(name)])
    for label, tau, step, counts in maps(name) if found else []:
        off = 0
        for n in counts:
            want = ordered(P, run(P, step, start, END / n, n, tau), split)
            off = max(off, *(np.max(np.abs(a - b)) for a, b in zip(found[label, n], want)))
        ok(off < 1e-12, f"{name}: {label} is what the paper has ({off:.1e})")


def study(folder, system, lines):
    with open(f"{folder}/any.yaml", "w") as f:
        f.write(f"study: conservation\nsystem: {system}\n{lines}\n")
    return subprocess.run(
        [
            os.environ["CONSTELLA"],
            "run",
            f"{folder}/any.yaml",
            "-o",
            f"{folder}/any.h5",
            "--overwrite",
            "--progress",
            "none",
        ],
        capture_output=True,
        text=True,
    )


# Systems that are none of rotations, and masses that depend on coordinates.
def refusals(folder):
    with open(f"{folder}/bent.yaml", "w") as f:
        f.write(
            """system: bent
coordinates: [s]
mass: [1 + s^2]
bodies: {top: {rotation: R, inertia: [1, 0.8, 0.5]}}
potential: R33 + s^2
states: {default: {q: [0.1], v: [0], bodies: {top: {axis: [1, 0, 0], angle: 1, omega: [0, 0, 1]}}}}
"""
        )
    for system, what in (
        ("heavy-top", "heavy-top has none"),
        ("{file: bent.yaml}", "needs a constant mass of the coordinates besides the bodies"),
    ):
        done = study(folder, system, "end: 1\nsteps: [0.1]\nmethods: [lie-rattle]")
        ok(
            done.returncode == 2 and what in done.stderr and "any.yaml:5:" in done.stderr,
            f"refused: {what} {done.stderr.strip()[:160]}",
        )


# Rotations stay rotations, the energy of the top where it is, and its two momenta, over many steps.
def long_run(folder):
    done = study(
        folder,
        "lagrange-top",
        "end: 2000\n" "steps: [0.1]\n" "methods: [lie-rattle, lie-rattle(retraction=exp), lie-euler-a]",
    )
    ok(done.returncode == 0, f"a long run {done.stderr.strip()}")
    with h5py.File(f"{folder}/any.h5") as f:
        q = f["final/q"][:, 0]
    for row in q:
        R = row.reshape(3, 3)
        ok(
            np.max(np.abs(R.T @ R - np.eye(3))) < 1e-15,
            f"R is a rotation after 20000 steps ({np.max(np.abs(R.T @ R - np.eye(3))):.1e})",
        )
    table = columns(folder, "method,energy_verdict,rotation-z_verdict,constraint_max,hidden_max")
    for line in table.strip().split("\n")[1:]:
        method, energy, momentum, constraint, hidden = line.split(",")
        ok(
            energy == "bounded"
            and momentum == "exact"
            and float(constraint) < 2e-15
            and float(hidden) < 1e-14,
            f"{method}: {line}",
        )


# Tao and Owhadi's scheme for the magnetised body, (4.12)-(4.13):
#   (1 + h^2|O1|^2/4) O1 = (1 + h^2|O|^2/4) O + h (R'e3) x e3,   R1 = R cay(h O1)
# With alpha = (1 + h^2|O|^2/4) O it is lie-euler-a for a body with equal moments: alpha_3 is conserved, O_3
# is not.
def magnetised(folder):
    cayley, h, n = MAPS["cayley"][0], 0.1, 200
    R, O = turn(0.3, 1, -0.2), np.array([1, 0.2, 0.1])
    alpha = (1 + h * h * (O @ O) / 4) * O
    text = f"""system: magnet
bodies: {{magnet: {{rotation: R, inertia: [1, 1, 1]}}}}
potential: R33
symmetries: {{rotation-z: [-R21, -R22, -R23, R11, R12, R13, 0, 0, 0], spin: [R12, -R11, 0, R22, -R21, 0, R32, -R31, 0]}}
states: {{default: {{bodies: {{magnet: {{matrix: {rows(R)}, omega: {listed(alpha)}}}}}}}}}
"""
    with open(f"{folder}/magnet.yaml", "w") as f:
        f.write(text)
    done = study(
        folder,
        "{file: magnet.yaml, compile: never}",
        f"end: {h * n}\n"
        f"steps: {{counts: [{n}]}}\n"
        f"methods: [lie-euler-a]\n"
        "roundoff: {dyadic-steps: false}",
    )
    ok(done.returncode == 0, f"magnetised body: runs {done.stderr.strip()}")
    with h5py.File(f"{folder}/any.h5") as f:
        q = f["final/q"][0, 0].reshape(3, 3)
    twist, third = [], []
    for _ in range(n):
        alpha = alpha + h * np.cross(R[2], [0, 0, 1])
        size = newton_size(alpha, h)
        O = alpha / (1 + h * h * size * size / 4)
        R = R @ cayley(h * O)
        twist.append(alpha[2]), third.append(O[2])
    ok(
        np.max(np.abs(q - R)) < 1e-11,
        f"magnetised body: lie-euler-a is the scheme of Tao and Owhadi ({np.max(np.abs(q - R)):.1e})",
    )
    ok(
        np.ptp(twist) < 1e-13 and np.ptp(third) > 1e-5,
        f"it conserves (1 + h^2|O|^2/4) O_3 ({np.ptp(twist):.1e}) and not O_3 ({np.ptp(third):.1e})",
    )
    table = columns(folder, "rotation-z_max,spin_max").split()[1]
    ok(all(float(x) < 1e-13 for x in table.split(",")), f"and its spatial twin ({table})")


# |O| with (1 + h^2|O|^2/4) |O| = |alpha|.
def newton_size(alpha, h):
    a = np.linalg.norm(alpha)
    x = a
    for _ in range(50):
        x -= (x + h * h * x**3 / 4 - a) / (1 + 3 * h * h * x * x / 4)
    return x


# What is compiled for a system of the catalogue has the bits of the general code, interpreted.
def bits(folder):
    file = os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../src/system/catalogue/lagrange-top.yaml"
    )
    found = []
    for system in ("lagrange-top", f"{{file: {os.path.realpath(file)}, compile: never}}"):
        done = study(
            folder,
            system,
            "initial: {members: 5, seed: 1, spread: {q: 0.1, v: 0.1}}\n"
            "end: 20\n"
            "steps: [0.1]\n"
            "methods: [lie-rattle, lie-rattle(retraction=exp), lie-lobatto, "
            '"compose(lie-euler-a, rattle)"]',
        )
        ok(done.returncode == 0, f"bits: runs {done.stderr.strip()}")
        with h5py.File(f"{folder}/any.h5") as f:
            found.append((f["final/q"][:], f["final/p"][:]))
    ok(
        all(np.array_equal(a, b) for a, b in zip(*found)),
        "what is compiled for a system has the bits of the general code",
    )


with tempfile.TemporaryDirectory() as folder:
    bits(folder)
    magnetised(folder)
    for name in SYSTEMS:
        check(folder, name)
    refusals(folder)
    long_run(folder)
print(f"1..{count}")
sys.exit(failed > 0)
# SPDX-License-Identifier: BSD-2-Clause
