"""test_linearly_implicit.py: Newmark's family and penalty(...) against an implementation in numpy
(linearly_implicit.py): one step and the state at t = 1 on springs in the place of the rods of a double
pendulum, of a chain and of a body's orthogonality, the conjugacies of the family, multipliers and their
means; and what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
import linearly_implicit as by_hand
from cli import constella, done, h5py, made, ok, path, resumes, run, survives, table, write

OMEGA, H, BETA = 20, 0.05, 0.4
Q0, V0 = np.array([0, -1, 1, -2.0]), np.zeros(4)
YOSHIDA = 1 / (2 - 2 ** (1 / 3))
GAMMAS = [YOSHIDA, 1 - 2 * YOSHIDA, YOSHIDA]


def last(states):
    return states[-1]


ZS, ONE = by_hand.zhang_skeel, {"beta": BETA, "gamma": 0.5}
# states 0 .. n of the springs s from q, v in steps of h
METHODS = {
    "zhang-skeel(beta=0.4)": lambda s, q, v, h, n: ZS(s, q, v, h, n, BETA),
    "zhang-skeel(beta=0.4, form=full)": lambda s, q, v, h, n: ZS(s, q, v, h, n, BETA, "full"),
    "zhang-skeel(beta=0.4, form=simplified)": lambda s, q, v, h, n: ZS(s, q, v, h, n, BETA, "simplified"),
    "zhang-skeel(beta=0.4, form=stiff)": lambda s, q, v, h, n: ZS(s, q, v, h, n, BETA, "simplified"),
    "zhang-skeel(beta=0.4, quadrature=left)": lambda s, q, v, h, n: ZS(s, q, v, h, n, BETA, "full", "left"),
    "zhang-skeel(beta=0.4, quadrature=right)": lambda s, q, v, h, n: ZS(s, q, v, h, n, BETA, "full", "right"),
    "zhang-skeel(beta=0.4, form=simplified, quadrature=left)": lambda s, q, v, h, n: ZS(
        s, q, v, h, n, BETA, "simplified", "left"
    ),
    "pushforward-newmark(beta=0.4)": lambda s, q, v, h, n: by_hand.pushforward(s, q, v, h, n, BETA),
    "newmark(beta=0.4)": lambda s, q, v, h, n: by_hand.newmark(s, q, v, h, n, BETA),
    "newmark(beta=0.4, gamma=0.6)": lambda s, q, v, h, n: by_hand.newmark(s, q, v, h, n, BETA, 0.6),
    "newmark(beta=0.4, iterations=1, start=a)": lambda s, q, v, h, n: by_hand.newmark(
        s, q, v, h, n, **ONE, iterations=1, start="a"
    ),
    "newmark(beta=0.4, iterations=1, start=q)": lambda s, q, v, h, n: by_hand.newmark(
        s, q, v, h, n, **ONE, iterations=1, start="q"
    ),
    "newmark(beta=0.4, iterations=3, start=q)": lambda s, q, v, h, n: by_hand.newmark(
        s, q, v, h, n, **ONE, iterations=3, start="q"
    ),
}


def composition(*step):
    """yoshida4 of a symmetric step, or of a step and its adjoint, half a part each."""

    def states(s, q, v, h, n):
        part = 1 / len(step)
        gammas, out = [g * part for g in GAMMAS for _ in step], [(q, v)]
        for _ in range(n):
            at = out[-1]
            for k, gamma in enumerate(gammas):
                at = last(step[k % len(step)](s, *at, gamma * h, 1))
            out.append(at)
        return out

    return states


METHODS["compose(zhang-skeel(beta=0.4), yoshida4)"] = composition(METHODS["zhang-skeel(beta=0.4)"])
# half a part each way is the trapezoidal rule over the whole part with a quarter of the beta
METHODS["compose(zhang-skeel(beta=1.6, quadrature=left), yoshida4)"] = composition(
    *(
        lambda s, q, v, h, n, rule=rule: ZS(s, q, v, h, n, 4 * BETA, "full", rule)
        for rule in ("left", "right")
    )
)
METHODS["compose(newmark(beta=0.4), yoshida4)"] = composition(METHODS["newmark(beta=0.4)"])
METHODS["compose(pushforward-newmark(beta=0.4), yoshida4)"] = composition(
    METHODS["pushforward-newmark(beta=0.4)"]
)

PENDULUM = "{{name: double-pendulum, parameters: {{m1: {m1}, m2: {m2}}}{more}}}"
STUDY = """\
study: conservation
system: {system}
initial: {initial}
end: {end}
steps: [{h}]
methods: [{methods}]
samples: {{count: 4, spacing: linear}}
roundoff: {{dyadic-steps: false}}
trajectories: {{members: [0], every: {every}}}
"""


def study(
    methods,
    end=1,
    h=H,
    every=1,
    system=None,
    initial="{q: [0, -1, 1, -2], v: [0, 0, 0, 0]}",
    m1=1.0,
    m2=1.0,
    more="",
):
    return STUDY.format(
        methods=", ".join(f'"{x}"' for x in methods),
        end=end,
        h=h,
        every=every,
        initial=initial,
        system=system or PENDULUM.format(m1=m1, m2=m2, more=more),
    )


def states(file, case):
    t = file[f"trajectories/{case}"]
    return t["q"][0], t["p"][0], t["lambda"][0]


def relative(a, b):
    return abs(a - b).max() / max(1e-300, abs(b).max())


def compare(what, name, found, wanted, M):
    """The first step and the last of a motion."""
    q, p, _ = found
    for n in (1, len(wanted) - 1):
        apart = max(relative(q[n], wanted[n][0]), relative(p[n], M @ wanted[n][1]))
        ok(apart < 1e-9, f"{what}, {name}: {n} step{'s' * (n > 1)}: those of numpy ({apart:.1e})")


def values(what, s, q, v, text):
    """Every method, at the first step and at t = 1."""
    file = made(what.replace(" ", "-"), text)
    for k, name in enumerate(METHODS):
        compare(what, name, states(file, k), METHODS[name](s, q, v, H, 20), s.M)


def on_springs():
    return [f"penalty({x}, omega={OMEGA})" for x in METHODS]


def pendula():
    for m1, m2, more in ((1.0, 1.0, ""), (1.3, 0.6, ""), (1.3, 0.6, ", compile: always")):
        text = study(on_springs(), m1=m1, m2=m2, more=more)
        values(
            f"masses {m1} and {m2}{' compiled' if more else ''}",
            by_hand.double_pendulum(OMEGA, m1, m2),
            Q0,
            V0,
            text,
        )


def chain():
    """Ten beads in a straight line, at rest."""
    n = 10
    q = np.array([*range(1, n + 1), *range(-2, -2 * n - 1, -2)], dtype=float)
    text = study(on_springs(), system="{name: pendulum-chain, parameters: {n: 10}}", initial="default")
    values("chain of 10", by_hand.chain(OMEGA, n), q, np.zeros(2 * n), text)


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def body():
    """A magnetised body on its matrix; and the schemes of section 4.5 as they stand there, for matrices and
    with twice the beta."""
    p = hat([1, 0.2, 0.1]) / 2
    text = study(on_springs(), system="magnetised-body", initial="default")
    values("body", by_hand.magnetised_body(OMEGA), np.eye(3).ravel(), 2 * p.ravel(), text)
    methods = [
        "penalty(zhang-skeel(beta=0.2, quadrature=left), omega=10)",
        "penalty(zhang-skeel(beta=0.2), omega=10)",
    ]
    file = made("matrices", study(methods, h=0.1, system="magnetised-body", initial="default"))
    for k, name in enumerate(methods):
        compare(
            "matrices",
            name,
            states(file, k),
            by_hand.matrices(np.eye(3), p, 0.1, 10, 10, 0.4, k + 1),
            np.eye(9) / 2,
        )


def forms_differ():
    """The forms are told apart by far more than the bound of `values`, and by the third derivative alone."""
    s = by_hand.double_pendulum(OMEGA)
    full, simplified = (by_hand.zhang_skeel(s, Q0, V0, H, 20, BETA, f)[20][0] for f in ("full", "simplified"))
    ok(
        abs(full - simplified).max() > 1e-5,
        f"full and simplified differ at t = 1 by {abs(full - simplified).max():.1e}",
    )


def conjugacies():
    """newmark is pushforward-newmark in q = x + b a, and its single iteration from a = 0 is the simplified
    form in the same."""
    s, b = by_hand.double_pendulum(OMEGA), BETA * H * H
    x = by_hand.pushforward(s, Q0, V0, H, 100, BETA)
    moved = Q0 + b * by_hand.newton(s, Q0, b, np.zeros(4), 0)  # the q whose x is Q0
    q = by_hand.newmark(s, moved, V0, H, 100, BETA)
    back = [y - b * np.linalg.solve(s.M, -s.gradient(y)) for y, _ in q]
    apart = max(abs(y - z[0]).max() for y, z in zip(back, x))
    ok(apart < 1e-11, f"numpy: newmark is pushforward-newmark by x = q + b grad V, 100 steps ({apart:.1e})")


def multipliers():
    """omega^2 g at each state; its trapezoidal mean over the last 0.2; compared with the constrained motion's
    at the centre."""
    methods = [f"penalty(zhang-skeel(beta=0.4), omega={OMEGA}{x})" for x in ("", ", average=0.2")]
    file = made("lambda", study(methods, end=1, h=0.01, every=20))
    s, every = by_hand.double_pendulum(OMEGA), 20
    motion = by_hand.zhang_skeel(s, Q0, V0, 0.01, 100, BETA)
    now = np.array([OMEGA**2 * s.g(q) for q, _ in motion])
    weight = np.full(21, 1.0)
    weight[[0, 20]] = 0.5
    for case in range(2):
        found = states(file, case)[2]
        for n in range(every, 101, every):
            wanted = now[n] if case == 0 else weight @ now[n - 20 : n + 1] / 20
            ok(
                relative(found[n // every], wanted) < 1e-7,
                f"{methods[case]}: multipliers after {n} steps",
                found[n // every],
                wanted,
            )


MEANS = """\
study: ensemble
system: double-pendulum
initial: {members: 9, seed: 4, spread: {q: 0.05, v: 0.1}}
end: 4
steps: [0.02]
methods: ["penalty(zhang-skeel(beta=0.4), omega=20)", "penalty(zhang-skeel(beta=0.4), omega=20, average=0.2)"]
observables: [energy]
"""


def trapezoids(raw, window):
    """The mean over the last steps, or those since the start, at every step but the first."""
    out = []
    for n in range(1, len(raw)):
        x = raw[max(0, n - window) : n + 1]
        out.append((x.sum(axis=0) - (x[0] + x[-1]) / 2) / (len(x) - 1))
    return np.array(out)


def moving_means():
    """A mean is over the time that it says, whatever reads it: every step, some, one only; of stored members and of others."""
    every = {k: f"trajectories: {{members: [0, 1, 2, 3, 4, 5, 6, 7, 8], every: {k}, store: [q, lambda]}}\n" for k in (1, 7)}
    file = made("means1", MEANS + every[1])
    s, final = by_hand.double_pendulum(OMEGA), file["final/lambda"][1]
    q, raw, mean = (file[f"trajectories/{x}"][()] for x in ("0/q", "0/lambda", "1/lambda"))
    for m in range(9):
        springs = np.array([OMEGA**2 * s.g(x) for x in q[m]])
        ok(relative(raw[m, 1:], springs[1:]) < 1e-9, f"member {m}: omega^2 g at every step")
        raw[m, 0] = springs[0]
        wanted = trapezoids(raw[m], 10)
        apart = abs(mean[m, 1:] - wanted) / abs(raw[m]).max()
        good = apart[10:].max() < 1e-13 and apart[:10].max() < 1e-12  # omega^2 g of the start is numpy's
        ok(good, f"member {m}: their mean over 0.2 at every step, since the start before ({apart.max():.1e})")
    some = made("means7", MEANS + every[7])
    seventh = some["trajectories/1/lambda"]
    count = min(seventh.shape[1], mean[:, ::7].shape[1]) - 1
    ok(count > 20 and (seventh[:, :count] == mean[:, ::7][:, :count]).all(), "the same at every seventh")
    one = every[1].replace("[0, 1, 2, 3, 4, 5, 6, 7, 8]", "[4]")
    file = made("means-one", MEANS + one, ranks=2)
    ok((file["trajectories/1/lambda"][0] == mean[4]).all(), "the same of one that is stored, on two ranks")
    seen = '"first: lambda_upper", "second: lambda_lower"'
    for name, text in (
        ("none", MEANS),
        ("seven", MEANS + every[7]),
        ("one", MEANS + one),
        ("observed", MEANS.replace("energy]", f"energy, {seen}]") + "observe: every\n"),
        ("sometimes", MEANS.replace("energy]", f"energy, {seen}]")),
        ("steps", MEANS.replace("[0.02]", "[0.04, 0.02, 0.01]")),
    ):
        for batch in ((), ("--batch", "2")):
            process, result = run("means-" + name, text, *batch)
            with h5py.File(result) as f:
                case = 1 if name != "steps" else 4
                ok((f["final/lambda"][case] == final).all(), f"{name} {batch}: the last mean is the same")
                if name == "observed":
                    least = mean.min(axis=1), mean.max(axis=1)
                    for a, x in enumerate(("first", "second")):
                        ok((f[f"values/{x}"][1] == np.stack([y[:, a] for y in least], axis=1)).all(), f"{x}: its extremes are those of the stored means")


def means_fall():
    """About the constrained motion, as the source has it."""
    methods = ["shake", *(f"penalty(zhang-skeel(beta=0.4), omega={OMEGA}{x})" for x in ("", ", average=0.2"))]
    file = made("about", study(methods, end=10, h=0.01))
    rods, raw, mean = (states(file, k)[2] for k in range(3))
    spread = [np.std(x, axis=0) for x in (raw[40:] - rods[40:], mean[50:] - rods[40:-10])]
    ok((spread[0] > 0.1).all() and (spread[1] < 0.2 * spread[0]).all(), "the mean of 0.2 is nearer than what it is of", *spread)


def means_go_on():
    """Stopped and resumed, killed, extended by members and to a later end, verified; members that fail."""
    text = MEANS + "trajectories: {members: [2], every: 3}\n"
    resumes("means-resumed", text.replace("end: 4", "end: 400") + "checkpoint: {seconds: 0.05}\n")
    survives("means-killed", text.replace("end: 4", "end: 400") + "checkpoint: {seconds: 0.05}\n")
    first = MEANS + "extensible: true\n"
    for name, more in (("members", ("members: 9", "members: 12")), ("later", ("end: 4", "end: 8"))):
        run(f"means-{name}-part", first)
        last = write(f"means-{name}.yaml", first.replace(*more))
        process = constella("extend", path(f"means-{name}-part.h5"), last, "-o", path(f"means-{name}-on.h5"), "--progress", "none")
        ok(process.returncode == 0, f"{name}: extended", process.stderr)
        whole = run(f"means-{name}", first.replace(*more))[1]
        with h5py.File(whole) as a, h5py.File(path(f"means-{name}-on.h5")) as b:
            ok((a["final/lambda"][()] == b["final/lambda"][()]).all(), f"{name}: the means of a run in one piece")
        verify = constella("verify", path(f"means-{name}-on.h5"))
        ok(verify.returncode == 0, f"{name}: verified", verify.stdout, verify.stderr)
    text = MEANS.replace("v: 0.1", "v: 2").replace("zhang-skeel(beta=0.4)", "rk4").replace("0.02", "0.1").replace("end: 4", "end: 20")
    process, result = run("means-failing", text)
    again = run("means-failing-again", text, "--batch", "2", ranks=2)[1]
    with h5py.File(result) as a, h5py.File(again) as b:
        failed, last = a["final/status"][1] > 0, a["final/lambda"][1]
        ok(failed.any(), "some fail", a["final/status"][1])
        ok(np.array_equal(last, b["final/lambda"][1], equal_nan=True), "failed members have the same bits", last)
        ok(np.array_equal(a["final/lambda"][0][failed], last[failed], equal_nan=True), "those of the last state", last)


def means_of_errors():
    """On the mesh, compared at the centre of the time that a mean is over, also before it is whole."""
    text = (
        "study: order\nsystem: double-pendulum\nend: 1\nsteps: [0.02]\n"
        'methods: ["penalty(zhang-skeel(beta=0.4), omega=20, average=0.2)"]\nerror: {over: mesh}\n'
        'reference: {method: "gauss(6)", step: 0.01}\nroundoff: {dyadic-steps: false}\ntrajectories: {members: [0], every: 1}\n'
    )
    file = made("means-errors", text)
    exact = text.replace('["penalty(zhang-skeel(beta=0.4), omega=20, average=0.2)"]', '["project(rk8)"]').replace("[0.02]", "[0.01]")
    rods = made("means-exact", exact)["trajectories/0/lambda"][0]
    mean = file["trajectories/0/lambda"][0]
    most = max(abs(mean[n] - rods[2 * n - min(n, 10)]).max() for n in range(1, len(mean)))
    told = table(file.filename)[0]["error_lambda"]
    ok(abs(float(told) - most) < 1e-6 * most, "the error of the multipliers is at the centres", told, most)


def bits_and_history():
    """Compiled or interpreted, on one rank or two, recomputed, extended: the same."""
    methods = [
        f"penalty({x}, omega=20, average=0.1)"
        for x in (
            "zhang-skeel(beta=0.4)",
            "newmark(beta=0.4)",
            "pushforward-newmark(beta=0.3)",
            "zhang-skeel(beta=0.4, quadrature=left)",
            "gauss(2)",
        )
    ]
    text = study(methods, end=2, h=0.02, every=10, more=", compile: never")
    plain, other = made("never", text), made("always", text.replace("never", "always"), ranks=2)
    for k, m in enumerate(methods):
        same = all((a == b).all() for a, b in zip(states(plain, k), states(other, k)))
        ok(same, f"{m}: compiled on two ranks has the bits of interpreted on one")
    ok(constella("verify", plain.filename).returncode == 0, "a result with springs is verified")
    few = made("few", study(methods[:1], end=2, h=0.02, every=10))
    whole = made("whole", study(methods, end=2, h=0.02, every=10))
    name = few.filename
    few.close()
    told = constella("extend", name, write("more.yaml", study(methods, end=2, h=0.02, every=10)))
    ok(told.returncode == 0, "and extended", told.stderr)
    import h5py

    with h5py.File(name) as grown:
        ok(
            all(
                (a == b).all()
                for k in range(len(methods))
                for a, b in zip(states(grown, k), states(whole, k))
            ),
            "to what a fresh run has",
        )


def stiff_key():
    """V = potential + stiff; the Hessian of stiff alone."""
    text = """system: two
