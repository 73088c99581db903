#!/usr/bin/python3
"""test_explain.py: a constructed case of each cause of a drift, the page that reads them, mistakes. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import folder, main, ok, program, run_tests

import contextlib
import hashlib
import io
import json
import pathlib
import sys

import h5py

import constella
from constella.explaining import cause, chart

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs/explaining"))
import causes

SPRING = """system: spring
coordinates: [x, y]
mass: [1, 1]
potential: 50*x^2 + 0.5*y^2 + 2*x^3
states: {default: {q: [0.1, 1], v: [0, 0]}}
"""
OSCILLATOR = """system: spring
coordinates: [x]
mass: [1]
potential: 0.5*x^2
states: {default: {q: [1], v: [0]}}
"""
RESONANT = """system: resonant
coordinates: [x, y]
mass: [1, 1]
potential: x^2/2 + 200*y^2 + 40*y^3 + 0.5*x*y^2
states: {default: {q: [0.5, 0.25], v: [0, 0]}}
"""
SPREAD = {"members": 8, "seed": 7, "spread": {"q": 0.01, "v": 0.05}}
CASES = {  # {cause: study}
    "truncation": {"system": "double-pendulum", "end": 200, "steps": [0.1], "methods": ["project(rk4)"]},
    "solver": {"system": "double-pendulum", "end": 200, "steps": [0.2], "methods": ["compose(rattle, suzuki4)"], "solver": {"tolerance": 1e-6}},
    "round-off": {"system": {"file": OSCILLATOR}, "end": 10000, "steps": [0.2], "methods": ["hbvm(k=4, s=2)"]},
    "resonance": {"system": {"file": SPRING}, "end": 1000, "steps": {"counts": [7071]}, "methods": ["rattle"]},
    "wrong root": {"system": "double-pendulum", "end": 200, "steps": [0.8], "methods": ["rattle"]},
    "instability": {"system": {"file": RESONANT}, "end": 100, "steps": {"counts": [1155]}, "methods": ["euler-a"]},  # explicit
}


def explain(name, *words):
    return program("explain", name, *words)


def test_causes():
    for cause, study in CASES.items():
        name = cause.replace(" ", "-") + ".h5"
        whole = {"study": "conservation", "initial": SPREAD, "observables": ["energy"], "samples": {"count": 0}, **study}
        with contextlib.chdir(folder):
            constella.run(whole, name, progress=False)
        before = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        done = explain(name, "--budget", "3s")
        rows = [line for line in done.stdout.splitlines() if " energy " in line]
        ok(done.returncode == 0 and rows and f"  {cause}  " in rows[0], f"causes: {cause}", done.stdout + done.stderr)
        ok(hashlib.sha256((folder / name).read_bytes()).hexdigest() == before, f"causes: {name} keeps its bytes")
        if rows:
            with h5py.File(folder / name.replace(".h5", ".explain.h5")) as f:
                told = json.loads(f.attrs["causes"])
                ok(told[0]["cause"] == cause and "map_0/statistics/energy_slope" in f, f"causes: the map of {cause} is kept", told)


def test_sums_of_sums():
    """Round-off of a method that keeps no constraints: no step changes it. Truncation of an order that is lost is none."""
    cases = (("round-off", (1.0, 1.2, 1.7), 6e-11), ("open", (1.0, 1.2, 1.7), 6e-8), ("truncation", (1.0, 0.5, 0.25), 6e-11))
    for word, rates, largest in cases:
        points = [cause.Point(0.1 * f, 1e-14, 5e-14 * x, 1e-14, largest, 1.0, 20000 / f) for f, x in zip((1, 0.5, 0.25), rates)]
        found = cause.explain(points, 0.1, 1e-14)
        ok(found.word == word, f"sums of sums: {word}", found)


def test_exact():
    """A change of round-off that falls as a power of the step: of a method that claims to keep it, it is round-off."""
    for word, exact in (("truncation", False), ("round-off", True)):
        points = [cause.Point(0.1 * f, 1e-14, 1e-18 * f**3.4, 1e-19 * f**3.4, 5e-15, 1.0, 5000 / f, exact=exact) for f in (1, 0.5, 0.25)]
        found = cause.explain(points, 0.1, 1e-14)
        ok(found.word == word, f"exact: {word}", found)
    (folder / "quartic.yaml").write_text(OSCILLATOR.replace("0.5*x^2", "x^4/4"))
    (folder / "of-map.yaml").write_text(json.dumps({"system": {"file": "quartic.yaml"}, "schemes": {"mine": [0.5, 0.5]}}))
    system, methods = chart.named(["hbvm(k=6, s=2)", "compose(rattle, mine)"], folder / "of-map.yaml")
    kept = {m: chart.exact(system, x) for m, x in methods.items()}
    ok(kept == {"hbvm(k=6, s=2)": {"energy"}, "compose(rattle, mine)": set()}, "exact: by what methods claim", kept)


def test_constructed():
    """What no step changes: forces, a heat bath, constraints that end; and a layer in a file beside the study."""
    for name in ("sign-of-drag", "noise", "out-of-reach", "wrong-weight"):
        right, case = causes.CASES[name]
        word, said = causes.told(case, "2s")
        ok(word == right, f"constructed: {name}", (word, said))
    points = [cause.Point(0.1 * f, 1e-14, rate, 1e-9, 0.1, 1.0, 1000 / f) for f, rate in ((1, 1e-3), (0.5, 1.01e-3), (0.25, 1.2e-3))]
    ok(cause.explain(points, 0.1, 1e-14).word == "open", "constructed: a rate that changes is not that of the motion")


def test_leap():
    """An explicit step leaps, and has no other root."""
    for word, solves in (("wrong root", True), ("instability", False)):
        found = cause.explain([cause.Point(0.1, 1e-14, 1.0, 0.1, 1.0, 1.0, 1000, leap=0.5, solves=solves)], 0.1, 1e-14)
        ok(found.word == word, f"leap: {word}", found)


def test_page():
    """The page reads what is kept beside the file, if it is of this very result."""
    from constella import page

    with constella.open(folder / "truncation.h5") as r:
        text = page.causes(r)
        ok("truncation" in text and "h^5" in text, "page: the cause", text)
        ok(not chart.kept(folder / "truncation.h5", "another run"), "page: not of another run")


def test_mistakes():
    with contextlib.chdir(folder):
        constella.run({"study": "order", "system": "kepler", "end": 1, "steps": [0.1], "methods": ["rattle"], "reference": {"method": "gauss(4)", "step": 0.1}}, "order.h5", progress=False)
    for words, wanted in ((("order.h5",), "an order study"), (("none.h5",), "none.h5"), (("truncation.h5", "--methods", "rattle"), "rattle"), (("truncation.h5", "--budget", "x"), "--budget")):
        given = [f"file={words[0]}", *(f"{k[2:]}={v}" for k, v in zip(words[1::2], words[2::2]))]
        with contextlib.chdir(folder), contextlib.redirect_stderr(io.StringIO()) as said:
            code = main(["explain", *given])
        ok(code == 2 and wanted in said.getvalue(), f"mistake: {' '.join(words)}", said.getvalue())


run_tests(globals())
