"""balance.py: defects of the momentum equation against the step: what is exact lies at round-off, what is integrated has
its order."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import style
from .common import handles, heading
from .kind import kind

ROOT = "/momentum-balance/"
HAIR = 1e-18  # where a defect of 0 is drawn


def momenta_of(result):
    """Names of the momenta: those whose change is there."""
    found = result.names(ROOT[:-1])
    return [n[len("balance_") : -len("_change_max")] for n in found if n.startswith("balance_") and n.endswith("_change_max")]


def largest(result, name, cases):
    """The largest over the members, [case]; NaN: there is none."""
    if name not in result.names(ROOT[:-1]):
        return np.full(len(cases), np.nan)
    rows = result.data(ROOT + name)[cases]
    return np.array([np.nanmax(r) if np.isfinite(r).any() else np.nan for r in rows])


@kind(
    "momentum-balance",
    """Largest defects of the momentum equation in a step against the step: filled and solid, of the discrete equation; hollow
    and dashed, of the equation integrated over the step. Grey: how much the momentum changes.""",
    needs={"/momentum-balance": "the study has no balance of momenta (its observable `momentum-balance` asks for it)"},
)
def momentum_balance(result, sheet, y=None):
    """Defects of the momentum equation against the step."""
    known = momenta_of(result)
    names = y or known
    if unknown := [n for n in names if n not in known]:
        return f"no momentum is called '{unknown[0]}'; there are {', '.join(known)}"
    curves = result.curves()
    columns = min(2, len(names))
    axes = sheet.grid(-(-len(names) // columns), columns, width=4.2, height=3.2)
    for ax, name in zip(axes.flat, names):
        ax.set(xscale="log", yscale="log")
        for c in curves:
            h, tone = result.steps[c.cases], style.colour(c)
            change = largest(result, f"balance_{name}_change_max", c.cases)
            ax.plot(h, np.maximum(change, HAIR), color=style.PALE, linewidth=1, zorder=1)
            for ending, filled in (("max", True), ("integral_max", False)):
                defect = np.maximum(largest(result, f"balance_{name}_{ending}", c.cases), HAIR)
                look = {"markerfacecolor": tone if filled else "white", "linestyle": "-" if filled else (0, (3, 2))}
                ax.plot(h, defect, color=tone, marker=style.marker(c), zorder=3 if filled else 2, **look)
        ax.set(xlabel="step", ylabel=f"defect of {style.plain(name)}")
        sheet.name(ax, name)
    sheet.hide(axes.flat[len(names) :])
    sheet.legend(handles(result, curves))
    sheet.title(heading(result, "momentum equation"))
    return None
