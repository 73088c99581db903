#!/usr/bin/python3
"""test_certify.py: right claims are confirmed and wrong ones refuted, of methods and of strangers' steppers; forms of a
certificate, what is kept, mistakes. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
import drawing
from drawing import ENVIRONMENT, PROGRAM, folder, ok, refused, run_tests

import contextlib
import dataclasses
import importlib.util
import io
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import numpy as np

import constella
from constella import commands, running
from constella.certifying import certificate, energy, examined, figures, maps, order, page, parts, strangers, symplectic, systems
from constella.certifying.maps import Stepper
from held import until

from constella.certifying.property import CONFIRMED, OPEN, REFUTED, Found

RK4 = "{a: [[0, 0, 0, 0], [1/2, 0, 0, 0], [0, 1/2, 0, 0], [0, 0, 1, 0]], b: [1/6, 1/3, 1/3, 1/6]}"
OFF = RK4.replace("[0, 1/2, 0, 0]", "[0.02, 0.48, 0, 0]")
try:
    import jsonschema  # the validator of others; not everywhere
except ModuleNotFoundError:
    jsonschema = None
BOTH = ["henon-heiles", "double-pendulum"]
# method, systems, claims that are wrong
WRONG = [
    (OFF, ["henon-heiles"], {"order": 4}),  # coefficients off
    ("rattle", BOTH, {"order": 3, "energy": 1}),  # an order too high
    ("compose(rattle, suzuki4)", ["double-pendulum"], {"order": 6}),
    ("rk4", ["henon-heiles"], {"symplectic": 1, "volume": 1, "symmetric": 1}),
    ("project(rk4)", ["double-pendulum"], {"symplectic": 1, "symmetric": 1, "energy-bounded": 1}),
    ("shake", ["double-pendulum"], {"hidden": 1}),
    ("heun", ["double-pendulum"], {"constraint": 1, "hidden": 1}),
    ("rk4", ["kepler"], {"momentum": 1}),
    ("radau(2)", ["double-pendulum"], {"symplectic": 1, "energy-bounded": 1, "order": 4}),
    ("rattle", ["kepler"], {"stable": 10, "dissipates": 1}),
    ("rk4", ["henon-heiles"], {"stable": 100}),
    ("rattle", ["double-pendulum"], {"iterations": 1.5}),
    ("dopri5(tolerance=1e-3)", ["henon-heiles"], {"symmetric": 1, "energy-bounded": 1}),
    ("project(rk4)", ["nonholonomic-oscillator"], {"momentum-balance": 1}),
]
MORE = [  # claims that no row makes, and that are right
    ("rattle", ["kepler"], {"stable": 0.05, "round-off": 1, "iterations": 0.5}),
    ("gauss(2)", ["double-pendulum"], {"iterations": 10}),
    ("radau(2)", ["double-pendulum"], {"dissipates": 1}),
    ("lagrange-dalembert(rk3, bias=-0.5)", ["nonholonomic-oscillator"], {"momentum-balance": 1}),
    ("discrete-lagrange-dalembert(midpoint)", ["nonholonomic-oscillator"], {"momentum-balance": 1}),
    ("rattle", ["spherical-pendulum", "kepler"], {"momentum-balance": 1}),
]
RIGHT = ["rattle", "project(rk4)", "gauss(2)", "lagrange-dalembert(rk4)"]


def test_right():
    """What the rows of methods claim."""
    systems = ["henon-heiles", "spherical-pendulum", "nonholonomic-oscillator"]
    c = constella.certify(RIGHT, systems=systems)
    bad = [(m, claim, c.of(m, claim)) for m in c.methods for claim in c.claims(m) if c.of(m, claim).verdict == REFUTED]
    ok(not bad and not c.refuted, "right: no claim of a method is refuted", bad)
    confirmed = [(m, claim) for m in c.methods for claim in c.claims(m) if c.of(m, claim).verdict == CONFIRMED]
    claims = sum(len(c.claims(m)) for m in c.methods)
    ok(len(confirmed) > 0.9 * claims > 15, f"right: {len(confirmed)} of {claims} are confirmed")
    ok([x[:2] for x in c.left if x[0] == "project(rk4)"] == [("project(rk4)", "henon-heiles")], "right: what does not fit is left out", c.left)


def test_wrong():
    for method, systems, claims in WRONG:
        c = constella.certify(method, systems=systems, claims=claims)
        name = c.methods[0]
        for claim in claims:
            ok(c.of(name, claim).verdict == REFUTED, f"wrong: {claim} of {name[:40]}", c.of(name, claim))


def test_more():
    for method, systems, claims in MORE:
        c = constella.certify(method, systems=systems, claims=claims)
        for claim in claims:
            ok(c.of(c.methods[0], claim).verdict == CONFIRMED, f"more: {claim} of {c.methods[0]}", c.of(c.methods[0], claim))


def test_settled():
    """What loses all energy at once dissipates, and its energy is not bounded by an error of the step."""
    claims = {"energy-bounded": 1, "dissipates": 1}
    c = constella.certify(["radau(1)", "rattle"], systems=["henon-heiles"], claims=claims)
    lost = [c.of("radau(1)", claim) for claim in claims]
    ok([x.verdict for x in lost] == [REFUTED, CONFIRMED] and "settled" in str(lost[0].said), "settled: radau(1) has lost its energy", lost)
    n = energy.WINDOWS * 32
    t = np.arange(n + 1) / n
    rest, swing = np.exp(-30 * t) - 1, 0.3 * (np.cos(6 * t) - 1)  # 1: all that there is
    said = []
    for x in (rest, swing):
        found, _ = energy.concluded(np.array([1 + x] * 4), np.ones(4), np.ones(4), np.full(4, 1e-15), 2, 0.1)
        said.append(energy.judge("dissipates", 1, dataclasses.replace(found, how={**found.how, "verdict": "undecided", "slope": -1e-5, "slope-error": 1e-5})).verdict)
    ok(said == [CONFIRMED, OPEN], "settled: energy that falls window by window, and one that rises again", said)
    kept = [c.of("rattle", claim).verdict for claim in claims]
    ok(kept == [CONFIRMED, REFUTED], "settled: rattle keeps its own", kept)


def test_bath():
    """One measurement, and two claims."""
    bath, systems, known = "langevin(rattle, friction=1, inverse-temperature=1)", ["spherical-pendulum"], None
    for claimed, verdict in ((0.98, REFUTED), (1, CONFIRMED)):
        known = constella.certify(bath, systems=systems, claims={"temperature": claimed}, known=known)
        found = known.of(known.methods[0], "temperature")
        ok(found.verdict == verdict, f"bath: {claimed} is {verdict}", found)


def test_floors():
    """What rounds far from the origin, and near the sag of a load, is within the floors; what changes beyond them is not."""
    text = "system: {0}\ncoordinates: [x, y]\nmass: [1, 1]\npotential: {1}\n{2}symmetries: {{turn: [{3} - y, x - {3}]}}\nstates: {{default: {{q: [{3} + 1e-3, {3}], v: [0, 5e-3]}}}}\n"
    spring = "50*((x - 1e3)^2 + (y - 1e3)^2 - 2e6) + 1e5*(x + y)"
    claims = {"momentum": 1, "energy": 1, "symmetric": 1}
    for name, potential, origin in (("far", "((x - 1e8)^2 + (y - 1e8)^2)/2", "1e8"), ("loaded", spring, "0")):
        for forces, verdict in (("", CONFIRMED), ("forces: {turning: [\"-1e-3*(y - %s)\", \"1e-3*(x - %s)\"]}\n" % (origin, origin), REFUTED)):
            path = folder / f"{name}-floors.yaml"
            path.write_text(text.format(name, potential, forces, origin), encoding="utf-8")
            asked = claims if not forces else {"momentum": 1}
            found = constella.certify("midpoint", claims=asked, systems=[str(path)])
            told = [found.of("midpoint", claim) for claim in asked]
            ok({x.verdict for x in told} == {verdict}, f"floors: {name}, {verdict}", told)


def rounded(system, q, v, h):
    """Verlet, with a rounding that goes always down: its momentum drifts."""
    q, v = verlet(system, q, v, h)
    return q, v * (1 - 2.0**-52)


def test_roundoff():
    c = constella.certify(Stepper(rounded, "down"), systems=["kepler"], claims={"round-off": 1})
    ok(c.of("down", "round-off").verdict == REFUTED, "round-off: a bias", c.of("down", "round-off"))
    c = constella.certify("rk4", systems=["kepler"], claims={"round-off": 1})
    ok("not kept" in c.of("rk4", "round-off").said, "round-off: of what is not kept nothing is said", c.of("rk4", "round-off"))


def test_rates():
    """20 000 synthetic claims: defects around their floor, and orders of errors with noise; right ones are hardly
    ever refuted, wrong ones mostly."""
    rng = np.random.default_rng(7)
    wrong = missed = 0
    h = 0.1 / 2.0 ** np.arange(6)
    for k in range(10000):
        p = int(rng.integers(1, 7))
        error = h**p * (1 + rng.normal(0, 0.2) * h / h[0] + rng.normal(0, 0.1) * (h / h[0]) ** 2) * np.exp(rng.normal(0, 0.01, 6)) * rng.uniform(0.1, 10)
        found = order.fitted(h, np.abs(error) + 1e-16 * rng.uniform(0, 1, 6), 1.0, "")
        wrong += order.judge("order", p, found).verdict == REFUTED
        missed += order.judge("order", p + 1, found).verdict != REFUTED and found.how.get("flag") == "ok"
    ok(wrong < 50, f"rates: {wrong} of 10 000 right orders are refuted", wrong)
    ok(missed < 300, f"rates: {missed} of 10 000 orders that are one too high are not", missed)
    judge = symplectic.PROPERTY.judge
    wrong = missed = 0
    for k in range(10000):
        floor = 10.0 ** rng.uniform(-13, -8)
        error = floor * np.abs(rng.normal(0, 0.5))
        wrong += judge("symplectic", 1, Found(error, error, error, floor)).verdict == REFUTED
        defect = floor * 10.0 ** rng.uniform(2, 5) + 1e-7
        missed += judge("symplectic", 1, Found(defect, defect, defect, floor)).verdict != REFUTED
    ok(wrong == 0, "rates: no defect of the size of its floor is refuted", wrong)
    ok(missed == 0, "rates: defects far above it are", missed)
    out = io.StringIO()
    spec = importlib.util.spec_from_file_location("rates", pathlib.Path(__file__).resolve().parents[2] / "jobs/certify/rates.py")
    rates = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rates)
    with contextlib.redirect_stdout(out):
        bad = rates.main(400, 3)
    refuted = sum(int(line.split("; ")[1].split()[0]) for line in out.getvalue().splitlines() if "; " in line)
    ok(not bad and refuted > 360, f"rates: four properties, {refuted} of 400 wrong claims refuted", out.getvalue())


DIGITS = """layers:
  kutta: {a: [[0, 0, 0, 0], [1/2, 0, 0, 0], [0, 1/2, 0, 0], [0, 0, 1, 0]], b: [.16667, .33333, .33333, .16667]}
  heun5: {a: [[0, 0], [1, 0]], b: [0.50001, 0.49999]}
