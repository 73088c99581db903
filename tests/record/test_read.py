#!/usr/bin/python3
# test_read.py: files of write-demo, and the result of a run, as h5py and xarray see them: names, units, dimensions,
# text, fill values. TAP. The files are written by write-demo of BUILD and by CONSTELLA.
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


BUILD = os.environ.get("BUILD", "build")
STUDY = """study: ensemble
system: double-pendulum
initial: {members: 3, seed: 3, around: default, spread: {q: 0.01, v: 0.1}}
end: 0.4
steps: [0.1, 0.05]
methods: [rattle, rk4]
observables: [energy, "upper: y1"]
samples: {count: 4}
averages: {weight: fixman}
histograms:
  - {name: fold, expression: "x1*x2 + y1*y2", from: -1, to: 1, bins: 8}
trajectories: {members: [0, 2], every: 2}
"""


def own_lists(ndim):
    """Both kinds of list as HDF5 itself writes them: sizes and offsets of their elements."""
    import h5py

    with h5py.File("own", "w", driver="core", backing_store=False) as f:
        f["scale"] = [0]
        f.create_dataset("field", shape=(1,) * ndim)
        f["scale"].make_scale("scale")
        for k in range(ndim):
            f["field"].dims[k].attach_scale(f["scale"])
        return forms(f["field"], f["scale"])


def forms(field, scale):
    one = field.attrs.get_id("DIMENSION_LIST")
    other = scale.attrs.get_id("REFERENCE_LIST")
    elements = other.get_type()
    return (
        (one.shape, one.get_type().get_class(), one.get_type().get_super().get_size()),
        (elements.get_size(), [(n, elements.get_member_offset(i)) for i, n in enumerate(other.dtype.names)]),
    )


def scales_are_attached(path, what, least):
    """Each dimension of a field has one scale, and each scale lists all that it is attached to, once."""
    import h5py

    with h5py.File(path, "r") as f:
        datasets = []
        f.visititems(lambda name, o: datasets.append(o) if isinstance(o, h5py.Dataset) else None)
        scales = [d for d in datasets if d.parent.name == "/"]
        fields = [d for d in datasets if d.parent.name not in ("/", "/run")]
        pairs = [(d, k, f[r]) for d in fields if d.ndim for k, (r,) in enumerate(d.attrs["DIMENSION_LIST"])]
        ok(
            len(fields) >= least and len(pairs) == sum(d.ndim for d in fields),
            f"{what}: {len(fields)} fields have one scale for each dimension",
        )
        ok(all(d.shape[k] == len(s) for d, k, s in pairs), f"{what}: of the same extent")
        listed = [(f[r], k, s) for s in scales for r, k in s.attrs.get("REFERENCE_LIST", ())]
        ok(
            len(listed) == len(pairs) and set(listed) == set(pairs),
            f"{what}: the scales list all {len(pairs)} of them, and each once",
        )
        # each question opens all that is in the list
        asked = pairs if len(pairs) < 50 else pairs[:: len(pairs) // 2]
        ok(all(h5py.h5ds.is_attached(d.id, s.id, k) for d, k, s in asked), f"{what}: as HDF5 sees it")
        d, _, s = pairs[-1]
        ok(forms(d, s) == own_lists(d.ndim), f"{what}: in the form in which HDF5 writes them")


def h5py_sees_scales(path):
    scales_are_attached(path, "demo", 16)
    subprocess.run([f"{BUILD}/tests/record/write-demo", path, "many"], check=True)
    scales_are_attached(path, "many", 1100)
    study, result = path + ".yaml", path + ".run.h5"
    with open(study, "w") as f:
        f.write(STUDY)
    subprocess.run(
        [os.environ.get("CONSTELLA", f"{BUILD}/constella"), "run", study, "-o", result, "--progress", "none"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    scales_are_attached(result, "a run", 120)


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
    ("h5py", ("h5py", "numpy"), h5py_sees_scales),
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
                [f"{BUILD}/tests/record/write-demo", file, "complete"],
                check=True,
            )
            read(file)
    except Exception as e:
        ok(False, f"{what}: {type(e).__name__}: {e}")
print(f"1..{count}")
sys.exit(failed != 0)
