"""labelled.py: columns of a result along the axes of its study: as plain arrays, as xarray data, as a pandas
table.

The axes are method, step, and the other differences of the selected cases: parameters, tolerance, start, swept
arguments of methods.
Cases that a study does not have (after an extension, or a selection) are NaN, or empty.
"""
# SPDX-License-Identifier: BSD-2-Clause
import math

import numpy as np

from .reading import optional, unknown


def case_coordinates(result):
    """{name: [entry of each case]}: the differences between cases, in the order parameters, tolerance, start
    (its coordinates in a sweep over a grid), swept arguments, method, step. Where a method has not the argument that
    others sweep, the entry is NaN, or empty."""
    found, names = {}, result.data("/parameter")
    values = result.data("/cases/parameters")
    for k, name in enumerate([] if names is None or values is None else names):
        found[str(name)] = values[:, k]
    tolerance = result.data("/cases/tolerance")
    if tolerance is not None:
        found["tolerance"] = tolerance
    found.update(result.start_axes() or {"start": result.said("start")})
    found.update({name: without(x) for name, x in result.arguments().items()})
    swept = {name: x for name, x in found.items() if len(set(x[result.shown])) > 1}
    return {**swept, "method": result.families, "step": result.nominal}


def without(x):
    """Entries with None as numbers with NaN, or as texts with ''. All NaN are one object, so that they are equal as
    keys."""
    text = any(isinstance(v, str) for v in x)
    if not text and not any(v is None for v in x):
        return x.astype(float)
    return np.array([("" if text else math.nan) if v is None else v for v in x], dtype=object)


def is_text(x):
    return any(isinstance(v, str) for v in x)


def freed(result, name):
    """A name beside those of the file's dimensions: a parameter that is called like one gets an
    underscore."""
    if "dimensions" not in result._cache:
        result._cache["dimensions"] = {d for path in result.datasets("/") for d in result.scales(path)}
    return f"{name}_" if name in result._cache["dimensions"] else name


def axes(result):
    """{name: entries}: each axis with its entries, in the order of the study; steps and parameters as
    numbers."""
    return dict(placed(result)[0])


def placed(result):
    """(axes, shape, [index along each axis of each selected case]); cached, because every array needs it."""
    key = ("labelled", result.shown.tobytes())
    if key not in result._cache:
        coordinates = case_coordinates(result)
        along = {name: list(dict.fromkeys(x[result.shown])) for name, x in coordinates.items()}
        rank = {name: {entry: i for i, entry in enumerate(entries)} for name, entries in along.items()}
        rows = [[rank[name][x[case]] for name, x in coordinates.items()] for case in result.chosen]
        place = np.array(rows, dtype=int).reshape(len(result.chosen), len(along))
        result._cache[key] = along, tuple(len(entries) for entries in along.values()), place
    return result._cache[key]


def spread(result, column):
    """A dataset whose first dimension is the case, with the axes of the study in its place."""
    _, shape, place = placed(result)
    column = np.asarray(column)
    text = column.dtype.kind == "O"
    out = np.empty((*shape, *column.shape[1:]), dtype=object if text else float)
    out[...] = "" if text else np.nan
    out[tuple(place.T)] = column[result.chosen]
    return out


def grid(result, column):
    """(array, {axis: entries})."""
    return spread(result, column), axes(result)


def table(result):
    """The columns of the table as a pandas DataFrame, a row per case."""
    pandas = optional("pandas", "python3-pandas", "a table of cases")
    names = [n for n in result.names("/statistics") if result.column(n) is not None]
    columns = {n: result.column(n)[result.shown] for n in [*names, *result.speeds]}
    return pandas.DataFrame(columns, index=pandas.Index(result.chosen, name="case"))


def told_in(result, path):
    """The attributes of a dataset for xarray and netCDF, and those of Constella."""
    return {
        k: v
        for k, v in result.attributes(path).items()
        if k in ("long_name", "units", "role", "of", "axis") and v
    }