schemes:
  yoshida: [1.35121, -1.70242, 1.35121]
  forest: [1/(2 - 2^(1/3)) + 1e-5, 1 - 2/(2 - 2^(1/3)) - 2e-5, 1/(2 - 2^(1/3)) + 1e-5]
"""


def half(system, q, v, h):
    """Heun's method whose second weight is 0.49999."""
    a, w = system.acceleration(q, v), v + h * system.acceleration(q, v)
    b = system.acceleration(q + h * v, w)
    return q + h * (0.5 * v + 0.49999 * w), v + h * (0.5 * a + 0.49999 * b)


def test_digits():
    """Coefficients with a wrong digit: their order conditions refute what the errors seem to show. Where coefficients are not known,
    a part of the errors that does not fall with the step does, or speaks against what another system shows."""
    (folder / "digits.yaml").write_text(DIGITS)
    layers = constella.integrator.Layers(folder / "digits.yaml")
    both = ["kepler", "spherical-pendulum"]
    for method, claimed, at in (("kutta", 4, 3), ("heun5", 2, 2), ("compose(rattle, yoshida)", 4, 3), ("compose(euler-a, forest)", 4, 3), ("project(kutta)", 4, 3)):
        c = constella.certify(maps.Method(method, layers), systems=both, claims={"order": claimed})
        found = c.of(method, "order")
        ok(found.verdict == REFUTED and f"conditions of order {at} are off by" in found.said, f"digits: {method}", found)
    for method, system, claimed in (("rk8", "kepler", 8), ("compose(rk4, yoshida4)", "kepler", 4), ("convert(rk3, bias=-0.5)", "kepler", 4)):
        found = constella.certify(method, systems=[system], claims={"order": claimed}).of(method, "order")
        ok(found.verdict == CONFIRMED and "down to errors of" in found.said, f"digits: order {claimed} of {method} stays confirmed", found)
    found = constella.certify("lie-euler-a", systems=["lagrange-top"], claims={"order": 1})
    ok(found.of("lie-euler-a", "order").verdict == CONFIRMED and len(found.cells[0].found.how["steps"]) == 8, "digits: smaller steps where an order is unclear", found.cells[0])
    ok(refused(lambda: maps.Method("{a: [[0, 0], [1, 0]], b: [0.5, 0.49999]}"), "must sum to 1"), "digits: weights that do not sum to 1 are refused")
    c = constella.certify(Stepper(half), systems=["kepler", "double-pendulum-angles"], claims={"order": 2})
    found = c.of("half", "order")
    ok([x.judged.verdict for x in c.cells if x.claimed] == [REFUTED, REFUTED], "digits: a function, refuted on each system", found)
    ok("kepler: 1.97" in found.said and "double-pendulum-angles: 2" in found.said and "a part that does not fall with h, 9.96e-06" in found.said, "digits: the part of its errors", found)
    little = dataclasses.replace(c.cells[0].found, how={**c.cells[0].found.how, "lower": {"2": [0, 1e-11]}})
    none = dataclasses.replace(little, how={**little.how, "lower": {}})
    cells = [certificate.Cell("half", str(k), "order", 2, order.judge("order", 2, x), x) for k, x in enumerate((little, none))]
    found = certificate.Certificate(cells, True).of("half", "order")
    ok([x.judged.verdict for x in cells] == [OPEN, CONFIRMED] and found.verdict == OPEN and "1e-11 at" in found.said, "digits: a part near the floor speaks against another system", found)
    found = symplectic.PROPERTY.judge("symplectic", 1, Found(5.2e-9, 5.2e-9, 5.2e-9, 2e-13))
    ok(found.verdict == OPEN and "floor 2e-13: above the 1e-11" in found.said, "digits: 5e-9 is not near to a floor of 2e-13", found)


