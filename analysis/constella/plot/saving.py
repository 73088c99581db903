"""saving.py: writes figures as files, complete or not at all, with the same bytes every time."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib

from .. import style
from ..reading import ConstellaError

FORMS = ("png", "pdf", "svg")


def write(path, data):
    """Write the whole file or nothing: a reader never sees a part."""
    path = pathlib.Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as e:
        if part.exists():
            part.unlink()
        raise OSError(e.errno, f"cannot write: {e.strerror}", str(path)) from None


def form_of(path):
    form = pathlib.Path(path).suffix.lstrip(".").lower()
    if form not in FORMS:
        raise ConstellaError(f'{path}: figures are written as {", ".join("." + f for f in FORMS)}')
    return form


def save(fig, path, style_name="screen"):
    """Write a figure as PNG, PDF or SVG, by the extension of the path."""
    write(path, style.encode(fig, form_of(path), style_name))
