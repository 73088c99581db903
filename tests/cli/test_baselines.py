"""test_baselines.py: the methods of multibody codes and physics engines against an implementation in numpy
(baselines.py): the first steps on a pendulum, a body, and a system with M(q) and drag; the orders over the mesh
that differ from those at the end; a run that is interrupted; and what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import baselines as by_hand
import numpy as np
from cli import constella, done, made, ok, path, run, table, write

H, STEPS = 0.05, 5


def radaus(n, form):
    def states(s, q, v, h, steps):
        out = []
        for _ in range(steps):
            q, v, lam = by_hand.radau(s, q, v, h, n, form)
            out.append((q, v, lam if form != "index-1" else None))
        return out

    return states


def with_(function, *more, **keys):
    return lambda s, q, v, h, n: function(s, q, v, h, n, *more, **keys)


METHODS = {
    **{f"radau({n})": radaus(n, "ggl") for n in (1, 2, 3, 4)},
    **{f"radau(2, form={form})": radaus(2, form) for form in ("index-3", "index-2", "index-1")},
    "radau(3, form=index-3)": radaus(3, "index-3"),
    "generalized-alpha(rho=0.8)": with_(by_hand.chung_hulbert, 0.8),
    "generalized-alpha(rho=0)": with_(by_hand.chung_hulbert, 0),
    "generalized-alpha(rho=0.6, form=ggl)": with_(by_hand.chung_hulbert, 0.6, ggl=True),
    "generalized-alpha(form=newmark)": with_(by_hand.alpha, 0, 0, 0.5, 0.25),
    "hht(alpha=0.1)": with_(by_hand.alpha, 0, 0.1, 0.6, 1.1**2 / 4),
    "hht(alpha=0.2, form=ggl)": with_(by_hand.alpha, 0, 0.2, 0.7, 1.2**2 / 4, ggl=True),
    **{f"bdf({k})": with_(by_hand.bdf, k) for k in (1, 2, 3, 4, 5)},
    "semi-implicit-euler(erp=0)": with_(by_hand.engine, 0),
    "semi-implicit-euler(erp=0.3, post=1)": with_(by_hand.engine, 0.3, post=True),
    "linearly-implicit-euler(erp=0.2)": with_(by_hand.engine, 0.2, linear=True),
    "baumgarte(rk4, alpha=3, beta=4)": with_(by_hand.baumgarte_rk4, 3, 4),
}

PENDULUM = """\
system: p
coordinates: [x, y]
mass: [1, 1]
potential: y
constraints: {rod: x^2 + y^2 - 1}
states: {default: {q: [0.6, -0.8], v: [0.8, 0.6]}}
"""
BODY = """\
system: b
coordinates: [r11, r12, r13, r21, r22, r23, r31, r32, r33]
mass: [0.3, 0.2, 0.8, 0.3, 0.2, 0.8, 0.3, 0.2, 0.8]
potential: 0.5*r33
constraints:
  c11: r11^2 + r21^2 + r31^2 - 1
  c12: r11*r12 + r21*r22 + r31*r32
  c13: r11*r13 + r21*r23 + r31*r33
  c22: r12^2 + r22^2 + r32^2 - 1
  c23: r12*r13 + r22*r23 + r32*r33
  c33: r13^2 + r23^2 + r33^2 - 1
states: {default: {q: [0.6, 0, 0.8, 0, 1, 0, -0.8, 0, 0.6], v: [0.4, -0.4, -0.3, 2, 0, -1, 0.3, 2.2, 0.4]}}
"""
GOVERNOR = """\
system: g
coordinates: [th, r]
mass: [r^2, 1]
potential: -r*cos(th)
constraints: {curve: r - 1 - 0.2*sin(th)}
forces: {drag: ["-0.3*th'", "-0.2*r'^3"]}
states: {default: {q: [0, 1], v: [1, 0.2]}}
"""
STUDY = """\
study: conservation
system: {{file: {file}}}
end: {end}
steps: [{h}]
methods: [{methods}]
samples: {{count: 4, spacing: linear}}
roundoff: {{dyadic-steps: false}}
trajectories: {{members: [0], every: 1}}
"""


def quoted(methods):
    return ", ".join(f'"{x}"' for x in methods)


def apart(found, wanted):
    return abs(found - wanted).max() / max(1, abs(wanted).max())


def compare(what, name, t, states, s):
    """Round-off of an acceleration is that of q over h^2."""
    q, p, lam = t["q"][0], t["p"][0], t["lambda"][0]
    for n in (1, STEPS):
        q1, v1, lam1 = states[n - 1]
        off = max(apart(q[n], q1), apart(p[n], s.M(q1) @ v1))
        ok(off < 1e-12, f"{what}, {name}: {n} step{'s' * (n > 1)}: those of numpy ({off:.1e})")
        if lam1 is not None:
            off = apart(lam[n], lam1) * H**2
            ok(off < 1e-13, f"{what}, {name}: {n} step{'s' * (n > 1)}: multipliers ({off:.1e})")


def test_steps(what, text, s, methods=tuple(METHODS)):
    write(f"{what}.system.yaml", text)
    file = made(what, STUDY.format(file=f"{what}.system.yaml", end=STEPS * H, h=H, methods=quoted(methods)))
    for k, name in enumerate(methods):
        t = file[f"trajectories/{k}"]
        q, p = t["q"][0][0], t["p"][0][0]
        compare(what, name, t, METHODS[name](s, q, np.linalg.solve(s.M(q), p), H, STEPS), s)


TOP = """\
system: t
bodies:
  top: {rotation: R, inertia: [1, 1.1, 0.5]}
