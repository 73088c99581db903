#!/usr/bin/python3
"""test_certify.py: right claims are confirmed and wrong ones refuted, of methods and of strangers' steppers; forms of a
certificate, what is kept, mistakes. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ENVIRONMENT, PROGRAM, folder, ok, refused, run_tests

import json
import pathlib
import subprocess

import numpy as np

import constella
from constella.certifying import certificate, page
from constella.certifying.maps import Stepper
from constella.certifying.property import CONFIRMED, OPEN, REFUTED

RK4 = "{a: [[0, 0, 0, 0], [1/2, 0, 0, 0], [0, 1/2, 0, 0], [0, 0, 1, 0]], b: [1/6, 1/3, 1/3, 1/6]}"
OFF = RK4.replace("[0, 1/2, 0, 0]", "[0.02, 0.48, 0, 0]")
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


def command(*words):
    return subprocess.run([PROGRAM, "certify", *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=280)


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
    again = command("--with", "with.yaml", "--systems", "henon-heiles", "-o", "c.md")
    ok((folder / "c.json").read_bytes() == before and again.stdout == done.stdout, "command: what is there is not measured again")
    done = command("rk4", "--systems", "henon-heiles", "--claims", "symplectic,order=4")
    ok(done.returncode == 1 and "1 claim refuted" in done.stdout, "command: status 1", done.stdout)


def test_forms():
    c = certificate.read(folder / "c.json")
    ok(c.as_json() == (folder / "c.json").read_text(), "forms: JSON is read and written alike")
    ok("| `fine` | 1 yes |" in page.markdown(c), "forms: Markdown", page.markdown(c))
    ok(page.latex(c).startswith("\\begin{tabular}{lc}") and "fine & 1 yes" in page.latex(c), "forms: LaTeX", page.latex(c))
    ok("1 of 3 confirmed" in page.badge(c), "forms: a badge", page.badge(c))


def test_mistakes():
    (folder / "bad.yaml").write_text("steppers:\n  x: {pyton: 1}\n")
    (folder / "text.json").write_text("{}")
    for words, wanted in (
        ((), "needs methods"),
        (("ratle",), "did you mean 'rattle'"),
        (("rattle", "--claims", "sympletic"), 'did you mean "symplectic"'),
        (("rattle", "--claims", "order=two"), "whole"),
        (("rattle", "--claims", "symplectic=2"), "only orders"),
        (("rattle", "--systems", "keppler"), "kepler"),
        (("rattle", "-o", "x.pdf"), ".json"),
        (("rattle", "-o", "text.json"), "no certificate"),
        (("rattle", "--full", "-o", "c.json"), "quick certificate"),
        (("rattle", "--quick", "--full"), "exclude"),
        (("--with", "none.yaml"), "none.yaml"),
        (("--with", "bad.yaml"), 'did you mean "python"'),
    ):
        done = command(*words)
        ok(done.returncode == 2 and wanted in done.stderr and not done.stdout, f"mistake: {' '.join(words) or 'nothing'}", done.stderr)
    ok(refused(lambda: constella.certify("rattle", claims={"order": 0}), "whole one"), "mistake: order 0")


run_tests(globals())
