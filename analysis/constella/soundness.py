"""soundness.py: whether a result file is as the program writes it. A command that fails in a way that it does
not expect asks: either the file is damaged, or the command itself is wrong."""
# SPDX-License-Identifier: BSD-2-Clause
import hashlib

import h5py
import numpy as np

from .reading import Watch, as_text

LARGE = 1 << 27  # bytes: of a larger dataset the numbers are not read
NUMBERS = {  # what holds for all numbers of a dataset
    "cases/h": lambda x: np.isfinite(x) & (x > 0),
    "cases/n": lambda x: x > 0,
    "final/status": lambda x: x >= -1,
}
NEEDED = ("cases/h", "cases/n", "final/q", "final/p", "final/status", "final/steps")  # in every result


class Unsound(Exception):
    """Its text says what is wrong."""


def demand(condition, text):
    if not condition:
        raise Unsound(text)


def is_text(value):
    text = as_text(value)
    return "\ufffd" not in text and all(c.isprintable() or c in "\n\t" for c in text)


def is_scale(node):
    return h5py.h5ds.is_scale(node.id)


def look_at_attributes(name, node):
    for key in node.attrs:
        if not key.isupper() and (name, key) != ("run", "command"):  # HDF5's own; any bytes
            value = node.attrs[key]
            demand(not isinstance(value, (str, bytes)) or is_text(value), f"{name}: its attribute {key}")


def look_at_shape(name, node):
    """Outside /run every dimension has a scale, and its length; a scale has none."""
    if name.startswith("run/") or is_scale(node):
        return
    demand(node.shape, f"{name}: it has no dimension")
    for k, dim in enumerate(node.dims):
        scales = dim.values()
        demand(scales, f"{name}: its dimension {k} has no name")
        demand(scales[0].shape == node.shape[k : k + 1], f"{name}: its dimension {k} has another length")


def look_at_numbers(name, node):
    x = node[()]
    if node.dtype.kind in "SO":
        demand(all(map(is_text, np.ravel(x))), f"{name}: its texts")
    elif is_scale(node):
        demand(np.array_equal(x, np.arange(len(x))) or not name.endswith("case"), f"{name}: its numbers")
    elif name in NUMBERS:
        demand(np.all(NUMBERS[name](x)), f"{name}: its numbers")


def look_at(file, name, size):
    node = file[name]
    look_at_attributes(name, node)
    if isinstance(node, h5py.Dataset):
        demand(node.nbytes <= size, f"{name}: it would be larger than the file")
        look_at_shape(name, node)
        if node.nbytes <= LARGE:
            look_at_numbers(name, node)


def look_at_study(file):
    text, told = file.attrs["study"], as_text(file.attrs["study_sha256"])
    demand(hashlib.sha256(text.encode()).hexdigest() == told, "the text of its study has another sha256")


def names_in(file):
    """The names of all that is in a file, and of soft links."""
    names = ["/"]
    file.id.links.visit(lambda name: names.append(as_text(name)))
    return names


def damage(path):
    """What is damaged in a file, as a text; '' where nothing is seen. Numbers that were changed into other
    numbers are not seen."""
    name = "/"
    try:
        with open(path, "rb") as f:
            size = f.seek(0, 2)
        with h5py.File(path, "r") as file:
            with Watch.over():
                names = names_in(file)
            for name in NEEDED:
                demand(name in names, f"{name}: it is missing")
            for name in names:
                with Watch.over(size):
                    look_at(file, name, size)
            look_at_study(file)
    except Unsound as e:
        return str(e)
    except Exception as e:  # noqa: BLE001  (whatever h5py raises on damaged bytes)
        return f"{name}: {str(e).splitlines()[0] if str(e) else type(e).__name__}"
    return ""
