#!/usr/bin/python3
"""pendulum.py: a study from Python, from a Lagrangian to figures.

The cells are those of a notebook (VS Code, Spyder and jupytext recognise `# %%`).

    PYTHONPATH=analysis python3 jobs/python/pendulum.py [FOLDER]

writes its results and figures into FOLDER (pendulum-python), and prints the values that the comments mention.
"""
# SPDX-License-Identifier: BSD-2-Clause
# %% A system, in words: two points on rods, the lower one hung on the upper.
import pathlib
import sys

import constella

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "pendulum-python")
folder.mkdir(parents=True, exist_ok=True)
system = """
system: two-points
coordinates: [x1, y1, x2, y2]
units: {time: s, x1: m, y1: m, x2: m, y2: m, energy: J}
parameters:
  m: {default: 1, unit: kg}
  g: {default: 9.81, unit: m/s^2}
  L1: {default: 1, unit: m}
  L2: {default: 1, unit: m}
mass: [m, m, m, m]
potential: m*g*(y1 + y2)
constraints: {upper: x1^2 + y1^2 - L1^2, lower: (x2 - x1)^2 + (y2 - y1)^2 - L2^2}
states:
  default: {q: [0.6*L1, -0.8*L1, 0.6*L1, -0.8*L1 - L2], v: [0, 0, 0, 0]}
"""

# %% Who converges at which order?
order = constella.run(
    {
        "study": "order",
        "title": "Two points on rods",
        "system": system,
        "end": 1.0,
        "steps": {"from": 0.02, "halvings": 4},
        "methods": ["shake", "rattle", "compose(rattle, suzuki4)", "convert(rk4)"],
        "reference": {"method": "gauss(6)", "step": 0.005},
    },
    folder / "order.h5",
    overwrite=True,
    progress=False,
)
values, along = order.grid("order", "p")
for method, orders in zip(along["method"], values):
    print(f"{method:<26} order of p {orders[0]:.2f}")

# %% The same as a figure and as a table of a paper.
constella.plot.save(constella.plot.order(order, style="paper"), folder / "order.pdf", "paper")
constella.plot.save(constella.plot.order(order), folder / "order.png")
constella.plot.save(constella.plot.work(order), folder / "work.png")

# %% Long times, for three lengths of the lower rod; some trajectories are stored.
(folder / "two-points.yaml").write_text(system)
drift = constella.run(
    {
        "study": "conservation",
        "title": "Two points on rods",
        "system": {"file": str(folder.resolve() / "two-points.yaml"), "parameters": {"L2": [0.5, 1.0, 2.0]}},
        "end": 200.0,
        "steps": [0.02, 0.01],
        "methods": ["rattle", "project(rk4)"],
        "trajectories": {"members": [0], "every": 2},
    },
    folder / "drift.h5",
    overwrite=True,
    progress=False,
)
print(drift)
for method, words in drift.verdicts("energy").items():
    print(f"{method:<26} {', '.join(words.values())}")

# %% Figures: drift, the statistic against the parameter, a map, the verdicts.
for kind in ("drift", "sweep", "heat", "verdicts"):
    constella.plot.save(constella.plot.figure(kind, drift), folder / f"{kind}.png")

# %% A motion: phase portrait, paths, the mechanism, and the mechanism in motion.
one = drift.select(methods=["rattle"], where="L2 = 1")
track = one.trajectory(one.chosen[-1])
print(f"|upper rod| - L1 along the trajectory: at most {abs(track['sqrt(x1^2 + y1^2) - L1']).max():.1e} m")
constella.plot.save(constella.plot.phase(one, x=["x1"], y=["p_x1"], time=(0, 40)), folder / "phase.png")
constella.plot.save(constella.plot.configuration(one, time=(0, 40)), folder / "configuration.png")
constella.plot.save(constella.plot.mechanism(one, time=(0, 10)), folder / "mechanism.png")
from constella import animation  # noqa: E402

(folder / "mechanism.html").write_text(animation.page(one, time=(0, 40)), encoding="utf-8")

# %% Labelled data, where xarray and pandas are installed.
try:
    print(drift.largest.energy.sel(method="rattle").to_series().to_string())
except constella.ConstellaError as e:
    print(e)

# %% Printed:
#
# shake                      order of p 1.00
# rattle                     order of p 2.00
# compose(rattle, suzuki4)   order of p 4.00
# convert(rk4)               order of p 4.00
# <conservation study of two-points: 12 cases of 2 methods, pendulum-python/drift.h5>
# rattle                     bounded, bounded, bounded, bounded, bounded, bounded
# project(rk4)               linear, linear, linear, linear, linear, linear
# |upper rod| - L1 along the trajectory: at most 2.2e-16 m
# L2   method        step
# 0.5  rattle        0.02    0.011678
#                    0.01    0.002932
#      project(rk4)  0.02    0.003033
#                    0.01    0.000096
# 1.0  rattle        0.02    0.011185
#                    0.01    0.002807
#      project(rk4)  0.02    0.001222
#                    0.01    0.000039
# 2.0  rattle        0.02    0.009913
#                    0.01    0.002470
#      project(rk4)  0.02    0.000718
#                    0.01    0.000023
