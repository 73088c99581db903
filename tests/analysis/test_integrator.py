#!/usr/bin/python3
"""test_integrator.py: constella.Integrator: the bits of `constella run`, batches, systems from texts, what can be
read, failures and messages. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import PENDULUM, folder, ok, refused, run_tests

import json
import os

import numpy as np

import constella
from constella import Integrator, System, library

METHODS = ("rattle", "midpoint", "gauss(2)", "compose(rattle, suzuki4)", "project(rk4)", "convert(rk4, bias=-0.5)")


def test_bits():
    """For each method the last q and p are those of a study."""
    study = {"study": "ensemble", "system": "double-pendulum", "end": 1.6, "steps": [0.05], "methods": list(METHODS)}
    (folder / "s.yaml").write_text(json.dumps(study))
    r = constella.run(str(folder / "s.yaml"), folder / "s.h5", progress=False)
    h = float(r.data("/cases/h")[0])
    n = int(r.data("/cases/n")[0])
    for case, method in enumerate(METHODS):
        x = Integrator("double-pendulum", method, h)
        for _ in range(4):
            x.step(n // 4)
        x.step(n - x.steps)
        ok(
            (x.q == r.data("/final/q")[case, 0]).all() and (x.p == r.data("/final/p")[case, 0]).all(),
            f"{method}: the bits of a study",
            (x.q, r.data("/final/q")[case, 0]),
        )


def test_state():
    x = Integrator("spherical-pendulum", "rattle", 0.01, parameters={"g": 2})
    before = x.energy
    ok(x.steps == 0 and x.t == 0 and x.step(10) is x and x.steps == 10 and abs(x.t - 0.1) < 1e-15, "steps and time")
    ok(isinstance(float(before), float) and abs(x.energy - before) < 1e-3 and x.parameters[x.system.parameters.index("g")] == 2, "energy, parameters")
    ok(max(x.residuals) < 1e-14 and x.multipliers.shape == (1,), "residuals, multipliers", x.residuals)
    map_ = list(x.momenta.values())
    ok(len(map_) == len(x.system.symmetries) > 0 and x.observe("x*y' - y*x'") == x.observe("x*y' - y*x'"), "momenta, observables")
    q, v = x.q, x.v
    back = Integrator(x.system, "rattle", -0.01, parameters={"g": 2}, q=q, v=v).step(10)
    start = x.system.state("default", x.parameters)
    ok(np.allclose(back.q, start[0], atol=1e-13) and np.allclose(back.v, start[1], atol=1e-13), "and back with -h", back.q)
    again = Integrator(x.system, "rattle", 0.01, q=start[0], p=x.start(*start).p)
    ok((again.p == x.p).all() and (again.q == start[0]).all(), "a start from momenta")
    ok("rattle on 1" in repr(x), "repr")


def test_batch():
    """Trajectories together have the bits of each alone."""
    x = Integrator("double-pendulum", "rattle", 0.02)
    q = np.array([[np.sin(a), -np.cos(a), 2 * np.sin(a), -2 * np.cos(a)] for a in (0.1, 0.2, 0.7)])
    q[:, 2:] = q[:, :2] * (1 + np.sqrt(2))
    all_ = Integrator(x.system, "rattle", 0.02, q=q).step(50)
    alone = [Integrator(x.system, "rattle", 0.02, q=row).step(50) for row in q]
    ok(all_.q.shape == (3, 4) and (all_.q == [a.q for a in alone]).all(), "a batch has the bits of each alone")
    ok(all_.energy.shape == (3,) and (all_.energy == [a.energy for a in alone]).all(), "and their energies")
    off = Integrator(x.system, "rattle", 0.02, trajectories=3).start(q + 1e-3, project=True)
    ok(len(off) == 3 and off.residuals[0].max() < 1e-13 and off.residuals[1].max() < 1e-13, "a start that is projected", off.residuals)


def test_texts():
    system = System(PENDULUM)
    ok(system.coordinates == ["x1", "y1", "x2", "y2"] and system.constraints == ["upper", "lower"] and system.states == ["default"], "names")
    (folder / "mine.yaml").write_text(PENDULUM)
    a, b = (Integrator(s, "rattle", 0.1).step(5).q for s in (system, folder / "mine.yaml"))
    ok((a == b).all(), "a text and its file")


def test_failures():
    x = Integrator("kepler", "rk4", 10.0, q=[1e-200, 0], v=[0, 0]).step(3)
    ok(list(x.failures) == [0] and "after" in x.failures[0], "a trajectory that cannot go on", x.failures)


def test_library():
    """The library is the one beside the program."""
    named = os.environ["CONSTELLA"]
    for place in ("bin", "lib"):
        (folder / "other" / place).mkdir(parents=True)
    (folder / "other/bin/constella").touch(0o755)
    os.environ["CONSTELLA"] = str(folder / "other/bin/constella")
    (folder / "other/lib/libconstella.so.0").touch()
    ok(library.path() == str(folder / "other/lib/libconstella.so.0"), "the library of an installed program", library.path())
    (folder / "other/bin/libconstella.so.0").touch()
    ok(library.path() == str(folder / "other/bin/libconstella.so.0"), "the library of a built program", library.path())
    os.environ["CONSTELLA"] = named


def test_messages():
    for what, do, words in (
        ("system", lambda: Integrator("keppler", "rattle", 0.1), ("keppler", "kepler")),
        ("text", lambda: System(PENDULUM.replace("g*(y1", "k*(y1")), ("unknown name 'k'", "6:")),
        ("method", lambda: Integrator("kepler", "ratle", 0.1), ("did you mean 'rattle'",)),
        ("unfit method", lambda: Integrator("kepler", "shake", 0.1), ("constraints",)),
        ("step", lambda: Integrator("kepler", "rattle", 0), ("step",)),
        ("parameter", lambda: Integrator("kepler", "rattle", 0.1, parameters={"muu": 1}), ('did you mean "mu"',)),
        ("state", lambda: Integrator("kepler", "rattle", 0.1, state="circle"), ('did you mean "circular"',)),
        ("shape", lambda: Integrator("kepler", "rattle", 0.1, q=[1, 2, 3]), ("2 coordinates", "(3,)")),
        ("shape of v", lambda: Integrator("kepler", "rattle", 0.1, q=[1, 2], v=[1]), ("v has the shape",)),
        ("both", lambda: Integrator("kepler", "rattle", 0.1, q=[1, 2], v=[1, 1], p=[1, 1]), ("not both",)),
        ("no q", lambda: Integrator("kepler", "rattle", 0.1, v=[1, 1]), ("need q",)),
        ("off the constraints", lambda: Integrator("planar-pendulum", "rattle", 0.1, q=[3, 1]), ("|g|",)),
        ("expression", lambda: Integrator("kepler", "rattle", 0.1).observe("x +"), ("x +",)),
        ("steps", lambda: Integrator("kepler", "rattle", 0.1).step(-1), ("-1 steps",)),
    ):
        ok(refused(do, *words), f"message: {what}")


run_tests(globals())