coordinates: [x, y]
mass: [2, 1]
potential: x*y + y^4/4
stiff: 50*(x - y)^2
states: {default: {q: [0.3, 0.2], v: [0.1, 0]}}
"""
    write("two.yaml", text)
    file = made(
        "stiff",
        "study: conservation\n"
        "system: {file: two.yaml}\n"
        "end: 1\n"
        "steps: [0.1]\n"
        'methods: ["zhang-skeel(beta=0.3, form=stiff)", rattle]\n'
        "roundoff: {dyadic-steps: false}\ntrajectories: {members: [0]}\n",
    )
    M, h, b = np.diag([2.0, 1]), 0.1, 0.3 * 0.01
    gradient = lambda q: np.array([q[1] + 100 * (q[0] - q[1]), q[0] + q[1] ** 3 - 100 * (q[0] - q[1])])
    hard = np.array([[100.0, -100], [-100, 100]])
    for case, matrix in ((0, M + b * hard), (1, M)):
        motion = by_hand.kicked(
            None,
            np.array([0.3, 0.2]),
            np.array([0.1, 0]),
            h,
            10,
            lambda q: np.linalg.solve(matrix, -gradient(q)),
        )
        found = file[f"trajectories/{case}/q"][0]
        ok(
            relative(found[10], motion[10][0]) < 1e-12,
            f"stiff: case {case} is that of numpy",
            found[10],
            motion[10][0],
        )


def layers(h):
    """Implicit layers on stiff springs: by Newton's method where a functional iteration does not contract,
    and by that one below."""
    s, steps = by_hand.double_pendulum(OMEGA), round(1 / h)
    file = made(
        f"layers-{h}",
        study(
            [f"penalty({x}, omega={OMEGA})" for x in ("gauss(1)", "midpoint", "gauss(2)")], h=h, every=steps
        ),
    )
    first, second = states(file, 0), states(file, 1)
    apart = max(relative(first[k][-1], second[k][-1]) for k in range(2))
    ok(apart < 1e-9, f"gauss(1) on springs is the midpoint rule, h = {h} ({apart:.1e})")
    q, v = last(by_hand.gauss2(s, Q0, V0, h, steps))
    found = states(file, 2)
    apart = max(relative(found[0][-1], q), relative(found[1][-1], s.M @ v))
    ok(apart < 1e-9, f"gauss(2) on springs is that of numpy, h = {h} ({apart:.1e})")


def reasons():
    """The advice of `status` on failed trajectories."""
    for method, words in (
        (f"penalty(convert(gauss(1)), omega={OMEGA})", "did not converge"),
        ("penalty(zhang-skeel(beta=0.4), omega=200)", "not finite"),
    ):
        process, result = run("failing", study([method], h=0.1))
        told = constella("status", result).stdout
        ok(
            process.returncode == 1 and words in told and "take a smaller step" in told,
            f"{method} fails, and `status` says what helps",
            told,
        )


class Full:
    """V = x y + y^4/4 + x^3/3 + 3 (x - y)^2 with a full mass."""

    M = np.array([[2.0, 0.5], [0.5, 1]])

    def gradient(self, q):
        return np.array([q[1] + q[0] ** 2 + 6 * (q[0] - q[1]), q[0] + q[1] ** 3 - 6 * (q[0] - q[1])])

    def hessian(self, q):
        return np.array([[2 * q[0] + 6, 1 - 6], [1 - 6, 3 * q[1] ** 2 + 6]])

    def third(self, q, a):
        return np.array([2 * a[0] ** 2, 6 * q[1] * a[1] ** 2])


def full_mass():
    """A full constant mass is stepped too."""
    write(
        "full.yaml",
        "system: full\n"
        "coordinates: [x, y]\n"
        "mass:\n"
        "  - [2, 0.5]\n"
        "  - [0.5, 1]\n"
        "potential: x*y + y^4/4 + x^3/3\n"
        "stiff: 3*(x - y)^2\n"
        "states: {default: {q: [0.3, 0.2], v: [0.1, -0.4]}}\n",
    )
    s, q, v, h = Full(), np.array([0.3, 0.2]), np.array([0.1, -0.4]), 0.1
    methods = {
        "zhang-skeel(beta=0.3)": by_hand.zhang_skeel(s, q, v, h, 10, 0.3),
        "newmark(beta=0.3)": by_hand.newmark(s, q, v, h, 10, 0.3),
        "pushforward-newmark(beta=0.3)": by_hand.pushforward(s, q, v, h, 10, 0.3),
        "gauss(2)": by_hand.gauss2(s, q, v, h, 10),
    }
    file = made(
        "full-mass",
        "study: conservation\n"
        "system: {file: full.yaml}\n"
        "end: 1\n"
        "steps: [0.1]\n"
        "methods: [%s]\n"
        "roundoff: {dyadic-steps: false}\n"
        "trajectories: {members: [0]}\n" % ", ".join(f'"{m}"' for m in methods),
    )
    for k, (name, motion) in enumerate(methods.items()):
        found = states(file, k)
        apart = max(relative(found[0][10], motion[10][0]), relative(found[1][10], s.M @ motion[10][1]))
        ok(apart < 1e-12, f"{name}: with a full mass the states are those of numpy ({apart:.1e})")


def order_study():
    """Against the constrained motion the error ends on the floor of the model, which is of order omega^-2;
    lambda at the mean's centre."""

    def errors(name, over, average):
        methods = [f"penalty(zhang-skeel(beta=0.4), omega={w}{average})" for w in (20, 40)]
        text = (
            "study: order\n"
            "system: double-pendulum\n"
            "end: 2\n"
            "steps: [0.02, 0.005, 0.00125]\n"
            "methods: [rattle, %s]\n"
            "error: {over: %s}\n"
            'reference: {method: "gauss(6)", step: 0.01}\n' % (", ".join(f'"{x}"' for x in methods), over)
        )
        return methods, list(table(made(name, text).filename))

    methods, rows = errors("floor", "mesh", "")
    error = {(x["method"], float(x["step"])): float(x["error_q"]) for x in rows}
    for m in methods:
        ok(0.9 < error[m, 0.00125] / error[m, 0.005] < 1.1, f"{m}: a floor of {error[m, 0.00125]:.2e}", error)
    again, rows = errors("means", "end", ", average=0.2")
    lam = {(x["method"], float(x["step"])): float(x["error_lambda"]) for x in rows}
    ratio = error[methods[0], 0.00125] / error[methods[1], 0.00125]
    ok(2.5 < ratio < 6, f"the floor goes as omega^-2: {ratio:.2f} for twice the omega", error)
    ok(
        lam[again[1], 0.00125] < 0.1,
        f"the mean of omega^2 g is the multiplier ({lam[again[1], 0.00125]:.2g})",
        lam,
    )


