#!/usr/bin/python3
"""test_plot.py: figures by what is in them: the data of lines, limits, texts, colours. TAP.

The results are two small studies of the double pendulum and made-up files.
"""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ORDER, drawn, folder, lines, make, ok, order_study, refused, run_here, run_tests, sweep_study, texts

import matplotlib.figure
import numpy as np

import constella
import synthetic
from constella import plot, style
from constella.plot.work import rising

order, sweep = order_study(), sweep_study()
EXTREMES = {
    "study": "ensemble",
    "system": "double-pendulum",
    "end": 4,
    "steps": [0.1, 0.05],
    "methods": ["rattle"],
    "initial": {"members": 5, "seed": 1, "around": "default", "spread": {"q": 0.01, "v": 0.1}},
    "extremes": [{"name": "low", "expression": "y2"}],
}


def made(name, kind, **changes):
    return constella.open(make(name, kind, **changes))


def test_order():
    fig = plot.order(order)
    e, h = order.statistic("error", "q"), order.steps
    ok(drawn(fig.axes[0], h[4:], e[4:]) and len(fig.axes) == 3, "order: the errors of q are a line")
    ok(
        texts(fig).count("shake lies under rattle") == 1,
        "order: a line that is covered is told",
        texts(fig),
    )
    slopes = [np.diff(np.log(y))[0] / np.diff(np.log(x))[0] for x, y in lines(fig.axes[1]) if len(x) == 2]
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


def test_extremes():
    result = run_here(EXTREMES, "extremes.h5")
    fig = plot.extremes(result)
    values, times = result.data("/extremes/low"), result.data("/extremes/low_time")
    ok(
        len(fig.axes) == 2
        and drawn(fig.axes[1], times[1, :, 0], values[1, :, 0])
        and drawn(fig.axes[1], times[1, :, 1], values[1, :, 1]),
        "extremes: each member's values at their times, at the finest step",
    )
    ends = [y for _, y in lines(fig.axes[0])]
    least, most = values[:, :, 0].min(axis=1), values[:, :, 1].max(axis=1)
    ok(
        len(ends) == 2 and np.array_equal(ends[0], least) and np.array_equal(ends[1], most),
        "extremes: over the members, against the step",
        ends,
    )
    ok(refused(lambda: plot.extremes(order), "the study has no extremes"), "extremes: none in the file")
    ok(refused(lambda: plot.extremes(result, y=["high"]), "'high'; there are low"), "extremes: a wrong name")


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
    fig = plot.order(order, style="paper", width=3.4, panel="q")
    ok(len(fig.axes) == 1 and fig.get_figwidth() == 3.4, "one panel by its name")
    ok(refused(lambda: plot.order(order, panel="r"), 'no panel "r"; allowed: q, p'), "a wrong name, in words")


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
    with made(
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


def test_colour_bar():
    fig = plot.heat(sweep, z="energy_max", style="paper", width=3.4)
    bars = [bar for ax in fig.axes for bar in ax.child_axes]
    ok(
        len(bars) == 1 and bars[0].get_ylabel().startswith("$|E - E(0)|$") and abs(fig.get_figwidth() - 3.4) < 0.01,
        "heat: one colour bar, with the quantity",
        [bar.get_ylabel() for bar in bars],
    )
    alone = plot.heat(sweep, z="energy_max", panel="rattle")
    ok(len(alone.axes) == 1 and len(alone.axes[0].child_axes) == 1, "heat: a panel alone has it too")
    names = [style.symbol(n) for n in ("theta", "L2", "x[3]", "theta1'", "length", "step")]
    ok(
        names == [r"$\theta$", "$L_{2}$", "$x_{3}$", r"$\dot{\theta}_{1}$", "length", "step"],
        "names in mathematics",
        names,
    )


def test_arguments():
    study = {"study": "order", "system": "planar-pendulum", "end": 0.4, "steps": [0.02, 0.01], "reference": "self",
             "methods": ["penalty(newmark(beta={0.25, 0.3}), omega={20, 40, 80})", "rattle"]}  # fmt: skip
    r = run_here(study, "arguments.h5")
    e, omega = r.statistic("error", "q"), np.array([20.0, 40, 80])
    fine = e[1:12:2].reshape(2, 3)
    fig = plot.sweep(r, x="omega", y="error_q")
    ok(all(drawn(fig.axes[0], omega, y) for y in fine), "sweep: errors against omega, a line for each beta")
    levels = [line.get_ydata()[0] for line in fig.axes[0].lines if line.get_ydata()[0] == line.get_ydata()[1]]
    ok(e[13] in levels, "sweep: a method without the argument is a level", levels)
    fig = plot.heat(r, x="omega", y="beta", z="error_q")
    shown = fig.axes[0].images[0].get_array()
    ok(
        shown.shape == (2, 3) and np.array_equal(shown, np.fmax(e[0:12:2], e[1:12:2]).reshape(2, 3)),
        "heat: a map over two arguments",
        shown,
    )
    panels = [ax.get_title().replace("\n", " ") for ax in fig.axes if ax.get_visible() and ax.images]
    ok(panels == ["penalty(newmark(beta), omega)"], "heat: of methods that have them", panels)
    x = r.error["q"].sel(method="penalty(newmark(beta), omega)", beta=0.3, omega=40.0, step=0.01)
    ok(float(x) == fine[1, 1], "arguments are dimensions in xarray", x)


def test_timing():
    timed = {**ORDER, "timing": {"repeats": 2}}
    r = run_here(timed, "timed.h5")
    fig, seconds = plot.work(r), r.data("/run/cpu_seconds")
    x = np.concatenate([n.get_xdata() for n in fig.axes[2].lines])
    ok(np.isin(seconds, x).all(), "work: the times that the study measured", (seconds, x))
    ok(np.array_equal(r.cases["cpu_seconds"], seconds), "the table of cases has them")


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


def test_sweep():
    fig = plot.sweep(sweep, y=["energy_max"])
    e = sweep.statistic("largest", "energy")
    ok(
        drawn(fig.axes[0], [1, 1.5, 2], e[1::4]) and fig.axes[0].get_xlabel() == "$L_{2}$ [m]",
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
    with made("members", "ensemble", members=30, steps=(0.1,), methods=("rattle",), slopes=(2,)) as r:
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
        x, y = lines(plot.ensemble_drift(r, y=["energy"]).axes[0])[0]
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
    with made(
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


run_tests(globals())
