#!/usr/bin/python3
"""test_result.py: the package `constella`: running studies, labelled and plain data, selections, expressions.
TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ORDER, called, folder, ok, order_study, refused, run_here, run_tests, sweep_study

import numpy as np

import constella
from constella import expressions, selection

order, sweep = order_study(), sweep_study()


def test_run():
    ok(
        order.kind == "order" and len(order.chosen) == 8 and order.complete,
        "run: a dict with a system as text",
        order,
    )
    ok(sweep.title == "A sweep" and sweep.failures == [], "run: a path")
    ok(
        refused(
            lambda: run_here({**ORDER, "methods": ["ratle"]}, "no.h5"),
            "did you mean 'rattle'",
        ),
        "run: mistakes in words",
    )
    ok(refused(lambda: constella.open(folder / "none.h5"), "No such file"), "open: a missing file in words")


def test_labelled():
    try:
        import pandas  # noqa: F401
        import xarray  # noqa: F401
    except ImportError:
        return
    chosen = order.error.sel(method="rattle").q
    ok(
        chosen.dims == ("step",) and np.array_equal(chosen.values, order.statistic("error", "q")[4:]),
        "labelled: error.sel(method=...)",
        chosen,
    )
    ok(
        sweep.largest.sel(method="rk4", L2=1.5, step=0.05).energy.shape == (),
        "labelled: a parameter is a coordinate",
    )
    ok(
        sweep.largest.energy.sel(step=0.049, method="nearest").step == 0.05,
        "labelled: nearest is still what xarray means by it",
    )
    ok(
        list(sweep.cases.method[:2]) == ["rattle", "rattle"] and len(sweep.select(where="L2 = 1").cases) == 4,
        "labelled: cases as a table",
    )
    called("export", file=sweep.path, output="x.nc")
    again = xarray.open_dataset(folder / "x.nc", engine="h5netcdf")
    ok(
        np.array_equal(again.energy_max.sel({"method": "rattle"}), sweep.largest.sel(method="rattle").energy),
        "netCDF: opened without glue",
    )
    track = xarray.open_dataset(folder / "x.nc", group="trajectories_0", engine="h5netcdf")
    ok(
        list(track.member) == [1, 3]
        and np.array_equal(track.x1[1], sweep.trajectory(0, 3)["x1"])
        and track.x1.units == "m",
        "netCDF: trajectories",
        track,
    )
    again.close(), track.close()


def test_plain():
    values, along = sweep.grid("largest", "energy")
    ok(
        values.shape == (3, 2, 2)
        and list(along) == ["L2", "method", "step"]
        and values[1, 0, 0] == sweep.statistic("largest", "energy")[4],
        "grid: axes without xarray",
        along,
    )
    ok(
        sweep.verdicts("energy")["rattle"].keys()
        == {f"L2 = {L}, h = {h}" for L in ("1", "1.5", "2") for h in (0.1, 0.05)},
        "verdicts: methods x sets",
        sweep.verdicts("energy"),
    )
    t = sweep.trajectory(4, 3)
    ok(
        t.member == 3 and np.allclose(t["x1^2 + y1^2"], 1, atol=1e-9) and t.parameters["L2"] == 1.5,
        "trajectory: an expression along it",
    )
    ok(
        refused(lambda: sweep.trajectory(0, 2), "1, 3 were"),
        "trajectory: a member that was not stored, in words",
    )
    ok(refused(lambda: order.trajectories(), "stores none"), "trajectory: none are stored, in words")


def test_selections():
    ok(
        list(sweep.select("rk4", "step < 0.1, L2 != 1").chosen) == [7, 11],
        "select: methods and conditions",
        sweep.select("rk4", "step < 0.1, L2 != 1").chosen,
    )
    ok(refused(lambda: sweep.select("rk5"), "did you mean", "rk4"), "select: an unknown method")
    ok(refused(lambda: sweep.select(where="L3 = 1"), 'no column "L3"'), "select: an unknown column")
    ok(refused(lambda: sweep.select(where="L2 = 9"), "there are: 1, 1.5, 2"), "select: nothing left")
    ok(
        selection.split("rattle, compose(rattle, suzuki4),{a: [[1/2]], b: [1]}")
        == ["rattle", "compose(rattle, suzuki4)", "{a: [[1/2]], b: [1]}"],
        "select: commas in brackets",
    )


def test_expressions():
    names = {"x": np.arange(3.0), "x'": np.ones(3), "y[2]": 5.0, "n": 2.0}
    ok(
        np.array_equal(expressions.evaluate("-x^2 + x'*y[n]", names), [5, 4, 1]),
        "expressions: powers, velocities, arrays",
    )
    ok(expressions.evaluate("sum(i, 1, 3, i^2) + atan2(0, 1)", names) == 14, "expressions: sums")
    for text in (
        "__import__('os')",
        "x.real",
        "lambda: 0",
        "(x",
        "x if x else 1",
        "open('a')",
        "'a'*9",
        "x[[0]]",
    ):
        ok(
            refused(lambda text=text: expressions.evaluate(text, names), text[:4]),
            f"expressions: {text} is refused",
        )


run_tests(globals())
