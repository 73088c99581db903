"""kind.py: kinds of figures, and how one is made: the selection, the look, the panels, the maker."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable

import matplotlib

from .. import style
from ..reading import ConstellaError, ResultError, naming, nearest, unknown
from ..result import Result
from ..selection import split
from ..sheet import Sheet

KINDS = {}
COMMON = """

    result      a Result, or the path of a file
    ax          axes to draw on, as many as the figure has panels; None: a new figure
    methods     labels of methods; where: conditions as of `constella table --where`
    style       screen or paper: sizes, fonts; paper has no titles
    width       of the whole figure in inches
    panel       the name of one of its panels, to draw that alone
    title, legend    whether to have them

    Returns the matplotlib Figure; ResultError where the file holds nothing to draw."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """name: on the command line and in files; make(result, sheet, **options) draws, and returns a text where
    there is nothing to draw. needs: groups of the file, and what is said where one is not there. report: None, or
    its place among the figures that the report of every study has where there is data for them."""

    name: str
    make: Callable
    draw: Callable
    caption: str
    takes: tuple
    needs: dict
    report: int | None

    @property
    def python(self):
        """The name of its function."""
        return self.name.replace("-", "_")

    @property
    def doc(self):
        return (self.make.__doc__ or "").strip().split("\n")[0]


def kind(name, caption, needs=None, report=None):
    """Decorates a maker: it becomes a function (result, ax=None, methods=None, ...), and a row of KINDS."""

    def decorate(make):
        @functools.wraps(make)
        def draw(
            result,
            ax=None,
            methods=None,
            where=None,
            style="screen",
            width=None,
            title=None,
            legend=True,
            panel=None,
            **options,
        ):
            return figure(name, result, ax, methods, where, style, width, title, legend, panel, **options)

        draw.__doc__ = (make.__doc__ or "") + COMMON
        del draw.__wrapped__  # type: ignore[attr-defined]
        takes = tuple(inspect.signature(make).parameters)[2:]
        KINDS[name] = Kind(name, make, draw, " ".join(caption.split()), takes, needs or {}, report)
        return draw

    return decorate


def row_of(name):
    """The row of a kind, by its name or that of its function."""
    if name.replace("_", "-") not in KINDS:
        raise unknown("kind of figure", name, list(KINDS))
    return KINDS[name.replace("_", "-")]


def taken(row, options):
    """The options of a kind: names as lists where a text names one or several with commas between them."""
    for option in options:
        if option not in row.takes:
            known = ["methods", "where", "style", "width", "title", "legend", "panel", *row.takes]
            raise ConstellaError(
                f"the figure {row.name} takes no {option}{nearest(option, known)} it takes {', '.join(known)}"
            )
    lists = {name: split(x) for name, x in options.items() if name in ("x", "y", "z") and isinstance(x, str)}
    if isinstance(options.get("members"), int):
        lists["members"] = [options["members"]]
    return {**options, **lists}


def missing(row, result):
    """What is said of the first group that a kind needs and the file does not have; None: all are there."""
    return next((said for group, said in row.needs.items() if not result.names(group)), None)


def of_reports():
    """The kinds that the report of every study has, in their order."""
    return sorted((row for row in KINDS.values() if row.report is not None), key=lambda row: row.report)


def figure(
    name,
    result,
    ax=None,
    methods=None,
    where=None,
    look="screen",
    width=None,
    title=None,
    legend=True,
    panel=None,
    **options,
):
    """The figure of a kind, by its name."""
    if look not in style.LOOKS:
        raise unknown("style", look, list(style.LOOKS))
    row = row_of(name)
    result = Result(result) if isinstance(result, (str, os.PathLike)) else result
    chosen = result.select(methods, where) if methods is not None or where else result
    sheet = Sheet(look, ax, width, title, legend, panel)
    options = taken(row, options)
    with naming(result.path), matplotlib.rc_context(style.LOOKS[look] if ax is None else {}):
        nothing = missing(row, chosen) or row.make(chosen, sheet, **options)
        if nothing:
            raise ResultError(f"nothing to draw for the figure {name}: {nothing}")
        return sheet.finish()
