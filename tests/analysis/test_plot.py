#!/usr/bin/python3
"""test_plot.py: figures by what is in them: the data of lines, limits, texts, colours; and the package that draws them. TAP.

Two small real studies of the double pendulum, with trajectories, and made-up files.
"""
# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "analysis")]

try:
    import h5py  # noqa: F401
    import matplotlib
    import numpy as np
except ImportError as e:
    print(f"1..0 # SKIP no Python module {e.name}")
    sys.exit(0)

import constella  # noqa: E402
import synthetic  # noqa: E402
from constella import animation, expressions, latex, mechanism, plot, selection, style  # noqa: E402
from constella.commands import main  # noqa: E402
from constella.plot.work import rising  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
os.environ["CONSTELLA"] = PROGRAM
count = failed = 0


def ok(condition, name, detail=""):
    global count, failed
    count += 1
    failed += not condition
    print(f"{'ok' if condition else 'not ok'} {count} - {name}")
    if not condition and detail is not None:
        print("\n".join(f"# {line}" for line in str(detail)[:2000].splitlines()))


def refused(do, *words):
    """Whether it raises a ConstellaError whose text has these words."""
    try:
        do()
    except constella.ConstellaError as e:
        return all(w in str(e) for w in words)
    return False


def solid(ax):
    """The lines of a panel that have a label of data: (x, y)."""
    return [(line.get_xdata(), line.get_ydata()) for line in ax.lines]


def drawn(ax, x, y):
    """Whether a line of the panel goes through exactly these points."""
    return any(
        len(a) == len(x) and np.allclose(a, x) and np.allclose(b, y, rtol=1e-9, atol=0) for a, b in solid(ax)
    )


def texts(fig):
    return [t.get_text() for ax in fig.axes for t in ax.texts]


# ---- the two studies

PENDULUM = """system: pendula
coordinates: [x1, y1, x2, y2]
units: {time: s, x1: m, y1: m, x2: m, y2: m, energy: J}
parameters: {g: 1, L1: {default: 1, unit: m}, L2: {default: 1.5, unit: m}}
mass: [1, 1, 1, 1]
potential: g*(y1 + y2)
constraints:
  upper: x1^2 + y1^2 - L1^2
  lower: 2*((x2 - x1)^2 + (y2 - y1)^2) - 2*L2^2
states:
  default: {q: [0, -L1, 0.6*L2, -L1 - 0.8*L2], v: [0, 0, 0, 0]}
"""
ORDER = {
    "study": "order",
    "system": PENDULUM,
    "end": 1,
    "steps": {"from": 0.1, "halvings": 3},
    "methods": ["shake", "rattle"],
    "reference": {"method": "gauss(4)", "step": 0.05},
}
SWEEP = {
    "study": "conservation",
    "title": "A sweep",
    "system": PENDULUM,
    "end": 20,
    "steps": [0.1, 0.05],
    "methods": ["rattle", "rk4"],
    "observables": ["energy", "constraint", "angle: atan2(x1, -y1)"],
    "trajectories": {"members": [1, 3], "every": 2},
    "burn-in": 0.1,
    "histograms": [{"name": "angles", "expression": "atan2(x1, -y1)", "from": -2, "to": 2, "bins": 8}],
    "initial": {"members": 4, "seed": 1, "around": "default", "spread": {"q": 0.01, "v": 0.01}},
}


def studies():
    """Both, through the package: a dict with the text of a system in it, and one whose parameters are swept, from a file."""
    order = constella.run(ORDER, folder / "order.h5", progress=False)
    (folder / "pendula.yaml").write_text(PENDULUM)
    swept = {**SWEEP, "system": {"file": str(folder / "pendula.yaml"), "parameters": {"L2": [1.0, 1.5, 2.0]}}}
    (folder / "sweep.yaml").write_text(json.dumps(swept))
    return order, constella.run(folder / "sweep.yaml", folder / "sweep.h5", progress=False)


# ---- the package