def test_parts():
    """2000 expansions of errors in powers of the step with round-off: those of the claimed order show no lower part, and a lower
    one above round-off is found with its power and size in three of four cases, by six steps; the others need smaller ones."""
    rng = np.random.default_rng(3)
    counts = [2**k for k in range(3, 9)]
    h = 1 / np.array(counts)
    false = missed = there = 0
    for k in range(2000):
        p, n = int(rng.integers(1, 7)), int(rng.integers(1, 5))
        powers = p + np.arange(6)
        c = rng.normal(0, 1, (6, 3 * n)) * rng.choice([0, 1], (6, 1), p=[0.3, 0.7])
        error = (h[:, None] ** powers) @ c + 1e-15 * rng.normal(0, 1, (6, 3 * n))
        below = parts.below(counts, list(error.reshape(6, 3, n)), 1e-14)
        false += any(int(q) <= p or r < p for q, (r, size) in below.items())
        r = int(rng.integers(0, p))
        wrong = error + 1e-5 * h[:, None] ** r * rng.normal(0, 1, 3 * n)
        below = parts.below(counts, list(wrong.reshape(6, 3, n)), 1e-14)
        size = float(np.sqrt(((wrong - error)[-1] ** 2).sum() / 3))
        there += size > 1e-12
        missed += size > 1e-12 and not any(power == r and 0.5 < found / size < 2 for power, found in below.values())
    ok(false == 0, "parts: no error of the claimed order has a lower part", false)
    ok(there > 1500 and missed < 0.3 * there, f"parts: {there - missed} of {there} lower ones are found", missed)


def test_named():
    """What is said of a claim names each system, that disagree or have told nothing too."""
    cells = [certificate.Cell("m", s, "order", 2, certificate.Judged(v, "x"), Found(why="x")) for s, v in zip("abcd", (OPEN, CONFIRMED, CONFIRMED, CONFIRMED))]
    found = certificate.Certificate(cells, True).of("m", "order")
    ok(found == certificate.Judged(CONFIRMED, "b: x; c: x; also d; a: undecidable, x"), "named: all systems", found)


def verlet(system, q, v, h):
    v = v + h / 2 * system.acceleration(q)
    q = q + h * v
    return q, v + h / 2 * system.acceleration(q)


def test_functions():
    """Functions of Python: right, wrong by 2 %, broken."""
    c = constella.certify(verlet, systems=["henon-heiles"], claims={"order": 2, "symplectic": 1, "symmetric": 1})
    ok(all(c.of("verlet", claim).verdict == CONFIRMED for claim in c.claims("verlet")), "function: Verlet", page.text(c))
    short = Stepper(lambda s, q, v, h: (verlet(s, q, v, h)[0], verlet(s, q, v, h)[1] - 0.01 * h * s.acceleration(q)), "short")
    c = constella.certify(short, systems=["henon-heiles"], claims={"order": 2, "symmetric": 1})
    ok({c.of("short", x).verdict for x in ("order", "symmetric")} == {REFUTED}, "function: a kick that is 2 % short", page.text(c))
    for what, step, why in (
        ("raises", lambda s, q, v, h: 1 / 0, "ZeroDivisionError"),
        ("is not finite", lambda s, q, v, h: (q * np.nan, v), "not finite"),
        ("has another shape", lambda s, q, v, h: (q, v[:1]), "shapes"),
    ):
        c = constella.certify(Stepper(step, "bad"), systems=["henon-heiles"], claims={"order": 2})
        ok(c.of("bad", "order").verdict == OPEN and why in c.of("bad", "order").said, f"function: that {what}", c.of("bad", "order"))


