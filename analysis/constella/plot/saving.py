"""saving.py: figures as files, complete or not at all, with the same bytes every time."""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib

from .. import style
from ..reading import ConstellaError
from ..writing import write

FORMS = ("png", "pdf", "svg")


def form_of(path):
    form = pathlib.Path(path).suffix.lstrip(".").lower()
    if form not in FORMS:
        raise ConstellaError(f'{path}: figures are written as {", ".join("." + f for f in FORMS)}')
    return form


def save(fig, path, style_name="screen"):
    """Write a figure as PNG, PDF or SVG, by the extension of the path."""
    write(path, style.encode(fig, form_of(path), style_name))
