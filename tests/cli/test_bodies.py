#!/usr/bin/env python3
# test_bodies.py: rigid bodies in studies: the motion is that of independent descriptions, of Euler's
# equations and of Jacobi's functions; starts, ensembles, observables; mistakes. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import itertools
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, made, numpy, ok, run, skip, table, together, write

JOBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../jobs/bodies")
STUDY = """study: order
system: %s
end: 2.0
steps: [%s]
methods: ["%s"]
reference: self
error: {of: [q, p]}
"""


def hat(w):
    return numpy.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation(x):
    """exp(hat(x)) by its series."""
    out, term = numpy.eye(3), numpy.eye(3)
    for k in range(1, 30):
        term = term @ hat(x) / k
        out = out + term
    return out


def finals(name, system, *methods, step="0.02", start=""):
    """The final q, p and multipliers of each method, in one study."""
    f = made(name, STUDY % (system, step, '", "'.join(methods)) + start)
    return f and [tuple(f[f"final/{x}"][k, 0] for x in ("q", "p", "lambda")) for k in range(len(methods))]


def final(name, system, method="rattle", step="0.02", start=""):
    found = finals(name, system, method, step=step, start=start)
    return found and found[0]


def same_motion():
    """A body moves like nine coordinates with constraints written by hand; multipliers differ by the scale of
    the constraints."""
    for body, nine, scale in (
        ("lagrange-top", "heavy-top", (2, 1, 1, 2, 1, 2)),
        ("euler-top", "rigid-body", (2, 1, 1, 2, 1, 2)),
        (f"{{file: {JOBS}/magnetised-top.yaml}}", "magnetised-body", (2, 2**0.5, 2**0.5, 2, 2**0.5, 2)),
    ):
        methods, label = ("rattle", "convert(rk4)"), os.path.basename(body).strip("}")
        for method, a, b in zip(methods, finals(label, body, *methods) or (), finals(nine, nine, *methods) or ()):
            gap = max(abs(a[0] - b[0]).max(), abs(a[1] - b[1]).max())
            ok(gap < 1e-11, f"{label}, {method}: the motion of {nine}", gap)
            gap = abs(a[2] - b[2] * scale).max()
            ok(gap < 1e-8, f"{label}, {method}: its multipliers, scaled", gap)


def two_tops_by_hand():
    """The same machine with every coordinate, mass and constraint written out here."""
    entries = [f"{r}{i}{j}" for r in "AB" for i in "123" for j in "123"]
    mass = [f"({p}1+{p}2+{p}3)/2-{p}{j}" for p in "IJ" for _ in range(3) for j in "123"]
    lines = [
        f"coordinates: [{', '.join(entries + ['x', 'y', 'z'])}]",
        "parameters: {m: 1, n: 0.8, g: 1, l: 1, r: 0.4, I1: 0.5, I2: 0.45, I3: 0.2, J1: 0.12, "
        "J2: 0.1, J3: 0.06}",
        f"mass: [{', '.join(mass)}, n, n, n]",
        "potential: m*g*l/2*A33 + n*g*z",
        "constraints:",
    ]
    for r, (i, j) in itertools.product("AB", [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]):
        lines.append(
            f"  {r.lower()}{i}{j}: "
            + " + ".join(f"{r}{k}{i}*{r}{k}{j}" for k in "123")
            + (" - 1" if i == j else "")
        )
    lines += [
        "  tx: x - r*B13 - l*A13",
        "  ty: y - r*B23 - l*A23",
        "  tz: z - r*B33 - l*A33",
        "  h2: A11*B12 + A21*B22 + A31*B32",
        "  h3: A11*B13 + A21*B23 + A31*B33",
    ]
    R, l, r = rotation([2.5, 0, 0]), 1, 0.4
    w, u, third = numpy.array([1, 0, 2]), numpy.array([-0.5, 0, 2]), numpy.array([0, 0, 1])
    q = [*R.ravel(), *R.ravel(), *((l + r) * R @ third)]
    v = [*(R @ hat(w)).ravel(), *(R @ hat(u)).ravel(), *(R @ (l * hat(w) + r * hat(u)) @ third)]
    lines += [
        "states:",
        f"  default: {{q: [{', '.join(map(repr, map(float, q)))}], v: [{', '.join(map(repr, map(float, v)))}]}}",
    ]
    file = write("by-hand.yaml", "system: by-hand\n" + "\n".join(lines) + "\n")
    a, b = final("two-tops", "two-tops"), final("by-hand-study", f"{{file: {file}}}")
    if a and b:
        gap = max(abs(a[0] - b[0]).max(), abs(a[1] - b[1]).max())
        ok(gap < 1e-11, "two-tops: the motion of its coordinates written out", gap)
        ok(abs(a[2][:5] - b[2][12:]).max() < 1e-8, "two-tops: the multipliers of its joints", a[2], b[2])