MISTAKES = [
    ("double-pendulum", "zhang-skeel(beta=0.4)", "steps systems without constraints"),
    ("double-pendulum", "newmark", "steps systems without constraints"),
    ("henon-heiles", "zhang-skeel", "needs beta"),
    ("henon-heiles", "zhang-skeel(beta=-0.1)", "a number of at least 0"),
    ("henon-heiles", "newmark(beta=-1)", "a number of at least 0"),
    ("henon-heiles", "pushforward-newmark", "needs beta"),
    ("henon-heiles", "newmark(gamma=2)", "from 0 to 1"),
    ("henon-heiles", "newmark(start=q)", "needs iterations="),
    ("henon-heiles", "newmark(iterations=0)", "an integer from 1 to 100"),
    ("henon-heiles", "newmark(beta=0, iterations=1, start=q)", "nothing to solve"),
    ("henon-heiles", "newmark(iterations=1, start=p)", "start of newmark is a or q"),
    ("henon-heiles", "zhang-skeel(beta=0.3, form=half)", "full, simplified or stiff"),
    ("henon-heiles", "zhang-skeel(beta=0.3, form=stiff)", "no key `stiff`"),
    ("henon-heiles", "zhang-skeel(beta=0.3, gamma=0.5)", "takes no 'gamma='"),
    ("henon-heiles", "zhang-skeel(beta=0.3, quadrature=middle)", "trapezoid, left or right"),
    ("henon-heiles", "zhang-skeel(beta=0.3, quadrature=0.5)", "trapezoid, left or right"),
    ("henon-heiles", "zhang-skeel(beta=0.3, beta=0.4)", "appears twice"),
    ("henon-heiles", "penalty(rattle, omega=20)", "has none"),
    ("double-pendulum-angles", "zhang-skeel(beta=0.3)", "constant mass"),
    ("charged-pendulum", "penalty(zhang-skeel(beta=0.3), omega=20)", "without a(q)"),
    ("double-pendulum", "penalty(rattle)", "needs omega"),
    ("double-pendulum", "penalty(rattle, omega=0)", "a number above 0"),
    ("double-pendulum", "penalty(rattle, omega=-20)", "a number above 0"),
    ("double-pendulum", "penalty(omega=20)", "takes a method"),
    ("double-pendulum", "penalty(rattle, midpoint, omega=20)", "takes one method"),
    ("double-pendulum", "penalty(rattle, omega=20, average=-1)", "average of penalty is a number of at least 0: a time"),
    ("double-pendulum", "penalty(rattle, omega=20, average=11)", "longer than the run"),
    ("double-pendulum", "penalty(rattle, omega=20, window=1)", "takes no 'window='"),
    ("double-pendulum", "penalty(shake, omega=20)", "needs constraints"),
    ("double-pendulum", "penalty(project(rk4), omega=20)", "needs constraints"),
    ("double-pendulum", "compose(penalty(rattle, omega=20), yoshida4)", "must be outermost"),
    ("double-pendulum", "penalty(penalty(rattle, omega=20), omega=20)", "must be outermost"),
    ("henon-heiles", "compose(newmark(iterations=1), yoshida4)", "has none"),
]


