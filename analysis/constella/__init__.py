"""constella: studies of integrators for constrained mechanical systems, from Python.

    import constella

    r = constella.run("first.yaml")              # or a dict, or a text; local, or ranks=4 under mpirun
    r = constella.open("first.h5")
    r.cases                                      # a pandas table, a row per case
    r.error.sel(method="rattle").q               # labelled data (xarray)
    r.statistic("error", "q")                    # the same without xarray: an array by case
    r.trajectory(case=0, member=3)["x1"]
    r.failures                                   # sentences
    constella.plot.order(r, methods=["rattle"], ax=axes)

    x = constella.Integrator("double-pendulum", "rattle", 0.01)   # without a study
    x.step(100).q

numpy, h5py and matplotlib are needed; xarray and pandas are imported where they are asked for. Nothing here
recomputes physics: what is shown is what the file holds. docs/python.md is the page on it.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import os

from .reading import ConstellaError, ResultError, nearest
from .result import Result
from .running import run

__all__ = ["open", "run", "plot", "Integrator", "System", "certify", "Result", "ResultError", "ConstellaError"]


def open(path: str | os.PathLike[str]) -> Result:  # noqa: A001  (constella.open, as gzip.open)
    """The result file at `path` as a Result. Raises ResultError, whose text says what is wrong with the
    file."""
    return Result(path)


def __getattr__(name):
    """`constella.plot` brings matplotlib, `constella.Integrator` the library; they are imported when they are named."""
    if name in ("Integrator", "System"):
        from . import integrator

        return getattr(integrator, name)
    if name == "certify":
        from .certifying import certify

        return certify
    if name == "plot":
        import importlib

        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'constella' has no attribute '{name}'{nearest(name, __all__)} it has {', '.join(__all__)}")
