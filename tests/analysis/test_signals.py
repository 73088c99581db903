#!/usr/bin/python3
"""test_signals.py: figures of frequencies, correlations, displacements, blobs, curves in space and final errors, by what
is in them, of small instances of jobs/frequencies. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import HERE, drawn, folder, lines, ok, refused, run_here, run_tests, texts

import shutil

import numpy as np

from constella import plot
from constella.plot.blob import area, is_curve, is_torn

JOBS = HERE.parents[1] / "jobs" / "frequencies"


def instance(name, *changes):
    """The result of a job with parts of its text replaced."""
    shutil.copy(JOBS / "free.yaml", folder)
    starts = (JOBS / "blob.csv").read_text().splitlines()
    (folder / "blob.csv").write_text("\n".join(starts[:3] + starts[3::5]) + "\n")
    text = (JOBS / f"{name}.yaml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / f"{name}.yaml").write_text(text)
    return run_here(folder / f"{name}.yaml", f"{name}.h5")


def test_frequencies():
    result = instance("henon-heiles", ("count: 91", "count: 10"), ("count: 60", "count: 4"), ("1638.4", "102.4"))
    fig = plot.frequencies(result)
    nu, halves = (result.data(f"/frequencies/x{e}")[0] for e in ("", "_halves"))
    shade = np.log10(np.abs(halves[:, 1] - halves[:, 0]) / np.abs(nu[:, 0]))
    mesh = fig.axes[0].collections[0].get_array()
    v, y = result.data("/frequencies/start_v")[0][:, 0], result.data("/frequencies/start_q")[0][:, 1]
    places = np.lexsort((y, v)).reshape(4, 10)
    ok(np.allclose(mesh.filled(np.nan).reshape(4, 10), shade[places], equal_nan=True), "frequencies: the drift over the starts", mesh)
    points = fig.axes[1].collections[0].get_offsets()
    other = result.data("/frequencies/y")[0][:, 0]
    good = np.isfinite(shade) & np.isfinite(other)
    mine = np.column_stack([nu[good, 0], other[good]])
    ok(np.allclose(np.sort(points, axis=0), np.sort(mine, axis=0)), "frequencies: one against the other")
    ok(0 < (~np.isfinite(nu[:, 0])).sum() < 40, "frequencies: none of orbits that escape")
    turned = plot.frequencies(result, x=["x'"], y=["y"], z=["y"])
    ok(turned.axes[0].get_xlabel() == r"$\dot{x}$" and len(turned.axes) >= 2, "frequencies: axes by name", turned.axes[0].get_xlabel())
    ok(refused(lambda: plot.frequencies(result, x=["x"]), "x"), "frequencies: a start that all have")
    ok(refused(lambda: plot.frequencies(result, z=["w"]), "w"), "frequencies: a wrong signal")
    ok(refused(lambda: plot.autocorrelation(result), "no autocorrelations"), "autocorrelation: none in the file")
    ok(refused(lambda: plot.displacement(result), "no mean square displacements"), "displacement: none in the file")


def test_lags():
    result = instance("diffusion", ("members: 512", "members: 16"), ("end: 400", "end: 100"))
    fig, root = plot.autocorrelation(result), "/autocorrelation/velocity"
    for case in range(2):
        t, c = (result.data(root + e)[case] for e in ("_lag", "_normalised"))
        ok(drawn(fig.axes[0], t, c), f"autocorrelation: case {case}")
    fig, root = plot.displacement(result), "/mean-square-displacement/way"
    for case in range(2):
        t, x = (result.data(root + e)[case][1:] for e in ("_lag", ""))
        ok(drawn(fig.axes[0], t, x), f"displacement: case {case}")
    slopes = [np.diff(np.log(y))[0] / np.diff(np.log(x))[0] for x, y in lines(fig.axes[0])[-2:]]
    ok(np.allclose(slopes, [2, 1]), "displacement: guides of the powers 2 and 1", slopes)
    ok(refused(lambda: plot.displacement(result, y=["way2"]), "'way2'; there are way"), "displacement: a wrong name")
    ok(refused(lambda: plot.frequencies(result), "no frequencies"), "frequencies: none in the file")
    swing = instance("thermostat", ("members: 256", "members: 4"), ("end: 400", "end: 40"))
    ok(len(plot.autocorrelation(swing).axes) == 2, "autocorrelation: a panel for each")


def test_blob():
    result = instance("blob")
    fig = plot.blob(result, x=["atan2(x, -y)"], y=["x*y' - y*x'"])
    found = [t.get_text() for t in fig.axes[2].texts]
    ok(len(fig.axes) == 3 and len(found) == 6, "blob: areas at six times", found)
    ok(np.allclose([float(x) for x in found], 1, atol=1e-2), "blob: RATTLE keeps them", found)
    grown = max(float(t.get_text()) for t in fig.axes[0].texts)
    ok(grown > 1.5, "blob: Euler's method does not", grown)
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = np.column_stack([2 + np.cos(angle), 3 * np.sin(angle)])
    ok(is_curve(circle) and abs(area(circle) / (3 * np.pi) - 1) < 1e-3, "blob: the area of an ellipse", area(circle))
    ok(not is_curve(np.random.default_rng(1).normal(size=(200, 2))), "blob: a cloud is no curve")
    wrapped = np.column_stack([np.mod(circle[:, 0], 2), circle[:, 1]])
    ok(is_torn(wrapped) and not is_torn(circle), "blob: a jump of an angle is seen")
    one = plot.blob(result, x=["x"], y=["y"], time=(2, 3), members=[0, 5, 9], methods=["rattle"])
    ok(len(one.axes) == 1 and not one.axes[0].texts, "blob: part of the time, one method")
    ok(refused(lambda: plot.blob(result, members=[0, 1]), "three members"), "blob: two members are no set")
    ok(refused(lambda: plot.blob(result, y=["y"], time=(7, 8), members=[0, 1, 2], methods=["rattle"]), "no stored time"), "blob: beyond the end")


SPACE = {
    "study": "conservation",
    "system": "spherical-pendulum",
    "end": 2,
    "steps": [0.1],
    "methods": ["rattle", "project(rk4)"],
    "trajectories": {"members": [0], "every": 1, "store": ["q", "v"]},
}


def test_space():
    result = run_here(SPACE, "space.h5")
    fig = plot.space(result)
    curves = [x for x, _ in lines(fig.axes[0]) if len(x) == 21]
    ok(len(fig.axes) == 2 and len(curves) == 1, "space: the path of the point, a panel a method", len(curves))
    named = plot.space(result, x=["x"], y=["y"], z=["z'"])
    ok(r"$\dot{z}$" in texts(named), "space: three expressions", texts(named))
    ok(refused(lambda: plot.space(result, x=["x"]), "three expressions"), "space: one expression is refused")
    top = run_here({**SPACE, "system": "euler-top", "methods": ["lie-rattle"]}, "top.h5")
    ok(len(plot.space(top).axes) == 1, "space: the axis of a body")


def test_errors():
    result = instance("errors", ("members: 2000", "members: 40"), ("end: 200", "end: 4"))
    fig = plot.errors(result)
    ok(len(fig.axes) == 4, "errors: two quantities of two methods", len(fig.axes))
    x = result.data("/observables/energy", "end")[1] - result.data("/observables/energy", "start")[1]
    ok(any(f"mean {x.mean():.2g}" in t for t in texts(fig)), "errors: the mean", texts(fig))
    curve = [y for a, y in lines(fig.axes[1]) if len(a) == 400][0]
    power = 10.0 ** -np.floor(np.log10(np.abs(x).max()))
    ok(np.isclose(curve.max(), 1 / (x.std(ddof=1) * power * np.sqrt(2 * np.pi)), rtol=1e-3), "errors: the normal curve", curve.max())
    ok(refused(lambda: plot.errors(result, y=["no"]), "'no'"), "errors: a wrong name")
    few = run_here({**SPACE, "initial": {"members": 3, "seed": 1, "spread": {"q": 0.1}}}, "few.h5")
    ok(refused(lambda: plot.errors(few), "8 members"), "errors: too few members")


run_tests(globals())
