"""plot: the figures. constella.plot.NAME(result, ...) draws one, of any kind that `constella plot FILE`
knows; KINDS lists them.

    fig = constella.plot.order("first.h5", methods=["rattle", "shake"], style="paper")
    constella.plot.drift(r, ax=axes)            # on axes of your own
    constella.plot.save(fig, "order.pdf")

A kind whose name has a hyphen has an underscore here: constella.plot.signed_drift.
constella.plot.figure(NAME, result, ...) takes any.
"""
# SPDX-License-Identifier: BSD-2-Clause
from ..reading import nearest
from .kind import KINDS, figure
from .order import order
from .work import work, work_energy
from .drift import constraint, drift, signed_drift
from .spread import ensemble, ensemble_drift
from .averages import averages, histograms
from .columns import axes
from .exponents import exponents
from .motion import configuration, multipliers, phase, trajectory
from .sweep import heat, sweep, verdicts
from .machine import draw_mechanism as mechanism
from .saving import save


def __getattr__(name):
    """The message for a kind that does not exist."""
    known = [kind.replace("-", "_") for kind in KINDS]
    raise AttributeError(f"constella.plot has no '{name}'{nearest(name, known)} kinds are {', '.join(known)}")


__all__ = [
    "KINDS", "figure", "save", "order", "work", "work_energy", "drift", "signed_drift", "constraint", "ensemble", "ensemble_drift", "averages",
    "histograms", "axes", "exponents", "trajectory", "phase", "configuration", "multipliers", "sweep", "heat", "verdicts", "mechanism",
]  # fmt: skip
