#!/usr/bin/python3
"""test_honest.py: every kind of figure of thirty awkward results, measured: no curve leaves a panel without a
mark, no text overlaps another, is cut or too small, and a given width is kept. TAP.

Each result is drawn as some of the kinds, in turn; with CONSTELLA_TEST_ALL=1 as all of them, on the screen
and on paper.
"""
# SPDX-License-Identifier: BSD-2-Clause
from drawing import folder, make, ok, run_tests, sweep_study

import os
import shutil

import h5py
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import constella
import measure
import synthetic
from constella import lettering, plot
from constella.reading import ConstellaError

lettering.apply("png")  # as the commands do
ALL = bool(os.environ.get("CONSTELLA_TEST_ALL"))
LONG = "compose(convert(gauss(3), bias=-0.25), kahan-li8)"


def forty():
    return tuple(f"newmark(beta=0.25, gamma={0.5 + k / 100:.2f})" for k in range(40))


def times(path, name, rows, factor):
    """Multiply rows of all datasets with this last name."""
    with h5py.File(path, "a") as f:
        for where in (f"statistics/{name}", f"series/{name}/max", f"error/{name}"):
            if where in f:
                x = f[where][()]
                x[rows] = x[rows] * factor
                f[where][...] = x


def shout(name, factor):
    """Let the last method be `factor` above the others."""

    def change(path):
        with h5py.File(path) as f:
            methods = f["statistics/method"][()]
        rows = np.flatnonzero(methods == methods[-1])
        for quantity in (name, f"{name}_max", f"error_{name}", "error"):
            times(path, quantity, rows, factor)

    return change


def fill(value, *names):
    """Set datasets to a value."""

    def change(path):
        with h5py.File(path, "a") as f:
            for n in names:
                if n in f:
                    f[n][...] = value

    return change


TWO = {"methods": ("rattle", "rk4"), "slopes": (2, 4)}
AWKWARD = [  # name, kind, changes of the shape, change of the file
    ("one method 1e9 above", "conservation", TWO, shout("energy", 1e9)),
    ("one method 1e30 above", "conservation", TWO, shout("energy", 1e30)),
    ("a momentum 1e9 above", "conservation", {}, shout("rotation-z", 1e9)),
    ("errors 1e9 above", "order", TWO, shout("q", 1e9)),
    ("errors 1e200 above", "order", {}, shout("q", 1e200)),
    ("infinite energies", "conservation", TWO, shout("energy", np.inf)),
    ("no energies", "conservation", TWO, shout("energy", np.nan)),
    ("no errors of q", "order", TWO, fill(np.nan, "statistics/error_q", "error/q")),
    ("all energies zero", "conservation", TWO, fill(0.0, "series/energy/max", "statistics/energy_max")),
    ("errors zero", "order", TWO, fill(0.0, "statistics/error_q", "statistics/error_p")),
    ("one step", "order", {"steps": (0.1,)}, None),
    ("one point", "order", {"steps": (0.1,), "methods": ("rattle",), "slopes": (2,)}, None),
    ("one sample", "conservation", {"samples": 2, **TWO}, None),
    ("nine steps", "order", {"steps": tuple(0.1 / 2**k for k in range(9))}, None),
    ("steps of odd numbers", "order", {"steps": (0.123456, 0.0617289, 0.030864)}, None),
    ("seven methods", "conservation", {"methods": tuple(synthetic.MANY[:7]), "slopes": (2,) * 7}, None),
    ("fifteen methods", "order", {"methods": tuple(synthetic.MANY), "slopes": tuple(synthetic.MANY_SLOPES)}, None),
    ("fifteen methods, long", "conservation", {"methods": tuple(synthetic.MANY), "slopes": tuple(synthetic.MANY_SLOPES), "samples": 20}, None),
    ("forty methods", "order", {"methods": forty(), "slopes": (2,) * 40, "steps": (0.1, 0.05, 0.025)}, None),
    ("forty methods, long", "conservation", {"methods": forty(), "slopes": (2,) * 40, "steps": (0.1,), "samples": 10}, None),
    ("a long name", "conservation", {"methods": (LONG, "rattle"), "slopes": (2, 2), "title": "A study with a title of very many words " * 4}, None),
    ("three parameters", "conservation", {"lengths": (0.5, 1.0, 2.0), **TWO}, None),
    ("twelve parameters", "conservation", {"lengths": tuple(0.123456789 * k for k in range(1, 13)), "steps": (0.1, 0.05), **TWO}, None),
    ("twelve parameters, order", "order", {"lengths": tuple(1.0 / k for k in range(1, 13)), **TWO}, None),
    ("an ensemble", "ensemble", {"members": 30, **TWO}, None),
    ("an ensemble of fifteen", "ensemble", {"members": 8, "methods": tuple(synthetic.MANY), "slopes": tuple(synthetic.MANY_SLOPES), "steps": (0.1,)}, None),
    ("an ensemble that failed", "ensemble", {"members": 4, "failed": tuple((c, m, 1) for c in range(10) for m in range(4)), **TWO}, None),
    ("an ensemble with one left", "ensemble", {"members": 4, "failed": tuple((c, m, 2) for c in range(10) for m in range(3)), **TWO}, None),
    ("an outlier", "ensemble", {"members": 30, **TWO}, lambda path: outlier(path)),
    ("nothing run", "order", {"undone": 10, **TWO}, None),
    ("half run", "conservation", {"undone": 5, "state": "interrupted", **TWO}, None),
    ("long names of observables", "conservation", {"observables": ("energy", "angle-between-the-two-rods-of-the-arm"), **TWO}, None),
]  # fmt: skip