def test_silent():
    """A program that waits for more lines, and one that answers twice at once."""
    strangers.SILENCE = 0.3
    silent = strangers.Program(["/bin/sleep", "60"], ".")
    c = constella.certify(Stepper(silent, "silent"), systems=["henon-heiles"], claims={"order": 2})
    ok("has not answered" in c.of("silent", "order").said, "program: one that is silent", c.of("silent", "order"))
    silent.pipe.kill()
    strangers.SILENCE = 600
    hasty = strangers.Program(["/bin/sh", "-c", "read a; echo ok; echo ok 1 2 3 4; read b; cat"], ".")
    system = constella.System("henon-heiles")
    q, v = hasty(system, np.zeros(2), np.zeros(2), 0.1)
    ok(q.tolist() == [1, 2] and v.tolist() == [3, 4], "program: lines that come together", (q, v))
    hasty.pipe.kill()


SHARED = """#include <math.h>
#include <stdlib.h>
#include "constella/user-stepper.h"

static int begin(const cst_stepper_system *s, const double *c, unsigned long seed, void **own) {
  *own = (void *)s;
  return s->ng > 0 || s->npar > 8;
}

/* Verlet by M and f, and the multipliers of nothing. */
static int step(void *own, double t, double h, double *q, double *v, double *lambda) {
  const cst_stepper_system *s = own;
  double M[64], f[8];
  s->mass(s, q, M), s->force(s, q, v, f);
  for (int i = 0; i < s->nq; i++) v[i] += h / 2 * f[i] / M[i * s->nq + i], q[i] += h * v[i];
  s->force(s, q, v, f);
  for (int i = 0; i < s->nq; i++) v[i] += h / 2 * f[i] / M[i * s->nq + i];
  return t < 0;
}

static int copy(void *own, void **other) { return *other = own, 0; }
static void leave(void *own) {}
const cst_stepper_method cst_user_stepper = {CST_STEPPER_VERSION, begin, step, copy, leave};
"""


def test_shared():
    """A stepper in C, in a shared library."""
    (folder / "own.c").write_text(SHARED)
    include = pathlib.Path(__file__).resolve().parents[2] / "include"
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{include}", "-o", folder / "own.so", folder / "own.c"], check=True)
    (folder / "shared.yaml").write_text(
        "steppers:\n  own: {shared: own.so, claims: 'order=2, symplectic, symmetric', systems: [henon-heiles, spherical-pendulum]}\n"
    )
    done = command("--with", "shared.yaml", "--systems", "henon-heiles,spherical-pendulum", "-o", "shared.json")
    cells = {(x["method"], x["system"], x["claim"]): x for x in json.loads((folder / "shared.json").read_text())["cells"]}
    ok(all(cells["own", "henon-heiles", k]["verdict"] == CONFIRMED for k in ("order", "symplectic", "symmetric")), "shared: Verlet in C", done.stdout + done.stderr)
    ok("refuses" in cells["own", "spherical-pendulum", "order"]["said"], "shared: what it refuses", cells["own", "spherical-pendulum", "order"])
    done = command("none.json", program="verify")
    ok(done.returncode == 2, "verify: no such file", done.stderr)
    done = within(["verify-record", "file=shared.json", "sample=8", "seed=1"])
    ok(done.returncode == 2 and "--trust-code" in done.stdout, "verify: code of others is not run unasked", done.stdout + done.stderr)
    done = command("shared.json", "--trust-code", program="verify")
    ok(done.returncode == 0 and "6 numbers, all with the same bits" in done.stdout, "verify: it is when trusted", done.stdout + done.stderr)
    with (folder / "own.so").open("ab") as file:
        file.write(b"changed")
    done = within(["verify-record", "file=shared.json", "sample=8", "seed=1", "trust=1"])
    ok(done.returncode == 2 and "has changed" in done.stderr, "verify: a file that has changed", done.stderr)


class Turning:
    """Runs that turn in the planes of q and v, in their own arrays, as those of shared libraries do, or in new ones."""

    def __init__(self, in_place):
        self.in_place = in_place

    def begin(self, system, h, q, v):
        self.q, self.v, self.h = q.copy(), v.copy(), h
        return self

    def step(self, n):
        c, s = np.cos(n * self.h), np.sin(n * self.h)
        q, v = c * self.q + s * self.v, c * self.v - s * self.q
        if self.in_place:
            self.q[:], self.v[:] = q, v
        else:
            self.q, self.v = q, v
        return self


def test_in_place():
    """Energies are those of each reading."""
    found = [repr(energy.measure(Turning(x), systems.Bench(systems.DEFAULTS[0]), True)) for x in (False, True)]
    ok(found[0] == found[1], "energies of a run that steps in its arrays", found)


