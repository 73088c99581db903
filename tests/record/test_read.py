#!/usr/bin/python3
# test_read.py: a file of write-demo as h5py and xarray see it: names, units, dimensions, text, fill values.
# TAP. The file is written by write-demo of BUILD.
# SPDX-License-Identifier: BSD-2-Clause
import os
import socket
import subprocess
import sys
import tempfile

count = failed = 0


def ok(condition, what):
    global count, failed
    count += 1
    failed += not condition
    print(f"{'' if condition else 'not '}ok {count} - {what}")


def h5py_reads(path):
    import h5py
    import numpy as np

    with h5py.File(path, "r") as f:
        ok(
            type(f.attrs["study"]) is str and f.attrs["study"].endswith("größer\n"),
            "text attributes of the root are str",
        )
        ok(f["run"].attrs["state"].decode() == "complete", "the state is fixed text")
        ok(
            f["run"].attrs["host"].decode() == socket.gethostname() and f["run"].attrs["pid"] > 1,
            "host and process are on record",
        )
        ok(
            type(f["run"].attrs["started"]) is str and f["run"].attrs["finished"] == b"",
            "texts of any length are str, fixed ones bytes",
        )
        ok(list(f["statistics"])[:3] == ["system", "method", "step"], "groups keep the order of creation")
        datasets = []
        f.visititems(lambda name, o: datasets.append(o) if isinstance(o, h5py.Dataset) else None)
        ok(len(datasets) == 5 + 18, "every scale and field is there")
        ok(
            all(
                type(d.attrs["units"]) is str and type(d.attrs["long_name"]) is str and d.attrs["long_name"]
                for d in datasets
            ),
            "all have units and long_name as str",
        )
        # datasets in /run are their own scale
        fields = [d for d in datasets if d.parent.name not in ("/", "/run")]
        ok(
            all(len(d.dims[k]) == 1 for d in fields for k in range(d.ndim)),
            "every dimension of every field has its scale",
        )
        ok(
            [s[0].name for s in f["final/q"].dims] == ["/case", "/member", "/coordinate"],
            "/final/q: case, member, coordinate",
        )
        ok([x.decode() for x in f["coordinate"]] == ["x1", "y1", "ξ₂", "y2"], "labels are UTF-8")
        ok(list(f["case"]) == [0, 1, 2, 3, 4, 5], "a scale without labels counts")
        ok(f["final/q"][2, 3, 1] == 231 + 1 / 3 and f["final/q"].dtype == "<f8", "a number")
        ok(f["final/status"][4, 1] == 3 and f["final/status"].dtype == "i1", "a status")
        ok(f["final/lambda"].shape == (6, 5, 0), "a field of size 0")
        ok(
            np.isnan(f["constants/period"][()]) and np.isnan(f["constants/period"].fillvalue),
            "a scalar never written is NaN",
        )
        ok(
            f["final/status"].fillvalue == -1 and f["counts/steps"].fillvalue == -1,
            "integers have fill value -1",
        )
        ok(all(d.chunks is None and d.compression is None for d in datasets), "contiguous, no filters")
        ok(f["statistics/method"][3].decode() == "hbvm(k=6, s=2)", "text")


def xarray_reads(path):
    import xarray as xr

    for group, name, dims in (
        ("final", "q", ("case", "member", "coordinate")),
        ("final", "lambda", ("case", "member", "constraint")),
        ("statistics", "order", ("case",)),
        ("counts", "newton", ("case", "member")),
        ("run", "steps_per_second", ("steps_per_second",)),
    ):
        with xr.open_dataset(path, engine="h5netcdf", group=group) as d:
            ok(d[name].dims == dims, f"/{group}/{name} has dimensions {dims}")
            ok(
                bool(d[name].attrs["long_name"]) and "units" in d[name].attrs,
                f"/{group}/{name} has unit and name",
            )
            d[name].load()
    with xr.open_dataset(path, engine="h5netcdf") as d:
        ok(
            list(d.sizes.items())
            == [("case", 6), ("member", 5), ("coordinate", 4), ("constraint", 0), ("window", 3)],
            "the root holds the dimensions",
        )
        ok(
            d.coordinate.values[2].decode() == "ξ₂" and d.attrs["schema"] == "constella/1",
            "with labels and provenance",
        )
    with xr.open_dataset(path, engine="h5netcdf", group="final") as d:
        ok(
            d.status.dtype == "int8" and float(d.q.isel(case=2, member=3, coordinate=1)) == 231 + 1 / 3,
            "numbers and integers keep their kind",
        )


for what, modules, read in (
    ("h5py", ("h5py", "numpy"), h5py_reads),
    ("xarray", ("xarray", "h5netcdf"), xarray_reads),
):
    try:
        for m in modules:
            __import__(m)
    except ImportError as e:
        count += 1
        print(f"ok {count} - # SKIP {what}: {e}")
        continue
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "demo.h5")
            subprocess.run(
                [os.path.join(os.environ.get("BUILD", "build"), "tests/record/write-demo"), file, "complete"],
                check=True,
            )
            read(file)
    except Exception as e:
        ok(False, f"{what}: {type(e).__name__}: {e}")
print(f"1..{count}")
sys.exit(failed != 0)
