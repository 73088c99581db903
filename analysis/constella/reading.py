"""reading.py: an HDF5 file as the result of a study: attributes as text, datasets as arrays, names, units;
and the import of optional modules. Independent of cases."""
# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import difflib
import functools
import importlib
import os
import signal

# runs take no locks; file systems without flock would refuse
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")

import h5py  # noqa: E402
import numpy as np  # noqa: E402

OLD = (
    "was written by a release whose files do not say what their columns are; `constella table` prints "
    "it, and a new run can be drawn"
)


class ConstellaError(Exception):
    """An error that the user can correct; its text explains it."""


class ResultError(ConstellaError):
    """The file is missing, is not a result, or lacks the requested data. path: the file, which the text names
    first; message: the text without it."""

    path = None

    @property
    def message(self):
        return super().__str__()

    def __str__(self):
        return f"{self.path}: {self.message}" if self.path else self.message


@contextlib.contextmanager
def naming(path):
    """Around work on the result at `path`: errors name it."""
    try:
        yield
    except ResultError as e:
        e.path = e.path or os.fspath(path)
        raise


def of_file(method):
    """Decorates a method of a result: its errors name the file."""

    @functools.wraps(method)
    def named(self, *arguments, **options):
        with naming(self.path):
            return method(self, *arguments, **options)

    return named


def nearest(word, allowed):
    """'; did you mean "..."?', or ';', to stand before the list of what is allowed."""
    near = difflib.get_close_matches(str(word), [str(a) for a in allowed], 1)
    return f'; did you mean "{near[0]}"?' if near else ";"


def unknown(what, word, allowed):
    """A ResultError that names the nearest of the allowed words."""
    return ResultError(f'no {what} "{word}"{nearest(word, allowed)} allowed: {", ".join(map(str, allowed))}')


def optional(name, package, what):
    """The module of that name, or a ConstellaError with its purpose and its Debian package."""
    try:
        return importlib.import_module(name)
    except ImportError:
        message = (
            f"{what} needs the Python module {name}, which is not there; Debian: apt-get install {package}"
        )
        raise ConstellaError(message) from None


class Watch:
    """A limit of processor time for HDF5, which never returns from some damaged files: SIGPROF then ends the
    process, and the program reports it (src/cli/launch.c). Only commands turn it on: a notebook would end."""

    on = False

    @staticmethod
    @contextlib.contextmanager
    def over(size=0):
        """Around the reading of that many bytes."""
        if Watch.on:
            signal.setitimer(signal.ITIMER_PROF, 5 + size / 2e7)
        try:
            yield
        finally:
            if Watch.on:
                signal.setitimer(signal.ITIMER_PROF, 0)