def test_layers():
    """Layers and schemes of a file; mpirun; verify; the schema."""
    (folder / "layers.yaml").write_text("layers:\n  mine: {a: [[0, 0], [1/2, 0]], b: [0, 1]}\nschemes:\n  s: [1/(2-2^(1/3)), 1-2/(2-2^(1/3)), 1/(2-2^(1/3))]\n")
    words = ("mine", "compose(rattle, s)", "--with", "layers.yaml", "--systems", "henon-heiles")
    done = command(*words, "-o", "one.json")
    told = {(x["method"], x["claim"]): x for x in json.loads((folder / "one.json").read_text())["summary"]}
    ok(told["mine", "order"]["claimed"] == 2 and told["mine", "order"]["verdict"] == CONFIRMED, "layers: a tableau", done.stdout + done.stderr)
    ok(told["compose(rattle, s)", "order"]["claimed"] == 4, "layers: a scheme", told)
    subprocess.run(["mpirun", "-n", "2", PROGRAM, "certify", *words, "-o", "two.json"], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, timeout=1000)
    ok((folder / "one.json").read_bytes() == (folder / "two.json").read_bytes(), "layers: two processes, the same bytes")
    part = json.loads((folder / "one.json").read_text())
    part["cells"] = [x for x in part["cells"] if (x["method"], x["system"]) == ("mine", "henon-heiles")]
    (folder / "two.json").write_text(json.dumps(part))
    inside(*words, "-o", "two.json")
    ok((folder / "one.json").read_bytes() == (folder / "two.json").read_bytes(), "layers: resumed, the same bytes")
    bad = json.loads((folder / "one.json").read_text())
    bad["cells"][0]["verdict"] = "refuted"
    (folder / "bad.json").write_text(json.dumps(bad))
    done = within(["verify-record", "file=bad.json", "sample=100", "seed=1", "trust=1"])
    ok(done.returncode == 1 and "DIFFER" in done.stdout, "verify: another verdict", done.stdout + done.stderr)
    if jsonschema:
        valid(part)


def valid(part):
    """Certificates follow the schema, and it refuses other keys."""
    schema = json.loads((pathlib.Path(certificate.__file__).parent / "schema.json").read_text())
    for name in ("one", "shared"):
        jsonschema.validate(json.loads((folder / f"{name}.json").read_text()), schema)
    ok(refused_by(schema, {**part, "quick": 1}) and refused_by(schema, {**part, "more": 1}), "schema: it refuses what is none")


def test_catalogue():
    """Two lines that `constella show METHOD` prints, drawn at random, are measured again."""
    kept = (pathlib.Path(certificate.__file__).parent / "catalogue.txt").read_text().splitlines()
    missing = set(maps.catalogue()) - {line.split("\t")[0] for line in kept}
    ok(not missing, "catalogue: every method has a line (`constella certify METHOD -o x.txt` writes it)", missing)
    cheap = [line for line in kept if not any(w in line for w in ("convert", "dalembert", "hbvm", "radau", "temperature", "langevin", "baoab"))]
    for line in random.sample(cheap, 2):
        method, said = line.split("\t")
        again = page.lines(constella.certify(method)).rstrip("\n")
        ok(again == line.rpartition(", ")[0], f"catalogue: {method}", (line, again))
        shown = drawing.program("show", method).stdout
        ok(" ".join(said.split()) in " ".join(shown.split()), f"catalogue: show {method}", shown)


def test_peers():
    """SUNDIALS and LAMMPS, where they are installed."""
    if not pathlib.Path("/usr/include/arkode/arkode_arkstep.h").exists() or not importlib.util.find_spec("lammps"):
        return
    output = folder / "peers.json"
    systems = {**ENVIRONMENT, "SYSTEMS": "kepler,tip3p-water"}
    subprocess.run(["jobs/certify/peers", "--quick", "-o", output], env=systems, capture_output=True, check=False)
    found = {(x["method"], x["claim"]): x["verdict"] for x in json.loads(output.read_text())["summary"]}
    ok(found["arkode-4", "order"] == found["arkode-8", "order"] == "confirmed", "peers: orders of ARKODE", found)
    ok(found["arkode-4", "symplectic"] == "refuted", "peers: ARKODE is not symplectic", found)
    both = [(found["lammps-rattle", x], found["lammps-rattle-first", x]) for x in ("order-p", "symmetric", "hidden")]
    ok(both == [("confirmed", "refuted")] * 3, "peers: fix rattle before and behind fix nve", both)


def refused_by(schema, told):
    try:
        jsonschema.validate(told, schema)
    except jsonschema.ValidationError:
        return True
    return False


def test_study():
    """The studies of refuted claims show the same."""
    c = constella.certify("project(rk4)", systems=["double-pendulum"], claims={"order": 6, "symplectic": 1, "energy-bounded": 1})
    shown = [cell for cell in c.cells if cell.study]
    ok([cell.claim for cell in shown] == ["order", "symplectic", "energy-bounded"], "study: of each refuted claim", shown)
    for cell in shown:
        (folder / f"{cell.claim}.yaml").write_text(cell.study)
        done = drawing.program("run", f"{cell.claim}.yaml", "-o", f"{cell.claim}.h5")
        ok(done.returncode == 0, f"study: {cell.claim} runs", done.stdout + done.stderr)
    shown = subprocess.run([PROGRAM, "table", "order.h5", "--columns", "order_q", "--format", "csv"], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    ok(3.8 < float(shown.stdout.split()[-1]) < 4.2, "study: its order", shown.stdout + shown.stderr)


STEPPERS = """steppers:
  dies: {python: "own.py:dies", claims: "order=2", systems: [henon-heiles]}
  fine: {python: "own.py:fine", claims: "order=1", systems: [henon-heiles]}
  other: {program: [/usr/bin/python3, -c, "import sys; print('hello', flush=True); sys.stdin.read()"], claims: "order=2", systems: [henon-heiles]}
"""
OWN = """import os


def dies(system, q, v, h):
    os.kill(os.getpid(), 11)


def fine(system, q, v, h):
    v = v + h * system.acceleration(q)
    return q + h * v, v
"""


def command(*words, program="certify"):
    return drawing.program(program, *words)


def inside(*words):
    """The same in this process, without the command line in C: a start of Python costs more than most of what it tests."""
    named, methods, words = [], [], list(words)
    while words:
        word = words.pop(0)
        if word in ("--quick", "--full", "--all", "--resume", "--check"):
            named.append(f"{word[2:]}=1")
        elif word.startswith("-"):
            named.append(f"{'output' if word == '-o' else word[2:]}={words.pop(0)}")
        else:
            methods.append(word)
    return within(["certify", *named, *(["method=" + "\n".join(methods)] if methods else [])])


def within(words):
    out, err, here = io.StringIO(), io.StringIO(), os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = commands.main(words)
    finally:
        os.chdir(here)
        for number in running.hear(lambda *_: None):
            signal.signal(number, signal.SIG_DFL)
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())