potential: 0.5*R33
constraints: {nutation: R33 - 0.6}
states:
  default:
    bodies: {top: {matrix: [[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]], omega: [1, 0, 2]}}
"""


def test_group():
    write("top.system.yaml", TOP)
    rhos, weights = (0.8, 0.3), by_hand.INERTIA.sum() / 2 - by_hand.INERTIA
    methods = [f"lie-generalized-alpha(rho={rho})" for rho in rhos]
    file = made("top", STUDY.format(file="top.system.yaml", end=STEPS * H, h=H, methods=quoted(methods)))
    for k, rho in enumerate(rhos):
        t = file[f"trajectories/{k}"]
        q, p = t["q"][0], t["p"][0]
        states = by_hand.lie_alpha(q[0].reshape(3, 3), np.array([1.0, 0, 2]), H, STEPS, rho)
        for n in (1, STEPS):
            R, w = states[n - 1]
            off = max(apart(q[n], R.ravel()), apart(p[n], (R @ by_hand.hat(w) * weights).ravel()))
            ok(off < 1e-12, f"top, {methods[k]}: {n} step{'s' * (n > 1)}: those of numpy ({off:.1e})")


ORDERS = """\
study: order
system: {{file: pendulum.system.yaml}}
end: 1
steps: {{from: 0.1, halvings: 5}}
methods: [{methods}]
reference: {{method: gauss(8), step: 0.01}}
error: {{over: {over}}}
"""
# orders of lambda at the end and over the mesh; None: no order
REDUCED = {
    "generalized-alpha(rho=0.8)": (2, 1),
    "generalized-alpha(rho=0.8, form=ggl)": (2, 2),
    "generalized-alpha(rho=1, form=ggl)": (2, 2),
    "hht(alpha=0.2)": (2, 1),
    "radau(1, form=index-3)": (1, None),
    "radau(2, form=index-3)": (1, 1),
    "semi-implicit-euler(erp=1)": (1, None),
}


def test_reduction():
    for place, over in enumerate(("end", "mesh")):
        _, result = run(over, ORDERS.format(methods=quoted(REDUCED), over=over))
        rows = {}
        for row in table(result):
            rows.setdefault(row["method"], []).append(row["error_lambda"])
        for name, orders in REDUCED.items():
            e = rows[name]
            rate, want = np.log2(e[-2] / e[-1]), orders[place] or 0
            ok(abs(rate - want) < 0.25, f"{name}: lambda has order {want} over the {over} ({rate:.2f})", e)


EXPLODING = """\
study: conservation
system: planar-pendulum
initial: rotating
end: {end}
steps: [0.1, 0.05, 0.025, 0.0125]
methods: [{methods}]
observables: [energy]
roundoff: {{dyadic-steps: false}}
{more}
"""
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/baselines.md")


def explosions():
    """{method: times as printed} of the table of the page."""
    with open(PAGE) as f:
        lines = f.read().split("h \\|v\\| / L up to")[1].split("\n\n")[0].splitlines()[2:]
    return {cells[0]: cells[2:] for cells in ([x.strip() for x in line.strip("|").split("|")] for line in lines)}


def test_explosions():
    """The table of docs/baselines.md: where index 3 with damping explodes; the stabilised form does not."""
    times = explosions()
    ok(len(times) == 7 and all(len(row) == 4 for row in times.values()), "the page has its table", times)
    stable = [name.replace(")", ", form=ggl)") for name in times] + ["generalized-alpha(rho=1, form=ggl)", "radau(2)"]
    more = "trajectories: {members: all, every: 1, store: [q, p]}"
    f = made("exploding", EXPLODING.format(methods=quoted(times), end=20, more=more))
    _, result = run("to-1000", EXPLODING.format(methods=quoted([*times, *stable]), end=1000, more=""))
    most = {}
    for row in table(result):
        most.setdefault(row["method"], []).append(row["energy_max"])
    for k, (name, row) in enumerate(times.items()):
        for j, text in enumerate(row):
            h, stored = f["cases/h"][4 * k + j], f[f"trajectories/{4 * k + j}"]
            energy = (stored["p"][0] ** 2).sum(1) / 2 + stored["q"][0][:, 1]
            late = np.flatnonzero(~(abs(energy - energy[0]) < 5))
            right = late.size and abs(late[0] * h / float(text) - 1) < 0.1 if text != "-" else most[name][j] < 5
            ok(right, f"{name}, step {h:.4g}: explodes at {text}", late[:1] * h, most[name][j])
    for name in stable:
        ok(max(most[name]) < 5, f"{name}: does not explode", most[name])


REFUSED = {
    "compose(generalized-alpha(rho=0.5), rattle)": "must be the whole method",
    "langevin(bdf(2), friction=1, inverse-temperature=1)": "must be the whole method",
    "generalized-alpha": "generalized-alpha needs rho: generalized-alpha(rho=0.8)",
    "generalized-alpha(rho=1.5)": "rho of generalized-alpha is a number from 0 to 1",
    "generalized-alpha(rho=0.5, form=newmark)": "form=newmark has no rho",
    "generalized-alpha(rho=0.5, form=index-2)": "form of generalized-alpha is index-3, ggl or newmark",
    "hht(alpha=0.5)": "alpha of hht is a number from 0 to 1/3",
    "hht(alpha=0, form=newmark)": "newmark is hht(alpha=0)",
    "radau(5)": "the number of stages of radau is an integer from 1 to 4",
    "radau(s=3)": "radau takes the number of stages",
    "bdf(6)": "the number of steps of bdf is an integer from 1 to 5",
    "adjoint(radau(2))": "'radau' has no adjoint",
    "project(radau(2))": "'radau' is not a layer",
    "semi-implicit-euler": "semi-implicit-euler needs erp",
    "semi-implicit-euler(erp=2)": "erp of semi-implicit-euler is a number from 0 to 1",
    "semi-implicit-euler(erp=0, post=2)": "post of semi-implicit-euler is 0 or 1",
    "linearly-implicit-euler(erp=0, post=1)": "linearly-implicit-euler takes no 'post='",
    "lie-generalized-alpha": "lie-generalized-alpha needs rho",
    "lie-generalized-alpha(rho=-1)": "rho of lie-generalized-alpha is a number from 0 to 1",
    "compose(lie-generalized-alpha(rho=1), lie-rattle)": "must be the whole method",
    "baumgarte(rk4)": "baumgarte needs alpha, the rate at which G v is damped: baumgarte(",
    "baumgarte(rk4, alpha=1, gamma=2)": "baumgarte takes no 'gamma='",
    "baumgarte(rk4, alpha=-1, beta=2)": "alpha of baumgarte is a number of at least 0",
    "baumgarte(rattle, alpha=1, beta=2)": "'rattle' is not a layer",
    "baumgarte(taylor(3), alpha=1, beta=2)": "baumgarte takes a layer with a tableau",
    "adjoint(baumgarte(rk4, alpha=1, beta=2))": "has no adjoint",
}
UNFIT = {
    ("knife-edge", "radau(3)"): "radau imposes constraints on positions",
    ("knife-edge", "bdf(2)"): "has constraints on velocities",
    ("henon-heiles", "baumgarte(rk4, alpha=1, beta=1)"): "baumgarte needs constraints",
    ("planar-pendulum", "lie-generalized-alpha(rho=1)"): "steps the rotations of `bodies:`",
    ("pendulum-chain", "bdf(2)"): None,
}


def refusal(system, method):
    text = f'study: conservation\nsystem: {system}\nend: 1\nsteps: [0.1]\nmethods: ["{method}"]\n'
    return constella("check", write("refused.yaml", text))


def test_refusals():
    for method, words in REFUSED.items():
        x = refusal("planar-pendulum", method)
        ok(x.returncode == 2 and words in x.stderr, f"{method}: {words}", x.stderr)
    for (system, method), words in UNFIT.items():
        x = refusal(system, method)
        good = x.returncode == 2 and words in x.stderr if words else x.returncode == 0
        ok(good, f"{method} on {system}: {words or 'accepted'}", x.stderr)
    x = refusal("{name: pendulum-chain, parameters: {n: 400}}", "radau(3)")
    ok(x.returncode == 2 and "at most 600 unknowns at once" in x.stderr, "a chain that is too long for a full matrix", x.stderr)


test_steps("pendulum", PENDULUM, by_hand.pendulum())
# the matrices of numpy are large for a body: one method of each kind
ON_BODY = (
    "radau(2)",
    "radau(2, form=index-3)",
    "radau(2, form=index-2)",
    "generalized-alpha(rho=0.8)",
    "generalized-alpha(rho=0.6, form=ggl)",
    "generalized-alpha(form=newmark)",
    "hht(alpha=0.1)",
    "radau(3)",
    "bdf(2)",
    "semi-implicit-euler(erp=0.3, post=1)",
    "linearly-implicit-euler(erp=0.2)",
    "baumgarte(rk4, alpha=3, beta=4)",
)
test_steps("body", BODY, by_hand.body(), ON_BODY)
test_steps("governor", GOVERNOR, by_hand.governor())
test_group()
test_reduction()
test_explosions()
test_refusals()
done()