def as_text(value):
    """An attribute or an entry of a text dataset as str, whatever its bytes."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        value = value.rstrip(b"\0").decode("utf-8", "replace")
    return str(value)


def shortest(x):
    """The shortest decimal form."""
    return f"{x:.12g}"


def outside(file):
    """The first link or dataset of an HDF5 file that leads to another file; None: there is none. Such a file
    could bring the contents of private files into a page, or wait for a pipe for ever (src/record/h5.c).
    """

    def leads_out(name, link):
        if link.type != h5py.h5l.TYPE_HARD:
            return None if link.type == h5py.h5l.TYPE_SOFT else name
        try:
            node = h5py.h5o.open(file.id, name)
        except (KeyError, RuntimeError):
            return None  # later reading cannot open it either
        if not isinstance(node, h5py.h5d.DatasetID):
            return None
        made = node.get_create_plist()
        return name if made.get_layout() == h5py.h5d.VIRTUAL or made.get_external_count() else None

    with Watch.over():
        found = file.id.links.visit(leads_out, info=True)
    return found and as_text(found)


class Reader:
    """One open result file. Use it as a context manager, or leave closing to the end of the program."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self._cache = {}
        self._attributes = {}  # of groups and datasets
        with naming(self.path):
            self.file = self._open(self.path)
            self.size = os.path.getsize(self.path)
            if "figures" not in self.attributes("/statistics"):
                self.file.close()
                raise ResultError(OLD)

    @staticmethod
    def _open(path):
        try:
            with open(path, "rb"):
                pass
            file = h5py.File(path, "r")
        except OSError as e:
            told = isinstance(e.strerror, str) and e.strerror
            reason = e.strerror if told else "not an HDF5 file, or one whose run was killed at its start"
            missing = isinstance(e, (FileNotFoundError, PermissionError, IsADirectoryError))
            raise ResultError(reason if missing else f"is not a Constella result: {reason}") from None
        name = outside(file)
        if name:
            file.close()
            raise ResultError(f"is not a Constella result: /{name} lies in another file")
        if "run" not in file or "state" not in file["run"].attrs:
            file.close()
            raise ResultError("is not a Constella result: HDF5, but without the attribute /run state")
        return file

    def close(self):
        """Close the file. Data that was read stays valid."""
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def attribute(self, group, name, default=""):
        """An attribute as text; a whole number without its point."""
        with Watch.over():
            if group not in self._attributes:
                self._attributes[group] = self.file[group].attrs if group in self.file else {}
            if name not in self._attributes[group]:
                return default
            value = self._attributes[group][name]
        return shortest(value) if isinstance(value, (float, np.floating)) else as_text(value)

    def attributes(self, group):
        """{name: text} of all attributes of a group or dataset."""
        with Watch.over():
            names = sorted(self.file[group].attrs) if group in self.file else []
        return {name: self.attribute(group, name) for name in names if not name.isupper()}

    def data(self, path, figure=None):
        """A dataset as an array (text as str), or None where it is absent. figure: that entry of the
        dimension `figure`, the last one."""
        key = (path, figure)
        if key not in self._cache:
            self._cache[key] = self._read(path, figure)
        return self._cache[key]

    def _read(self, path, figure):
        node = self.file.get(path)
        if not isinstance(node, h5py.Dataset):
            return None
        if node.nbytes > self.size:
            raise ResultError(f"is damaged: {path} would be larger than the file")
        entry = ... if figure is None else (..., self.figure_index(figure))
        with Watch.over(node.nbytes):
            x = node[entry]
            if path != "/final/status" and "part" in self.file.attrs and self.scales(path)[:2] == ["case", "member"]:
                self._leave_out(x)
        if node.dtype.kind in "SO":
            return np.array([as_text(text) for text in np.ravel(x)], dtype=object).reshape(node.shape)
        return x if np.issubdtype(x.dtype, np.integer) else x.astype(float)

    def _leave_out(self, x):
        """The file of a part has holes where trajectories of other parts would be."""
        x[self.file["/final/status"][()] < 0] = np.nan if x.dtype.kind == "f" else -1

    def figure_index(self, figure):
        """Which entry of the dimension `figure` has that name."""
        names = list(self.data("/figure"))
        if figure not in names:
            raise ResultError(f"is damaged: /figure has no entry '{figure}'")
        return names.index(figure)

    def names(self, group):
        """The contents of a group, in the order of creation where the file keeps it."""
        with Watch.over():
            node = self.file.get(group)
            return list(node) if isinstance(node, h5py.Group) else []

    def datasets(self, group):
        """Paths of the datasets of a group and of the groups in it."""
        found = []
        with Watch.over():
            node = self.file.get(group)
            if node is not None:
                node.visititems(lambda name, d: found.append(name) if isinstance(d, h5py.Dataset) else None)
        return [f"{group.rstrip('/')}/{name}" for name in found]

    def shape(self, path):
        return self.file[path].shape

    def scales(self, path):
        """The names of the dimensions of a dataset, '' where one has none."""
        node = self.file.get(path)
        if not isinstance(node, h5py.Dataset):
            return []
        with Watch.over():
            names = [d.values()[0].name if len(d) else "" for d in node.dims]
        if None in names:
            raise ResultError(f"is damaged: the dimensions of {path} have lost their names")
        return [name.strip("/") for name in names]

    def unit(self, path):
        """' [unit]', or nothing for numbers without one."""
        unit = self.attribute(path, "units")
        return f" [{unit}]" if unit not in ("", "1") else ""