def test_command():
    """Programs of others in child processes; status, forms, what is kept."""
    (folder / "with.yaml").write_text(STEPPERS)
    (folder / "own.py").write_text(OWN)
    done = command("--with", "with.yaml", "--systems", "henon-heiles", "-o", "c.html")
    ok(done.returncode == 0 and "no claim is refuted" in done.stdout, "command: status 0", done.stdout + done.stderr)
    told = {s["method"]: s for s in json.loads((folder / "c.json").read_text())["summary"]}
    ok(told["fine"]["verdict"] == CONFIRMED, "command: symplectic Euler", told["fine"])
    ok("signal 11" in told["dies"]["said"] and told["dies"]["verdict"] == OPEN, "command: one that crashes", told["dies"])
    ok('it answered "hello"' in told["other"]["said"], "command: one that does not speak", told["other"])
    text = (folder / "c.html").read_text()
    ok(text.count("<svg") >= 1 and "http" not in text.replace("http://www.w3.org", ""), "command: a page without a network")
    before = (folder / "c.json").read_bytes()
    again = inside("--with", "with.yaml", "--systems", "henon-heiles", "-o", "c.md")
    ok((folder / "c.json").read_bytes() == before and again.stdout == done.stdout, "command: what is there is not measured again")
    done = command("rk4", "--systems", "henon-heiles", "--claims", "symplectic,order=4")
    ok(done.returncode == 1 and "1 claim refuted" in done.stdout, "command: status 1", done.stdout)


FOREIGN = """def leaves(system, q, v, h):
    import os
    inner = 1
    os._exit(0)


def paints(system, q, v, h):
    raise ValueError("red \\x1b[31m\\n| of two lines")


def waits(system, q, v, h):
    import time
    time.sleep(1000)
"""
BAD = {  # what cannot be a stepper, and what is said of it
    '{python: "none.py:step"}': "none.py: there is no such file",
    '{python: "foreign.py:leavs"}': "foreign.py defines no 'leavs'; did you mean \"leaves\"",
    '{python: "broken.py:step"}': "broken.py:2: ",
    "{program: [./none]}": "none: there is no such file",
    "{program: [no-such-program]}": "there is no program 'no-such-program' in PATH",
    "{program: [./foreign.py]}": "may not be executed",
    "{shared: none.so}": "none.so: there is no such file",
    "{shared: foreign.py}": "is no shared library",
    "{shared: empty.so}": "defines no table cst_user_stepper",
    '{python: "foreign.py:inner"}': "foreign.py defines no 'inner'",
    "{program: [./orphan.sh]}": "its interpreter /nonexistent/sh is not there",
    "{shared: old.so}": "its cst_user_stepper is of version 7; 1 is needed",
}


def test_foreign():
    """What cannot be a stepper is said before anything runs, by check too; what strangers print and leave behind is bounded."""
    (folder / "foreign.py").write_text(FOREIGN)
    (folder / "broken.py").write_text("def step(q):\n  return (\n")
    for name, text in (("empty", "int x = 1;"), ("old", "struct { int v; void *a; } cst_user_stepper = {7, 0};")):
        subprocess.run(["cc", "-shared", "-o", f"{name}.so", "-x", "c", "-"], input=text, text=True, cwd=folder, check=True)
    (folder / "orphan.sh").write_text("#!/nonexistent/sh\n")
    (folder / "orphan.sh").chmod(0o755)
    forms = ("from foreign import paints as step", "try:\n    import foreign\nexcept ImportError:\n    pass\nelse:\n    step = foreign.paints", "globals()['step'] = print", "def __getattr__(name):\n    return print", "class Step:\n    def __call__(self, *_):\n        pass\n\n\nstep = Step()")
    for form in forms:
        (folder / "form.py").write_text(form + "\n")
        ok(not examined.mistake("python", "form.py:step", str(folder)), f"foreign: {form.splitlines()[-1]}", examined.mistake("python", "form.py:step", str(folder)))
    for row, wanted in BAD.items():
        (folder / "bad-one.yaml").write_text(f"study: certify\nsteppers:\n  mine: {row}\n")
        done = inside("--study", "bad-one.yaml", "--check")
        ok(done.returncode == 2 and "bad-one.yaml:3:" in done.stderr and wanted in done.stderr, f"foreign: {row}", done.stderr)
    done = command("bad-one.yaml", program="check")
    ok(done.returncode == 2 and wanted in done.stderr, "foreign: check", done.stderr)
    holds = "read a; echo ok; sleep 1000 & read b; exit 3"
    rows = {"leaves": '{python: "foreign.py:leaves", %s}', "paints": '{python: "foreign.py:paints", %s}', "holds": f'{{program: [sh, -c, "{holds}"], %s}}'}
    (folder / "foreign.yaml").write_text("steppers:\n" + "".join(f"  {name}: {row % 'claims: order=2, systems: [kepler]'}\n" for name, row in rows.items()))
    done = command("--with", "foreign.yaml", "--systems", "kepler", "--quick", "-o", "strange.json")
    told = {s["method"]: s["said"] for s in json.loads((folder / "strange.json").read_text())["summary"]}
    ok("it ended the process that measures it, with status 0" in told["leaves"], "foreign: one that leaves", told)
    ok("ValueError: red  [31m | of two lines" in told["paints"], "foreign: no control characters, no line breaks", told)
    ok("with status 3, and a process that it has started holds its output" in told["holds"], "foreign: one whose child holds its output", told)
    done = strangers.within(["sh", "-c", "head -c 20000000 /dev/zero | tr '\\0' x >&2; echo end >&2"], "", 60)
    ok(len(done.stderr) <= strangers.PRINTED and done.stderr.endswith("xend\n"), "foreign: of what is printed a part is kept", len(done.stderr))
    done = strangers.within(["/usr/bin/python3", "-c", "bytearray(9 << 30)"], "", 60)
    ok(done.returncode == 1 and "MemoryError" in done.stderr, "foreign: one that takes 9 GiB", done.stderr)
    ended_with_it()