def classes():
    """DataArray and Dataset of xarray whose sel(method="rattle") selects the method instead of a way to look
    up missing labels."""
    if not CLASSES:
        xarray = optional("xarray", "python3-xarray", "labelled data")

        for base in (xarray.DataArray, xarray.Dataset):
            methods = {"__slots__": (), "sel": selecting(base), "_construct_dataarray": variable}
            CLASSES.append(type(base.__name__, (base,), methods))
    return CLASSES


CLASSES: list = []
LOOKUPS = ("nearest", "pad", "ffill", "backfill", "bfill")  # what xarray means by method=


def variable(dataset, name):
    """A variable of a Dataset as a DataArray of the same kind, so that sel(method=...) means the same there."""
    xarray = optional("xarray", "python3-xarray", "labelled data")
    return CLASSES[0](xarray.Dataset._construct_dataarray(dataset, name))


def check_labels(data, chosen, lookup):
    """ResultError with the nearest entry, for one that an axis does not have."""
    for name, wanted in chosen.items():
        if name not in data.coords:
            raise unknown("axis", name, list(data.coords))
        if isinstance(wanted, slice) or lookup is not None or data.coords[name].ndim != 1:
            continue
        entries = data.coords[name].values.tolist()
        for entry in np.ravel(np.asarray(wanted)).tolist():
            if entry not in entries:
                raise unknown(name, entry, entries)


def selecting(base):
    """The method sel of a class of xarray, with method= for a method of the study."""

    def sel(self, indexers=None, method=None, **more):
        chosen = {**(indexers or {}), **{k: more.pop(k) for k in list(more) if k in self.dims}}
        if (
            method is not None
            and "method" in self.dims
            and not (isinstance(method, str) and method in LOOKUPS)
        ):
            chosen, method = {**chosen, "method": method}, None
        check_labels(self, chosen, method)
        return base.sel(self, chosen, method=method, **more)

    return sel


def array(result, path, column, extra=()):
    """An xarray DataArray of a dataset whose first dimension is the case. extra: names of the dimensions
    behind."""
    DataArray, _ = classes()
    along = {freed(result, name): entries for name, entries in axes(result).items()}
    coordinates = {name: (name, np.array(entries)) for name, entries in along.items()}
    for name in extra:
        entries = result.data(f"/{name}")
        if entries is not None:
            coordinates[name] = (
                name,
                np.array([str(x) for x in entries]) if entries.dtype.kind == "O" else entries,
            )
    x = spread(result, column)
    x = x.astype(str) if x.dtype.kind == "O" else x
    return DataArray(x, dims=(*along, *extra), coords=coordinates, attrs=told_in(result, path))


def of_role(result, role):
    """Every column of a role: a DataArray where it has no `of`, else a Dataset with a variable for each
    `of`."""
    _, Dataset = classes()
    found = {
        use["of"]: array(result, f"/statistics/{n}", result.column(n))
        for n, use in result.uses.items()
        if use["role"] == role
    }
    return found[""] if list(found) == [""] else Dataset({of or role: x for of, x in found.items()})


def shaped_by_cases(result):
    """[(path, names of the dimensions behind the case)] of the datasets that are shaped [case, ...] with
    named dimensions."""
    named = [(path, result.scales(path)) for path in result.datasets("/")]
    return [
        (path, dims[1:])
        for path, dims in named
        if dims and dims[0] == "case" and all(dims) and "word" not in dims
    ]


def everything(result):
    """An xarray Dataset of the columns and of all data by case; names of datasets outside the table have _
    for /."""
    _, Dataset = classes()
    variables = {}
    for path, extra in shaped_by_cases(result):
        _, group, rest = path.split("/", 2)
        name = rest if group == "statistics" else f"{group}_{rest}".replace("/", "_")
        if name not in ("method", "step") and name not in axes(result):
            variables[freed(result, name)] = array(result, path, result.data(path), tuple(extra))
    told = {k: v for k, v in result.attributes("/").items()}
    return Dataset(variables, attrs=told)