def tolerances():
    """newmark and its conjugate stop at the tolerance; at strict ones, and without equations, nothing changes."""
    methods = ["newmark(beta=0.4)", "pushforward-newmark(beta=0.4)", "zhang-skeel(beta=0.4)"]
    text = study([f"penalty({m}, omega=20)" for m in methods])
    process, result = run("tolerances", text + "solver: {tolerance: [1.0e-3, 1.0e-13, 1.0e-14]}\n")
    if not ok(process.returncode == 0, "a sweep over tolerances runs", process.stderr):
        return
    with h5py.File(result) as f:
        q = f["final/q"][()]
    rows = table(result)
    for k, method in enumerate(methods):
        loose, strict, default = (q[j * len(methods) + k] for j in range(3))
        ok((strict == default).all(), f"{method}: strict tolerances have the same bits")
        apart = abs(loose - default).max()
        ok((0 < apart < 0.1) == (k < 2), f"{method}: a tolerance of 1e-3 is felt where there are equations", apart)
        n = [rows[j * len(methods) + k]["iterations_mean"] for j in range(3)]
        ok(n[0] < n[1] if k < 2 else n[0] == n[1] == 0, f"{method}: and takes fewer iterations", n)


def means_too_long():
    text = study(["penalty(rattle, omega=20, average=1)"], end=1, h=1e-6)
    told = constella("check", write("long.yaml", text))
    ok(
        told.returncode == 2 and "would keep 2000002 numbers" in told.stderr and "1048576" in told.stderr,
        "a mean over too many steps is refused, with the numbers",
        told.stderr,
    )


def mistakes():
    for k, (system, method, words) in enumerate(MISTAKES):
        write(
            f"wrong{k}.yaml",
            f'study: conservation\nsystem: {system}\nend: 10\nsteps: [0.1]\nmethods: ["{method}"]\n',
        )
        told = constella("check", path(f"wrong{k}.yaml"))
        ok(
            told.returncode == 2 and f"wrong{k}.yaml:5:" in told.stderr and words in told.stderr,
            f"{method} on {system} is refused: {words}",
            told.stderr,
        )


pendula()
chain()
body()
forms_differ()
conjugacies()
multipliers()
moving_means()
means_fall()
means_go_on()
means_of_errors()
bits_and_history()
stiff_key()
full_mass()
layers(0.05)
layers(0.005)
reasons()
order_study()
tolerances()
means_too_long()
mistakes()
done()
