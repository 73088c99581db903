"""plot: the figures. constella.plot.NAME(result, ...) draws one, of any kind that `constella plot FILE`
knows; KINDS lists them.

    fig = constella.plot.order("first.h5", methods=["rattle", "shake"], style="paper")
    constella.plot.drift(r, ax=axes)            # on axes of your own
    constella.plot.save(fig, "order.pdf")

A kind whose name has a hyphen has an underscore here: constella.plot.signed_drift.
constella.plot.figure(NAME, result, ...) takes any. A kind is a function in a file of this folder (kind.py); there is
no list of the files.
"""
# SPDX-License-Identifier: BSD-2-Clause
import importlib
import pkgutil
from typing import Any

from ..reading import nearest
from .kind import KINDS, figure
from .saving import save

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
for _name in sorted(KINDS):
    KINDS[_name] = KINDS.pop(_name)
# a file may have the name of its figure
globals().update({row.python: row.draw for row in KINDS.values()})


def __getattr__(name: str) -> Any:
    """The message for a kind that does not exist."""
    known = [row.python for row in KINDS.values()]
    raise AttributeError(f"constella.plot has no '{name}'{nearest(name, known)} kinds are {', '.join(known)}")


__all__ = ["KINDS", "figure", "save", *(row.python for row in KINDS.values())]