def test_run():
    ok(
        order.kind == "order" and len(order.chosen) == 8 and order.complete,
        "run: a dict with a system as text",
        order,
    )
    ok(sweep.title == "A sweep" and sweep.failures == [], "run: a path")
    ok(
        refused(
            lambda: constella.run({**ORDER, "methods": ["ratle"]}, folder / "no.h5", progress=False),
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
    main(["export", sweep.path, "-o", str(folder / "x.nc")])
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
    ok(refused(lambda: sweep.select(where="L2 = 9"), "no case is left"), "select: nothing left")
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


# ---- figures, each by what is in it


def test_order():
    fig = plot.order(order)
    e, h = order.statistic("error", "q"), order.steps
    ok(drawn(fig.axes[0], h[4:], e[4:]) and len(fig.axes) == 3, "order: the errors of q are a line")
    ok(
        "shake lies under rattle" in texts(fig) and texts(fig).count("shake lies under rattle") == 1,
        "order: a line that is covered is told",
        texts(fig),
    )
    slopes = [np.diff(np.log(y))[0] / np.diff(np.log(x))[0] for x, y in solid(fig.axes[1]) if len(x) == 2]
    ok(
        any(abs(s - 1) < 1e-6 for s in slopes) and any(abs(s - 2) < 1e-6 for s in slopes),
        "order: guides of slopes 1 and 2",
        slopes,
    )
    for ax in fig.axes[:2]:
        inside = [t for t in ax.texts if t.get_text().startswith("$h^")]
        ok(
            inside and all(0 <= t.xy[0] <= 1 and 0.03 <= t.xy[1] <= 1 for t in inside),
            "order: every guide has its name, inside the panel",
            [t.xy for t in inside],
        )
    box = fig.get_window_extent(fig.canvas.get_renderer())
    out = [
        a
        for ax in fig.axes
        for a in (ax.xaxis, ax.yaxis, *fig.legends)
        if not contains(box, a.get_tightbbox(fig.canvas.get_renderer()))
    ]
    ok(not out, "order: nothing is cut at the edge", out)


def contains(box, inner):
    return inner is None or (
        inner.x0 >= box.x0 - 1
        and inner.x1 <= box.x1 + 1
        and inner.y0 >= box.y0 - 1
        and inner.y1 <= box.y1 + 1
    )


def test_on_axes():
    fig = matplotlib.figure.Figure()
    axes = fig.subplots(1, 3)
    ok(
        plot.order(order, ax=axes, methods=["rattle"]) is fig
        and drawn(axes[0], order.steps[4:], order.statistic("error", "q")[4:]),
        "given axes: drawn on",
    )
    ok(
        refused(lambda: plot.order(order, ax=axes[:2]), "1 x 3 panels; 2 axes"),
        "given axes: their number is told",
    )


def test_paper():
    fig = plot.order(order, style="paper")
    ok(abs(fig.get_figwidth() - style.PAGE) < 1e-9 and not fig.texts, "paper: the width of a page, no title")
    sizes = {t.get_fontsize() for ax in fig.axes for t in ax.get_xticklabels()}
    ok(sizes == {7.0}, "paper: seven points", sizes)
    ok(
        abs(plot.work(order, style="paper", width=5.0).get_figwidth() - 5.0) < 1e-9,
        "paper: a width of one's own",
    )


def test_work():
    fig = plot.work(order)
    ok(
        [ax.get_xlabel().split()[0] for ax in fig.axes] == ["evaluations", "iterations", "CPU"],
        "work: three measures",
        [ax.get_xlabel() for ax in fig.axes],
    )
    n, per = order.data("/cases/n")[4:], order.statistic("evaluations")[4:]
    ok(drawn(fig.axes[0], n * per, order.statistic("error", "total")[4:]), "work: error against evaluations")
    curves = [
        x
        for line in fig.axes[2].lines
        for x in [line.get_xdata()]
        if line.get_linestyle() == "-" and len(x) > 1
    ]
    ok(curves and all((np.diff(x) >= 0).all() for x in curves), "work: time does not run backwards")
    ok(
        np.allclose(rising(np.array([1.0, 4.0, 2.0, 8.0])), [1, 2, 2, 8]),
        "work: a time is not longer than that of a smaller step",
    )
    with synthetic_result(
        "flat",
        "order",
        methods=("compose(rattle, kahan-li6)",),
        slopes=(6,),
        steps=tuple(0.1 / 2**k for k in range(9)),
    ) as r:
        hollow = [line for line in plot.work(r).axes[0].lines if line.get_markerfacecolor() == "white"]
        e = r.statistic("error", "total")
        ok(
            len(hollow) == 1
            and 2 <= len(hollow[0].get_ydata()) < 8
            and max(hollow[0].get_ydata()) < 1e-10 < e[0],
            "work: round-off is hollow",
            hollow[0].get_ydata(),
        )


def synthetic_result(name, kind, **changes):
    path = folder / f"{name}.h5"
    synthetic.build(path, kind, **changes)
    return constella.open(path)


def test_drift():
    fig = plot.drift(sweep)
    t, x = sweep.time_series("energy", 0)
    ok(
        len(fig.axes) == 2 and drawn(fig.axes[0], t, np.maximum.accumulate(np.abs(x))),
        "drift: the largest so far; the angle, which moves, is not drawn",
        len(fig.axes),
    )
    ok(
        fig.axes[0].get_ylabel().endswith("[J]") and fig.axes[0].get_xlabel() == "time $t$ [s]",
        "drift: units",
        fig.axes[0].get_xlabel(),
    )
    ok(len(plot.drift(sweep, y=["angle"]).axes) == 2, "drift: unless it is asked for")
    fig = plot.signed_drift(sweep, where="L2 = 1")
    x = sweep.data("/windows/energy")[1].mean(axis=0)
    ok(
        drawn(fig.axes[0], 20 * (np.arange(64) + 0.5) / 64 * sweep.statistic("end")[1] / 20, x),
        "signed drift: the means of the windows, with their sign",
    )
    ok(any(c.get_label() == "limit" for c in fig.axes[0].collections), "signed drift: its limit")


def test_constraint():
    fig = plot.constraint(order)
    ok(
        drawn(fig.axes[0], order.steps[4:], order.statistic("largest", "constraint_scaled")[4:]),
        "constraint: of an order study against the step",
    )
    ok(plot.constraint(sweep).axes[-1].get_xlabel().startswith("time"), "constraint: of a long run over time")


def test_motion():
    t = sweep.select(cases=[1]).trajectory(1, 1)
    fig = plot.trajectory(sweep, y=["x1", "x1^2 + y1^2"])
    ok(
        drawn(fig.axes[0], t.t, t["x1"]) and fig.axes[0].get_ylabel() == "x1 [m]",
        "trajectory: x(t), with its unit",
        fig.axes[0].get_ylabel(),
    )
    ok(all(np.allclose(y, 1, atol=0.05) for _, y in solid(fig.axes[1])), "trajectory: an expression")
    ok(
        max(x.max() for x, _ in solid(plot.trajectory(sweep, time=(0, 5)).axes[0])) <= 5,
        "trajectory: a part of it",
    )
    fig = plot.phase(sweep, x=["x2"], y=["p_x2"], members=[3])
    three = sweep.trajectory(1, 3)
    ok(
        len(fig.axes) == 2 and drawn(fig.axes[0], three["x2"], three["p_x2"]),
        "phase: two expressions, a panel a method",
    )
    fig = plot.configuration(sweep)
    ok(
        drawn(fig.axes[0], t["x2"], t["y2"]) and fig.axes[0].get_aspect() == 1,
        "configuration: the path of a point, on equal scales",
    )
    fig = plot.multipliers(sweep)
    ok(
        drawn(fig.axes[0], t.t, t["lambda_upper"]) and "lambda" in fig.axes[0].get_ylabel(),
        "multipliers",
        fig.axes[0].get_ylabel(),
    )


def test_mechanism():
    shape = mechanism.of(sweep, 1)
    ok(
        [(n, a, b if isinstance(b, str) else list(b)) for n, a, b in shape.rods]
        == [("upper", "1", [0, 0, 0]), ("lower", "1", "2")],
        "mechanism: rods from the constraints",
        shape.rods,
    )
    ax = plot.mechanism(sweep).axes[0]
    rods = [line for line in ax.lines if (line.get_gid() or "").startswith("rod")]
    lengths = {
        line.get_gid(): round(float(np.hypot(np.diff(line.get_xdata()), np.diff(line.get_ydata()))[0]), 9)
        for line in rods
    }
    ok(
        lengths == {"rod upper": 1.0, "rod lower": 1.0},
        "mechanism: rods have their lengths in the picture",
        lengths,
    )
    ok(sum(line.get_gid() == "anchor" for line in ax.lines) == 1, "mechanism: the anchor")
    page = animation.page(sweep, members=[3])
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    t = sweep.trajectory(1, 3)
    ok(
        np.allclose([f[1][:2] for f in data["points"]], np.stack([t["x2"], t["y2"]], 1), atol=1e-5)
        and data["rods"] == [[0, 2], [0, 1]],
        "animation: the states are in the page",
    )
    ok(not re.search(r"https?:|src=|url\(|import ", page), "animation: asks for nothing from outside")
    ok(
        refused(lambda: mechanism.of(FakeAngles(), 0), "neither points"),
        "mechanism: angles are refused in words",
    )


class FakeAngles:
    description = "system: a\ncoordinates: [theta]\n"

    def data(self, path):
        return np.array(["theta"], dtype=object) if path == "/coordinate" else None


def test_parts_of_mechanisms():
    points = mechanism.points_of(["Ox[1]", "Oy[1]", "Oz[1]", "Ox[2]", "Oy[2]", "Oz[2]", "theta"])
    ok(
        points == {"O[1]": ["Ox[1]", "Oy[1]", "Oz[1]"], "O[2]": ["Ox[2]", "Oy[2]", "Oz[2]"]},
        "points: arrays in space",
        points,
    )
    names = [f"R{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
    found = mechanism.bodies_of(
        [*names, "x", "y", "z"],
        {"b": {"rotation": "R", "centre": ["x", "y", "z"]}},
        points := mechanism.points_of(["x", "y", "z"]),
    )
    ok(
        found == {"R": (names, "x")} and points == {"x": ["x", "y", "z"]},
        "bodies: nine entries and a centre",
        found,
    )
    rail = mechanism.read_rod(
        mechanism.Shape("2*y - 3*h", {}, ["x", "y"], {"h": 2.0}), {"x": ["x", "y", None]}
    )
    ok(
        rail[0] == "rail" and np.allclose(rail[2], [0, 1, 0]) and abs(rail[3] - 3) < 1e-9,
        "rails: y = 3",
        rail,
    )
    ok(
        mechanism.read_rod(mechanism.Shape("x^2/4 + y^2 - 1", {}, ["x", "y"], {}), {"x": ["x", "y", None]})
        is None,
        "rods: an ellipse is none",
    )


def test_sweep():
    fig = plot.sweep(sweep, y=["energy_max"])
    e = sweep.statistic("largest", "energy")
    ok(
        drawn(fig.axes[0], [1, 1.5, 2], e[1::4]) and fig.axes[0].get_xlabel() == "L2 [m]",
        "sweep: a statistic against the parameter, at the finest step",
        fig.axes[0].get_xlabel(),
    )
    fig = plot.heat(sweep, z=["energy_max"])
    image = fig.axes[0].images[0]
    ok(
        np.allclose(image.get_array(), [e[0::4], e[1::4]]) and len(fig.axes) == 2,
        "heat: parameter x step, a panel a method",
        image.get_array(),
    )
    rgb = image.cmap(image.norm(image.get_array()))
    ok(rgb[0, 0].tolist() != rgb[1, 0].tolist(), "heat: colours differ")
    fig = plot.verdicts(sweep, y=["energy"])
    cells = [t.get_text() for t in fig.axes[0].texts]
    ok(
        cells[:6] == list(sweep.verdicts("energy")["rattle"].values()) and len(cells) == 12,
        "verdicts: a matrix",
        cells,
    )
    ok(refused(lambda: plot.sweep(order), "nothing is swept"), "sweep: of nothing, in words")


def test_columns():
    fig = plot.axes(sweep, x=["step"], y=["displacement"])
    ok(
        drawn(fig.axes[0], sweep.steps[[0, 1]], sweep.statistic("largest", "displacement")[[0, 1]]),
        "axes: any two columns",
    )


def test_spread():
    with synthetic_result(
        "members", "ensemble", members=30, steps=(0.1,), methods=("rattle",), slopes=(2,)
    ) as r:
        fig = plot.ensemble(r, y=["energy"])
        ends = r.members("energy", 0, "end")
        bars = [c for c in fig.axes[0].containers if hasattr(c, "has_xerr") and c.has_xerr]
        (segment,) = bars[0].lines[2][0].get_segments()
        wanted = 2 * ends.std(ddof=1) / np.sqrt(30)
        ok(
            abs((segment[1][0] - segment[0][0]) / 2 - wanted) < 1e-12,
            "ensemble: two standard errors beside the mean",
            segment,
        )
        x, y = solid(plot.ensemble_drift(r, y=["energy"]).axes[0])[0]
        ok(
            y[0] == 0 and y[-1] == 1 and np.isclose(x[-1], r.members("energy", 0, "drift").max()),
            "ensemble-drift: shares from 0 to 1",
        )


def test_averages():
    fig = plot.averages(sweep, y=["angle"], where="L2 = 1")
    mean, error = sweep.statistic("average", "angle"), sweep.statistic("average-error", "angle")
    bars = [c for c in fig.axes[0].containers if getattr(c, "has_yerr", False)]
    points = bars[0].lines[0].get_ydata()
    ok(np.allclose(points, mean[:2]), "averages: the means", points)
    heights = [np.ptp(s, axis=0)[1] / 2 for s in bars[0].lines[2][0].get_segments()]
    ok(
        np.allclose(heights, np.nan_to_num(error[:2]), rtol=1e-6, atol=1e-12),
        "averages: their standard errors",
        (heights, error[:2]),
    )
    fig = plot.histograms(sweep, where="L2 = 1", methods=["rattle"])
    edges, density, error = sweep.histogram("angles", 0)
    (stairs,) = [p for p in fig.axes[0].patches if hasattr(p, "get_data")]
    ok(
        np.array_equal(stairs.get_data().values, density) and np.array_equal(stairs.get_data().edges, edges),
        "histograms: the density",
    )
    (bars,) = [c for c in fig.axes[0].containers if getattr(c, "has_yerr", False)]
    heights = [np.ptp(s, axis=0)[1] / 2 for s in bars.lines[2][0].get_segments()]
    ok(np.allclose(heights, error[np.isfinite(error)]), "histograms: error bars", heights)
    fig = plot.work_energy(sweep, where="L2 = 1")
    ok(
        drawn(
            fig.axes[0],
            (sweep.data("/cases/n") * sweep.statistic("evaluations"))[:2],
            sweep.statistic("largest", "energy")[:2],
        ),
        "work-energy: the change of the energy",
    )


def test_many_methods():
    with synthetic_result(
        "many",
        "order",
        methods=tuple(synthetic.MANY),
        slopes=tuple(synthetic.MANY_SLOPES),
        steps=(0.1, 0.05, 0.025),
        samples=10,
    ) as r:
        fig = plot.order(r)
        ok(len(fig.axes) == 9 and len(fig.legends) == 3, "fifteen methods: three rows of five", len(fig.axes))
        tones = {line.get_color() for line in fig.axes[0].lines if line.get_marker() not in ("", "None")}
        ok(len(tones) == 5, "fifteen methods: no colour twice in a panel", tones)
        ok(
            all(len(c.get_segments()) == 10 for c in fig.axes[0].collections),
            "fifteen methods: the others behind, in grey",
        )


# ---- exports, the command


def test_latex():
    text = latex.wide(order)
    rows = [line for line in text.splitlines() if line.startswith("$0.")]
    ok(
        text.count(r"\multicolumn{2}{c}") == 2 and r"\toprule" in text and len(rows) == 4,
        "LaTeX: steps down, methods across",
        text,
    )
    widths = {line.count("&") for line in text.splitlines() if line.endswith(r"\\")}
    ok(widths == {2, 4}, "LaTeX: as many cells in every row", widths)
    ok(
        text.count("{") == text.count("}") and text.count("$") % 2 == 0 and r"\mathrm{err}_{q}" in text,
        "LaTeX: balanced, headers in mathematics",
    )
    ok(
        abs(
            float(re.search(r"\$([\d.]+)\\cdot10\^\{(-?\d+)\}", rows[0])[1])
            - float(f"{order.statistic('error', 'q')[0]:.2e}"[:4])
        )
        < 1e-9,
        "LaTeX: the numbers",
        rows[0],
    )


def test_command():
    out = folder / "figure.png"
    said = io.StringIO()
    code = main(["plot", order.path, "order", "--methods", "rattle", "-o", str(out)])
    pixels = matplotlib.image.imread(out)[..., :3]
    tone = np.array(matplotlib.colors.to_rgb(style.COLOURS[0]))
    ok(
        code == 0 and (np.abs(pixels - tone).max(axis=2) < 0.02).sum() > 500,
        "plot: the colour of the method is in the pixels",
    )
    main(["export", order.path, "-o", str(folder / "x.csv"), "--columns", "method,error_q"])
    lines = (folder / "x.csv").read_text().splitlines()
    ok(
        lines[0] == "method,error_q" and float(lines[8].split(",")[1]) == order.statistic("error", "q")[7],
        "export: CSV with all digits",
        lines,
    )
    for arguments, word in (
        (("order.h5", "ordr"), "did you mean"),
        (("sweep.h5", "phase", "--x", "x9"), "did you mean"),
        (("junk.h5", "order"), "not a Constella result"),
    ):
        (folder / "junk.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
        run = (
            subprocess.run([PROGRAM, "plot", *arguments], capture_output=True, text=True, cwd=folder)
            if arguments[0] == "junk.h5"
            else None
        )
        with redirected(said):
            code = run.returncode if run else main(["plot", str(folder / arguments[0]), *arguments[1:]])
        told = run.stderr if run else said.getvalue()
        ok(
            code == 2 and word in told and "Traceback" not in told,
            f"plot {' '.join(arguments)}: exit 2 and a message",
            told,
        )


def redirected(said):
    return contextlib.redirect_stderr(said)


def test_hostile():
    """A file whose datasets have wrong shapes and types: messages, no traceback."""
    random = np.random.default_rng(5)
    wrong = (np.zeros((2, 0)), np.full(3, np.nan), np.bytes_("text"), np.arange(5)[:, None])
    for seed, value in enumerate(wrong):
        path = folder / f"hostile-{seed}.h5"
        shutil.copy(sweep.path, path)
        with h5py.File(path, "a") as f:
            names = []
            f.visititems(lambda n, d, names=names: names.append(n) if hasattr(d, "shape") else None)
            for name in random.choice(names, 25, replace=False):
                attributes, group, short = (
                    dict(f[name].attrs.items()),
                    f[name].parent,
                    name.rsplit("/", 1)[-1],
                )
                del f[name]
                group[short] = value
                group[short].attrs["role"] = attributes.get("role", "")
        for kind in ("drift", "sweep", "mechanism"):
            said = io.StringIO()
            with redirected(said), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = main(["plot", str(path), kind, "-o", str(folder / "hostile.svg")])
            if code not in (0, 2) or "Traceback" in said.getvalue():
                return ok(False, f"hostile file {seed}, {kind}", said.getvalue())
    ok(True, "hostile files: figures or messages")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    order, sweep = studies()
    for test in [f for n, f in list(globals().items()) if n.startswith("test_")]:
        test()
    order.close(), sweep.close()
print(f"1..{count}")
sys.exit(failed > 0)