def children():
    """The processes of this folder that measure a stepper."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"strangers import child" in (process / "cmdline").read_bytes() and os.readlink(process / "cwd") == str(folder):
                found.append(process.name)
    return found


def ended_with_it():
    """Signals end a measurement with 75; even SIGKILL ends what it has started."""
    (folder / "waits.yaml").write_text('study: certify\nsystems: [kepler]\nsteppers: {waits: {python: "foreign.py:waits", claims: "order=2"}}\n')
    for number in ("SIGUSR1", "SIGXCPU", "SIGKILL"):
        p = subprocess.Popen([PROGRAM, "run", "waits.yaml", "-o", f"{number}.json"], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        ok(until(children, "a stepper that is measured", p), f"foreign: {number} while it is measured")
        p.send_signal(getattr(signal, number))
        said = p.communicate()[0]
        ok(number == "SIGKILL" or (p.returncode == 75 and f"interrupted by {number}" in said), f"foreign: {number}: status 75", (p.returncode, said))
        ok(until(lambda: not children(), "its end"), f"foreign: {number} ends the child", children())


KIND = """study: certify
title: of three
methods: [heun, mine, "compose(rattle, s)"]
systems: [henon-heiles, own.yaml]
claims: {order: 2, symmetric: 1}
layers: {mine: {a: [[0, 0], [1/2, 0]], b: [0, 1]}}
schemes: {s: [1/2, 1/2]}
"""
SMALL = KIND.replace("heun, ", "").replace(", own.yaml", "").replace(", symmetric: 1", "")


def test_kind():
    """`certify` as a kind of study: run, check, status, resume after a kill, extend."""
    ok("\ncertify " in subprocess.run([PROGRAM, "list", "studies"], env=ENVIRONMENT, capture_output=True, text=True).stdout, "kind: it is listed")
    for name, text in (("whole", KIND), ("small", SMALL), ("long", KIND + "measure: full\n"), ("other", SMALL.replace("[mine", "[rattle, mine"))):
        (folder / f"{name}.yaml").write_text(text)
    (folder / "own.yaml").write_text("system: own\ncoordinates: [x]\nmass: [1]\npotential: 1 - cos(x)\nstates: {default: {q: [1], v: [0]}}\n")
    done = command("whole.yaml", program="check")
    ok(done.returncode == 0 and "6 pairs" in done.stdout and "order=2, symmetric=1" in done.stdout, "kind: check", done.stdout + done.stderr)
    done = command("whole.yaml", program="run")
    whole = (folder / "whole.json").read_bytes()
    ok(done.returncode == 1 and "symmetric        refuted" in done.stdout, "kind: run", done.stdout + done.stderr)
    told = json.loads(whole)
    ok(told["asked"]["study"] == KIND and len(told["asked"]["systems"]["own.yaml"]) == 64 and told["done"] == 6, "kind: the study is in the result", told["asked"])
    ok(command("whole.json", program="status").stdout.startswith("state         complete"), "kind: status")
    ok("exists; name another output, or --overwrite" in inside("--study", "whole.yaml").stderr, "kind: no result is lost")
    interrupted(whole)
    extended(whole)
    done = command("whole.json", "--sample", "2", program="verify")
    ok(done.returncode == 0 and "4 numbers, all with the same bits" in done.stdout, "kind: verify", done.stdout + done.stderr)
    (folder / "own.yaml").write_text((folder / "own.yaml").read_text().replace("1 - cos", "2 - cos"))
    done = inside("--study", "whole.yaml", "--resume")
    ok(done.returncode == 2 and "of another study" in done.stderr, "kind: no run goes on after a change of the system", done.stdout + done.stderr)
    done = within(["verify-record", "file=whole.json", "sample=6", "seed=1"])
    ok(done.returncode == 2 and "own.yaml has changed since" in done.stderr, "kind: verify after a change of the system", done.stdout + done.stderr)


def interrupted(whole):
    """Killed where two pairs are kept, and stopped before the first one; what is kept is not measured again."""
    told = json.loads(whole)
    (folder / "cut.json").write_text(json.dumps({**told, "cells": told["cells"][:4], "summary": [], "done": 2}))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        commands.main(["status-record", f"file={folder / 'cut.json'}"])
    ok("2 of 6" in out.getvalue(), "kind: status of an interrupted one", out.getvalue())
    with subprocess.Popen([PROGRAM, "run", "whole.yaml", "-o", "cut.json", "--resume"], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE) as p:
        while json.loads((folder / "cut.json").read_text())["done"] == 2 and p.poll() is None:
            time.sleep(0.01)
        p.kill()
    ok(json.loads((folder / "cut.json").read_text())["done"] > 2, "kind: it is killed on the way, and keeps more than before")
    inside("--study", "whole.yaml", "-o", "cut.json", "--resume")
    ok((folder / "cut.json").read_bytes() == whole, "kind: killed and resumed, the same bytes")
    (folder / "cut.json").unlink()
    with subprocess.Popen([PROGRAM, "run", "whole.yaml", "-o", "cut.json"], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as p:
        while not (folder / "cut.json").exists() and p.poll() is None:
            time.sleep(0.01)
        p.terminate()
        said = p.communicate()[0]
    ok(p.returncode in (75, 1) and ("interrupted by SIGTERM" in said) == (p.returncode == 75), "kind: stopped by a signal", (p.returncode, said))


def extended(whole):
    """A smaller one that is extended has the bytes of the larger one."""
    inside("--study", "small.yaml")
    done = command("small.json", "whole.yaml", program="extend")
    ok((folder / "small.json").read_bytes() == whole, "kind: extended, the same bytes", done.stdout + done.stderr)
    for words, why in (
        (("run", "whole.yaml", "--part", "1/2"), "'--part' is nothing to a certify study"),
        (("submit", "whole.yaml", "--scheduler", "slurm", "--ranks", "2", "--hours", "1"), "certify studies have no trajectories"),
    ):
        done = command(*words[1:], program=words[0])
        ok(done.returncode == 2 and why in done.stderr, f"kind: {' '.join(words[:3])}", done.stdout + done.stderr)
    for study, why in (("long", "it is a quick certificate, of other states and steps"), ("other", "has heun in its methods, and this study does not")):
        done = inside("--study", f"{study}.yaml", "--extended", "whole.json")
        ok(done.returncode == 2 and why in done.stderr, f"kind: extend to {study}", done.stdout + done.stderr)


def test_forms():
    c = certificate.read(folder / "c.json")
    ok(c.as_json() == (folder / "c.json").read_text(), "forms: JSON is read and written alike")
    ok("| `fine` | 1 yes |" in page.markdown(c), "forms: Markdown", page.markdown(c))
    ok(page.latex(c).startswith("\\begin{tabular}{lc}") and "fine & 1 yes" in page.latex(c), "forms: LaTeX", page.latex(c))
    ok("1 of 3 confirmed" in page.badge(c), "forms: a badge", page.badge(c))


def test_figures():
    """A panel for each claim that has a curve; what is drawn is what the result has."""
    axes = {claim: p.axes for p in certificate.PROPERTIES for claim in p.claims}
    ok(all(a and claim in a.y for claim, a in axes.items()), "figures: every property has axes for its claims")
    claims = {"order": 2, "symplectic": 1, "symmetric": 1, "momentum": 1, "constraint": 1, "energy-bounded": 1, "stable": 0.1, "round-off": 1, "iterations": 2, "momentum-balance": 1}
    c = constella.certify("rattle", systems=["spherical-pendulum"], claims=claims)
    bare = [cell.claim for cell in c.cells if not cell.found.why and cell.claim not in ("energy", "dissipates") and not cell.found.curve.get("y")]
    ok(not bare and set(figures.panels(c, "rattle")) >= set(claims), "figures: each number has a curve behind it", bare)
    text = figures.figure(c, "rattle")
    ok(all(f"{claim}: {c.of('rattle', claim).verdict}" in text for claim in claims), "figures: each panel tells its verdict", page.text(c))
    kept = dataclasses.replace(c, cells=[certificate.Cell.read(json.loads(json.dumps(x.told()))) for x in c.cells])
    both = [json.dumps([certificate.plain(cell.found.curve) for cells in figures.panels(x, "rattle").values() for cell in cells]) for x in (c, kept)]
    ok(both[0] == both[1], "figures: the same from what is kept", both)
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    cell = figures.panels(c, "rattle")["order"][0]
    figures.draw(ax, axes["order"], "order", [cell], [0])
    lines = {line.get_linestyle(): line.get_ydata() for line in ax.get_lines()[:2]}
    ok(sorted(lines["-"]) == sorted(cell.found.curve["y"]) and sorted(lines[":"]) == sorted(cell.found.curve["floor"]), "figures: a curve and its floor", lines)
    slope = ax.get_lines()[2]
    ratio = np.log(slope.get_ydata()[1] / slope.get_ydata()[0]) / np.log(slope.get_xdata()[1] / slope.get_xdata()[0])
    ok(abs(ratio - 2) < 1e-9 and ax.texts[0].get_text() == "2", "figures: the claimed order is a slope", ratio)


def test_mistakes():
    (folder / "bad.yaml").write_text("steppers:\n  x: {pyton: 1}\n")
    (folder / "text.json").write_text("{}")
    (folder / "unnamed.yaml").write_text("layers:\n  mine: {a: [[0, 0], [1/2, 0]], b: [0, 1, 2]}\n")
    (folder / "number.yaml").write_text("layers: 3\n")
    (folder / "foreign.html").write_text("<p>mine</p>")
    for name, text in (("key", "method: 1"), ("method", "methods: [rattle, ratle]"), ("twice", "methods: [rattle, rattle]"), ("claim", "methods: [rattle]\nclaims: sympletic"), ("nothing", "title: x")):
        (folder / f"{name}.yaml").write_text(f"study: certify\n{text}\n")
    for words, wanted in (((), "needs methods"), (("rattle", "--quick", "--full"), "exclude"), (("ratle",), "did you mean 'rattle'")):
        done = command(*words)
        ok(done.returncode == 2 and wanted in done.stderr and not done.stdout, f"mistake: {' '.join(words) or 'nothing'}", done.stderr)
    for words, wanted in (
        (("rattle", "--claims", "sympletic"), 'did you mean "symplectic"'),
        (("rattle", "--claims", "order=two"), "no number"),
        (("rattle", "--claims", "order=2.5"), "whole"),
        (("rattle", "--claims", "stable=-1"), "positive"),
        (("rattle", "--claims", "symplectic=2"), "it has no number"),
        (("mine", "--with", "unnamed.yaml"), "unnamed.yaml:2"),
        (("--with", "number.yaml"), "number.yaml:1:9"),
        (("rattle", "-o", "foreign.html"), "no certificate foreign.json is beside it"),
        (("rattle", "--systems", "keppler"), "kepler"),
        (("rattle", "-o", "x.pdf"), ".json"),
        (("rattle", "-o", "text.json"), "no certificate"),
        (("rattle", "--full", "-o", "c.json"), "quick certificate"),
        (("--with", "none.yaml"), "none.yaml"),
        (("--with", "bad.yaml"), 'did you mean "python"'),
    ):
        done = inside(*words)
        ok(done.returncode == 2 and wanted in done.stderr and not done.stdout, f"mistake: {' '.join(words)}", done.stderr)
    done = command("key.yaml", program="run")
    ok(done.returncode == 2 and "key.yaml:2:1: error: unknown key 'method'" in done.stderr, "mistake: a key of a study", done.stderr)
    for name, wanted in (("method", "2:19: error"), ("twice", "2:19: error: 'rattle' appears twice"), ("claim", "3:9: error: unknown claim"), ("nothing", "1:1: error: nothing is to be measured")):
        done = inside("--study", f"{name}.yaml")
        ok(done.returncode == 2 and f"{name}.yaml:{wanted}" in done.stderr, f"mistake: {name} of a study", done.stderr)
    ok(refused(lambda: constella.certify("rattle", claims={"order": 0}), "whole number"), "mistake: order 0")


run_tests(globals())