def outlier(path):
    with h5py.File(path, "a") as f:
        x = f["observables/energy"][()]
        x[:, 0, 1] = 1e6
        f["observables/energy"][...] = x


KINDS = {
    "order": ("order", "work", "work-energy", "constraint", "axes", "heat", "sweep"),
    "conservation": ("drift", "constraint", "signed-drift", "work-energy", "verdicts", "heat", "sweep"),
    "ensemble": ("ensemble", "ensemble-drift", "drift", "constraint"),
}
LOOKS = ({}, {"look": "paper", "width": 3.4}, {"look": "paper", "width": 7.0})


def plan():
    """[(number of the result, kind, look)]."""
    every = [
        (i, kind, look)
        for i, (_, study, *_) in enumerate(AWKWARD)
        for kind in KINDS[study]
        for look in LOOKS
    ]
    return every if ALL else every[:: len(every) // 24]


def test_figures():
    open_ = {}
    for i, kind, look in plan():
        name, study, changes, change = AWKWARD[i]
        if i not in open_:
            path = make(f"awkward-{i}", study, **changes)
            if change:
                change(path)
            open_ = {i: constella.open(path)}
        options = {"x": ["step"], "y": ["energy_max"]} if kind == "axes" else {}
        options = {"z": ["energy_max"]} if kind == "heat" else options
        try:
            fig = plot.figure(kind, open_[i], **look, **options)
        except ConstellaError as e:
            ok(e.message.startswith("nothing to draw"), f"{name}: {kind}: nothing to draw, in words", e)
            continue
        wrong = measure.faults(fig, look.get("width"))
        ok(not wrong, f"{name}: {kind} {look or ''}", "\n".join(wrong))


def motions(change):
    """Change all stored trajectories: change(states [time, coordinate], number of the case)."""

    def apply(path):
        with h5py.File(path, "a") as f:
            for case in f["trajectories"]:
                for name in ("q", "p", "lambda"):
                    data = f[f"trajectories/{case}/{name}"]
                    data[...] = np.stack([change(x.copy(), int(case)) for x in data[()]])

    return apply


def stopped(x, case):
    x[len(x) // 2 :] = np.nan
    return x


STORED = [  # name, change of the file of a sweep with trajectories
    ("as they are", None),
    ("stopped halfway", motions(stopped)),
    ("stopped at once", motions(lambda x, case: np.where(np.arange(len(x))[:, None] > 0, np.nan, x))),
    ("at rest", motions(lambda x, case: 0 * x + x[0])),
    ("one 1e9 above", motions(lambda x, case: x * (1e9 if case % 2 else 1))),
    ("tiny", motions(lambda x, case: 1e-12 * x)),
    ("without averages", fill(np.nan, "statistics/angle_average", "statistics/energy_average")),
    ("no counts", fill(0, "histograms/angles")),
]
MOTION = ("trajectory", "phase", "configuration", "multipliers", "mechanism", "averages", "histograms")


def test_motions():
    sweep = sweep_study()
    plan = [(name, change, kind, look) for name, change in STORED for kind in MOTION for look in LOOKS]
    for name, change, kind, look in plan if ALL else plan[:: len(plan) // 10]:
        path = folder / f"{name}.h5"
        if not path.exists():
            shutil.copy(sweep.path, path)
            if change:
                change(path)
        try:
            fig = plot.figure(kind, path, **look)
        except ConstellaError as e:
            ok("nothing" in e.message or "no " in e.message, f"stored, {name}: {kind}: in words", e)
            continue
        wrong = measure.faults(fig, look.get("width"))
        ok(not wrong, f"stored, {name}: {kind} {look or ''}", "\n".join(wrong))


def test_measures():
    """The measures find what they are for."""
    fig = Figure(figsize=(3, 3))
    FigureCanvasAgg(fig)
    ax = fig.add_axes([0.2, 0.2, 0.6, 0.6])
    ax.plot([0, 1], [0, 5], zorder=3)
    ax.set_ylim(0, 1)
    ax.text(0.5, 0.5, "here"), ax.text(0.52, 0.5, "there"), fig.text(0.9, 0.5, "out of the figure")
    ax.text(0.1, 0.9, "tiny", fontsize=2)
    fig.canvas.draw()
    ok(len(measure.unmarked(fig)) == 1, "a line that leaves its panel is found")
    ok(any("here" in w and "there" in w for w in measure.overlapping(fig)), "texts that overlap are found")
    ok(any("out of" in w for w in measure.cut(fig)), "a text that is cut is found")
    ok(any("tiny" in w for w in measure.small(fig)), "a text that is too small is found")
    ok(measure.faults(fig, 3.5)[-1].startswith("is 3.000 inches"), "a wrong width is found")


run_tests(globals())