FULL = """system: full
parameters: {m: 1.3, g: 2}
bodies:
  top: {rotation: R, centre: [x, y, z], mass: m, inertia: [[1, 0.2, -0.1], [0.2, 1.2, 0.15], [-0.1, 0.15, 0.9]]}
potential: m*g*z + 0.5*(x^2 + y^2 + z^2) + R33 - 0.4*R12
states:
  default: {bodies: {top: {axis: [1, 2, -1], angle: 0.7, omega: [1, -0.5, 0.8], centre: [0.3, 0, 0.1], velocity: [0, 0.4, 0]}}}
"""


def newton_and_euler():
    """A free body of full inertia against Newton's and Euler's equations: I w' = I w x w + torque, the torque
    of V(R) in body axes."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        skip("a body of full inertia moves by Newton's and Euler's equations", "no SciPy")
        return
    I, m, g = numpy.array([[1, 0.2, -0.1], [0.2, 1.2, 0.15], [-0.1, 0.15, 0.9]]), 1.3, 2
    slope = numpy.zeros((3, 3))
    slope[2, 2], slope[0, 1] = 1, -0.4

    def rate(_, s):
        R, w, x, u = s[:9].reshape(3, 3), s[9:12], s[12:15], s[15:]
        turn = R.T @ slope  # dV = <dV/dR, R hat(e)> = <R' dV/dR, hat(e)>
        torque = -numpy.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        return numpy.concatenate(
            [
                (R @ hat(w)).ravel(),
                numpy.linalg.solve(I, numpy.cross(I @ w, w) + torque),
                u,
                -x / m - [0, 0, g],
            ]
        )

    axis = numpy.array([1, 2, -1]) / 6**0.5
    s = numpy.concatenate([rotation(0.7 * axis).ravel(), [1, -0.5, 0.8], [0.3, 0, 0.1], [0, 0.4, 0]])
    s = solve_ivp(rate, (0, 2), s, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    a = final("full", f"{{file: {write('full-body.yaml', FULL)}}}", "gauss(6)", "0.05")
    if a:
        ok(
            abs(a[0] - numpy.concatenate([s[:9], s[12:15]])).max() < 1e-9,
            "a body of full inertia moves by Newton's and Euler's equations",
            a[0],
            s,
        )
        J = numpy.trace(I) / 2 * numpy.eye(3) - I
        p = numpy.concatenate([(s[:9].reshape(3, 3) @ hat(s[9:12]) @ J).ravel(), m * s[15:]])
        ok(abs(a[1] - p).max() < 1e-9, "and has their momenta M v", a[1], p)


def jacobi():
    """The angular velocity of the free top by Jacobi's functions (Landau and Lifshitz, section 37; I1 < I2 <
    I3, here L^2 > 2 E I2)."""
    try:
        from scipy.special import ellipj, ellipkinc
    except ImportError:
        skip("euler-top turns by Jacobi's functions", "no SciPy")
        return
    I, w0 = numpy.array([1, 1.5, 2]), numpy.array([0.4, 0.5, 1.2])
    E2, L2 = (I * w0**2).sum(), (I**2 * w0**2).sum()
    assert L2 > E2 * I[1]
    top = [
        ((E2 * I[2] - L2) / (I[0] * (I[2] - I[0]))) ** 0.5,
        ((E2 * I[2] - L2) / (I[1] * (I[2] - I[1]))) ** 0.5,
        ((L2 - E2 * I[0]) / (I[2] * (I[2] - I[0]))) ** 0.5,
    ]
    fast = ((I[2] - I[1]) * (L2 - E2 * I[0]) / I.prod()) ** 0.5
    k2 = (I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0]))
    phase = ellipkinc(numpy.arctan2(w0[1] / top[1], w0[0] / top[0]), k2)
    sn, cn, dn, _ = ellipj(fast * 2.0 + phase, k2)
    wanted = numpy.array([top[0] * cn, top[1] * sn, top[2] * dn])
    study = STUDY % ("euler-top", "0.05", "gauss(6)") + "initial: {bodies: {top: {omega: [0.4, 0.5, 1.2]}}}\n"
    f = made("jacobi", study)
    if f:
        R, P = f["final/q"][0, 0].reshape(3, 3), f["final/p"][0, 0].reshape(3, 3)
        A = R.T @ P
        got = numpy.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / I
        ok(abs(got - wanted).max() < 1e-9, "euler-top turns by Jacobi's functions", got, wanted)


def exact_motions():
    """The steady precession, and what else is known: errors against it have the order of the method."""
    for system, state in (
        ("lagrange-top", "steady"),
        ("euler-top", "turning"),
        (f"{{file: {JOBS}/magnetised-top.yaml}}", "precessing"),
        (f"{{file: {JOBS}/satellite.yaml}}", "locked"),
    ):
        study = (
            f"study: order\n"
            f"system: {system}\n"
            f"initial: {state}\n"
            f"end: 2\n"
            f"steps: {{from: 0.1, halvings: 3}}\n"
            f"methods: [rattle, midpoint]\n"
            "reference: exact\nerror: {of: [q, p, lambda]}\n"
        )
        name = os.path.basename(system).strip("}")
        process, result = run(f"exact-{name}", study)
        rows = table(result) if process.returncode == 0 else []
        ok(
            len(rows) == 8 and all(abs(r["order"] - 2) < 0.1 for r in rows),
            f"{name}, {state}: order 2 against the exact motion",
            process.stderr,
            [r["order"] for r in rows],
        )


def starts():
    """Every form of the same start gives the same bits, in the file and in the study."""
    base = "study: conservation\nsystem: %s\nend: 1\nsteps: [0.05]\nmethods: [rattle]\n"
    top = (
        "system: t\n"
        "bodies: {top: {rotation: R, inertia: [1, 1, 1.5]}}\n"
        "potential: R33\n"
        "states:\n"
        "  default: {bodies: {top: {quaternion: [1, 0, 1, 0], omega: [0, 1, 2]}}}\n"
    )
    system = f"{{file: {write('starts.yaml', top)}}}"
    forms = (
        "",
        "initial: {bodies: {top: {quaternion: [3, 0, 3, 0], omega: [0, 1, 2]}}}\n",
        "initial: {bodies: {top: {matrix: [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], omega: [0, 1, 2]}}}\n",
        "initial: {bodies: {top: {axis: [0, 2, 0], angle: pi/2, omega: [0, 1, 2]}}}\n",
        "initial: {q: [0, 0, 1, 0, 1, 0, -1, 0, 0], v: [-1, 0, 0, 2, 0, 0, 0, 2, -1]}\n",
    )
    found = []
    for k, form in enumerate(forms):
        f = made(f"start-{k}", base % system + form)
        if f is None:
            return
        found.append(f["final/q"][0, 0])
    wrong = [abs(x - found[0]).max() for x in found]
    ok(max(wrong) < 1e-13, "a start is the same in each of its forms", wrong)
    chain = f"{{file: {JOBS}/ball-chain.yaml, parameters: {{n: 3}}}}"
    base = base.replace("0.05", "0.005")
    a = made("array-0", base % chain)
    b = made(
        "array-1",
        base % chain
        + (
            "initial: {bodies: {link: {axis: [0, 1, 0], angle: pi/2, omega: [0, 0, i], "
            "centre: [(2*i - 1)*a, 0, 0]}}}\n"
        ),
    )
    c = made(
        "array-2",
        base % chain
        + "initial: {bodies: {link: [%s]}}\n"
        % ", ".join(
            f"{{axis: [0, 1, 0], angle: pi/2, omega: [0, 0, {i}], centre: [{2*i - 1}*a, 0, 0]}}"
            for i in (1, 2, 3)
        ),
    )
    if a and b and c:
        ok(
            (a["final/q"][()] == b["final/q"][()]).all() and (a["final/q"][()] == c["final/q"][()]).all(),
            "an array of bodies by i, and one by one",
        )


SPREAD = """study: ensemble
system: %s
initial: {members: 400, seed: 3, spread: {q: 0.2, v: 0.5}}
end: 0.01
steps: [0.01]
methods: [rattle]
trajectories: {members: [%s]}
"""


def log(R):
    angle = numpy.arccos(max(-1, min(1, (numpy.trace(R) - 1) / 2)))
    x = numpy.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    return x if angle < 1e-12 else x * angle / numpy.sin(angle)


def ensembles():
    """R = R0 exp(hat(x)), omega = omega0 + y, x and y normal; the centre as other coordinates; the projection
    changes nothing."""
    text = FULL.replace("[[1, 0.2, -0.1], [0.2, 1.2, 0.15], [-0.1, 0.15, 0.9]]", "[1, 1.2, 0.9]")
    f = made(
        "spread", SPREAD % (f"{{file: {write('spread-body.yaml', text)}}}", ", ".join(map(str, range(400))))
    )
    if f is None:
        return
    q, p = f["trajectories/0/q"][:, 0], f["trajectories/0/p"][:, 0]
    R0 = rotation(0.7 * numpy.array([1, 2, -1]) / 6**0.5)
    R = q[:, :9].reshape(-1, 3, 3)
    off = abs(numpy.einsum("kij,kil->kjl", R, R) - numpy.eye(3)).max()
    ok(off < 1e-14 and (numpy.linalg.det(R) > 0).all(), "members have rotations", off)
    x = numpy.array([log(R0.T @ r) for r in R])
    A = numpy.einsum("kji,kjl->kil", R, p[:, :9].reshape(-1, 3, 3))
    w = numpy.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], 1) / [
        1,
        1.2,
        0.9,
    ] - [1, -0.5, 0.8]
    for what, sample, deviation in (
        ("rotation vectors", x, 0.2),
        ("angular velocities", w, 0.5),
        ("centres", q[:, 9:] - [0.3, 0, 0.1], 0.2),
        ("velocities", p[:, 9:] / 1.3 - [0, 0.4, 0], 0.5),
    ):
        mean, spread = sample.mean(0) / deviation, sample.std(0) / deviation
        ok(
            abs(mean).max() < 0.2 and abs(spread - 1).max() < 0.15,
            f"{what} are normal with the deviation that was asked for",
            mean,
            spread,
        )
        ok(
            abs(numpy.corrcoef(sample.T) - numpy.eye(3)).max() < 0.2,
            f"{what}: components are independent",
            numpy.corrcoef(sample.T),
        )
    tied = made("tied", SPREAD % ("pivoted-top", ", ".join(map(str, range(400)))))
    if tied:
        q = tied["trajectories/0/q"][:, 0]
        gap = abs(
            q[:, 11:14] - numpy.stack([q[:, 0] + 0.5 * q[:, 4], q[:, 1] + 0.5 * q[:, 7], 0.5 * q[:, 10]], 1)
        ).max()
        ok(gap < 1e-14, "with joints members are projected on them", gap)


def observables():
    """omega, angular momentum and quaternion by name, against the coordinates; half turns among them."""
    names = (
        [f"omega_top_{c}" for c in "123xyz"]
        + [f"momentum_top_{c}" for c in "123xyz"]
        + [f"quaternion_top_{c}" for c in "0123"]
    )
    text = FULL.replace("m*g*z + 0.5*(x^2 + y^2 + z^2) + R33 - 0.4*R12", "0")
    file = write("observed.yaml", text)
    I = numpy.array([[1, 0.2, -0.1], [0.2, 1.2, 0.15], [-0.1, 0.15, 0.9]])
    for k, (axis, angle) in enumerate(
        (
            ([1, 2, -1], 0.7),
            ([0, 0, 1], 0),
            ([1, 0, 0], numpy.pi),
            ([0, 1, 1], numpy.pi),
            ([1, -2, 2], numpy.pi),
            ([-1, 2, 3], 3.1),
            ([0, -1, 0], numpy.pi),
        )
    ):
        w = numpy.array([1, -0.5, 0.8])
        f = made(
            f"observed-{k}",
            f"study: conservation\n"
            f"system: {{file: {file}}}\n"
            f"initial: {{bodies: {{top: {{axis: {axis}, angle: {angle!r}, omega: [1, -0.5, 0.8], centre: [0, 0, 0]}}}}}}\n"
            f"end: 0.01\nsteps: [0.01]\nmethods: [rattle]\nobservables: [{', '.join(names)}]\n",
        )
        if f is None:
            return
        start = list(f["figure"][()]).index(b"start")
        got = numpy.array([f[f"observables/{n}"][0, 0, start] for n in names])
        n = numpy.array(axis) / numpy.linalg.norm(axis)
        R = rotation(n * angle)
        wanted = numpy.concatenate([w, R @ w, I @ w, R @ I @ w])
        ok(
            abs(got[:12] - wanted).max() < 1e-13,
            f"omega and angular momentum in body and space axes, turned by {angle:.3g} about {axis}",
            got[:12],
            wanted,
        )
        u = got[13:]
        S = (got[12] ** 2 - u @ u) * numpy.eye(3) + 2 * numpy.outer(u, u) + 2 * got[12] * hat(u)
        ok(
            abs(got[12:] @ got[12:] - 1) < 1e-14 and abs(S - R).max() < 1e-13 and got[12] > -1e-7,
            "the quaternion is that of R, its scalar part positive",
            got[12:],
        )
    f = made(
        "observed-array",
        f"study: conservation\n"
        f"system: {{file: {JOBS}/ball-chain.yaml, parameters: {{n: 3}}}}\n"
        f"end: 0.01\n"
        f"steps: [0.01]\n"
        'methods: [rattle]\nobservables: ["a: omega_link_3[2]", "b: sum(k, 1, n, momentum_link_x[k])"]\n',
    )
    if f:
        ok(
            abs(f["observables/a"][0, 0, start] - 2) < 1e-14
            and abs(f["observables/b"][0, 0, start] - 0.3 * 0.01 * 6) < 1e-14,
            "of arrays by index",
            f["observables/a"][0, 0],
            f["observables/b"][0, 0],
        )


def mistakes():
    study = "study: conservation\nsystem: %s\nend: 1\nsteps: [0.05]\nmethods: [rattle]\n"
    for name, system, line, said in (
        (
            "reflection",
            "lagrange-top",
            "initial: {bodies: {top: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}}",
            "6:34: error: matrix of top is a reflection",
        ),
        (
            "reflected numbers",
            "lagrange-top",
            "initial: {q: [1, 0, 0, 0, 1, 0, 0, 0, -1], v: [0, 0, 0, 0, 0, 0, 0, 0, 0]}",
            "6:10: error: the matrix of top is a reflection",
        ),
        (
            "no axis",
            "lagrange-top",
            "initial: {bodies: {top: {axis: [0, 0, 0], angle: 1}}}",
            "6:32: error: axis of top has the length 0 with the parameters of the study",
        ),
        (
            "key",
            "lagrange-top",
            "initial: {bodies: {top: {omgea: [0, 0, 0]}}}",
            "6:26: error: unknown key 'omgea'; did you mean 'omega'?",
        ),
        (
            "body",
            "lagrange-top",
            "initial: {bodies: {tip: {}}}",
            "6:20: error: unknown key 'tip'; did you mean 'top'?",
        ),
        (
            "no bodies",
            "double-pendulum",
            "initial: {bodies: {top: {}}, q: [0], v: [0]}",
            "6:11: error: unknown key 'bodies'",
        ),
        (
            "off the joint",
            "pivoted-top",
            "initial: {q: [0, 0], v: [0, 0], bodies: {top: {centre: [0, 0, 1]}}}",
            "6:10: error: the start is inconsistent",
        ),
        (
            "inertia",
            "{name: lagrange-top, parameters: {I3: 2.5}}",
            "",
            "2:42: error: inertia of top: the principal moments are 1, 1, 2.5",
        ),
        (
            "one of several",
            "{name: lagrange-top, parameters: {I3: [0.5, 2.5]}}",
            "",
            "error: inertia of top: the principal moments are 1, 1, 2.5; none may be larger",
        ),
        (
            "flat",
            "{name: euler-top, parameters: {I3: 2.5}}",
            "",
            "5:11: error: rattle cannot step the flat body top: a principal moment is the sum of the "
            "other two",
        ),
        (
            "observable",
            "lagrange-top",
            "observables: [omega_top_4]",
            "6:15: error: unknown observable 'omega_top_4'",
        ),
        (
            "array",
            f"{{file: {JOBS}/ball-chain.yaml}}",
            "observables: [omega_link_1]",
            "6:15: error: observable 'omega_link_1'",
        ),
        (
            "index",
            f"{{file: {JOBS}/ball-chain.yaml}}",
            'observables: ["a: omega_link_1[9]"]',
            "error: observable 'a'",
        ),
    ):
        process, _ = run("mistake", study % system + line + "\n")
        ok(
            process.returncode == 2 and said in process.stderr,
            f"mistake, {name}: {said}",
            process.returncode,
            process.stderr,
        )


def closed_loops():
    """Bricard's linkage with three and with five bodies: a redundant hinge, and still energy errors of order
    2."""
    for name in ("bricard", "bricard-five"):
        f = made(
            name,
            f"study: conservation\n"
            f"system: {{file: {JOBS}/{name}.yaml}}\n"
            f"end: 2\n"
            f"steps: [0.01, 0.005]\n"
            f'methods: [rattle, "convert(rk4)"]\n'
            "observables: [energy, constraint]\n",
        )
        for k, (method, wanted) in enumerate({"rattle": 2, "convert(rk4)": 4}.items() if f else ()):
            energy = f["statistics/energy_max"][2 * k : 2 * k + 2]
            closed = f["statistics/constraint_scaled_max"][2 * k : 2 * k + 2]
            order = numpy.log2(energy[0] / energy[1])
            ok(abs(order - wanted) < 0.2 and energy[0] < 0.05, f"{name}, {method}: energy to order {wanted}", energy)
            ok(closed.max() < 2e-14, f"{name}, {method}: it stays closed", closed)


def pages():
    process = constella("system", "pivoted-top")
    for words in (
        "bodies               top: mass 1, inertia about the centre 0.75 0.6 0.5",
        "rank of the joints 3 of 3; degrees of freedom: 5",
    ):
        ok(words in process.stdout, f"the page of pivoted-top says: {words}", process.stdout)
    process = constella("system", f"{JOBS}/bricard.yaml")
    ok(
        process.returncode == 0
        and "rank of the joints 17 of 18; degrees of freedom: 1" in process.stdout
        and "nearby: EF_ef;" in process.stdout,
        "Bricard's linkage has a redundant joint and moves",
        process.stdout,
    )
    flat = write(
        "flat.yaml",
        "system: flat\n"
        "bodies: {p: {rotation: R, inertia: [1, 2, 3]}}\n"
        "states: {default: {bodies: {p: {omega: [1, 2, 3]}}}}\n",
    )
    process = constella("system", flat)
    ok(
        process.returncode == 0 and "note: the body p is flat" in process.stdout,
        "a flat body is legal in a file",
        process.stdout,
    )
    sled = write(
        "sled.yaml",
        "system: sled\nparameters: {I: 2.4}\n"
        "bodies: {p: {rotation: R, centre: [x, y, z], mass: 1, inertia: [I, 1, 1.5]}}\n"
        'nonholonomic: {skate: "R12*x\' + R22*y\' + R32*z\'"}\n'
        "states: {default: {bodies: {p: {omega: [1, 2, 3], centre: [0, 0, 0], velocity: [1, 0, 0]}}}}\n",
    )
    study = "study: conservation\nsystem: {file: %s, parameters: {I: 2.5}}\nend: 1\nsteps: [0.1]\nmethods: [project(rk4)]\n"
    process = constella("check", write("sled-study.yaml", study % sled))
    ok(
        process.returncode == 2 and "no method steps sled: its body p is flat for these parameters" in process.stderr,
        "a body that becomes flat is refused with constraints on velocities",
        process.stderr,
    )
    with open(sled) as f:
        flat = write("flat-sled.yaml", f.read().replace("I: 2.4", "I: 2.5"))
    process = constella("check", write("sled-study.yaml", study % flat))
    ok(process.returncode == 0, "one that is flat in its file is stepped in coordinates", process.stderr)
    for name in sorted(os.listdir(JOBS)):
        first = open(os.path.join(JOBS, name)).readline() if name.endswith(".yaml") else ""
        if first.startswith("system:"):
            process = constella("system", f"{JOBS}/{name}")
            ok(
                process.returncode == 0 and process.stdout.endswith("\nok\n"),
                f"{name}: ok",
                process.stdout,
                process.stderr,
            )
        elif name.endswith(".yaml"):
            process = constella("check", f"{JOBS}/{name}")
            ok(process.returncode == 0, f"{name}: can be run", process.stdout, process.stderr)


together(
    [
        same_motion,
        two_tops_by_hand,
        newton_and_euler,
        jacobi,
        exact_motions,
        starts,
        ensembles,
        observables,
        mistakes,
        closed_loops,
        pages,
    ]
)
done()
