"""exporting.py: a result in other formats: its table as CSV or Parquet, all data by case as netCDF, a wide
table for LaTeX."""
# SPDX-License-Identifier: BSD-2-Clause
import csv
import io

import numpy as np

from . import labelled, latex
from .reading import ConstellaError, optional, unknown
from .writing import write


def beside(name, taken):
    """The name, with an underscore where it is taken."""
    return f"{name}_" if name in taken else name


def columns_of(result, names, case):
    """{name: array}: columns of the table, or of all stored trajectories of a case one below the other."""
    if case is None:
        every = [n for n in [*result.names("/statistics"), *result.speeds] if result.column(n) is not None]
        found = {"case": result.chosen}
        found |= {beside(n, found): result.column(n)[result.shown] for n in every}
    else:
        lines = [result.trajectory(case, m) for m in motions_members(result, case)]
        found = {"member": np.concatenate([np.full(len(t.t), t.member) for t in lines])}
        first = ["t", *(n for n in lines[0].names if n != "t")]
        found |= {beside(n, found): np.concatenate([t.values[n] for t in lines]) for n in first}
    wrong = [n for n in names or [] if n not in found]
    if wrong:
        raise unknown("column", wrong[0], list(found))
    return {n: found[n] for n in (names or found)}


def motions_members(result, case):
    from . import motions

    return motions.stored_members(result, case) or [None]


# A spreadsheet takes a cell that begins with one of these for a formula, which may start programs; a quote
# before it makes it a text.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def plain(text):
    return "'" + text if text.startswith(FORMULA) else text


def exact(x):
    """A number with all its digits, or a text that is no formula."""
    if isinstance(x, str):
        return plain(x)
    return str(int(x)) if float(x).is_integer() and abs(x) < 1e15 else repr(float(x))


def as_csv(result, path, names, case):
    found = columns_of(result, names, case)
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow([plain(name) for name in found])
    lines.writerows([[exact(x) for x in row] for row in zip(*found.values())])
    write(path, out.getvalue().encode("utf-8"))


def as_parquet(result, path, names, case):
    optional("pyarrow", "python3-pyarrow, or pip install pyarrow", "writing Parquet")
    pandas = optional("pandas", "python3-pandas", "writing Parquet")
    out = io.BytesIO()
    pandas.DataFrame(columns_of(result, names, case)).to_parquet(out)
    write(path, out.getvalue())


def as_netcdf(result, path, names, case):
    """The columns and all data by case in the root, with coordinates; a group trajectories_K for each case
    with stored trajectories."""
    from . import motions

    optional("xarray", "python3-xarray", "writing netCDF")
    optional("h5netcdf", "python3-h5netcdf", "writing netCDF")
    if names or case is not None:
        raise ConstellaError("a .nc holds everything: --columns and --case go with .csv and .parquet")
    part = path.with_name(f".{path.name}.part")
    try:
        labelled.everything(result).to_netcdf(part, engine="h5netcdf")
        for k in motions.stored_cases(result):
            members = motions.stored_members(result, k)
            sets = [result.trajectory(k, m).to_xarray() for m in members]
            xarray = optional("xarray", "python3-xarray", "writing netCDF")
            sets = [s.rename({n: beside(n, ["member"]) for n in s.variables}) for s in sets]
            together = xarray.concat(sets, dim="member", combine_attrs="drop_conflicts").assign_coords(
                member=members
            )
            together.to_netcdf(part, mode="a", group=f"trajectories_{k}", engine="h5netcdf")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def as_latex(result, path, names, case):
    if case is not None:
        raise ConstellaError("--case goes with .csv and .parquet")
    write(path, latex.wide(result, names).encode("utf-8"))


FORMS = {
    ".csv": (as_csv, "the table, all digits"),
    ".parquet": (as_parquet, "the table; needs pyarrow"),
    ".nc": (as_netcdf, "netCDF for xarray: everything with coordinates"),
    ".tex": (as_latex, "a LaTeX table: parameters and steps down, methods across; booktabs, siunitx"),
}


def export(result, path, columns=None, case=None):
    """Write the selected cases of a result; the extension of path chooses the format. columns: names; case:
    the trajectories of this case instead."""
    if path.suffix not in FORMS:
        raise ConstellaError(f"{path}: the ending says the form; there are {', '.join(FORMS)}")
    FORMS[path.suffix][0](result, path, columns, case)
